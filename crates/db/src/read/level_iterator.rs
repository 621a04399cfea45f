//! One cursor over the files of a sorted run, one table at a time.
//!
//! Files are opened when the cursor first needs them. A table's range tombstones join the scan
//! when it is opened, which is early enough: a key inside a file's range is reached only after the
//! cursor was in that file, because boundaries include tombstones.

use crate::sorted_run::SortedRun;
use crate::table_set::TableSet;
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result, SliceTransform};
use iterator::RangeTombstoneSink;
use perf_context::{PerfMetric, Timer};
use std::sync::Arc;
use table::{ReadOptions, TableIterator};

/// A cursor over files that are sorted and do not overlap. A single L0 file is a run too.
pub(crate) struct LevelIterator {
    tables: Arc<TableSet>,
    run: Arc<SortedRun>,
    comparator: InternalKeyComparator,
    options: Arc<ReadOptions>,
    /// That of the scan. A table may have been opened with another.
    prefix_extractor: Option<Arc<dyn SliceTransform>>,
    tombstones: Option<RangeTombstoneSink>,
    /// The file `table` is of.
    index: usize,
    table: Option<TableIterator>,
}

impl LevelIterator {
    pub(crate) fn new(
        tables: Arc<TableSet>,
        run: Arc<SortedRun>,
        comparator: InternalKeyComparator,
        options: Arc<ReadOptions>,
        prefix_extractor: Option<Arc<dyn SliceTransform>>,
        tombstones: Option<RangeTombstoneSink>,
    ) -> Self {
        let (index, table) = (0, None);
        Self { tables, run, comparator, options, prefix_extractor, tombstones, index, table }
    }

    /// Makes file `index` the current one; none past either end.
    fn open(&mut self, index: usize) -> Result<Option<&mut TableIterator>> {
        if index >= self.run.files().len() {
            self.table = None;
            return Ok(None);
        }
        if self.index != index || self.table.is_none() {
            self.table = None;
            let file = &self.run.files()[index];
            let table = self.run.table(index, &self.tables, &self.options)?;
            if let Some(tombstones) = &self.tombstones
                && let Some(list) = table.range_tombstones()
            {
                tombstones.add_file(file.number, list.clone(), &file.smallest, &file.largest);
            }
            let _timer = Timer::start(PerfMetric::NewTableIteratorNanos);
            let prefix_extractor = self.prefix_extractor.as_ref();
            self.table = Some(table.new_iterator(&self.options).filtering_by(prefix_extractor));
            self.index = index;
        }
        Ok(self.table.as_mut())
    }

    /// While the current table is exhausted, goes to the first entry of the next.
    fn skip_exhausted_forward(&mut self) -> Result<()> {
        while let Some(table) = &self.table
            && !table.valid()
        {
            let next = self.index + 1;
            if self.starts_at_or_after_upper_bound(next) {
                self.table = None;
                return Ok(());
            }
            if let Some(table) = self.open(next)? {
                table.seek_to_first()?;
            }
        }
        Ok(())
    }

    /// While the current table is exhausted, goes to the last entry of the one before.
    fn skip_exhausted_backward(&mut self) -> Result<()> {
        while let Some(table) = &self.table
            && !table.valid()
        {
            let before = self.index.wrapping_sub(1);
            if let Some(table) = self.open(before)? {
                table.seek_to_last()?;
            }
        }
        Ok(())
    }

    fn starts_at_or_after_upper_bound(&self, index: usize) -> bool {
        match (&self.options.iterate_upper_bound, self.run.files().get(index)) {
            (Some(upper), Some(file)) => {
                let user = self.comparator.user_comparator();
                let has_timestamp = self.comparator.timestamp_size() > 0;
                let smallest = file.smallest.user_key();
                user.compare_without_timestamp(smallest, has_timestamp, upper, false).is_ge()
            }
            _ => false,
        }
    }
}

impl InternalIterator for LevelIterator {
    #[inline]
    fn valid(&self) -> bool {
        self.table.as_ref().is_some_and(TableIterator::valid)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        if let Some(table) = self.open(0)? {
            table.seek_to_first()?;
        }
        self.skip_exhausted_forward()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        let last = self.run.files().len().wrapping_sub(1);
        if let Some(table) = self.open(last)? {
            table.seek_to_last()?;
        }
        self.skip_exhausted_backward()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        let comparator = &self.comparator;
        let index = self
            .run
            .files()
            .partition_point(|file| comparator.compare(file.largest.as_bytes(), target).is_lt());
        if self.starts_at_or_after_upper_bound(index) {
            self.table = None;
            return Ok(());
        }
        if let Some(table) = self.open(index)? {
            table.seek(target)?;
        }
        self.skip_exhausted_forward()
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        let comparator = &self.comparator;
        let after = self
            .run
            .files()
            .partition_point(|file| comparator.compare(file.smallest.as_bytes(), target).is_le());
        if let Some(table) = self.open(after.wrapping_sub(1))? {
            table.seek_for_prev(target)?;
        }
        self.skip_exhausted_backward()
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        if let Some(table) = &mut self.table {
            table.next()?;
            if !table.valid() {
                self.skip_exhausted_forward()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn prev(&mut self) -> Result<()> {
        if let Some(table) = &mut self.table {
            table.prev()?;
            if !table.valid() {
                self.skip_exhausted_backward()?;
            }
        }
        Ok(())
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.table.as_ref().map_or(&[], TableIterator::key)
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.table.as_ref().map_or(&[], TableIterator::value)
    }

    #[inline]
    fn starts_user_key(&self) -> bool {
        self.table.as_ref().is_some_and(TableIterator::starts_user_key)
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.table.as_ref().map_or_else(PinnableSlice::default, TableIterator::pinned_value)
    }
}
