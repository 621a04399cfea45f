//! One cursor over the files of a sorted run, one table at a time.
//!
//! Files are opened when the cursor first needs them. A table's range tombstones join the scan
//! when it is opened, which is early enough: a key inside a file's range is reached only after the
//! cursor was in that file, because boundaries include tombstones.

use crate::sorted_run::SortedRun;
use crate::table_set::TableSet;
use base::{
    Approached, InternalIterator, InternalKey, InternalKeyComparator, PinnableSlice, Result,
    SeekStep, SliceTransform,
};
use iterator::RangeTombstoneSink;
use perf_context::{PerfMetric, Timer};
use std::cmp::Ordering;
use std::sync::Arc;
use table::{BlockRun, ReadOptions, RunLimits, SeekReads, TableIterator};

/// What the cursors of a scan have in common, so that each holds one reference.
pub(crate) struct LevelScan {
    pub(crate) tables: Arc<TableSet>,
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) options: Arc<ReadOptions>,
    /// That of the scan. A table may have been opened with another.
    pub(crate) prefix_extractor: Option<Arc<dyn SliceTransform>>,
    pub(crate) tombstones: Option<RangeTombstoneSink>,
    /// What its cursors wait for together.
    pub(crate) reads: SeekReads,
}

/// A cursor over files that are sorted and do not overlap. A single L0 file is a run too.
pub(crate) struct LevelIterator {
    scan: Arc<LevelScan>,
    run: Arc<SortedRun>,
    /// Which source of the scan has nothing but older entries, like those that follow it.
    older_from: usize,
    /// The file `table` is of.
    index: usize,
    table: Option<TableIterator>,
    /// Which seek, if it follows, goes to `table`.
    approached: Approached,
    /// Whether the filter of tables leaves `table` out, which then stays where it began: nowhere.
    is_left_out: bool,
    /// Whether range tombstones of `table` have joined the scan.
    has_tombstones: bool,
}

impl LevelIterator {
    /// The source that is followed by source `older_from`.
    pub(crate) fn new(scan: Arc<LevelScan>, run: Arc<SortedRun>, older_from: usize) -> Self {
        Self {
            scan,
            run,
            older_from,
            index: 0,
            table: None,
            approached: Approached::Nothing,
            is_left_out: false,
            has_tombstones: false,
        }
    }

    /// Lets go of what was read, and stands nowhere, as when it was made. The table that it was in is
    /// kept at hand if it is open anyway.
    pub(crate) fn rest(&mut self) {
        self.approached = Approached::Nothing;
        self.scan.reads.clear();
        match &mut self.table {
            Some(table) if !self.is_left_out && self.run.opened_table(self.index).is_some() => {
                table.rest();
            }
            _ => self.leave(),
        }
    }

    /// Leaves the current file.
    fn leave(&mut self) {
        self.table = None;
        self.leave_tombstones();
    }

    /// The scan leaves the range tombstones of the current file.
    fn leave_tombstones(&mut self) {
        if std::mem::take(&mut self.has_tombstones)
            && let Some(tombstones) = &self.scan.tombstones
        {
            tombstones.leave_file(self.run.files()[self.index].number);
        }
    }

    /// Makes file `index` the current one; none past either end.
    fn open(&mut self, index: usize) -> Result<Option<&mut TableIterator>> {
        if index >= self.run.files().len() {
            self.leave();
            return Ok(None);
        }
        if self.index != index || self.table.is_none() {
            self.leave_tombstones();
            let file = &self.run.files()[index];
            let scan = &*self.scan;
            let table = match self.run.table(index, &scan.tables, &scan.options) {
                Ok(table) => table,
                Err(status) => {
                    self.table = None;
                    return Err(status);
                }
            };
            if let Some(tombstones) = &scan.tombstones
                && let Some(list) = table.range_tombstones()
            {
                let list = list.clone();
                let (smallest, largest) = (&file.smallest, &file.largest);
                tombstones.add_file(file.number, list, smallest, largest, self.older_from);
                (self.index, self.has_tombstones) = (index, true);
            }
            let filter = scan.options.table_filter.as_ref();
            self.is_left_out = filter.is_some_and(|filter| !filter.wants(table.properties()));
            let _timer = Timer::start(PerfMetric::NewTableIteratorNanos);
            let extractor = scan.prefix_extractor.as_ref();
            let iterator = match &mut self.table {
                Some(left) => {
                    left.change_table(&table, &scan.options);
                    left
                }
                none => none.insert(table.new_iterator(&scan.options)),
            };
            iterator.filter_by(extractor);
            self.index = index;
        }
        Ok(self.wanted_table())
    }

    /// The current table, if it is read.
    fn wanted_table(&mut self) -> Option<&mut TableIterator> {
        self.table.as_mut().filter(|_| !self.is_left_out)
    }

