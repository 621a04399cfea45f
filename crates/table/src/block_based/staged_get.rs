//! A lookup in steps, for several keys at once.
//!
//! [`BlockBasedTable::get`] waits for one line of memory after the other: filter, index, link, head of
//! the block, directory, entry. Here each step ends by asking for the memory of the next one. Who
//! takes one step for all keys before the next step waits for all of them together.

use crate::block_based::entry_value::EntryValue;
use crate::block_based::filter_reader::FilterBits;
use crate::block_based::meta_block::MetaRef;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, Located};
use crate::block_iter::{BlockCursor, candidates};
use crate::filter::KeyHash;
use crate::index::FlatIndex;
use crate::read_options::ReadOptions;
use base::dbformat::extract_user_key;
use base::{ParsedInternalKey, Result};

/// A lookup of one key in one table. Its steps are the methods after [`StagedGet::begin`], in their order;
/// each but the first and the last may be left out, at the price of waiting later.
#[derive(Debug)]
pub struct StagedGet<'t, 'k> {
    table: &'t BlockBasedTable,
    internal_key: &'k [u8],
    options: BlockReadOptions,
    /// The filter, if the table holds one over all keys.
    filter: Option<(&'t FilterBits, KeyHash<'k>)>,
    /// Index and position of the block, unless that is left to the last step.
    block_at: Option<(MetaRef<'t, FlatIndex>, usize)>,
    located: Option<Located>,
}

impl<'t, 'k> StagedGet<'t, 'k> {
    /// Begins, and asks for the filter's line. `hash` is computed by the first table that needs it, for
    /// all that the key is looked up in.
    #[inline]
    pub fn begin(
        table: &'t BlockBasedTable,
        options: &ReadOptions,
        internal_key: &'k [u8],
        hash: &mut Option<KeyHash<'k>>,
    ) -> Self {
        let filter = table.resident_filter().map(|bits| {
            let user_key = || table.comparator.strip_timestamp(extract_user_key(internal_key));
            let hash = *hash.get_or_insert_with(|| KeyHash::new(user_key()));
            bits.prefetch(hash);
            (bits, hash)
        });
        let options = BlockReadOptions::from(options);
        Self { table, internal_key, options, filter, block_at: None, located: None }
    }

    /// Whether the table may have the key; if not, the lookup is over.
    ///
    /// # Errors
    /// As [`BlockBasedTable::get`].
    #[inline]
    pub fn pass_filter(&mut self) -> Result<bool> {
        match self.filter {
            Some((bits, hash)) => {
                let may_match = bits.hash_may_match(hash);
                self.table.count_filtered(may_match);
                Ok(may_match)
            }
            None => self.table.filter_lookup(self.options, self.internal_key),
        }
    }

    /// Finds the block in the index, and asks for the link to it.
    ///
    /// # Errors
    /// As [`BlockBasedTable::get`].
    #[inline]
    pub fn find_block(&mut self) -> Result<()> {
        if !self.table.index.is_two_level() {
            let index = self.table.index.top(self.table, self.options)?;
            let position = index.seek(self.internal_key);
            index.prefetch_link(position);
            self.block_at = Some((index, position));
        }
        Ok(())
    }

    /// Asks for the block's head.
    #[inline]
    pub fn prefetch_block(&self) {
        if let Some((index, position)) = &self.block_at {
            index.prefetch_frame(*position);
        }
    }

    /// Takes the block, if it is in memory, and asks for its directory.
    #[inline]
    pub fn take_block(&mut self) {
        if let Some((index, position)) = &self.block_at
            && let Some(block) = index.held_frame(*position)
        {
            block.prefetch_directory();
            self.located = Some(Located { candidates: 0..block.entry_count(), block });
        }
    }

    /// Finds the place in the block's directory, and asks for the entry.
    #[inline]
    pub fn find_entry(&mut self) {
        if let Some(Located { block, candidates: entries }) = &mut self.located {
            *entries = candidates(block, self.internal_key);
            block.prefetch_entry(entries.start);
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
        let Self { table, internal_key, options, block_at, located, .. } = self;
        let Some((index, position)) = block_at else {
            return table.visit_all(options, internal_key, visit);
        };
        let mut cursor = BlockCursor::new();
        table
            .visit_blocks(&index, position, located, options, internal_key, &mut cursor, visit)
            .map(drop)
    }

    /// The table.
    #[inline]
    pub fn table(&self) -> &'t BlockBasedTable {
        self.table
    }
}
