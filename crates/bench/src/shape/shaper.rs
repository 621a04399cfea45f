//! Brings a database into a shape.

use super::difference::{differences, entries};
use super::draw_down::draw_down;
use super::plan::{Step, overwrites, plan};
use super::wanted::{Fill, Settings, Stage, Wanted};
use crate::flags::Flags;
use crate::key_generator::{KeyFormat, average_key_size};
use crate::random::Random64;
use crate::runner::shared::value_kind;
use crate::value_generator::ValueGenerator;
use crate::workload::Target;
use base::status::Code;
use base::{Result, Status};
use db::{CompactFilesOptions, CompactRangeOptions, ReadOptions, WriteOptions};
use engines::Engine;
use options::ColumnFamilyOptions;
use record::{FamilyShape, shape_text as text};
use std::thread;
use std::time::{Duration, Instant};

/// Makes the seed of the keys that shape a tree another one than those of the benchmarks.
const SEED: u64 = 0x5348_4150_4544_4b59;

/// Looks at a memtable while it is filled.
const LOOKS_PER_MEMTABLE: u64 = 16;

/// Rounds of writing and compacting that bring a level to its bytes; each comes closer.
const FILL_ROUNDS: usize = 6;

/// A level is full from so many thousandths of its bytes on. More cannot be taken away again, so the
/// first round stays below them.
const LEVEL_FULL: u64 = 995;
const FIRST_ROUND: f64 = 0.95;

/// Longest wait for a flush or a compaction.
const PATIENCE: Duration = Duration::from_secs(3600);
const PAUSE: Duration = Duration::from_millis(1);

/// Overwrites between stages of the published campaign, unless `--writes` says otherwise.
const PUBLISHED_WRITES: u64 = 275_000;

/// What a shape is made with.
pub(crate) struct Shaper<'a, E: Engine> {
    flags: &'a Flags,
    target: &'a Target<E>,
    settings: Settings,
    options: &'a ColumnFamilyOptions,
    keys: KeyFormat,
    values: ValueGenerator,
    random: Random64,
    read_options: E::ReadOptions,
    write_options: E::WriteOptions,
    key: Vec<u8>,
}

impl<'a, E: Engine> Shaper<'a, E> {
    /// A shaper of the tree of `target`, whose only family has these options.
    ///
    /// # Errors
    /// `NotSupported` for trees without levels and for several families.
    pub(crate) fn new(
        flags: &'a Flags,
        target: &'a Target<E>,
        options: &'a ColumnFamilyOptions,
        seed_base: u64,
    ) -> Result<Self> {
        if flags.int("compaction_style") != 0 {
            return Err(Status::not_supported("--shape but with leveled compaction"));
        }
        if target.families.len() > 1 {
            return Err(Status::not_supported("--shape with several column families"));
        }
        // Engines without levels say so.
        target.db.tree_shape(&target.families[0])?;
        let settings = Settings {
            num_levels: usize::try_from(options.num_levels).unwrap_or(1),
            dynamic_level_bytes: options.level_compaction_dynamic_level_bytes,
            level_base_bytes: options.max_bytes_for_level_base,
            fanout: options.max_bytes_for_level_multiplier,
            l0_trigger: usize::try_from(options.level0_file_num_compaction_trigger).unwrap_or(1),
            memtable_capacity: None,
        };
        let reading = ReadOptions { fill_cache: false, ..ReadOptions::default() };
        let writing =
            WriteOptions { disable_wal: flags.bool("disable_wal"), ..WriteOptions::default() };
        Ok(Self {
            flags,
            target,
            settings,
            options,
            keys: KeyFormat::of_flags(flags, 0, flags.uint("num")),
            values: ValueGenerator::new(value_kind(flags, None)?, seed_base),
            random: Random64::new(seed_base ^ SEED),
            read_options: target.db.read_options(&reading)?,
            write_options: target.db.write_options(&writing)?,
            key: Vec::new(),
        })
    }

