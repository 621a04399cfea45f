//! A lookup in steps, for several keys at once.
//!
//! [`BlockBasedTable::get`] waits for one line of memory after the other: filter, index, link, head of
//! the block, directory, entry. Here each step ends by asking for the memory of the next one. Who
//! takes one step for all keys before the next step waits for all of them together.

use crate::block_based::entry_value::EntryValue;
use crate::block_based::filter_reader::{
    FilterBits, FilterForm, FilterPartition, PartitionedFilter, TableFilter,
};
use crate::block_based::index_reader::{IndexLayout, Partitions, UnheldPartition};
use crate::block_based::meta_block::MetaRef;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, Located, match_if_incomplete};
use crate::block_based::table_lookup::TableLookup;
use crate::block_iter::candidates;
use crate::data_block::DataBlock;
use crate::filter::KeyHash;
use crate::format::BlockHandle;
use crate::index::FlatIndex;
use base::{ParsedInternalKey, Result, Status};
use std::sync::Arc;

/// A lookup of one key in one table. Its steps are the methods after [`StagedGet::begin`], in their order;
/// each but the first and the last may be left out, at the price of waiting later.
#[derive(Debug)]
pub struct StagedGet<'t, 'l> {
    table: &'t BlockBasedTable,
    lookup: &'l TableLookup<'l>,
    filter: StagedFilter<'t, 'l>,
    /// Where the block is, unless that is left to the last step.
    block_at: Option<BlockPlace<'t>>,
    located: Option<Located>,
    /// Why the block could not be found or brought.
    failed: Option<Status>,
}

/// The place of a block in the index.
#[derive(Debug)]
struct BlockPlace<'t> {
    /// The index, or one of its partitions.
    index: MetaRef<'t, FlatIndex>,
    /// Which partition that is, in an index of two levels.
    partition: Option<usize>,
    /// Of the block there.
    position: usize,
}

/// How the filter is asked.
#[derive(Debug)]
enum StagedFilter<'t, 'l> {
    /// It has let the key pass.
    Passed,
    /// The table holds it, over all keys.
    Held(&'t FilterBits, KeyHash<'l>),
    /// By partitions, which others have done ([`ask_partitioned_filters`](super::ask_partitioned_filters)): whether
    /// the key may be there.
    Asked(bool),
    /// That has failed.
    Failed,
    /// As [`BlockBasedTable::get`] does.
    Unknown,
}

impl<'t, 'l> StagedGet<'t, 'l> {
    /// Begins, and asks for the filter's line.
    #[inline]
    pub fn begin(table: &'t BlockBasedTable, lookup: &'l TableLookup<'l>) -> Self {
        let filter = table.resident_filter().map_or(StagedFilter::Unknown, |bits| {
            let hash = lookup.hash(&table.comparator);
            bits.prefetch(hash);
            StagedFilter::Held(bits, hash)
        });
        Self::with(table, lookup, filter)
    }

    /// Begins with a key that the filter has let pass ([`HeldFilter`](crate::HeldFilter)).
    #[inline]
    pub fn begin_passed(table: &'t BlockBasedTable, lookup: &'l TableLookup<'l>) -> Self {
        Self::with(table, lookup, StagedFilter::Passed)
    }

    #[inline]
    fn with(
        table: &'t BlockBasedTable,
        lookup: &'l TableLookup<'l>,
        filter: StagedFilter<'t, 'l>,
    ) -> Self {
        Self { table, lookup, filter, block_at: None, located: None, failed: None }
    }

    /// Whether the table may have the key; if not, the lookup is over.
    ///
    /// # Errors
    /// As [`BlockBasedTable::get`].
    #[inline]
    pub fn pass_filter(&mut self) -> Result<bool> {
        let may_match = match &self.filter {
            StagedFilter::Passed => return Ok(true),
            StagedFilter::Held(bits, hash) => bits.hash_may_match(*hash),
            StagedFilter::Asked(may_match) => *may_match,
            StagedFilter::Failed => return self.failed.take().map_or(Ok(true), Err),
            StagedFilter::Unknown => return self.table.filter_lookup(self.lookup),
        };
        self.table.count_filtered(self.lookup, may_match);
        Ok(may_match)
    }

    /// Asks the filter, if it is partitioned, unless the partition that knows of the key is neither held by
    /// the table nor linked: that one then, and what it is to be asked for.
    #[inline]
    pub(super) fn approach_filter(
        &mut self,
    ) -> Option<(UnheldPartition<'t, FilterForm>, KeyHash<'l>)> {
        match (&self.filter, &self.table.filter) {
            (StagedFilter::Unknown, Some(TableFilter::Partitioned(filter))) => {
                self.approach_filter_partition(filter)
            }
            _ => None,
        }
    }

    #[inline(never)]
    fn approach_filter_partition(
        &mut self,
        filter: &'t PartitionedFilter,
    ) -> Option<(UnheldPartition<'t, FilterForm>, KeyHash<'l>)> {
        let table = self.table;
        // A key without prefix passes any filter over prefixes.
        let hash = table.filter_hash(self.lookup)?;
        let answer = match filter.find(table, self.lookup) {
            Ok(FilterPartition::None) => Ok(true),
            Ok(FilterPartition::Found(bits)) => Ok(bits.hash_may_match(hash)),
            Ok(FilterPartition::Unheld(partition)) => return Some((partition, hash)),
            Err(status) => Err(status),
        };
        self.take_answer(answer);
        None
    }

    /// Asks a partition of the filter that was away.
    pub(super) fn bring_filter(
        &mut self,
        partition: Result<MetaRef<'t, FilterBits>>,
        hash: KeyHash<'_>,
    ) {
        self.take_answer(partition.map(|bits| bits.hash_may_match(hash)));
    }

