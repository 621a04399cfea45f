//! Files that are sorted and do not overlap, and their tables as they get opened.
//!
//! A level below 0 is a run; so is each file of level 0. Where every table may stay open
//! (`max_open_files` = -1) a run keeps what it has opened, so that a read neither searches the
//! table cache nor counts references.

use crate::level_files_brief::LevelFilesBrief;
use crate::table_set::TableSet;
use base::dbformat::extract_user_key;
use base::{InternalKeyComparator, Result, key_prefix};
use perf_context::{PerfMetric, Timer};
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use table::{BlockBasedTable, HeldFilter, ReadOptions};
use version::FileMetaData;

/// A sorted run. Constant after construction but for the tables it has opened.
#[derive(Debug)]
pub(crate) struct SortedRun {
    level: usize,
    /// What user keys in it, where they are ordered as bytes, have as [`key_prefix()`], at least and at
    /// most.
    numbers: [u64; 2],
    /// Of a single file that is found through its filter alone, that filter, once it is in memory; none of
    /// others, once that is known.
    filter: OnceLock<Option<HeldFilter>>,
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
        Self::with_opened(level, files, opened)
    }

    fn with_opened(
        level: usize,
        files: &[Arc<FileMetaData>],
        opened: Box<[OnceLock<Arc<BlockBasedTable>>]>,
    ) -> Self {
        let numbers = match files {
            [first, ..] => [&first.smallest, &files[files.len() - 1].largest]
                .map(|key| key_prefix(key.user_key())),
            [] => [u64::MAX, 0],
        };
        let (files, brief, filter) = (files.into(), LevelFilesBrief::new(files), OnceLock::new());
        Self { level, numbers, filter, files, brief, opened }
    }

    /// The filter of its only file, which says all that there is to know before the table is looked into;
    /// none if it has several, or if its table is not open yet.
    #[inline]
    pub(crate) fn filter(&self) -> Option<&HeldFilter> {
        match self.filter.get() {
            Some(filter) => filter.as_ref(),
            None => self.find_filter(),
        }
    }

    #[inline(never)]
    fn find_filter(&self) -> Option<&HeldFilter> {
        let filter = match &*self.opened {
            [only] => {
                let table = only.get()?;
                let filter = table.held_filter();
                if filter.is_none() && table.is_behind_filter() {
                    return None;
                }
                filter
            }
            _ => None,
        };
        self.filter.get_or_init(|| filter).as_ref()
    }

    /// Whether it may have a user key of this [`key_prefix()`], where keys are ordered as bytes.
    #[inline]
    pub(crate) fn may_have(&self, number: u64) -> bool {
        self.numbers[0] <= number && number <= self.numbers[1]
    }

    /// Whether a user key of this [`key_prefix()`] is between the first and the last one, where keys are
    /// ordered as bytes.
    #[inline]
    pub(crate) fn spans(&self, number: u64) -> bool {
        self.numbers[0] < number && number < self.numbers[1]
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
        Self::with_opened(old.level, files, opened)
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
    pub(crate) fn opened_table(&self, index: usize) -> Option<&Arc<BlockBasedTable>> {
        self.opened[index].get()
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