    /// Brings the tree into the shape, with automatic compactions off, and leaves them off. Nothing
    /// is done to a tree that has it. `capacity` is how many entries a memtable holds, once an earlier
    /// call has found that out.
    ///
    /// # Errors
    /// `InvalidArgument` for a shape that the data does not allow, `NotSupported` if the engine lacks
    /// a call, `Aborted` that says what there is and what was wanted if the steps did not lead there.
    pub(crate) fn reach(&mut self, wanted: &Wanted, capacity: &mut Option<u64>) -> Result<()> {
        self.settings.memtable_capacity = *capacity;
        self.freeze(true)?;
        self.wait()?;
        let mut is_built = false;
        loop {
            let now = self.present()?;
            let steps = plan(wanted, &now, &self.settings)?;
            if steps.is_empty() {
                *capacity = self.settings.memtable_capacity;
                return Ok(());
            }
            if is_built {
                return Err(self.not_reached(wanted, &now));
            }
            for step in &steps {
                println!("shape: {step}");
                self.take(step)?;
                is_built |= step.builds();
            }
            self.wait()?;
        }
    }

    /// Whether the tree has the shape; [`Shaper::reach`] says what `capacity` is.
    ///
    /// # Errors
    /// `InvalidArgument` for a shape that the data does not allow.
    pub(crate) fn has(&mut self, wanted: &Wanted, capacity: Option<u64>) -> Result<bool> {
        self.settings.memtable_capacity = capacity;
        Ok(plan(wanted, &self.present()?, &self.settings)?.is_empty())
    }

    /// Turns automatic compactions off, or back to what the flags say.
    ///
    /// # Errors
    /// `NotSupported` by engines whose options cannot be changed.
    pub(crate) fn freeze(&self, is_frozen: bool) -> Result<()> {
        let off = is_frozen || self.flags.bool("disable_auto_compactions");
        let changes = [("disable_auto_compactions", if off { "true" } else { "false" })];
        self.target.db.set_options(&self.target.families[0], &changes)
    }

    /// Goes through a stage as the campaign of 2021 did: its flush did nothing, its overwrites had
    /// the keys of its queries, compactions were on.
    ///
    /// # Errors
    /// As [`Shaper::reach`], but whatever shape comes of it is taken.
    pub(crate) fn as_published(&mut self, stage: Stage, seed_base: u64) -> Result<()> {
        let writes = match self.flags.int("writes") {
            ..=0 => PUBLISHED_WRITES,
            writes => writes as u64,
        };
        // As the first thread of the queries draws.
        self.random = Random64::new(seed_base.wrapping_add(1));
        println!("shape: overwrite {writes} keys");
        self.overwrite_any(writes)?;
        self.wait()?;
        let reaches = |last: Stage| Stage::ALL.iter().position(|(_, stage)| *stage == last);
        if reaches(stage) >= reaches(Stage::CompactL0) {
            self.compact_down(|level| level == 0)?;
            self.wait()?;
        }
        if reaches(stage) >= reaches(Stage::CompactL1) {
            self.compact_down(|level| level > 0)?;
        }
        if reaches(stage) >= reaches(Stage::CompactAll) {
            self.take(&Step::CompactAll)?;
            self.wait()?;
        }
        if stage == Stage::L0AndLmax {
            self.overwrite_any(writes)?;
            self.wait()?;
        }
        Ok(())
    }

    /// Compacts the first level that is chosen and has files into the next one that has some.
    fn compact_down(&self, is_chosen: impl Fn(usize) -> bool) -> Result<()> {
        let shape = self.present()?;
        let mut full = shape.levels.iter().filter(|level| level.files > 0).map(|one| one.level);
        let from = full.clone().find(|level| is_chosen(*level));
        let to = full.find(|level| from.is_some_and(|from| *level > from));
        match (from, to) {
            (Some(from), Some(to)) => self.take_level(from, to),
            _ => Ok(()),
        }
    }

    fn not_reached(&self, wanted: &Wanted, now: &FamilyShape) -> Status {
        let deepest = now.levels.iter().rev().find(|level| level.files > 0);
        let target = wanted.target(deepest.map_or(0, |level| level.bytes), &self.settings);
        let missing = target.map(|target| differences(&target, now, &self.settings));
        Status::aborted(format!(
            "--shape={} was not reached: {}; there is {}",
            self.flags.text("shape"),
            missing.unwrap_or_default().join(", "),
            text::line(now)
        ))
    }

    fn present(&self) -> Result<FamilyShape> {
        self.target.db.tree_shape(&self.target.families[0])
    }

