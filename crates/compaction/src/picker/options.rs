//! The options that pickers go by.

use base::SstPartitionerFactory;
use compression::{CompressionOptions, CompressionType};
use std::sync::Arc;
use version::{CompactionStyle, LevelTargetOptions, Temperature};

/// Which file of a level is compacted first (`compaction_pri`). Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CompactionPri {
    /// The largest, what its deletions will free counted in.
    ByCompensatedSize = 0,
    /// The one whose newest entry is oldest.
    OldestLargestSeqFirst = 1,
    /// The one whose oldest entry is oldest.
    OldestSmallestSeqFirst = 2,
    /// The one that overlaps the fewest bytes of the next level for its size.
    #[default]
    MinOverlappingRatio = 3,
    /// The one after the last, by key; and as many more as the level has too many.
    RoundRobin = 4,
}

/// When universal compaction stops adding runs (`stop_style`). Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum CompactionStopStyle {
    /// The next run is too unlike the last one.
    SimilarSize = 0,
    /// The next run is larger than all those before it together.
    #[default]
    TotalSize = 1,
}

/// `compaction_options_universal`; defaults are RocksDB's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniversalOptions {
    /// `size_ratio`: by how many percent the next run may be larger than those before it.
    pub size_ratio: u32,
    /// `min_merge_width`: fewest runs merged for their size.
    pub min_merge_width: u32,
    /// `max_merge_width`: most runs merged at once.
    pub max_merge_width: u32,
    /// `max_size_amplification_percent`: when all other runs together are this part of the oldest,
    /// everything is merged.
    pub max_size_amplification_percent: u32,
    /// `compression_size_percent`: the oldest data is compressed, up to this part of all; negative
    /// for all of it.
    pub compression_size_percent: i32,
    /// `max_read_amp`: most sorted runs; -1 for `level0_file_num_compaction_trigger`, 0 for as many
    /// as a tree of this size needs.
    pub max_read_amp: i32,
    /// `stop_style`.
    pub stop_style: CompactionStopStyle,
    /// `allow_trivial_move`.
    pub allow_trivial_move: bool,
}

impl Default for UniversalOptions {
    fn default() -> Self {
        Self {
            size_ratio: 1,
            min_merge_width: 2,
            max_merge_width: u32::MAX,
            max_size_amplification_percent: 200,
            compression_size_percent: -1,
            max_read_amp: -1,
            stop_style: CompactionStopStyle::TotalSize,
            allow_trivial_move: false,
        }
    }
}

/// The options of a column family that decide what is compacted and how outputs look. Defaults are
/// RocksDB's, after its sanitizing for block-based tables.
#[derive(Clone, Debug)]
pub struct PickerOptions {
    /// Targets and triggers: style, number of levels, `max_bytes_for_level_base` and so on.
    pub levels: LevelTargetOptions,
    /// `compaction_pri`.
    pub compaction_pri: CompactionPri,
    /// `target_file_size_base`, in bytes.
    pub target_file_size_base: u64,
    /// `target_file_size_multiplier`.
    pub target_file_size_multiplier: i32,
    /// `write_buffer_size`, in bytes.
    pub write_buffer_size: u64,
    /// `level0_stop_writes_trigger`.
    pub level0_stop_writes_trigger: i32,
    /// `max_compaction_bytes`; 0 for 25 times `target_file_size_base`.
    pub max_compaction_bytes: u64,
    /// `ttl` in seconds; 0 for none.
    pub ttl_seconds: u64,
    /// `periodic_compaction_seconds`; 0 for none.
    pub periodic_compaction_seconds: u64,
    /// `bottommost_file_compaction_delay`, in seconds.
    pub bottommost_file_compaction_delay_seconds: u32,
    /// `compression`.
    pub compression: CompressionType,
    /// `compression_opts`.
    pub compression_options: CompressionOptions,
    /// `compression_per_level`: L0, then from the base level on; the last for all beyond.
    pub compression_per_level: Vec<CompressionType>,
    /// `bottommost_compression`; none for `kDisableCompressionOption`.
    pub bottommost_compression: Option<CompressionType>,
    /// `bottommost_compression_opts`, if `enabled`.
    pub bottommost_compression_options: Option<CompressionOptions>,
    /// `cf_paths`, or `db_paths`: the `target_size` of each, in bytes. Empty counts as one path.
    pub path_target_sizes: Vec<u64>,
    /// `max_subcompactions`.
    pub max_subcompactions: u32,
    /// `enable_blob_garbage_collection`.
    pub enable_blob_garbage_collection: bool,
    /// `blob_garbage_collection_age_cutoff`.
    pub blob_garbage_collection_age_cutoff: f64,
    /// `blob_garbage_collection_force_threshold`.
    pub blob_garbage_collection_force_threshold: f64,
    /// `default_write_temperature`.
    pub default_write_temperature: Temperature,
    /// `last_level_temperature`.
    pub last_level_temperature: Temperature,
    /// `allow_ingest_behind` or `cf_allow_ingest_behind`: the last level stays free.
    pub allow_ingest_behind: bool,
    /// `compaction_filter` or `compaction_filter_factory` is set: manual compactions rewrite.
    pub has_compaction_filter: bool,
    /// `sst_partitioner_factory`: files that it would divide are rewritten instead of moved.
    pub sst_partitioner_factory: Option<Arc<dyn SstPartitionerFactory>>,
    /// `compaction_options_universal`.
    pub universal: UniversalOptions,
}

impl Default for PickerOptions {
    fn default() -> Self {
        Self {
            levels: LevelTargetOptions::default(),
            compaction_pri: CompactionPri::default(),
            target_file_size_base: 64 << 20,
            target_file_size_multiplier: 1,
            write_buffer_size: 64 << 20,
            level0_stop_writes_trigger: 36,
            max_compaction_bytes: 0,
            ttl_seconds: 30 * 24 * 60 * 60,
            periodic_compaction_seconds: 0,
            bottommost_file_compaction_delay_seconds: 0,
            compression: CompressionType::Snappy,
            compression_options: CompressionOptions::default(),
            compression_per_level: Vec::new(),
            bottommost_compression: None,
            bottommost_compression_options: None,
            path_target_sizes: Vec::new(),
            max_subcompactions: 1,
            enable_blob_garbage_collection: false,
            blob_garbage_collection_age_cutoff: 0.25,
            blob_garbage_collection_force_threshold: 1.0,
            default_write_temperature: Temperature::UNKNOWN,
            last_level_temperature: Temperature::UNKNOWN,
            allow_ingest_behind: false,
            has_compaction_filter: false,
            sst_partitioner_factory: None,
            universal: UniversalOptions::default(),
        }
    }
}

impl PickerOptions {
    /// `compaction_style`.
    pub fn style(&self) -> CompactionStyle {
        self.levels.compaction_style
    }

    /// `max_compaction_bytes` with its default put in.
    pub fn max_compaction_bytes(&self) -> u64 {
        match self.max_compaction_bytes {
            0 => self.target_file_size_base.saturating_mul(25),
            bytes => bytes,
        }
    }

    /// The last level that compactions write to.
    pub fn max_output_level(&self) -> usize {
        let reserved = if self.allow_ingest_behind { 2 } else { 1 };
        self.levels.num_levels.saturating_sub(reserved)
    }

    /// Whether files may go to more than one directory.
    pub fn has_several_paths(&self) -> bool {
        self.path_target_sizes.len() > 1
    }
}
