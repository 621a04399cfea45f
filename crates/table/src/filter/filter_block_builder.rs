//! Builds the filter of a table, in one block or in partitions.

use super::FilterBitsBuilder;
use super::full_filter_block_builder::{FilterKeys, FullFilterBlockBuilder};
use super::partitioned_filter_block_builder::{
    PartitionedFilterBlockBuilder, PartitionedFilterShape,
};
use crate::format::BlockHandle;
use crate::index::index_builder::IndexBuilder;
use crate::table_builder_options::TableBuilderOptions;
use base::Result;

/// Builds filters of the kind that a table's options ask for.
#[derive(Debug)]
pub(crate) enum FilterBlockBuilder {
    Full(FullFilterBlockBuilder),
    Partitioned(Box<PartitionedFilterBlockBuilder>),
}

impl FilterBlockBuilder {
    /// `None` if the table gets no filter. The options must be sanitized.
    pub(crate) fn new(options: &TableBuilderOptions) -> Option<Self> {
        let policy = options.filter_policy.filter(|_| !options.skip_filters)?;
        let keys = FilterKeys {
            bits_builder: policy.new_bits_builder(&options.filter_context())?,
            prefix_extractor: options.prefix_extractor.clone(),
            whole_key_filtering: options.whole_key_filtering,
        };
        if !options.partition_filters {
            return Some(Self::Full(FullFilterBlockBuilder::new(keys)));
        }
        let timestamp_size = if options.user_defined_timestamps_persisted {
            options.comparator.timestamp_size()
        } else {
            0
        };
        let percent = 100 - u64::from(options.block_size_deviation);
        let shape = PartitionedFilterShape {
            partition_size: (options.metadata_block_size * percent).div_ceil(100).max(1) as usize,
            is_decoupled: options.decouple_partitioned_filters,
            timestamp_size,
            index_block_restart_interval: options.index_block_restart_interval,
            values_are_delta_encoded: options.index_values_are_delta_encoded(),
        };
        Some(Self::Partitioned(Box::new(PartitionedFilterBlockBuilder::new(keys, shape))))
    }

    /// Adds a user key without timestamp; `last_key` gives the one before.
    #[inline]
    pub(crate) fn add<'k>(
        &mut self,
        key: &[u8],
        last_key: impl FnOnce() -> &'k [u8],
        index: &mut IndexBuilder,
    ) {
        match self {
            Self::Full(builder) => builder.add(key),
            Self::Partitioned(builder) => builder.add(key, last_key(), index),
        }
    }

    /// Whether partitions end where those of the index do.
    pub(crate) fn follows_index(&self) -> bool {
        match self {
            Self::Full(_) => false,
            Self::Partitioned(builder) => builder.follows_index(),
        }
    }

    /// What takes user keys, if that is all that is to be done with them.
    pub(crate) fn takes_keys(&mut self) -> Option<&mut dyn FilterBitsBuilder> {
        match self {
            Self::Full(builder) => builder.takes_keys(),
            Self::Partitioned(_) => None,
        }
    }

    /// Keys and prefixes added.
    pub(crate) fn entries_count(&self) -> usize {
        match self {
            Self::Full(builder) => builder.entries_count(),
            Self::Partitioned(builder) => builder.entries_count(),
        }
    }

    /// About how many bytes the filter will take.
    pub(crate) fn size_estimate(&self) -> usize {
        match self {
            Self::Full(builder) => builder.size_estimate(),
            Self::Partitioned(builder) => builder.size_estimate(),
        }
    }

    /// Writes all blocks of the filter. The last handle is the one for the metaindex.
    pub(crate) fn finish(
        &mut self,
        last_key: &[u8],
        index: &IndexBuilder,
        write: &mut dyn FnMut(Vec<u8>) -> Result<BlockHandle>,
    ) -> Result<BlockHandle> {
        match self {
            Self::Full(builder) => write(builder.finish()),
            Self::Partitioned(builder) => builder.finish(last_key, index, write),
        }
    }
}
