//! A database that a library of RocksDB has open.

use super::call_options;
use super::status::status_of;
use crate::engine::{Batch, Cursor, Engine, LiveFile, MultiGetApi};
use base::{Result, Status};
use db::{
    BottommostLevelCompaction, CompactFilesOptions, CompactRangeOptions, ReadOptions, WriteOptions,
};
use librocksdb::{CompactRange, Database, Failure, Family, MultiGetRoom, PinnedValue, Snapshot};
use perf_context::PerfLevel;
use record::{FamilyShape, LevelShape};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Numbers that are zero where nothing runs in the background and nothing is due.
const BACKGROUND: [&str; 4] = [
    "rocksdb.mem-table-flush-pending",
    "rocksdb.num-running-flushes",
    "rocksdb.compaction-pending",
    "rocksdb.num-running-compactions",
];

/// A release that cannot say when it is done is so if it was found idle this often in a row,
/// with this time between.
const IDLE_LOOKS: usize = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Releases before 8.7 may say for ever that a compaction is due that never begins. After this time in
/// which nothing ran it is not waited for any longer, the second time not as long.
const PENDING_MAX: Duration = Duration::from_secs(10);
const PENDING_AGAIN_MAX: Duration = Duration::from_millis(500);

/// The same where automatic compactions were turned off: what was about to begin has begun by then.
const PENDING_WHILE_OFF_MAX: Duration = Duration::from_millis(100);

/// A database that a library of RocksDB has open.
pub struct RocksDb {
    path: PathBuf,
    database: Database,
    /// Whether a compaction was once said to be due that did not begin.
    has_waited_in_vain: AtomicBool,
    /// Whether automatic compactions were turned off in the default family since it is open.
    compactions_are_off: AtomicBool,
}

impl RocksDb {
    pub(super) fn new(path: PathBuf, database: Database) -> Self {
        Self {
            path,
            database,
            has_waited_in_vain: AtomicBool::new(false),
            compactions_are_off: AtomicBool::new(false),
        }
    }

    /// The state of the background: what runs, and what is due.
    fn background(&self, family: &Family) -> Result<[u64; 4]> {
        let mut state = [0; 4];
        for (number, name) in state.iter_mut().zip(BACKGROUND) {
            *number = self.int_property(family, name)?.unwrap_or(0);
        }
        Ok(state)
    }

    fn poll_until_idle(&self, family: &Family) -> Result<()> {
        let (mut idle, mut last_run) = (0, Instant::now());
        // Relaxed: they say how patient to be, and guard nothing.
        let is_off = self.compactions_are_off.load(Ordering::Relaxed);
        let patience = match self.has_waited_in_vain.load(Ordering::Relaxed) {
            _ if is_off => PENDING_WHILE_OFF_MAX,
            true => PENDING_AGAIN_MAX,
            false => PENDING_MAX,
        };
        while idle < IDLE_LOOKS {
            let [flush_due, flushes, compaction_due, compactions] = self.background(family)?;
            if flushes + compactions > 0 {
                last_run = Instant::now();
            }
            let is_idle = flush_due + flushes + compaction_due + compactions == 0;
            idle = if is_idle { idle + 1 } else { 0 };
            if flush_due + flushes + compactions == 0 && last_run.elapsed() > patience {
                if !is_off && !self.has_waited_in_vain.swap(true, Ordering::Relaxed) {
                    eprintln!("warning: a compaction is said to be due and does not begin");
                }
                return Ok(());
            }
            thread::sleep(BETWEEN_LOOKS);
        }
        Ok(())
    }
}

/// How a library is to read.
pub struct RocksDbReadOptions(librocksdb::ReadOptions);

impl Clone for RocksDbReadOptions {
    /// # Panics
    /// If the library has no functions any more that it had when the options were made.
    fn clone(&self) -> Self {
        match self.0.try_clone() {
            Ok(copy) => Self(copy),
            Err(failure) => panic!("{failure}"),
        }
    }
}

impl Engine for RocksDb {
    type Family = Family;
    type ReadOptions = RocksDbReadOptions;
    type WriteOptions = librocksdb::WriteOptions;
    type Value<'a> = PinnedValue<'a>;
    type MultiGetRoom = MultiGetRoom;
    type Batch = RocksDbBatch;
    type Cursor<'a> = RocksDbCursor<'a>;
    type Snapshot = Snapshot;

    fn path(&self) -> &Path {
        &self.path
    }

    fn family(&self, name: &str) -> Result<Family> {
        let family = self.database.family(name);
        family.ok_or_else(|| Status::invalid_argument(format!("no family {name}")))
    }

    /// RocksDB's function tells no failure.
    fn close(self) -> Result<()> {
        Ok(())
    }

