//! The options that pickers go by, out of those of the database and a column family.

use crate::sanitize::level_target_options;
use crate::table_builder_options::{compression_options, compression_type};
use compaction::PickerOptions;
use compaction::picker::options::{CompactionPri, CompactionStopStyle, UniversalOptions};
use options::{ColumnFamilyOptions, CompressionType, DbOptions};
use version::{LevelTargetRule, Temperature};

/// `family` is sanitized; `num_levels` is that of its versions.
pub(crate) fn picker_options(
    db: &DbOptions,
    family: &ColumnFamilyOptions,
    num_levels: usize,
) -> PickerOptions {
    let paths = if family.cf_paths.is_empty() { &db.db_paths } else { &family.cf_paths };
    PickerOptions {
        levels: level_target_options(family, num_levels, LevelTargetRule::default()),
        compaction_pri: compaction_pri(family.compaction_pri),
        target_file_size_base: family.target_file_size_base,
        target_file_size_multiplier: family.target_file_size_multiplier,
        write_buffer_size: family.write_buffer_size,
        level0_stop_writes_trigger: family.level0_stop_writes_trigger,
        max_compaction_bytes: family.max_compaction_bytes,
        ttl_seconds: family.ttl,
        periodic_compaction_seconds: family.periodic_compaction_seconds,
        bottommost_file_compaction_delay_seconds: family.bottommost_file_compaction_delay,
        compression: compression_type(family.compression),
        compression_options: compression_options(&family.compression_opts),
        compression_per_level: family
            .compression_per_level
            .iter()
            .map(|codec| compression_type(*codec))
            .collect(),
        bottommost_compression: match family.bottommost_compression {
            CompressionType::Disable => None,
            codec => Some(compression_type(codec)),
        },
        bottommost_compression_options: family
            .bottommost_compression_opts
            .enabled
            .then(|| compression_options(&family.bottommost_compression_opts)),
        path_target_sizes: paths.iter().map(|path| path.target_size).collect(),
        max_subcompactions: db.max_subcompactions,
        enable_blob_garbage_collection: family.enable_blob_garbage_collection,
        blob_garbage_collection_age_cutoff: family.blob_garbage_collection_age_cutoff,
        blob_garbage_collection_force_threshold: family.blob_garbage_collection_force_threshold,
        default_write_temperature: Temperature(family.default_write_temperature as u8),
        last_level_temperature: Temperature(family.last_level_temperature as u8),
        allow_ingest_behind: db.allow_ingest_behind || family.cf_allow_ingest_behind,
        has_compaction_filter: family.compaction_filter.is_some()
            || family.compaction_filter_factory.is_some(),
        sst_partitioner_factory: family.sst_partitioner_factory.clone(),
        universal: universal_options(family),
    }
}

fn compaction_pri(given: options::CompactionPri) -> CompactionPri {
    use options::CompactionPri as Named;
    match given {
        Named::ByCompensatedSize => CompactionPri::ByCompensatedSize,
        Named::OldestLargestSeqFirst => CompactionPri::OldestLargestSeqFirst,
        Named::OldestSmallestSeqFirst => CompactionPri::OldestSmallestSeqFirst,
        Named::MinOverlappingRatio => CompactionPri::MinOverlappingRatio,
        Named::RoundRobin => CompactionPri::RoundRobin,
    }
}

fn universal_options(family: &ColumnFamilyOptions) -> UniversalOptions {
    let given = &family.compaction_options_universal;
    UniversalOptions {
        size_ratio: given.size_ratio,
        min_merge_width: given.min_merge_width,
        max_merge_width: given.max_merge_width,
        max_size_amplification_percent: given.max_size_amplification_percent,
        compression_size_percent: given.compression_size_percent,
        max_read_amp: given.max_read_amp,
        stop_style: match given.stop_style {
            options::CompactionStopStyle::SimilarSize => CompactionStopStyle::SimilarSize,
            options::CompactionStopStyle::TotalSize => CompactionStopStyle::TotalSize,
        },
        allow_trivial_move: given.allow_trivial_move,
    }
}
