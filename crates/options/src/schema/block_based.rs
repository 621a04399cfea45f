//! Options of block-based tables.

use crate::enums::{
    BlockSearchType, CacheUsage, ChecksumType, DataBlockIndexType, IndexShorteningMode, IndexType,
    PinningTier, PrepopulateBlockCache,
};
use crate::filter_policy::FilterPolicy;
use crate::object_value::{ObjectName, ObjectTexts};
use crate::release::Release;
use crate::schema::cache::LruCacheOptions;
use crate::schema::{no_short_form, options};
use crate::value::{Context, OptionValue, SetError};
use base::FlushBlockPolicyFactory;
use base::flush_block_policy::FlushBlockBySizePolicyFactory;
use std::sync::Arc;

options! {
    /// Options of block-based tables (`rocksdb::BlockBasedTableOptions`).
    pub struct BlockBasedTableOptions, short form no_short_form;
    rows {
        /// Rule for ending a data block.
        flush_block_policy_factory: Arc<dyn FlushBlockPolicyFactory> =
            Arc::new(FlushBlockBySizePolicyFactory), mutable honoured 4.2;
        /// Metadata blocks live in the block cache.
        cache_index_and_filter_blocks: bool = false, mutable honoured 4.2;
        /// Metadata blocks use the cache's high-priority pool.
        cache_index_and_filter_blocks_with_high_priority: bool = true, mutable honoured 4.13;
        /// Legacy switch pinning metadata of L0 files.
        pin_l0_filter_and_index_blocks_in_cache: bool = false, mutable honoured 4.8;
        /// Legacy switch pinning top parts of partitioned metadata.
        pin_top_level_index_and_filter: bool = true, mutable honoured 5.15;
        /// Nested pinning tiers for metadata blocks.
        metadata_cache_options: MetadataCacheOptions =
            MetadataCacheOptions::default(), mutable honoured 6.15;
        /// Index layout.
        index_type: IndexType = IndexType::BinarySearch, mutable honoured 4.2;
        /// In-block search algorithm for index blocks.
        index_block_search_type: BlockSearchType = BlockSearchType::Binary, mutable accepted 11.0;
        /// Binary search only, or with in-block hash index.
        data_block_index_type: DataBlockIndexType =
            DataBlockIndexType::BinarySearch, mutable honoured 5.16;
        /// Entries per bucket target for the block hash index.
        data_block_hash_table_util_ratio: f64 = 0.75, [above(0.0)] mutable honoured 5.16;
        /// Block checksum algorithm.
        checksum: ChecksumType = ChecksumType::Xxh3, mutable honoured 4.2;
        /// Disable the block cache entirely.
        no_block_cache: bool = false, mutable honoured 4.2;
        /// Block cache object; null creates a 32 MiB one.
        block_cache: Option<LruCacheOptions> = None, mutable honoured 3.11 unwritten;
        /// Uncompressed data block byte target.
        block_size: u64 = 4096, [at_most(u32::MAX as i128)] mutable honoured 4.2;
        /// Percent fullness slack deciding early block end.
        block_size_deviation: i32 = 10, mutable honoured 4.2;
        /// Keys between restart points in data blocks.
        block_restart_interval: i32 = 16, [at_least(1).corrected()] mutable honoured 4.2;
        /// Keys between restart points in index blocks.
        index_block_restart_interval: i32 = 1, [at_least(1).corrected()] mutable honoured 4.5;
        /// Partition byte target for index and filters.
        metadata_block_size: u64 = 4096, mutable honoured 5.4;
        /// Split filters to match a two-level index.
        partition_filters: bool = false, mutable honoured 5.3;
        /// Filter partitions are cut independently of index partitions.
        decouple_partitioned_filters: bool = true, mutable honoured 9.6;
        /// Size filters to limit allocator waste.
        optimize_filters_for_memory: bool = true, mutable honoured 6.12;
        /// Share key prefixes within data blocks.
        use_delta_encoding: bool = true, mutable honoured 9.1;
        /// Filter algorithm; null builds none.
        filter_policy: Option<FilterPolicy> = None, mutable honoured 4.2;
        /// Builds an additional custom index.
        user_defined_index_factory: ObjectName = ObjectName::null(), mutable accepted 10.6;
        /// All reads go through the custom index.
        use_udi_as_primary_index: bool = false, mutable accepted 11.8;
        /// Reject tables lacking the configured custom index.
        fail_if_no_udi_on_open: bool = false, mutable accepted 10.6;
        /// Filters include entire keys, not only prefixes.
        whole_key_filtering: bool = true, mutable honoured 4.2;
        /// Self-check filters while they are built.
        detect_filter_construct_corruption: bool = false, mutable accepted 7.0;
        /// Decompress each block after writing to compare.
        verify_compression: bool = false, mutable honoured 4.11;
        /// Bitmap granularity for read-amplification stats; 0 off.
        read_amp_bytes_per_bit: ReadAmpBytesPerBit = ReadAmpBytesPerBit(0), mutable accepted 4.13;
        /// On-disk table format number; RocksDB before 8.6 reads none above 5.
        format_version: u32 = 5, [at_most(7)] mutable honoured 4.2;
        /// Group keys ahead of values within each block.
        separate_key_value_in_data_block: bool = false, mutable honoured 11.0;
        /// Key-gap variation below which an index block is flagged uniform.
        uniform_cv_threshold: f64 = -1.0, mutable accepted 11.1;
        /// Compress index blocks too.
        enable_index_compression: bool = true, mutable honoured 5.12;
        /// Pad blocks to page-size boundaries (needs no compression).
        block_align: bool = false, mutable honoured 5.14;
        /// Storage unit that data blocks should not straddle; 0 off.
        super_block_alignment_size: u64 = 0, [power_of_two_up_to(1 << 31).or(0)] mutable honoured 10.8;
        /// Divisor limiting padding per storage unit.
        super_block_alignment_space_overhead_ratio: u64 = 128, [at_least(4).or(0)] mutable honoured 10.8;
        /// How far index separator keys are abbreviated.
        index_shortening: IndexShorteningMode =
            IndexShorteningMode::ShortenSeparators, mutable honoured 6.2;
        /// Ceiling of automatic readahead; 0 disables it.
        max_auto_readahead_size: u64 = 256 << 10, mutable honoured 6.19;
        /// Insert new blocks into cache as they are written, by flushes alone or by compactions too.
        prepopulate_block_cache: PrepopulateBlockCache =
            PrepopulateBlockCache::Disable, mutable honoured 6.22;
        /// Insert new blocks into cache where what they replace was read from there.
        keep_blocks_warm: bool = true, fixed honoured 0.0 unwritten;
        /// Charges memory of other uses to the block cache, by role.
        cache_usage_options: CacheUsageOptions =
            CacheUsageOptions::default(), fixed honoured 7.3 unwritten;
        /// First automatic readahead amount.
        initial_auto_readahead_size: u64 = 8192, mutable honoured 7.2;
        /// Sequential reads seen before readahead begins.
        num_file_reads_for_auto_readahead: u64 = 2, mutable honoured 7.7;
    }
    hidden {
        /// Where the objects came from.
        object_texts: ObjectTexts;
    }
    objects {
        /// Cache of pages on a fast device.
        persistent_cache: "PersistentCache";
    }
    legacy {
        hash_index_allow_collision 4.2;
        index_per_partition 5.2;
        reserve_table_builder_memory 6.27;
        reserve_table_reader_memory 7.2;
        skip_table_builder_flush 4.2;
        block_cache_compressed 6.10;
    }
}

