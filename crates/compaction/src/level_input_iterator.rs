//! The files of a level as one input of a job, each opened when it is reached.

use crate::job_environment::JobEnvironment;
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result, Status};
use std::sync::Arc;
use table::{
    BlockBasedTable, RankOrder, ReadOptions, StoredEntry, TableIterator, TableScan, WholeBlock,
};
use version::FileMetaData;

/// How the files of a level are gone over.
#[derive(Clone)]
pub(crate) struct LevelInputOptions {
    pub(crate) environment: Arc<dyn JobEnvironment>,
    pub(crate) comparator: InternalKeyComparator,
    pub(crate) reads: Arc<ReadOptions>,
    /// Of what is merged, where that goes by ranks.
    pub(crate) order: RankOrder,
}

/// A cursor over one file, which goes forward.
pub(crate) trait FileCursor: Sized {
    /// Not valid until it is moved. `last` is a cursor that is over, for its memory.
    fn open(
        table: &Arc<BlockBasedTable>,
        options: &LevelInputOptions,
        last: Option<Self>,
    ) -> Result<Self>;
    fn valid(&self) -> bool;
    fn seek_to_first(&mut self) -> Result<()>;
    fn seek(&mut self, target: &[u8]) -> Result<()>;
    fn next(&mut self) -> Result<()>;
}

impl FileCursor for TableIterator {
    fn open(
        table: &Arc<BlockBasedTable>,
        options: &LevelInputOptions,
        _last: Option<Self>,
    ) -> Result<Self> {
        Ok(table.new_iterator(&options.reads))
    }

    #[inline]
    fn valid(&self) -> bool {
        InternalIterator::valid(self)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        InternalIterator::seek_to_first(self)
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        InternalIterator::seek(self, target)
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        InternalIterator::next(self)
    }
}

impl FileCursor for TableScan {
    fn open(
        table: &Arc<BlockBasedTable>,
        options: &LevelInputOptions,
        last: Option<Self>,
    ) -> Result<Self> {
        let scan = table.new_scan(&options.reads, &options.order)?;
        Ok(match last {
            Some(last) => scan.in_memory_of(last),
            None => scan,
        })
    }

    #[inline]
    fn valid(&self) -> bool {
        self.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.seek_to_first()
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek(target)
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.next()
    }
}

/// Goes forward only.
pub(crate) struct LevelInputIterator<C> {
    options: LevelInputOptions,
    level: usize,
    /// Ascending, without overlap.
    files: Vec<Arc<FileMetaData>>,
    next_file: usize,
    current: Option<C>,
}

impl<C: FileCursor> LevelInputIterator<C> {
    pub(crate) fn new(
        options: LevelInputOptions,
        level: usize,
        files: Vec<Arc<FileMetaData>>,
    ) -> Self {
        Self { options, level, files, next_file: 0, current: None }
    }

    /// Opens the next file; none behind the last.
    fn open_next(&mut self) -> Result<Option<&mut C>> {
        let last = self.current.take();
        let Some(file) = self.files.get(self.next_file) else { return Ok(None) };
        if self.is_behind_upper_bound(file) {
            return Ok(None);
        }
        self.next_file += 1;
        let table = self.options.environment.open_table(file, self.level)?;
        Ok(Some(self.current.insert(C::open(&table, &self.options, last)?)))
    }

    fn is_behind_upper_bound(&self, file: &FileMetaData) -> bool {
        let Some(upper) = &self.options.reads.iterate_upper_bound else { return false };
        let user = self.options.comparator.user_comparator();
        let has_timestamp = self.options.comparator.timestamp_size() > 0;
        let smallest = file.smallest.user_key();
        user.compare_without_timestamp(smallest, has_timestamp, upper, false).is_ge()
    }

    #[cold]
    fn skip_exhausted(&mut self) -> Result<()> {
        while let Some(table) = &self.current
            && !table.valid()
        {
            if let Some(table) = self.open_next()? {
                table.seek_to_first()?;
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn valid(&self) -> bool {
        self.current.as_ref().is_some_and(C::valid)
    }

    pub(crate) fn seek_to_first(&mut self) -> Result<()> {
        self.next_file = 0;
        if let Some(table) = self.open_next()? {
            table.seek_to_first()?;
        }
        self.skip_exhausted()
    }

    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<()> {
        let comparator = &self.options.comparator;
        self.next_file = self
            .files
            .partition_point(|file| comparator.compare(file.largest.as_bytes(), target).is_lt());
        if let Some(table) = self.open_next()? {
            table.seek(target)?;
        }
        self.skip_exhausted()
    }

    #[inline]
    pub(crate) fn next(&mut self) -> Result<()> {
        let Some(table) = &mut self.current else { return Ok(()) };
        table.next()?;
        if table.valid() { Ok(()) } else { self.skip_exhausted() }
    }

    /// The cursor over the file here.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub(crate) fn current(&self) -> &C {
        match &self.current {
            Some(table) => table,
            None => panic!("iterator is not valid"),
        }
    }
}

impl LevelInputIterator<TableScan> {
    /// As [`Self::next`], within what is laid out. Returns [`Self::rank`] of what it moves to; none at its
    /// end, from where [`Self::next_entries`] goes on.
    #[inline(always)]
    pub(crate) fn next_laid_out(&mut self) -> Option<u64> {
        self.current.as_mut()?.next_laid_out()
    }

    /// Goes on behind what is laid out. Returns [`Self::rank`] of what it moves to.
    pub(crate) fn next_entries(&mut self) -> Result<Option<u64>> {
        let Some(table) = &mut self.current else { return Ok(None) };
        table.next_entries()?;
        if !table.valid() {
            self.skip_exhausted()?;
        }
        Ok(self.rank())
    }

    /// Whether the entry here is the first of those that are laid out.
    #[inline(always)]
    pub(crate) fn is_at_first(&self) -> bool {
        self.current.as_ref().is_some_and(TableScan::is_at_first)
    }

    /// The data block that begins here, if it is known how it is stored.
    pub(crate) fn whole_block(&self) -> Option<WholeBlock<'_>> {
        self.current.as_ref()?.whole_block()
    }

    /// The rank of the last entry of [`Self::whole_block`].
    #[inline]
    pub(crate) fn whole_block_end(&self) -> Option<u64> {
        self.current.as_ref()?.whole_block_end()
    }

    /// Goes to the last entry that is laid out.
    pub(crate) fn go_to_last_laid_out(&mut self) {
        if let Some(table) = &mut self.current {
            table.go_to_last_laid_out();
        }
    }

    /// The rank of the entry here; none if not valid.
    #[inline]
    pub(crate) fn rank(&self) -> Option<u64> {
        self.current.as_ref()?.rank()
    }

    /// The entry here; none if not valid.
    #[inline(always)]
    pub(crate) fn stored_entry(&self) -> Option<StoredEntry<'_>> {
        self.current.as_ref()?.stored_entry()
    }
}

#[cold]
fn forward_only() -> Status {
    Status::not_supported("the input of a compaction goes forward only")
}

impl InternalIterator for LevelInputIterator<TableIterator> {
    #[inline]
    fn valid(&self) -> bool {
        self.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.seek_to_first()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        Err(forward_only())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.seek(target)
    }

    fn seek_for_prev(&mut self, _target: &[u8]) -> Result<()> {
        Err(forward_only())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        self.next()
    }

    fn prev(&mut self) -> Result<()> {
        Err(forward_only())
    }

    #[inline]
    fn key(&self) -> &[u8] {
        self.current().key()
    }

    #[inline]
    fn value(&self) -> &[u8] {
        self.current().value()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.current().pinned_value()
    }
}