    fn take(&mut self, step: &Step) -> Result<()> {
        match step {
            Step::Flush => self.target.db.flush(&self.target.families),
            Step::CompactAll => {
                let options = CompactRangeOptions::default();
                self.target.db.compact_range(&options, &self.target.families[0], None, None)
            }
            Step::CompactLevel { from, to } if to > from => {
                self.take_level(*from, *to).or_else(|status| match status.code() {
                    // It is the only one, so that all can be told where to go.
                    Code::NotSupported => self.move_all(*to),
                    _ => Err(status),
                })
            }
            // Up, which files that are chosen cannot go: where the last level was used first.
            Step::CompactLevel { to, .. } => self.move_all(*to),
            Step::FillLevel { level, bytes } => self.fill_level(*level, *bytes),
            Step::FillMemtables(count) => self.fill_memtables(*count),
            Step::FillMemtable(fill) => self.fill_memtable(*fill),
        }
    }

    fn move_all(&self, to: usize) -> Result<()> {
        let options = CompactRangeOptions {
            change_level: true,
            target_level: to as i32,
            ..CompactRangeOptions::default()
        };
        self.target.db.compact_range(&options, &self.target.families[0], None, None)
    }

    /// Compacts all files of a level into another.
    fn take_level(&self, from: usize, to: usize) -> Result<()> {
        let mut files = self.target.db.live_files()?;
        files.retain(|file| file.level == from && file.family == db::DEFAULT_COLUMN_FAMILY_NAME);
        let numbers: Vec<_> = files.iter().map(|file| file.number).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let options = CompactFilesOptions {
            output_file_size_limit: self.flags.uint("target_file_size_base"),
            ..CompactFilesOptions::default()
        };
        self.target.db.compact_files(&options, &self.target.families[0], &numbers, to)
    }

    fn fill_level(&mut self, level: usize, bytes: u64) -> Result<()> {
        let shape = self.present()?;
        let data: u64 = shape.levels.iter().map(|one| one.bytes).max().unwrap_or(0);
        let family = &self.target.families[0];
        let keys = self.target.db.int_property(family, "rocksdb.estimate-num-keys")?;
        let keys = keys.filter(|count| *count > 0).ok_or_else(|| {
            Status::not_supported("levels of a chosen size without an estimate of keys")
        })? as f64;
        let mut bytes_per_key = data as f64 / keys;
        let (mut written, mut share) = (0, FIRST_ROUND);
        for _ in 0..FILL_ROUNDS {
            let has = self.present()?.levels.get(level).map_or(0, |one| one.bytes);
            if has >= bytes * LEVEL_FULL / 1000 {
                return Ok(());
            }
            let distinct = keys * (1.0 - (-(written as f64) / keys).exp());
            if has > 0 {
                bytes_per_key = has as f64 / distinct;
            }
            let count = overwrites(keys, distinct, share * bytes as f64 / bytes_per_key).max(1);
            self.overwrite(count)?;
            written += count;
            self.target.db.flush(&self.target.families)?;
            self.wait()?;
            self.take_level(0, level).or_else(|status| match status.code() {
                Code::NotSupported => draw_down(self.target, self.options, level),
                _ => Err(status),
            })?;
            share = 1.0;
        }
        Ok(())
    }

    /// Writes until so many memtables were full and each is a file of L0.
    fn fill_memtables(&mut self, count: usize) -> Result<()> {
        let look_after = self.look_after();
        let mut expected = self.present()?.memtable_entries;
        let mut full = 0;
        while full < count {
            self.overwrite(look_after)?;
            expected += look_after;
            let entries = self.present()?.memtable_entries;
            if entries < expected {
                // One was changed for another on the way. Where two were, they hold as much each.
                self.settings.memtable_capacity = Some(expected - entries);
                full += 1;
                expected = entries;
                // So that it is not flushed together with the next one.
                self.wait_for_flushes()?;
            }
        }
        Ok(())
    }