options! {
    /// Which metadata blocks stay in the cache (`rocksdb::MetadataCacheOptions`).
    pub struct MetadataCacheOptions, short form no_short_form;
    rows {
        /// Pin tier for top-level parts of partitioned metadata.
        top_level_index_pinning: PinningTier = PinningTier::Fallback, mutable honoured 6.15;
        /// Pin tier for metadata partitions.
        partition_pinning: PinningTier = PinningTier::Fallback, mutable honoured 6.15;
        /// Pin tier for whole (unpartitioned) metadata.
        unpartitioned_pinning: PinningTier = PinningTier::Fallback, mutable honoured 6.15;
    }
}

options! {
    /// Which memory beside that of blocks counts against the block cache (`rocksdb::CacheUsageOptions`,
    /// which has a map of roles). What is left to `kFallback` does not count, but for dictionaries.
    pub struct CacheUsageOptions, short form no_short_form;
    rows {
        /// Blocks held back to make a compression dictionary; without room for them the dictionary is made
        /// of fewer.
        compression_dictionary_building_buffer: CacheUsage =
            CacheUsage::Fallback, fixed honoured 7.3;
        /// Keys of filters while these are made.
        filter_construction: CacheUsage = CacheUsage::Fallback, fixed honoured 7.3;
        /// What open tables hold; a strict cache without room for it keeps tables from being opened.
        block_based_table_reader: CacheUsage = CacheUsage::Fallback, fixed honoured 7.3;
        /// What the MANIFEST says of files.
        file_metadata: CacheUsage = CacheUsage::Fallback, fixed honoured 7.5;
        /// What a blob cache of its own holds.
        blob_cache: CacheUsage = CacheUsage::Fallback, fixed honoured 7.7;
    }
}

/// The option `read_amp_bytes_per_bit`. Releases 4.13 to 6.14 wrote four bytes too many of it to
/// OPTIONS files; only the low 32 bits mean something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadAmpBytesPerBit(pub u32);

impl OptionValue for ReadAmpBytesPerBit {
    fn type_name() -> String {
        "u32".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        let mut wide = 0_u64;
        wide.set(text, context)?;
        self.0 = wide as u32;
        Ok(())
    }

    fn print(&self, _release: Release) -> String {
        self.0.to_string()
    }
}
