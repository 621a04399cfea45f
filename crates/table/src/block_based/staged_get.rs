//! A lookup in steps, for several keys at once.
//!
//! [`BlockBasedTable::get`] waits for one line of memory after the other: filter, index, link, head of
//! the block, directory, entry. Here each step ends by asking for the memory of the next one. Who
//! takes one step for all keys before the next step waits for all of them together.

use crate::block_based::entry_value::EntryValue;
use crate::block_based::filter_reader::FilterBits;
use crate::block_based::meta_block::MetaRef;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, Located};
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
    /// Why the block could not be brought.
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
        match self.filter {
            StagedFilter::Passed => Ok(true),
            StagedFilter::Held(bits, hash) => {
                let may_match = bits.hash_may_match(hash);
                self.table.count_filtered(self.lookup, may_match);
                Ok(may_match)
            }
            StagedFilter::Unknown => self.table.filter_lookup(self.lookup),
        }
    }

    /// Finds the block in the index, and asks for the link to it.
    ///
    /// # Errors
    /// As [`BlockBasedTable::get`].
    #[inline]
    pub fn find_block(&mut self) -> Result<()> {
        let &TableLookup { internal_key, options, recorder, .. } = self.lookup;
        let table = self.table;
        let top = table.index.top(table, options, recorder)?;
        let (index, partition) = if table.index.is_two_level() {
            let number = top.seek(internal_key);
            if number >= top.len() {
                return Ok(());
            }
            let partition = table.index.partition(table, &top, number, options, recorder)?;
            (partition, Some(number))
        } else {
            (top, None)
        };
        let position = index.seek(internal_key);
        index.prefetch_link(position);
        self.block_at = Some(BlockPlace { index, partition, position });
        Ok(())
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
