//! Rules about the options of block-based tables.

use super::{Family, FamilyRule, invalid};
use crate::enums::{BlockSearchType, CacheUsage, CompressionType, IndexType};
use crate::schema::block_based::{BlockBasedTableOptions, CacheUsageOptions};
use crate::schema::cache::LruCacheOptions;
use base::Comparator as _;
use base::comparator::BytewiseComparator;

fn table<'f>(family: &'f Family<'_>) -> &'f BlockBasedTableOptions {
    &family.options.table
}

fn compresses(family: &Family<'_>) -> bool {
    let options = family.options;
    let kinds = [options.compression, options.bottommost_compression];
    let mut kinds = kinds.iter().chain(&options.compression_per_level);
    kinds.any(|kind| !matches!(kind, CompressionType::NoCompression | CompressionType::Disable))
}

fn has_parallel_threads(family: &Family<'_>) -> bool {
    let options = family.options;
    options.compression_opts.parallel_threads > 1
        || options.bottommost_compression_opts.parallel_threads > 1
}

fn has_large_pools(cache: Option<&LruCacheOptions>) -> bool {
    cache.is_some_and(|cache| cache.high_pri_pool_ratio + cache.low_pri_pool_ratio > 1.0)
}

fn charges_a_cache(table: &BlockBasedTableOptions) -> bool {
    let CacheUsageOptions {
        compression_dictionary_building_buffer,
        filter_construction,
        block_based_table_reader,
        file_metadata,
        blob_cache,
    } = &table.cache_usage_options;
    [
        compression_dictionary_building_buffer,
        filter_construction,
        block_based_table_reader,
        file_metadata,
        blob_cache,
    ]
    .contains(&&CacheUsage::Enabled)
}

pub(super) const RULES: &[FamilyRule] = &[
    invalid(
        "table_factory.cache_usage_options",
        "needs a block cache to charge: set no_block_cache=false, or none of them to kEnabled",
        |family| charges_a_cache(table(family)) && table(family).no_block_cache,
    ),
    invalid(
        "table_factory.cache_usage_options.blob_cache",
        "needs a blob cache: set blob_cache, or leave blob_cache out of cache_usage_options",
        |family| {
            table(family).cache_usage_options.blob_cache == CacheUsage::Enabled
                && family.options.blob_cache.is_none()
        },
    ),
    invalid(
        "table_factory.index_type",
        "needs prefixes: set prefix_extractor, or index_type=kBinarySearch",
        |family| {
            let has_prefixes = family.options.prefix_extractor.is_some();
            table(family).index_type == IndexType::HashSearch && !has_prefixes
        },
    ),
    invalid(
        "table_factory.index_block_search_type",
        "needs keys in the order of their bytes: set comparator=leveldb.BytewiseComparator, or \
         index_block_search_type=kBinary",
        |family| {
            table(family).index_block_search_type == BlockSearchType::Interpolation
                && family.options.comparator.name() != BytewiseComparator.name()
        },
    ),
    invalid(
        "table_factory.cache_index_and_filter_blocks",
        "needs a block cache: set no_block_cache=false, or cache_index_and_filter_blocks=false",
        |family| table(family).cache_index_and_filter_blocks && table(family).no_block_cache,
    ),
    invalid(
        "table_factory.pin_l0_filter_and_index_blocks_in_cache",
        "needs a block cache: set no_block_cache=false, or \
         pin_l0_filter_and_index_blocks_in_cache=false",
        |family| {
            table(family).pin_l0_filter_and_index_blocks_in_cache && table(family).no_block_cache
        },
    ),
    invalid(
        "table_factory.block_align",
        "contradicts compression: set all compression options to kNoCompression, or \
         block_align=false",
        |family| table(family).block_align && compresses(family),
    ),
    invalid(
        "table_factory.block_size",
        "is not a power of 2, which block_align=true needs: set it to one, or block_align=false",
        |family| table(family).block_align && !table(family).block_size.is_power_of_two(),
    ),
    invalid(
        "table_factory.user_defined_index_factory",
        "contradicts compression_opts.parallel_threads above 1: set that to 1, or \
         user_defined_index_factory=nullptr",
        |family| {
            !table(family).user_defined_index_factory.is_null() && has_parallel_threads(family)
        },
    ),
    invalid(
        "table_factory.use_udi_as_primary_index",
        "needs an index of the user's: set user_defined_index_factory, or \
         use_udi_as_primary_index=false",
        |family| {
            let table = table(family);
            table.use_udi_as_primary_index && table.user_defined_index_factory.is_null()
        },
    ),
    invalid(
        "table_factory.use_udi_as_primary_index",
        "contradicts partitions: set index_type=kBinarySearch and partition_filters=false, or \
         use_udi_as_primary_index=false",
        |family| {
            let table = table(family);
            let has_partitions =
                table.index_type == IndexType::TwoLevelIndexSearch || table.partition_filters;
            table.use_udi_as_primary_index && has_partitions
        },
    ),
    invalid(
        "table_factory.block_cache",
        "has pools larger than itself: set high_pri_pool_ratio and low_pri_pool_ratio to 1 at most \
         together",
        |family| has_large_pools(table(family).block_cache.as_ref()),
    ),
    invalid(
        "blob_cache",
        "has pools larger than itself: set high_pri_pool_ratio and low_pri_pool_ratio to 1 at most \
         together",
        |family| has_large_pools(family.options.blob_cache.as_ref()),
    ),
];