    fn fill_memtable(&mut self, fill: Fill) -> Result<()> {
        let has = self.present()?.memtable_entries;
        let Some(wanted) = entries(fill, &self.settings) else {
            return self.fill_memtable_by_bytes(fill);
        };
        let missing = wanted.checked_sub(has).ok_or_else(|| {
            Status::aborted(format!(
                "--shape: the memtable has {has} entries already, {wanted} were wanted"
            ))
        })?;
        let (mut left, mut expected) = (missing, has);
        while left > 0 {
            let count = left.min(self.look_after());
            self.overwrite(count)?;
            (left, expected) = (left - count, expected + count);
            let entries = self.present()?.memtable_entries;
            if entries != expected {
                return Err(Status::invalid_argument(format!(
                    "--shape: a memtable holds only {} entries, {wanted} were wanted; \
                     --write_buffer_size is {}",
                    expected - entries,
                    self.options.write_buffer_size
                )));
            }
        }
        Ok(())
    }

    /// Entries after which a memtable that is filled is looked at.
    fn look_after(&self) -> u64 {
        let entry_bytes = average_key_size(self.flags) + self.flags.uint("value_size");
        (self.options.write_buffer_size / (entry_bytes + 1) / LOOKS_PER_MEMTABLE).max(1)
    }

    /// Where it is not known how many entries a memtable holds, its memory tells.
    fn fill_memtable_by_bytes(&mut self, fill: Fill) -> Result<()> {
        let share = match fill {
            Fill::PerMille(share) => share,
            Fill::Entries(_) => 0,
        };
        let look_after = self.look_after();
        let mut entries = self.present()?.memtable_entries;
        loop {
            let shape = self.present()?;
            if shape.memtable_bytes >= self.options.write_buffer_size * share / 1000 {
                return Ok(());
            }
            if shape.memtable_entries < entries {
                return Err(Status::aborted(
                    "--shape: the memtable was full before its memory said so; ask for more than \
                     one file in L0",
                ));
            }
            entries = shape.memtable_entries + look_after;
            self.overwrite(look_after)?;
        }
    }

    /// Overwrites keys that exist, so that the amount of data stays what it is.
    fn overwrite(&mut self, count: u64) -> Result<()> {
        let (db, family) = (&self.target.db, &self.target.families[0]);
        let (mut written, mut missed) = (0, 0u64);
        while written < count {
            let number = self.random.next_u64() % self.keys.key_count.max(1);
            self.keys.write(number, &mut self.key);
            if db.get(&self.read_options, family, &self.key)?.is_none() {
                missed += 1;
                if missed > 1000 * (written + 1000) {
                    return Err(Status::invalid_argument(format!(
                        "--shape: none of {missed} keys exists; is --num, --key_size and the like \
                         what the database was filled with?"
                    )));
                }
                continue;
            }
            db.put(&self.write_options, family, &self.key, self.values.next_value())?;
            written += 1;
        }
        Ok(())
    }

    /// Overwrites keys as `overwrite` does, those that do not exist, too.
    fn overwrite_any(&mut self, count: u64) -> Result<()> {
        let (db, family) = (&self.target.db, &self.target.families[0]);
        for _ in 0..count {
            // The choice of a database.
            self.random.next_u64();
            let number = self.random.next_u64() % self.keys.key_count.max(1);
            self.keys.write(number, &mut self.key);
            db.put(&self.write_options, family, &self.key, self.values.next_value())?;
        }
        Ok(())
    }

    /// Waits until no full memtable is left.
    fn wait_for_flushes(&self) -> Result<()> {
        self.wait_until("flushes", || Ok(self.present()?.immutable_memtables == 0))
    }

    /// Waits until nothing runs in the background.
    fn wait(&self) -> Result<()> {
        match self.target.db.wait_for_compaction() {
            Err(status) if status.code() == Code::NotSupported => {}
            result => return result,
        }
        self.wait_for_flushes()?;
        let family = &self.target.families[0];
        let runs = |name| {
            let count = self.target.db.int_property(family, name)?;
            Ok::<_, Status>(count.is_some_and(|count| count > 0))
        };
        self.wait_until("compactions", || {
            Ok(!runs("rocksdb.num-running-compactions")? && !runs("rocksdb.num-running-flushes")?)
        })
    }

    fn wait_until(&self, what: &str, is_done: impl Fn() -> Result<bool>) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while !is_done()? {
            if Instant::now() > deadline {
                let waited = format!("--shape: waited an hour for {what}");
                return Err(Status::new(Code::TimedOut, waited));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}
