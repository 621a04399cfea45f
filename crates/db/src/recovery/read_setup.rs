//! What a column family's tables and blob files are read with, by its options.

use crate::column_family::ColumnFamilyDescriptor;
use crate::db::OpenContext;
use base::{InternalKeyComparator, Result};
use cache::{Cache, LruCache, LruCacheOptions};
use env::ReadaheadOptions;
use std::sync::Arc;
use table::TableOptions;

/// What all tables of the family share.
pub(crate) fn table_options(
    descriptor: &ColumnFamilyDescriptor,
    context: &OpenContext,
    comparator: &InternalKeyComparator,
) -> Result<TableOptions> {
    let family = &descriptor.options;
    let table = &family.table;
    Ok(TableOptions {
        comparator: comparator.clone(),
        block_cache: block_cache(descriptor, context)?,
        whole_key_filtering: table.whole_key_filtering,
        prefix_extractor: family.prefix_extractor.clone(),
        cache_index_and_filter_blocks: table.cache_index_and_filter_blocks,
        cache_index_and_filter_blocks_with_high_priority: table
            .cache_index_and_filter_blocks_with_high_priority,
        pin_l0_filter_and_index_blocks_in_cache: table.pin_l0_filter_and_index_blocks_in_cache,
        pin_top_level_index_and_filter: table.pin_top_level_index_and_filter,
        readahead: ReadaheadOptions {
            // Larger than the largest, the first window is the largest.
            initial_size: table.initial_auto_readahead_size.min(table.max_auto_readahead_size),
            max_size: table.max_auto_readahead_size,
            num_file_reads: table.num_file_reads_for_auto_readahead,
        },
        statistics: context.statistics.clone(),
        ..TableOptions::default()
    })
}

/// The cache shared by all, or one by the family's options; none with `no_block_cache`.
fn block_cache(
    descriptor: &ColumnFamilyDescriptor,
    context: &OpenContext,
) -> Result<Option<Arc<dyn Cache>>> {
    let table = &descriptor.options.table;
    if table.no_block_cache {
        return Ok(None);
    }
    if let Some(shared) = &context.block_cache {
        return Ok(Some(shared.clone()));
    }
    match &table.block_cache {
        Some(options) => lru_cache(options).map(Some),
        None => Ok(Some(Arc::new(LruCache::new(&LruCacheOptions::default())?))),
    }
}

/// The cache of values in blob files (`blob_cache`), if the family has one.
pub(crate) fn blob_cache(descriptor: &ColumnFamilyDescriptor) -> Result<Option<Arc<dyn Cache>>> {
    descriptor.options.blob_cache.as_ref().map(lru_cache).transpose()
}

fn lru_cache(options: &options::LruCacheOptions) -> Result<Arc<dyn Cache>> {
    Ok(Arc::new(LruCache::new(&LruCacheOptions {
        capacity: usize::try_from(options.capacity).unwrap_or(usize::MAX),
        num_shard_bits: options.num_shard_bits,
        strict_capacity_limit: options.strict_capacity_limit,
        high_pri_pool_ratio: options.high_pri_pool_ratio,
        low_pri_pool_ratio: options.low_pri_pool_ratio,
        ..LruCacheOptions::default()
    })?))
}
