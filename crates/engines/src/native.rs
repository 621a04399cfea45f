//! Our own engine.

use crate::destroy::destroy;
use crate::engine::{Batch, Cursor, Engine, LiveFile, MultiGetApi, PutInTable};
use crate::opening::Opening;
use crate::provider::{Identity, Kind, Provider};
use base::{PinnableSlice, Result, Status};
use db::{
    ColumnFamilyHandle, Columns, CompactFilesOptions, CompactRangeOptions, Db, DbIterator,
    FlushOptions, IngestExternalFileOptions, OpenContext, ReadOptions, ShapeOptions, Snapshot,
    SstFileWriter, WaitForCompactOptions, WriteBatch, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use perf_context::{
    PerfLevel, disable_per_level_perf_context, enable_per_level_perf_context, perf_context,
    reset_perf_context, set_perf_level,
};
use record::{FamilyShape, LevelShape};
use statistics::Ticker;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Opens our databases.
#[derive(Clone, Debug)]
pub struct TouchstoneProvider {
    context: OpenContext,
}

impl TouchstoneProvider {
    /// All databases will be opened with `context`: they share its caches, limits and statistics.
    pub fn new(context: OpenContext) -> Self {
        Self { context }
    }
}

impl Provider for TouchstoneProvider {
    type Engine = Touchstone;

    fn identity(&self) -> Identity {
        Identity {
            name: "touchstone".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Native,
            library: None,
            assertions: cfg!(debug_assertions),
        }
    }

    fn open(&self, opening: &Opening) -> Result<Touchstone> {
        let Opening { path, options, families, read_only, secondary_path } = opening;
        let context = &self.context;
        let db = match secondary_path {
            Some(own) => Db::open_as_secondary(options, path, own, families, context)?,
            None if *read_only => Db::open_for_read_only(options, path, families, context)?,
            None => Db::open(options, path, families, context)?,
        };
        let warnings = match *read_only || secondary_path.is_some() {
            true => db::reading_warnings(options, families),
            false => db.warnings().to_vec(),
        };
        for warning in warnings {
            eprintln!("warning: {warning}");
        }
        Ok(Touchstone { db })
    }

    fn destroy(&self, path: &Path, wal_dir: Option<&Path>) -> Result<()> {
        destroy(&*env::default_file_system(), path, wal_dir)
    }

    fn statistics_text(&self) -> Option<String> {
        self.context.statistics.as_ref().map(ToString::to_string)
    }

    fn ticker(&self, name: &str) -> Option<u64> {
        let ticker = Ticker::from_name(name)?;
        self.context.statistics.as_ref().map(|statistics| statistics.ticker_count(ticker))
    }

    fn reset_statistics(&self) -> Result<()> {
        if let Some(statistics) = &self.context.statistics {
            statistics.reset();
        }
        Ok(())
    }
}

/// An open database of ours.
#[derive(Debug)]
pub struct Touchstone {
    db: Db,
}

impl Touchstone {
    /// The database, for what other engines do not have.
    pub fn db(&self) -> &Db {
        &self.db
    }
}

impl Engine for Touchstone {
    type Family = ColumnFamilyHandle;
    type ReadOptions = ReadOptions;
    type WriteOptions = WriteOptions;
    type Value<'a> = PinnableSlice;
    type MultiGetRoom = ();
    type Batch = WriteBatch;
    type Cursor<'a> = DbIterator;
    type Snapshot = Snapshot;

    fn path(&self) -> &Path {
        self.db.path()
    }

    fn family(&self, name: &str) -> Result<ColumnFamilyHandle> {
        let family = self.db.column_family(name);
        family.ok_or_else(|| Status::invalid_argument(format!("no family {name}")))
    }

    fn close(self) -> Result<()> {
        self.db.close()
    }

    fn read_options(&self, options: &ReadOptions) -> Result<ReadOptions> {
        Ok(options.clone())
    }

    fn set_bounds(
        &self,
        options: &mut ReadOptions,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()> {
        options.iterate_lower_bound = lower.map(<[u8]>::to_vec);
        options.iterate_upper_bound = upper.map(<[u8]>::to_vec);
        Ok(())
    }

    fn set_snapshot(&self, options: &mut ReadOptions, snapshot: Option<&Snapshot>) -> Result<()> {
        options.snapshot = snapshot.map(Snapshot::sequence);
        Ok(())
    }

    fn write_options(&self, options: &WriteOptions) -> Result<WriteOptions> {
        Ok(*options)
    }

    #[inline]
    fn get(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<PinnableSlice>> {
        self.db.get(options, family, key)
    }

    fn get_entity(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<Columns>> {
        self.db.get_entity(options, family, key)
    }

    /// Both ways are one here.
    #[inline]
    fn multi_get(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        keys: &[Vec<u8>],
        _api: MultiGetApi,
        (): &mut (),
        mut visit: impl FnMut(usize, Option<&[u8]>),
    ) -> Result<()> {
        for (index, value) in self.db.multi_get(options, family, keys).into_iter().enumerate() {
            visit(index, value?.as_deref());
        }
        Ok(())
    }

    #[inline]
    fn new_iterator(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
    ) -> Result<DbIterator> {
        self.db.new_iterator(options, family)
    }

    fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.db.snapshot())
    }

    fn new_batch(&self) -> WriteBatch {
        WriteBatch::new()
    }

    #[inline]
    fn write(&self, options: &WriteOptions, batch: &mut WriteBatch) -> Result<()> {
        self.db.write_reused(options, batch)
    }

    #[inline]
    fn put(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        value: &[u8],
    ) -> Result<()> {
        self.db.put(options, family, key, value)
    }

    #[inline]
    fn delete(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<()> {
        self.db.delete(options, family, key)
    }

    #[inline]
    fn single_delete(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<()> {
        self.db.single_delete(options, family, key)
    }

    #[inline]
    fn merge(
        &self,
        options: &WriteOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
        operand: &[u8],
    ) -> Result<()> {
        self.db.merge(options, family, key, operand)
    }

    fn write_table(
        &self,
        options: &DbOptions,
        family: &ColumnFamilyOptions,
        path: &Path,
        fill: &mut dyn FnMut(&mut PutInTable<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = SstFileWriter::new(options, family, self.db.context());
        writer.open(path)?;
        fill(&mut |key, value| writer.put(key, value))?;
        writer.finish().map(|_| ())
    }

    fn ingest(
        &self,
        family: &ColumnFamilyHandle,
        files: &[PathBuf],
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        self.db.ingest_external_file(family, files, options)
    }

    fn flush(&self, families: &[ColumnFamilyHandle]) -> Result<()> {
        self.db.flush(&FlushOptions::default(), &families.iter().collect::<Vec<_>>())
    }

    fn compact_range(
        &self,
        options: &CompactRangeOptions,
        family: &ColumnFamilyHandle,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
    ) -> Result<()> {
        self.db.compact_range(options, family, begin, end)
    }

    fn compact_files(
        &self,
        options: &CompactFilesOptions,
        family: &ColumnFamilyHandle,
        numbers: &[u64],
        output_level: usize,
    ) -> Result<()> {
        self.db.compact_files(options, family, numbers, output_level)
    }

    fn live_files(&self) -> Result<Vec<LiveFile>> {
        let files = self.db.live_files().into_iter().map(|file| LiveFile {
            family: file.column_family.to_string(),
            level: file.level,
            number: file.number,
            bytes: file.size_bytes,
        });
        Ok(files.collect())
    }

    fn wait_for_compaction(&self) -> Result<()> {
        self.db.wait_for_compact(&WaitForCompactOptions::default())
    }

    fn set_options(&self, family: &ColumnFamilyHandle, changes: &[(&str, &str)]) -> Result<()> {
        for diagnostic in self.db.set_options(family, changes)? {
            eprintln!("warning: {diagnostic}");
        }
        Ok(())
    }

    fn property(&self, family: &ColumnFamilyHandle, name: &str) -> Result<Option<String>> {
        Ok(self.db.property(family, name))
    }

    fn int_property(&self, family: &ColumnFamilyHandle, name: &str) -> Result<Option<u64>> {
        Ok(self.db.int_property(family, name))
    }

    fn tree_shape(&self, family: &ColumnFamilyHandle) -> Result<FamilyShape> {
        let options = ShapeOptions { entries: false, ..ShapeOptions::default() };
        let (shape, _) = self.db.tree_shape(family, &options);
        let active = shape.memtables.first();
        Ok(FamilyShape {
            memtable_bytes: active.map_or(0, |table| table.bytes),
            memtable_entries: active.map_or(0, |table| table.entries),
            immutable_memtables: shape.memtables.len().saturating_sub(1) as u64,
            levels: (0..)
                .zip(&shape.levels)
                .map(|(level, shape)| LevelShape {
                    level,
                    files: shape.files as u64,
                    bytes: shape.bytes,
                })
                .collect(),
        })
    }

    fn approximate_sizes(
        &self,
        family: &ColumnFamilyHandle,
        ranges: &[Range<Vec<u8>>],
    ) -> Result<Vec<u64>> {
        self.db.approximate_sizes(family, ranges)
    }

    fn approximate_memtable_entries(
        &self,
        family: &ColumnFamilyHandle,
        range: &Range<Vec<u8>>,
    ) -> Result<u64> {
        self.db.approximate_memtable_stats(family, range).map(|stats| stats.entries)
    }

    fn reset_stats(&self) -> Result<()> {
        self.db.reset_stats();
        Ok(())
    }

    fn merge_operands(
        &self,
        options: &ReadOptions,
        family: &ColumnFamilyHandle,
        key: &[u8],
    ) -> Result<Option<Vec<Vec<u8>>>> {
        let operands = self.db.get_merge_operands(options, family, key)?;
        Ok(operands.map(|operands| operands.iter().map(|operand| operand.to_vec()).collect()))
    }

    fn verify_file_checksums(&self) -> Result<()> {
        self.db.verify_file_checksums(&ReadOptions::default())
    }

    fn verify_checksum(&self, options: &ReadOptions) -> Result<()> {
        self.db.verify_checksum(options)
    }

    fn stats_history(&self) -> Result<Vec<(u64, BTreeMap<String, u64>)>> {
        let slices = self.db.stats_history(0, u64::MAX)?;
        Ok(slices.into_iter().map(|slice| (slice.time_seconds, slice.deltas)).collect())
    }

    fn catch_up(&self) -> Result<()> {
        self.db.try_catch_up_with_primary()
    }

    fn start_perf(&self, level: PerfLevel, by_level: bool) -> Result<()> {
        set_perf_level(level);
        if by_level {
            enable_per_level_perf_context();
        } else {
            disable_per_level_perf_context();
        }
        reset_perf_context();
        Ok(())
    }

    fn perf_report(&self) -> Result<String> {
        Ok(perf_context().to_string())
    }
}

impl Batch for WriteBatch {
    type Family = ColumnFamilyHandle;

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn count(&self) -> u64 {
        Self::count(self).into()
    }

    #[inline]
    fn put(&mut self, family: &ColumnFamilyHandle, key: &[u8], value: &[u8]) -> Result<()> {
        Self::put(self, family.id(), key, value)
    }

    #[inline]
    fn delete(&mut self, family: &ColumnFamilyHandle, key: &[u8]) -> Result<()> {
        Self::delete(self, family.id(), key)
    }

    #[inline]
    fn single_delete(&mut self, family: &ColumnFamilyHandle, key: &[u8]) -> Result<()> {
        Self::single_delete(self, family.id(), key)
    }

    #[inline]
    fn merge(&mut self, family: &ColumnFamilyHandle, key: &[u8], operand: &[u8]) -> Result<()> {
        Self::merge(self, family.id(), key, operand)
    }

    #[inline]
    fn delete_range(
        &mut self,
        family: &ColumnFamilyHandle,
        begin: &[u8],
        end: &[u8],
    ) -> Result<()> {
        Self::delete_range(self, family.id(), begin, end)
    }
}

impl Cursor for DbIterator {
    #[inline]
    fn valid(&self) -> bool {
        Self::valid(self)
    }

    fn status(&self) -> Result<()> {
        Self::status(self)
    }

    fn seek_to_first(&mut self) {
        Self::seek_to_first(self);
    }

    fn seek_to_last(&mut self) {
        Self::seek_to_last(self);
    }

    #[inline]
    fn seek(&mut self, target: &[u8]) {
        Self::seek(self, target);
    }

    #[inline]
    fn seek_for_prev(&mut self, target: &[u8]) {
        Self::seek_for_prev(self, target);
    }

    #[inline]
    fn next(&mut self) {
        Self::next(self);
    }

    #[inline]
    fn prev(&mut self) {
        Self::prev(self);
    }

    #[inline]
    fn key(&self) -> &[u8] {
        Self::key(self)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        Self::value(self)
    }
}