    fn read_options(&self, options: &ReadOptions) -> Result<RocksDbReadOptions> {
        call_options::read_options(self.database.library(), options).map(RocksDbReadOptions)
    }

    fn set_bounds(
        &self,
        options: &mut RocksDbReadOptions,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()> {
        options.0.set_bounds(lower, upper).map_err(status_of)
    }

    fn set_snapshot(
        &self,
        options: &mut RocksDbReadOptions,
        snapshot: Option<&Snapshot>,
    ) -> Result<()> {
        options.0.set_snapshot(snapshot).map_err(status_of)
    }

    fn write_options(&self, options: &WriteOptions) -> Result<librocksdb::WriteOptions> {
        call_options::write_options(self.database.library(), options)
    }

    #[inline]
    fn get<'a>(
        &'a self,
        options: &RocksDbReadOptions,
        family: &Family,
        key: &[u8],
    ) -> Result<Option<PinnedValue<'a>>> {
        self.database.get(&options.0, family, key).map_err(status_of)
    }

    #[inline]
    fn multi_get(
        &self,
        options: &RocksDbReadOptions,
        family: &Family,
        keys: &[Vec<u8>],
        api: MultiGetApi,
        room: &mut MultiGetRoom,
        visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        let options = &options.0;
        match api {
            MultiGetApi::Array => {
                self.database.batched_multi_get(options, family, keys, room, visit)
            }
            MultiGetApi::Vector => self.database.multi_get(options, family, keys, room, visit),
        }
        .map_err(status_of)
    }

    #[inline]
    fn new_iterator<'a>(
        &'a self,
        options: &'a RocksDbReadOptions,
        family: &'a Family,
    ) -> Result<RocksDbCursor<'a>> {
        self.database.cursor(&options.0, family).map(RocksDbCursor).map_err(status_of)
    }

    fn snapshot(&self) -> Result<Snapshot> {
        self.database.snapshot().map_err(status_of)
    }

    /// # Panics
    /// If the library cannot make a batch.
    fn new_batch(&self) -> RocksDbBatch {
        match librocksdb::WriteBatch::new(self.database.library()) {
            Ok(batch) => RocksDbBatch(batch),
            Err(failure) => panic!("{failure}"),
        }
    }

    #[inline]
    fn write(&self, options: &librocksdb::WriteOptions, batch: &mut RocksDbBatch) -> Result<()> {
        self.database.write(options, &mut batch.0).map_err(status_of)
    }

    #[inline]
    fn put(
        &self,
        options: &librocksdb::WriteOptions,
        family: &Family,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.database.put(options, family, key, value).map_err(status_of)
    }

    #[inline]
    fn delete(
        &self,
        options: &librocksdb::WriteOptions,
        family: &Family,
        key: &[u8],
    ) -> Result<()> {
        self.database.delete(options, family, key).map_err(status_of)
    }

    #[inline]
    fn single_delete(
        &self,
        options: &librocksdb::WriteOptions,
        family: &Family,
        key: &[u8],
    ) -> Result<()> {
        self.database.single_delete(options, family, key).map_err(status_of)
    }

    #[inline]
    fn merge(
        &self,
        options: &librocksdb::WriteOptions,
        family: &Family,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        self.database.merge(options, family, key, operand).map_err(status_of)
    }

    fn flush(&self, families: &[Family]) -> Result<()> {
        families.iter().try_for_each(|family| self.database.flush(family).map_err(status_of))
    }

    fn compact_range(
        &self,
        options: &CompactRangeOptions,
        family: &Family,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        let bottommost = options.bottommost_level_compaction;
        let is_changed = bottommost != BottommostLevelCompaction::IfHaveCompactionFilter;
        let how = CompactRange {
            exclusive: options.exclusive_manual_compaction.then_some(true),
            bottommost_level: is_changed.then_some(bottommost as u8),
            target_level: options.change_level.then_some(options.target_level),
            max_subcompactions: match options.max_subcompactions {
                0 => None,
                parts => Some(parts),
            },
        };
        self.database.compact_range(how, family, begin, end).map_err(status_of)
    }

    fn compact_files(
        &self,
        options: &CompactFilesOptions,
        family: &Family,
        numbers: &[u64],
        output_level: usize,
    ) -> Result<()> {
        let files = self.database.live_files().map_err(status_of)?;
        let chosen = files.into_iter().filter(|file| numbers.contains(&number_of(&file.name)));
        let names: Vec<_> = chosen.map(|file| file.name).collect();
        let limit = options.output_file_size_limit;
        self.database.compact_files(family, &names, output_level, limit).map_err(status_of)
    }

    fn live_files(&self) -> Result<Vec<LiveFile>> {
        let files = self.database.live_files().map_err(status_of)?;
        let files = files.into_iter().map(|file| LiveFile {
            number: number_of(&file.name),
            family: file.family,
            level: file.level,
            bytes: file.bytes,
        });
        Ok(files.collect())
    }

    fn wait_for_compaction(&self) -> Result<()> {
        match self.database.wait_for_compact() {
            Err(Failure::Unsupported(_)) => self.poll_until_idle(&self.family("default")?),
            result => result.map_err(status_of),
        }
    }

    fn set_options(&self, family: &Family, changes: &[(&str, &str)]) -> Result<()> {
        self.database.set_options(family, changes).map_err(status_of)?;
        for (name, value) in changes {
            if *name == "disable_auto_compactions" && family.name() == "default" {
                self.compactions_are_off.store(*value == "true", Ordering::Relaxed);
            }
        }
        Ok(())
    }

    fn property(&self, family: &Family, name: &str) -> Result<Option<String>> {
        self.database.property(family, name).map_err(status_of)
    }

    fn int_property(&self, family: &Family, name: &str) -> Result<Option<u64>> {
        self.database.int_property(family, name).map_err(status_of)
    }

    fn tree_shape(&self, family: &Family) -> Result<FamilyShape> {
        let number = |name: &str| Ok::<_, Status>(self.int_property(family, name)?.unwrap_or(0));
        // It has a line for each level, also where there are no files.
        let text = self.property(family, "rocksdb.levelstats")?.unwrap_or_default();
        let is_level = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let mut levels: Vec<_> = (0..text.lines().filter(is_level).count())
            .map(|level| LevelShape { level, ..LevelShape::default() })
            .collect();
        for file in self.live_files()?.iter().filter(|file| file.family == family.name()) {
            if let Some(level) = levels.get_mut(file.level) {
                level.files += 1;
                level.bytes += file.bytes;
            }
        }
        Ok(FamilyShape {
            memtable_bytes: number("rocksdb.cur-size-active-mem-table")?,
            memtable_entries: number("rocksdb.num-entries-active-mem-table")?,
            immutable_memtables: number("rocksdb.num-immutable-mem-table")?,
            levels,
        })
    }

    /// The C functions cannot ask for levels of the tree.
    fn start_perf(&self, level: PerfLevel, _by_level: bool) -> Result<()> {
        self.database.library().start_perf(level as i32).map_err(status_of)
    }

    fn perf_report(&self) -> Result<String> {
        self.database.library().perf_report().map_err(status_of)
    }
}