    fn take_answer(&mut self, answer: Result<bool>) {
        self.filter = match match_if_incomplete(answer) {
            Ok(may_match) => StagedFilter::Asked(may_match),
            Err(status) => {
                self.failed = Some(status);
                StagedFilter::Failed
            }
        };
    }

    /// Finds the block in the index, and asks for the link to it. A failure shows in the visit.
    #[inline]
    pub fn find_block(&mut self) {
        if let Some(partition) = self.approach_block() {
            self.bring_partition(partition.load(), partition.position());
        }
    }

    /// As [`Self::find_block`], unless the index has it in a partition that is neither held by the table nor
    /// linked: that one then.
    #[inline(always)]
    pub(super) fn approach_block(&mut self) -> Option<UnheldPartition<'t, IndexLayout>> {
        let table = self.table;
        match &table.index.partitions {
            None => {
                if let Some(index) = self.take_top() {
                    self.find_in(index, None);
                }
                None
            }
            Some(partitions) => self.approach_partition(partitions),
        }
    }

    /// The index, or its top level.
    #[inline(always)]
    fn take_top(&mut self) -> Option<MetaRef<'t, FlatIndex>> {
        let &TableLookup { options, recorder, .. } = self.lookup;
        match self.table.index.top(self.table, options, recorder) {
            Ok(top) => Some(top),
            Err(status) => {
                self.failed = Some(status);
                None
            }
        }
    }

    #[inline(never)]
    fn approach_partition(
        &mut self,
        partitions: &'t Partitions<FlatIndex>,
    ) -> Option<UnheldPartition<'t, IndexLayout>> {
        let &TableLookup { internal_key, options, recorder, .. } = self.lookup;
        let table = self.table;
        let top = self.take_top()?;
        let number = top.seek(internal_key);
        if number >= top.len() {
            // Nothing is at or after the key.
            self.block_at = Some(BlockPlace { index: top, partition: None, position: number });
            return None;
        }
        let layout = table.index.layout;
        match partitions.find(table, layout, (&*top, number), options, recorder) {
            Ok(partition) => self.find_in(partition, Some(number)),
            Err(partition) => return Some(partition),
        }
        None
    }

    /// Finds the block in a partition of the index that was away, the one of this `number`.
    pub(super) fn bring_partition(
        &mut self,
        partition: Result<MetaRef<'t, FlatIndex>>,
        number: usize,
    ) {
        match partition {
            Ok(partition) => self.find_in(partition, Some(number)),
            Err(status) => self.failed = Some(status),
        }
    }

    #[inline(always)]
    fn find_in(&mut self, index: MetaRef<'t, FlatIndex>, partition: Option<usize>) {
        let position = index.seek(self.lookup.internal_key);
        index.prefetch_link(position);
        self.block_at = Some(BlockPlace { index, partition, position });
    }

    /// Asks for the block's head.
    #[inline]
    pub fn prefetch_block(&self) {
        if let Some(BlockPlace { index, position, .. }) = &self.block_at {
            index.prefetch_frame(*position);
        }
    }

    /// Takes the block, if it is in memory, and asks for its directory.
    #[inline]
    pub fn take_block(&mut self) {
        if let Some(BlockPlace { index, position, .. }) = &self.block_at
            && let Some(block) = index.held_frame(*position)
        {
            self.locate(block, false);
        }
    }

    /// The block that it wants and no link leads to, if that may be brought.
    pub(super) fn wanted(&self) -> Option<(BlockHandle, BlockReadOptions)> {
        let BlockPlace { index, position, .. } =
            self.block_at.as_ref().filter(|_| self.located.is_none())?;
        let options = self.lookup.options;
        let may_be_brought = options.may_read_files && *position < index.len();
        may_be_brought.then(|| (index.handle(*position), options))
    }

    /// Brings the wanted block, and asks for its directory.
    pub(super) fn bring(&mut self, block: Result<Arc<DataBlock>>, was_read: bool) {
        match block {
            Ok(block) => {
                if let Some(BlockPlace { index, position, .. }) = &self.block_at {
                    index.link_frame(*position, &block);
                }
                self.locate(block, was_read);
            }
            Err(status) => self.failed = Some(status),
        }
    }

    #[inline]
    fn locate(&mut self, block: Arc<DataBlock>, was_read: bool) {
        block.prefetch_directory();
        self.located = Some(Located { block: block.into(), candidates: None, was_read });
    }

    /// Finds the place in the block's directory, and asks for the entry.
    #[inline]
    pub fn find_entry(&mut self) {
        if let Some(Located { block, candidates: entries, .. }) = &mut self.located {
            let found = candidates(block, self.lookup.internal_key);
            block.prefetch_entry(found.start);
            *entries = Some(found);
        }
    }

    /// Visits the entries, as [`BlockBasedTable::get`] does for a key that its filter lets pass.
    ///
    /// # Errors
    /// As [`BlockBasedTable::get`].
    #[inline]
    pub fn visit(
        self,
        visit: &mut dyn FnMut(ParsedInternalKey<'_>, EntryValue<'_>) -> Result<bool>,
    ) -> Result<()> {
        let Self { table, lookup, block_at, located, failed, .. } = self;
        if let Some(status) = failed {
            return Err(status);
        }
        let Some(BlockPlace { index, partition, position }) = block_at else {
            return table.visit_all(lookup, visit);
        };
        let goes_on = table.visit_blocks(lookup, &index, position, located, visit)?;
        let Some(number) = partition.filter(|_| goes_on) else { return Ok(()) };
        let top = table.index.top(table, lookup.options, lookup.recorder)?;
        table.visit_partitions(lookup, &top, number + 1, visit)
    }

    /// The table.
    #[inline]
    pub fn table(&self) -> &'t BlockBasedTable {
        self.table
    }
}
