//! The filter of a table: one over all keys, or partitions.

use crate::block_based::index_reader::{self, IndexLayout, Partitions};
use crate::block_based::meta_block::{Meta, MetaBlock};
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::table_lookup::TableLookup;
use crate::block_based::table_stats::BlockKind;
use crate::filter::{FilterBitsReader, KeyHash};
use crate::format::BlockHandle;
use crate::index::FlatIndex;
use base::Result;
use std::sync::Arc;

/// A filter, or a partition of one.
pub(crate) type FilterBits = FilterBitsReader<Vec<u8>>;

/// The filter of a table.
#[derive(Debug)]
pub(super) enum TableFilter {
    Full(MetaBlock<FilterBits>),
    /// Filters over ranges of keys, found through an index block.
    Partitioned {
        top: MetaBlock<FlatIndex>,
        layout: IndexLayout,
        partitions: Partitions<FilterBits>,
    },
}

impl TableFilter {
    /// Whether the key or prefix of this hash may be in the table; the key of `lookup` leads to the
    /// partition.
    #[inline]
    pub(super) fn may_match(
        &self,
        table: &BlockBasedTable,
        lookup: &TableLookup<'_>,
        hash: KeyHash<'_>,
    ) -> Result<bool> {
        let &TableLookup { options, recorder, .. } = lookup;
        let load = |handle, use_cache| load_filter_bits(table, handle, use_cache, options);
        let note_hit = |bits: &FilterBits| {
            table.stats.count_hit(recorder, BlockKind::Filter, || memory_usage_bytes(bits));
        };
        match self {
            Self::Full(filter) => Ok(filter.get(note_hit, load)?.hash_may_match(hash)),
            Self::Partitioned { top, layout, partitions } => {
                let load_top = |handle, use_cache| layout.load(table, handle, use_cache, options);
                let top = top.get(index_reader::note_hit(table, recorder), load_top)?;
                let Some(last) = top.len().checked_sub(1) else { return Ok(true) };
                let position = top.seek(lookup.internal_key).min(last);
                Ok(partitions.get(&top, position, note_hit, load)?.hash_may_match(hash))
            }
        }
    }
}

impl TableFilter {
    /// Loads all there is of it.
    pub(super) fn load_all(
        &self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        let load = |handle, use_cache| load_filter_bits(table, handle, use_cache, options);
        match self {
            Self::Full(filter) => filter.get(|_| {}, load).map(|_| ()),
            Self::Partitioned { top, layout, partitions } => {
                let load_top = |handle, use_cache| layout.load(table, handle, use_cache, options);
                let top =
                    top.get(index_reader::note_hit(table, table.stats.recorder()), load_top)?;
                (0..top.len()).try_for_each(|position| {
                    partitions.get(&top, position, |_| {}, load).map(|_| ())
                })
            }
        }
    }
}

fn load_filter_bits(
    table: &BlockBasedTable,
    handle: BlockHandle,
    use_cache: bool,
    options: BlockReadOptions,
) -> Result<Arc<Meta<FilterBits>>> {
    let decode = |contents| Ok(FilterBitsReader::new(contents));
    table.load_meta_block(BlockKind::Filter, handle, use_cache, options, decode, memory_usage_bytes)
}

fn memory_usage_bytes(bits: &FilterBits) -> usize {
    size_of::<FilterBits>() + bits.contents().capacity()
}
