//! Files that are sorted and do not overlap, and their tables as they get opened.
//!
//! A level below 0 is a run; so is each file of level 0. Where every table may stay open
//! (`max_open_files` = -1) a run keeps what it has opened, so that a read neither searches the
//! table cache nor counts references.

use crate::level_files_brief::LevelFilesBrief;
use crate::table_set::TableSet;
use base::dbformat::extract_user_key;
use base::{InternalKeyComparator, Result};
use perf_context::{PerfMetric, Timer};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use table::{BlockBasedTable, ReadOptions};
use version::FileMetaData;

/// A sorted run. Constant after construction but for the tables it has opened.
#[derive(Debug)]
pub(crate) struct SortedRun {
    level: usize,
    files: Box<[Arc<FileMetaData>]>,
    brief: LevelFilesBrief,
    opened: Box<[OnceLock<Arc<BlockBasedTable>>]>,
}

/// An open table, borrowed from its run or held.
pub(crate) enum TableRef<'r> {
    Borrowed(&'r Arc<BlockBasedTable>),
    Held(Arc<BlockBasedTable>),
}

impl Deref for TableRef<'_> {
    type Target = Arc<BlockBasedTable>;

    #[inline]
    fn deref(&self) -> &Arc<BlockBasedTable> {
        match self {
            Self::Borrowed(table) => table,
            Self::Held(table) => table,
        }
    }
}

impl SortedRun {
    pub(crate) fn new(level: usize, files: &[Arc<FileMetaData>]) -> Self {
        let opened = files.iter().map(|_| OnceLock::new()).collect();
        Self { level, files: files.into(), brief: LevelFilesBrief::new(files), opened }
    }

    /// The run that takes the place of `old`, with the tables opened there that it still has.
    pub(crate) fn after(old: &Self, files: &[Arc<FileMetaData>]) -> Self {
        let opened: HashMap<u64, &Arc<BlockBasedTable>> = old
            .files
            .iter()
            .zip(&old.opened)
            .filter_map(|(file, table)| Some((file.number, table.get()?)))
            .collect();
        let carried = |file: &Arc<FileMetaData>| match opened.get(&file.number) {
            Some(&table) => OnceLock::from(table.clone()),
            None => OnceLock::new(),
        };
        let opened = files.iter().map(carried).collect();
        Self { level: old.level, files: files.into(), brief: LevelFilesBrief::new(files), opened }
    }

    pub(crate) fn level(&self) -> usize {
        self.level
    }

    /// Whether it consists of these very files.
    pub(crate) fn has_files(&self, files: &[Arc<FileMetaData>]) -> bool {
        self.files.len() == files.len()
            && self.files.iter().zip(files).all(|(own, given)| Arc::ptr_eq(own, given))
    }

    pub(crate) fn files(&self) -> &[Arc<FileMetaData>] {
        &self.files
    }

    /// Opens the table of a file, or returns it if it is open.
    ///
    /// # Errors
    /// Whatever opening it gives; it is tried again the next time. `Incomplete` if it is not open
    /// and `options` do not allow to read files.
    #[inline]
    pub(crate) fn table(
        &self,
        index: usize,
        tables: &TableSet,
        options: &ReadOptions,
    ) -> Result<TableRef<'_>> {
        if let Some(table) = self.opened[index].get() {
            return Ok(TableRef::Borrowed(table));
        }
        self.find_table(index, tables, options)
    }

    /// The table of a file, if the run keeps it open.
    #[inline]
    pub(crate) fn opened_table(&self, index: usize) -> Option<&BlockBasedTable> {
        self.opened[index].get().map(|table| &**table)
    }

    #[inline(never)]
    fn find_table(
        &self,
        index: usize,
        tables: &TableSet,
        options: &ReadOptions,
    ) -> Result<TableRef<'_>> {
        let _timer = Timer::start(PerfMetric::FindTableNanos);
        if !options.read_tier.may_read_files() {
            return tables.opened(&self.files[index]).map(TableRef::Held);
        }
        tables.check_deadline(&self.files[index], options)?;
        let table = tables.open(&self.files[index], self.level)?;
        if tables.keeps_all_open() {
            return Ok(TableRef::Borrowed(self.opened[index].get_or_init(|| table)));
        }
        Ok(TableRef::Held(table))
    }

    /// The first file whose largest key is not before `internal_key`; their number if there is none.
    #[inline]
    pub(crate) fn first_at_or_after(
        &self,
        comparator: &InternalKeyComparator,
        internal_key: &[u8],
    ) -> usize {
        self.brief.first_at_or_after(&self.files, comparator, internal_key)
    }

    /// The first file in which versions of the user key of `internal_key` at or after it may be; none
    /// if there is no such file.
    #[inline]
    pub(crate) fn first_with_key(
        &self,
        comparator: &InternalKeyComparator,
        internal_key: &[u8],
    ) -> Option<usize> {
        let first = self.first_at_or_after(comparator, internal_key);
        self.if_begins_by(first, comparator, internal_key)
    }

    /// The next such file after that at `index`, with older versions. There is one only where
    /// neighbours share a user key.
    #[inline]
    pub(crate) fn next_with_key(
        &self,
        index: usize,
        comparator: &InternalKeyComparator,
        internal_key: &[u8],
    ) -> Option<usize> {
        self.if_begins_by(index + 1, comparator, internal_key)
    }

    /// The file at `index`, if there is one and it begins at or before the user key. Lookups ask this of
    /// every run, where a call takes as long as the answer.
    #[inline(always)]
    fn if_begins_by(
        &self,
        index: usize,
        comparator: &InternalKeyComparator,
        internal_key: &[u8],
    ) -> Option<usize> {
        let smallest = self.files.get(index)?.smallest.user_key();
        let user_key = extract_user_key(internal_key);
        if let Some(begins) = self.brief.begins_by(index, comparator, user_key) {
            return begins.then_some(index);
        }
        comparator.compare_without_timestamp(smallest, user_key).is_le().then_some(index)
    }
}
