//! The files of a level as one input of a job, each opened when it is reached.

use crate::job_environment::JobEnvironment;
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result, Status};
use std::sync::Arc;
use table::{ReadOptions, TableIterator};
use version::FileMetaData;

/// Goes forward only.
pub(crate) struct LevelInputIterator {
    environment: Arc<dyn JobEnvironment>,
    comparator: InternalKeyComparator,
    level: usize,
    /// Ascending, without overlap.
    files: Vec<Arc<FileMetaData>>,
    options: Arc<ReadOptions>,
    next_file: usize,
    current: Option<TableIterator>,
}

impl LevelInputIterator {
    pub(crate) fn new(
        environment: Arc<dyn JobEnvironment>,
        comparator: InternalKeyComparator,
        level: usize,
        files: Vec<Arc<FileMetaData>>,
        options: Arc<ReadOptions>,
    ) -> Self {
        Self { environment, comparator, level, files, options, next_file: 0, current: None }
    }

    /// Opens the next file; none behind the last.
    fn open_next(&mut self) -> Result<Option<&mut TableIterator>> {
        self.current = None;
        let Some(file) = self.files.get(self.next_file) else { return Ok(None) };
        if self.is_behind_upper_bound(file) {
            return Ok(None);
        }
        self.next_file += 1;
        let table = self.environment.open_table(file, self.level)?;
        Ok(Some(self.current.insert(table.new_iterator(&self.options))))
    }

    fn is_behind_upper_bound(&self, file: &FileMetaData) -> bool {
        let Some(upper) = &self.options.iterate_upper_bound else { return false };
        let user = self.comparator.user_comparator();
        let has_timestamp = self.comparator.timestamp_size() > 0;
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

    fn current(&self) -> &TableIterator {
        match &self.current {
            Some(table) => table,
            None => panic!("iterator is not valid"),
        }
    }
}

#[cold]
fn forward_only() -> Status {
    Status::not_supported("the input of a compaction goes forward only")
}

impl InternalIterator for LevelInputIterator {
    #[inline]
    fn valid(&self) -> bool {
        self.current.as_ref().is_some_and(TableIterator::valid)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.next_file = 0;
        if let Some(table) = self.open_next()? {
            table.seek_to_first()?;
        }
        self.skip_exhausted()
    }

    fn seek_to_last(&mut self) -> Result<()> {
        Err(forward_only())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.next_file = self.files.partition_point(|file| {
            self.comparator.compare(file.largest.as_bytes(), target).is_lt()
        });
        if let Some(table) = self.open_next()? {
            table.seek(target)?;
        }
        self.skip_exhausted()
    }

    fn seek_for_prev(&mut self, _target: &[u8]) -> Result<()> {
        Err(forward_only())
    }

    #[inline]
    fn next(&mut self) -> Result<()> {
        let Some(table) = &mut self.current else { return Ok(()) };
        table.next()?;
        if table.valid() { Ok(()) } else { self.skip_exhausted() }
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
