//! Options of a column family.

use crate::enums::{
    CompactionPri, CompactionStyle, CompressionType, PrepopulateBlobCache, Temperature,
};
use crate::object_value::{ObjectName, ObjectTexts};
use crate::schema::block_based::BlockBasedTableOptions;
use crate::schema::cache::LruCacheOptions;
use crate::schema::compaction::{CompactionOptionsFifo, CompactionOptionsUniversal};
use crate::schema::compression::CompressionOptions;
use crate::schema::db_path::DbPath;
use crate::schema::plain::{CuckooTableOptions, PlainTableOptions};
use crate::schema::{no_short_form, options};
use crate::table_factory::TableFactory;
use base::comparator::BytewiseComparator;
use base::{
    CompactionFilterFactory, Comparator, MergeOperator, SharedCompactionFilter, SliceTransform,
    SstPartitionerFactory, TablePropertiesCollectorFactory,
};
use memtable::{MemTableRepFactory, SkipListFactory};
use std::sync::Arc;

options! {
    /// Options of a column family (`rocksdb::ColumnFamilyOptions`).
    pub struct ColumnFamilyOptions, short form no_short_form;
    rows {
        /// Memtables (active plus immutable) held before writes stall.
        max_write_buffer_number: i32 = 2, [at_least(2).corrected()] mutable honoured 4.0;
        /// Immutable memtables required before a flush starts.
        min_write_buffer_number_to_merge: i32 = 1, [at_least(1).corrected()] fixed honoured 4.0;
        /// Flushed memtable bytes kept for conflict checks; -1 automatic.
        max_write_buffer_size_to_maintain: i64 = 0, fixed accepted 6.5;
        /// Overwrite values inside the memtable when they fit.
        inplace_update_support: bool = false, fixed refused 4.0;
        /// Lock stripes guarding in-place updates.
        inplace_update_num_locks: u64 = 10_000, mutable accepted 4.0;
        /// Garbage share at which flush cleans in RAM instead; 0 off.
        experimental_mempurge_threshold: f64 = 0.0, mutable accepted 7.5;
        /// Fraction of memtable given to its bloom filter.
        memtable_prefix_bloom_size_ratio: f64 = 0.0, [real_between(0.0, 0.25).corrected()] mutable honoured 4.11;
        /// Memtable bloom also covers full keys.
        memtable_whole_key_filtering: bool = false, mutable honoured 6.0;
        /// Huge page size for memtable arena; 0 ordinary pages.
        memtable_huge_page_size: u64 = 0, mutable honoured 4.11;
        /// Prefix groups that remember a skiplist insert position.
        memtable_insert_with_hint_prefix_extractor: Option<Arc<dyn SliceTransform>> =
            None, fixed honoured 5.0;
        /// Cache-line locality of memtable bloom probes.
        bloom_locality: u32 = 0, fixed accepted 4.0;
        /// Allocation unit of memtable arena; 0 derives from buffer size.
        arena_block_size: u64 = 0, mutable honoured 4.0;
        /// Codec list indexed by level; overrides the general codec.
        compression_per_level: Vec<CompressionType> = Vec::new(), mutable honoured 3.9;
        /// Count of levels.
        num_levels: i32 = 7, [at_least(1).corrected()] fixed honoured 4.0;
        /// L0 file count that throttles writers.
        level0_slowdown_writes_trigger: i32 = 20, mutable honoured 4.0;
        /// L0 file count that blocks writers.
        level0_stop_writes_trigger: i32 = 36, mutable honoured 4.0;
        /// Aimed table size at the first sorted level.
        target_file_size_base: u64 = 64 << 20, [at_least(1)] mutable honoured 4.0;
        /// Growth factor of table size per deeper level.
        target_file_size_multiplier: i32 = 1, [at_least(1)] mutable honoured 4.0;
        /// Count filter/index tail bytes when cutting output files.
        target_file_size_is_upper_bound: bool = false, mutable honoured 10.9;
        /// Level targets are computed upward from the last level.
        level_compaction_dynamic_level_bytes: bool = true, fixed honoured 4.0;
        /// Size ratio between neighbouring levels.
        max_bytes_for_level_multiplier: f64 = 10.0, mutable honoured 4.0;
        /// Extra per-level factors on the size ratio.
        max_bytes_for_level_multiplier_additional: Vec<i32> = vec![1; 7], mutable honoured 3.9;
        /// Input byte cap per compaction; 0 means 25 target files.
        max_compaction_bytes: u64 = 0, mutable honoured 4.13;
        /// Compaction debt that throttles writers; 0 off.
        soft_pending_compaction_bytes_limit: u64 = 64 << 30, mutable honoured 4.4;
        /// Compaction debt that blocks writers; 0 off.
        hard_pending_compaction_bytes_limit: u64 = 256 << 30, mutable honoured 4.1;
        /// Shape policy: leveled, universal, FIFO or none.
        compaction_style: CompactionStyle = CompactionStyle::Level, fixed honoured 4.0;
        /// Rule for picking the next file within a level.
        compaction_pri: CompactionPri = CompactionPri::MinOverlappingRatio, fixed honoured 5.2;
        /// Nested settings of the universal style.
        compaction_options_universal: CompactionOptionsUniversal =
            CompactionOptionsUniversal::default(), mutable honoured 3.9;
        /// Nested settings of the FIFO style.
        compaction_options_fifo: CompactionOptionsFifo =
            CompactionOptionsFifo::default(), mutable honoured 3.9;
        /// Skipped versions before an iterator reseeks.
        max_sequential_skip_in_iterations: u64 = 8, mutable honoured 4.0;
        /// In-memory container kind.
        memtable_factory: Arc<dyn MemTableRepFactory> = Arc::new(SkipListFactory::default()), fixed honoured 4.1;
        /// Makers of user-defined table properties.
        table_properties_collector_factories as "table_properties_collectors":
            Vec<Arc<dyn TablePropertiesCollectorFactory>> = Vec::new(), fixed honoured 6.26;
        /// Merge chain length in memtable that triggers eager merging.
        max_successive_merges: u64 = 0, mutable honoured 4.0;
        /// Allow disk reads to honour the chain limit.
        strict_max_successive_merges: bool = false, mutable honoured 9.1;
        /// Drop last-level filters since most lookups succeed.
        optimize_filters_for_hits: bool = false, fixed honoured 4.0;
        /// Re-read each new table and compare with what was written.
        paranoid_file_checks: bool = false, mutable honoured 4.0;
        /// Bitmask of checks run on freshly written outputs.
        verify_output_flags: u32 = 0, mutable accepted 10.8;
        /// Validate level ordering on every version change.
        force_consistency_checks: bool = true, fixed honoured 4.13;
        /// Collect I/O timings in flush and compaction.
        report_bg_io_stats: bool = false, mutable honoured 4.8;
        /// Family accepts only ingested or imported files.
        disallow_memtable_writes: bool = false, fixed accepted 9.11;
        /// Age in seconds after which files are recompacted (FIFO drops).
        ttl: u64 = u64::MAX - 1, mutable honoured 5.14;
        /// Age in seconds after which every file is rewritten.
        periodic_compaction_seconds: u64 = u64::MAX - 1, mutable honoured 6.2;
        /// Useless-read rate per byte marking a file; 0 off.
        read_triggered_compaction_threshold: f64 = 0.0, [real_at_least(0.0)] mutable accepted 11.8;
        /// Try compressing one in N blocks for statistics; 0 off.
        sample_for_compression: u64 = 0, mutable accepted 6.1;
        /// Temperature tag for last-level output.
        last_level_temperature: Temperature = Temperature::Unknown, mutable honoured 7.6;
        /// Temperature tag when no more specific rule applies.
        default_write_temperature: Temperature = Temperature::Unknown, mutable honoured 9.1;
        /// Assumed temperature for untagged files in read accounting.
        default_temperature: Temperature = Temperature::Unknown, fixed accepted 8.6;
        /// Keep data newer than this out of the last level.
        preclude_last_level_data_seconds: u64 = 0, mutable accepted 7.5;
        /// Retain write-time info for data this recent.
        preserve_internal_time_seconds: u64 = 0, mutable honoured 7.8;
        /// Move large values into separate blob files.
        enable_blob_files: bool = false, mutable honoured 6.13;
        /// Smallest uncompressed value that goes to a blob file.
        min_blob_size: u64 = 0, mutable honoured 6.13;
        /// Size at which a blob file is closed.
        blob_file_size: u64 = 256 << 20, mutable honoured 6.13;
        /// Codec for blob values.
        blob_compression_type: CompressionType =
            CompressionType::NoCompression, mutable honoured 6.13;
        /// Codec tuning for blob values.
        blob_compression_opts: CompressionOptions =
            CompressionOptions::default(), mutable honoured 11.8;
        /// Relocate live blobs out of old files in compaction.
        enable_blob_garbage_collection: bool = false, mutable honoured 6.15;
        /// Oldest share of blob files eligible for relocation.
        blob_garbage_collection_age_cutoff: f64 = 0.25, [real_between(0.0, 1.0)] mutable honoured 6.15;
        /// Garbage ratio forcing compaction of eligible blob files.
        blob_garbage_collection_force_threshold: f64 = 1.0, [real_between(0.0, 1.0)] mutable honoured 6.26;
        /// Prefetch bytes for blob reads in compaction.
        blob_compaction_readahead_size: u64 = 0, mutable accepted 6.27;
        /// First level where values are split out.
        blob_file_starting_level: i32 = 0, mutable honoured 7.4;
        /// Cache for blob values; null none.
        blob_cache: Option<LruCacheOptions> = None, fixed honoured 7.4 unwritten;
        /// Whether flush warms the blob cache.
        prepopulate_blob_cache: PrepopulateBlobCache =
            PrepopulateBlobCache::Disable, mutable accepted 7.6;
        /// Large values go to blob files before the WAL write.
        enable_blob_direct_write: bool = false, fixed accepted 11.8;
        /// Parallel blob files for direct write.
        blob_direct_write_partitions: u32 = 1, [at_least(1).corrected()] fixed accepted 11.8;
        /// Chooses the partition per key; null is round-robin.
        blob_direct_write_partition_strategy: ObjectName =
            ObjectName::null(), fixed accepted 11.8 unwritten;
        /// Checksum bytes per memtable entry (0,1,2,4,8).
        memtable_protection_bytes_per_key: u32 = 0, [one_of(&[0, 1, 2, 4, 8]).not_supported()] mutable accepted 7.6;
        /// Keep user timestamps on disk, not only in memtables.
        persist_user_defined_timestamps: bool = true, fixed honoured 8.3;
        /// Checksum bytes per entry of loaded blocks (0,1,2,4,8).
        block_protection_bytes_per_key: u8 = 0, [one_of(&[0, 1, 2, 4, 8]).not_supported()] mutable accepted 8.3;
        /// Minimum age in seconds before snapshot-release compactions.
        bottommost_file_compaction_delay: u32 = 0, mutable honoured 8.6;
        /// Check key order while reading memtables.
        paranoid_memory_checks: bool = false, mutable accepted 9.6;
        /// Validate entry checksums on memtable seeks.
        memtable_verify_per_key_checksum_on_seek: bool = false, mutable accepted 11.8;
        /// Hidden entries in one iterator step that mark flush.
        memtable_op_scan_flush_trigger: u32 = 0, mutable accepted 10.2;
        /// Average hidden entries per step that mark flush.
        memtable_avg_op_scan_flush_trigger: u32 = 0, mutable accepted 10.4;
        /// Run of point deletes a scan converts into range delete.
        min_tombstones_for_range_conversion: u32 = 0, mutable honoured 11.8;
        /// Deletions after which a background job passes keys deleted in a row, for scans to skip them; 0: never.
        deletion_pass_trigger: u32 = 4096, mutable honoured 0.0 unwritten;
        /// Prepare this family for files placed under all data.
        cf_allow_ingest_behind: bool = false, fixed honoured 10.6;
        /// Batched gets reuse the previous skiplist search path.
        memtable_batch_lookup_optimization: bool = false, fixed accepted 11.1;
        /// Key order; its name is fixed for the family's life.
        comparator: Arc<dyn Comparator> = Arc::new(BytewiseComparator), fixed honoured 4.1;
        /// Combines Merge operands with base values.
        merge_operator: Option<Arc<dyn MergeOperator>> = None, fixed honoured 4.1;
        /// Single shared filter that drops or edits entries in compaction.
        compaction_filter: Option<SharedCompactionFilter> = None, fixed honoured 4.1;
        /// Builds a filter per compaction; used if no fixed filter.
        compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>> =
            None, fixed honoured 4.1;
        /// Memtable bytes before it becomes immutable.
        write_buffer_size: u64 = 64 << 20, [between(64 << 10, 64 << 30).corrected()] mutable honoured 4.0;
        /// Codec for data blocks unless per-level overrides apply.
        compression: CompressionType = CompressionType::Lz4, mutable honoured 4.1;
        /// Codec for the last level; disabled value inherits.
        bottommost_compression: CompressionType = CompressionType::Disable, mutable honoured 4.9;
        /// Codec tuning for the last level when enabled.
        bottommost_compression_opts: CompressionOptions =
            CompressionOptions::default(), mutable honoured 5.18;
        /// Codec tuning for the general codec.
        compression_opts: CompressionOptions = CompressionOptions::default(), mutable honoured 3.9;
        /// Pluggable codec provider; null uses built-ins.
        compression_manager: ObjectName = ObjectName::null(), mutable accepted 10.4;
        /// L0 file count that starts a compaction; negative turns off.
        level0_file_num_compaction_trigger: i32 = 4, mutable honoured 4.0;
        /// Maps keys to prefixes for filters and prefix seeks.
        prefix_extractor: Option<Arc<dyn SliceTransform>> = None, mutable honoured 4.1;
        /// Byte target for the base level.
        max_bytes_for_level_base: u64 = 256 << 20, [at_least(1)] mutable honoured 4.0;
        /// Stop automatic compactions; manual ones still run.
        disable_auto_compactions: bool = false, mutable honoured 4.0;
        /// Table file format and its settings.
        table_factory: TableFactory = TableFactory::BlockBased, mutable honoured 4.1;
        /// Per-family table directories; empty uses the DB list.
        cf_paths: Vec<DbPath> = Vec::new(), fixed honoured 5.18 unwritten;
        /// Decides where compaction output files must be cut.
        sst_partitioner_factory: Option<Arc<dyn SstPartitionerFactory>> =
            None, fixed honoured 6.26;
        /// Flush once this many range deletes collect; 0 off.
        memtable_max_range_deletions: u32 = 0, mutable honoured 8.6;
        /// Effort spent evicting cached blocks of dead files.
        uncache_aggressiveness: u32 = 0, mutable accepted 9.4;
    }
    fields {
        /// Options of block-based tables.
        pub table: BlockBasedTableOptions;
        /// Options of plain tables, which this engine does not read.
        pub plain_table: PlainTableOptions;
        /// Options of cuckoo tables, which this engine does not read.
        pub cuckoo_table: CuckooTableOptions;
    }
    hidden {
        /// Where the objects came from.
        object_texts: ObjectTexts;
    }
    objects {
        /// Edits a value in the memtable in place.
        inplace_callback: "UpdateStatus (*)(char*, uint32_t*, Slice, std::string*)";
        /// Cap on concurrent compactions that families share.
        compaction_thread_limiter: "ConcurrentTaskLimiter";
    }
    legacy {
        filter_deletes 4.0;
        check_flush_compaction_key_order 6.14;
        verify_checksums_in_compaction 4.0;
        hard_rate_limit 4.0;
        soft_rate_limit 4.0;
        ignore_max_compaction_bytes_for_input 7.8;
        expanded_compaction_factor 4.0;
        max_grandparent_overlap_factor 4.0;
        source_compaction_factor 4.0;
        memtable_prefix_bloom_huge_page_tlb_size 4.0;
        memtable_prefix_bloom_bits 4.0;
        memtable_prefix_bloom_probes 4.0;
        min_partial_merge_operands 4.0;
        snap_refresh_nanos 6.2;
        bottommost_temperature 7.0;
        compaction_measure_io_stats 4.0;
        purge_redundant_kvs_while_flush 4.0;
        level_compaction_dynamic_file_size 7.8;
        max_mem_compaction_level 4.0;
        max_write_buffer_number_to_maintain 4.0;
        rate_limit_delay_max_milliseconds 4.0;
    }
    aliases {
        block_based_table_factory for table_factory 3.11;
        plain_table_factory for table_factory 4.3;
        memtable_veirfy_per_key_checksum_on_seek for memtable_verify_per_key_checksum_on_seek 10.7;
        memtable for memtable_factory 4.3;
    }
}