    /// While the current table is exhausted, goes to the first entry of the next.
    fn skip_exhausted_forward(&mut self) -> Result<()> {
        while let Some(table) = &self.table
            && !table.valid()
        {
            let next = self.index + 1;
            if self.starts_at_or_after_upper_bound(next) {
                self.leave();
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
        let upper = self.scan.options.iterate_upper_bound.as_deref();
        let smallest = self.run.files().get(index).map(|file| &file.smallest);
        smallest.zip(upper).is_some_and(|(key, upper)| self.compare_to_bound(key, upper).is_ge())
    }

    fn compare_to_bound(&self, key: &InternalKey, bound: &[u8]) -> Ordering {
        let comparator = &self.scan.comparator;
        let has_timestamp = comparator.timestamp_size() > 0;
        let user = comparator.user_comparator();
        user.compare_without_timestamp(key.user_key(), has_timestamp, bound, false)
    }

    /// Whether a key is on the wanted side of a place in the order and of a bound, if there are such.
    fn is_within(
        &self,
        key: &InternalKey,
        limit: Option<&[u8]>,
        bound: &Option<Vec<u8>>,
        wanted: fn(Ordering) -> bool,
    ) -> bool {
        let is_in_limit = |limit| wanted(self.scan.comparator.compare(key.as_bytes(), limit));
        let is_in_bound = |bound: &Vec<u8>| wanted(self.compare_to_bound(key, bound));
        limit.is_none_or(is_in_limit) && bound.as_ref().is_none_or(is_in_bound)
    }

    /// As [`TableIterator::begin_run`].
    #[inline]
    pub(crate) fn begin_run(&mut self, run: &mut BlockRun, limits: &RunLimits<'_>) {
        if let Some(table) = &mut self.table {
            table.begin_run(run, limits);
        }
    }

    /// As [`TableIterator::end_run`].
    #[inline]
    pub(crate) fn end_run(&mut self, run: &mut BlockRun) {
        if let Some(table) = &mut self.table {
            table.end_run(run);
        }
    }

    /// Opens the file where a seek to `target` begins; none if that is beyond the end or the upper bound.
    fn open_for(&mut self, target: &[u8]) -> Result<Option<&mut TableIterator>> {
        let index = self.run.first_at_or_after(&self.scan.comparator, target);
        if self.starts_at_or_after_upper_bound(index) {
            self.leave();
            return Ok(None);
        }
        self.open(index)
    }

    /// Opens the file where the seek begins that the step leads to.
    #[inline]
    fn approach_file(&mut self, target: &[u8], step: SeekStep) -> Result<()> {
        self.approached = Approached::Nothing;
        if step == SeekStep::FindBlockBefore {
            self.open_before(target)?;
            self.approached = Approached::SeekForPrev;
        } else {
            self.open_for(target)?;
            self.approached = Approached::Seek;
        }
        Ok(())
    }

    /// Opens the file where a seek to the last entry up to `target` begins; none if all begin behind that.
    fn open_before(&mut self, target: &[u8]) -> Result<Option<&mut TableIterator>> {
        let comparator = &self.scan.comparator;
        let after = self
            .run
            .files()
            .partition_point(|file| comparator.compare(file.smallest.as_bytes(), target).is_le());
        self.open(after.wrapping_sub(1))
    }
}

impl InternalIterator for LevelIterator {
    #[inline]
    fn valid(&self) -> bool {
        self.table.as_ref().is_some_and(TableIterator::valid)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.approached = Approached::Nothing;
        if let Some(table) = self.open(0)? {
            table.seek_to_first()?;
        }
        self.skip_exhausted_forward()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.approached = Approached::Nothing;
        let last = self.run.files().len().wrapping_sub(1);
        if let Some(table) = self.open(last)? {
            table.seek_to_last()?;
        }
        self.skip_exhausted_backward()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        let table = match self.approached.take(Approached::Seek) {
            true => self.wanted_table(),
            false => self.open_for(target)?,
        };
        if let Some(table) = table {
            table.seek(target)?;
        }
        self.skip_exhausted_forward()
    }

    #[inline(always)]
    fn approach(&mut self, target: &[u8], step: SeekStep) -> Result<bool> {
        if let SeekStep::FindBlock | SeekStep::FindBlockBefore = step {
            self.approach_file(target, step)?;
        }
        match &mut self.table {
            Some(table) if !self.is_left_out => {
                table.approach_among(target, step, &self.scan.reads)
            }
            _ => Ok(false),
        }
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        let table = match self.approached.take(Approached::SeekForPrev) {
            true => self.wanted_table(),
            false => self.open_before(target)?,
        };
        if let Some(table) = table {
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

    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let largest = &self.run.files()[self.index].largest;
        let upper = &self.scan.options.iterate_upper_bound;
        let is_all_wanted = self.is_within(largest, limit, upper, Ordering::is_lt);
        let Some(table) = &mut self.table else { return Ok(false) };
        Ok(is_all_wanted && table.pass_table_of_deletions()? || table.pass_deletions(limit)?)
    }

    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let smallest = &self.run.files()[self.index].smallest;
        let lower = &self.scan.options.iterate_lower_bound;
        let is_all_wanted = self.is_within(smallest, limit, lower, Ordering::is_gt);
        let Some(table) = &mut self.table else { return Ok(false) };
        Ok(is_all_wanted && table.pass_table_of_deletions_back()?
            || table.pass_deletions_back(limit)?)
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
