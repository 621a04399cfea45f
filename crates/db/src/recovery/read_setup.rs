//! What a column family's tables and blob files are read with, by its options.

use crate::column_family::ColumnFamilyDescriptor;
use crate::db::OpenContext;
use base::{InternalKeyComparator, Result};
use cache::{Cache, LruCache, LruCacheOptions};
use env::ReadaheadOptions;
use options::{
    BlockBasedTableOptions, CacheUsage, CacheUsageOptions, ColumnFamilyOptions, PinningTier,
};
use std::sync::Arc;
use table::{CacheCharges, CacheEntryRole, MetadataPinning, PinnedTables, TableOptions};

/// What all tables of the family share.
pub(crate) fn table_options(
    descriptor: &ColumnFamilyDescriptor,
    context: &OpenContext,
    comparator: &InternalKeyComparator,
) -> Result<TableOptions> {
    let family = &descriptor.options;
    let block_cache = block_cache(family, context)?;
    let by_context = TableOptions {
        comparator: comparator.clone(),
        charges: cache_charges(&family.table, block_cache.as_ref()),
        block_cache,
        statistics: context.statistics.clone(),
        read_gate: context.read_gate(),
        ..TableOptions::default()
    };
    Ok(with_family_part(by_context, family))
}

/// What they share after the family's options changed. They stay with the cache that they have,
/// unless that is what changed.
pub(crate) fn changed_table_options(
    present: &TableOptions,
    before: &ColumnFamilyOptions,
    after: &ColumnFamilyOptions,
    context: &OpenContext,
) -> Result<TableOptions> {
    let cache_part = |family: &ColumnFamilyOptions| {
        (family.table.no_block_cache, family.table.get("block_cache"))
    };
    let mut changed = present.clone();
    if cache_part(before) != cache_part(after) {
        changed.block_cache = block_cache(after, context)?;
        changed.charges = cache_charges(&after.table, changed.block_cache.as_ref());
    }
    Ok(with_family_part(changed, after))
}

fn with_family_part(options: TableOptions, family: &ColumnFamilyOptions) -> TableOptions {
    let table = &family.table;
    TableOptions {
        whole_key_filtering: table.whole_key_filtering,
        prefix_extractor: family.prefix_extractor.clone(),
        cache_index_and_filter_blocks: table.cache_index_and_filter_blocks,
        cache_index_and_filter_blocks_with_high_priority: table
            .cache_index_and_filter_blocks_with_high_priority,
        metadata_pinning: metadata_pinning(table),
        l0_pin_file_size_max: family.write_buffer_size.saturating_add(family.write_buffer_size / 2),
        readahead: ReadaheadOptions {
            // Larger than the largest, the first window is the largest.
            initial_size: table.initial_auto_readahead_size.min(table.max_auto_readahead_size),
            max_size: table.max_auto_readahead_size,
            num_file_reads: table.num_file_reads_for_auto_readahead,
        },
        ..options
    }
}

/// Which metadata stays in memory, by the tiers, which fall back to the switches that are older.
fn metadata_pinning(table: &BlockBasedTableOptions) -> MetadataPinning {
    let tables = |tier, fallback| match tier {
        PinningTier::Fallback => fallback,
        PinningTier::None => PinnedTables::None,
        PinningTier::FlushedAndSimilar => PinnedTables::FlushedAndSimilar,
        PinningTier::All => PinnedTables::All,
    };
    let level0 = match table.pin_l0_filter_and_index_blocks_in_cache {
        true => PinnedTables::FlushedAndSimilar,
        false => PinnedTables::None,
    };
    let top_level = match table.pin_top_level_index_and_filter {
        true => PinnedTables::All,
        false => PinnedTables::None,
    };
    let tiers = &table.metadata_cache_options;
    MetadataPinning {
        top_level: tables(tiers.top_level_index_pinning, top_level),
        partitions: tables(tiers.partition_pinning, level0),
        unpartitioned: tables(tiers.unpartitioned_pinning, level0),
    }
}

/// What is charged to the block cache, by `cache_usage_options`.
fn cache_charges(table: &BlockBasedTableOptions, cache: Option<&Arc<dyn Cache>>) -> CacheCharges {
    let CacheUsageOptions {
        compression_dictionary_building_buffer,
        filter_construction,
        block_based_table_reader,
        file_metadata,
        blob_cache,
    } = table.cache_usage_options;
    let Some(cache) = cache else { return CacheCharges::default() };
    CacheCharges::new(cache, |role| match role {
        CacheEntryRole::CompressionDictionaryBuildingBuffer => {
            compression_dictionary_building_buffer != CacheUsage::Disabled
        }
        CacheEntryRole::FilterConstruction => filter_construction == CacheUsage::Enabled,
        CacheEntryRole::BlockBasedTableReader => block_based_table_reader == CacheUsage::Enabled,
        CacheEntryRole::FileMetadata => file_metadata == CacheUsage::Enabled,
        CacheEntryRole::BlobCache => blob_cache == CacheUsage::Enabled,
        _ => false,
    })
}

/// The cache shared by all, or one by the family's options; none with `no_block_cache`.
fn block_cache(
    family: &ColumnFamilyOptions,
    context: &OpenContext,
) -> Result<Option<Arc<dyn Cache>>> {
    let table = &family.table;
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

#[cfg(test)]
mod tests;
