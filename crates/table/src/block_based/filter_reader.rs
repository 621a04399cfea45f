//! The filter of a table: one over all keys, or partitions.

use crate::block_based::index_reader::{IndexLayout, Partitions, UnheldPartition, note_hit};
use crate::block_based::meta_block::{MetaBlock, MetaRef};
use crate::block_based::meta_reads::MetaForm;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::block_based::table_lookup::TableLookup;
use crate::block_based::table_stats::BlockKind;
use crate::filter::{FilterBitsReader, KeyHash};
use crate::index::FlatIndex;
use base::Result;

/// A filter, or a partition of one.
pub(crate) type FilterBits = FilterBitsReader<Vec<u8>>;

/// The filter of a table.
#[derive(Debug)]
pub(super) enum TableFilter {
    Full(MetaBlock<FilterBits>),
    Partitioned(PartitionedFilter),
}

/// Filters over ranges of keys, found through an index block.
#[derive(Debug)]
pub(super) struct PartitionedFilter {
    pub(super) top: MetaBlock<FlatIndex>,
    pub(super) layout: IndexLayout,
    pub(super) partitions: Partitions<FilterBits>,
}

/// The partition that knows of a key.
#[derive(Debug)]
pub(super) enum FilterPartition<'t> {
    /// None does: the filter is empty.
    None,
    Found(MetaRef<'t, FilterBits>),
    Unheld(UnheldPartition<'t, FilterForm>),
}

/// How blocks of filters are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilterForm;

impl MetaForm for FilterForm {
    type Contents = FilterBits;

    const KIND: BlockKind = BlockKind::Filter;

    fn decode(self, _table: &BlockBasedTable, block: Vec<u8>) -> Result<FilterBits> {
        Ok(FilterBitsReader::new(block))
    }

    fn memory_usage_bytes(bits: &FilterBits) -> usize {
        size_of::<FilterBits>() + bits.contents().capacity()
    }
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
        match self {
            Self::Full(filter) => {
                let load = |handle, use_cache| {
                    table.load_meta_block(FilterForm, handle, use_cache, options)
                };
                let note_hit = note_hit::<FilterForm>(table, recorder);
                Ok(filter.get(note_hit, load)?.hash_may_match(hash))
            }
            Self::Partitioned(filter) => Ok(match filter.find(table, lookup)? {
                FilterPartition::None => true,
                FilterPartition::Found(bits) => bits.hash_may_match(hash),
                FilterPartition::Unheld(partition) => partition.load()?.hash_may_match(hash),
            }),
        }
    }

    /// Loads all there is of it.
    pub(super) fn load_all(
        &self,
        table: &BlockBasedTable,
        options: BlockReadOptions,
    ) -> Result<()> {
        let load =
            |handle, use_cache| table.load_meta_block(FilterForm, handle, use_cache, options);
        match self {
            Self::Full(filter) => filter.get(|_| {}, load).map(|_| ()),
            Self::Partitioned(PartitionedFilter { top, layout, partitions }) => {
                let recorder = table.stats.recorder();
                let top = layout.top(top, table, options, recorder)?;
                (0..top.len()).try_for_each(|position| {
                    let found = partitions.find(table, FilterForm, (&top, position), options, None);
                    found.or_else(|partition| partition.load()).map(|_| ())
                })
            }
        }
    }
}

impl PartitionedFilter {
    /// The partition that knows of the key of `lookup`.
    #[inline]
    pub(super) fn find<'t>(
        &'t self,
        table: &'t BlockBasedTable,
        lookup: &TableLookup<'_>,
    ) -> Result<FilterPartition<'t>> {
        let &TableLookup { internal_key, options, recorder, .. } = lookup;
        let top = self.layout.top(&self.top, table, options, recorder)?;
        let Some(last) = top.len().checked_sub(1) else { return Ok(FilterPartition::None) };
        let place = (&*top, top.seek(internal_key).min(last));
        let found = self.partitions.find(table, FilterForm, place, options, recorder);
        Ok(found.map_or_else(FilterPartition::Unheld, FilterPartition::Found))
    }
}