/// The number in a table's name, `/000012.sst`.
fn number_of(name: &str) -> u64 {
    let digits = name.trim_start_matches('/').split('.').next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Writes that become visible together.
pub struct RocksDbBatch(librocksdb::WriteBatch);

impl Batch for RocksDbBatch {
    type Family = Family;

    #[inline]
    fn clear(&mut self) {
        // The function is there since before the oldest release.
        let _ = self.0.clear();
    }

    fn count(&self) -> u64 {
        self.0.count()
    }

    #[inline]
    fn put(&mut self, family: &Family, key: &[u8], value: &[u8]) -> Result<()> {
        self.0.put(family, key, value).map_err(status_of)
    }

    #[inline]
    fn delete(&mut self, family: &Family, key: &[u8]) -> Result<()> {
        self.0.delete(family, key).map_err(status_of)
    }

    #[inline]
    fn single_delete(&mut self, family: &Family, key: &[u8]) -> Result<()> {
        self.0.single_delete(family, key).map_err(status_of)
    }

    #[inline]
    fn merge(&mut self, family: &Family, key: &[u8], operand: &[u8]) -> Result<()> {
        self.0.merge(family, key, operand).map_err(status_of)
    }

    #[inline]
    fn delete_range(&mut self, family: &Family, begin: &[u8], end: &[u8]) -> Result<()> {
        self.0.delete_range(family, begin, end).map_err(status_of)
    }
}

/// A cursor of a library.
pub struct RocksDbCursor<'a>(librocksdb::Cursor<'a>);

impl Cursor for RocksDbCursor<'_> {
    #[inline]
    fn valid(&self) -> bool {
        self.0.valid()
    }

    fn status(&self) -> Result<()> {
        self.0.status().map_err(status_of)
    }

    fn seek_to_first(&mut self) {
        self.0.seek_to_first();
    }

    fn seek_to_last(&mut self) {
        self.0.seek_to_last();
    }

    #[inline]
    fn seek(&mut self, target: &[u8]) {
        self.0.seek(target);
    }

    #[inline]
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.0.seek_for_prev(target);
    }

    #[inline]
    fn next(&mut self) {
        self.0.next();
    }

    #[inline]
    fn prev(&mut self) {
        self.0.prev();
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.0.key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.0.value()
    }
}
