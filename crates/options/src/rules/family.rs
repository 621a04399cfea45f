//! Rules about the options of a column family, alone and with those of its database.

use super::{Family, FamilyRule, invalid, unsupported};
use crate::enums::{CompactionStyle, CompressionType, DataBlockIndexType};
use crate::schema::cf::ColumnFamilyOptions;
use crate::table_factory::TableFactory;

/// `ttl` and `periodic_compaction_seconds` that stand for "whatever fits".
const UNSET_SECONDS: u64 = u64::MAX - 1;

fn style(family: &Family<'_>) -> CompactionStyle {
    family.options.compaction_style
}

fn is_set(seconds: u64) -> bool {
    seconds > 0 && seconds != UNSET_SECONDS
}

/// Timestamps are taken away from what is flushed.
fn strips_timestamps(family: &Family<'_>) -> bool {
    let ColumnFamilyOptions { comparator, persist_user_defined_timestamps, .. } = family.options;
    comparator.timestamp_size() > 0 && !persist_user_defined_timestamps
}

fn is_block_based(family: &Family<'_>) -> bool {
    family.options.table_factory == TableFactory::BlockBased
}

fn has_spread_levels(family: &Family<'_>) -> bool {
    matches!(style(family), CompactionStyle::Universal | CompactionStyle::Level)
}

fn inserts_concurrently(family: &Family<'_>) -> bool {
    match family.options.unregistered("memtable_factory") {
        None => family.options.memtable_factory.is_insert_concurrently_supported(),
        // With something beside its name that is not understood.
        Some(name) => matches!(name.split(':').next(), Some("SkipListFactory" | "skip_list")),
    }
}

/// Whether a range matters: some do only under another option.
pub(super) fn has_a_say(options: &ColumnFamilyOptions, option: &str) -> bool {
    match option {
        "compaction_options_universal.max_read_amp" => {
            options.compaction_style == CompactionStyle::Universal
        }
        "blob_garbage_collection_age_cutoff" | "blob_garbage_collection_force_threshold" => {
            options.enable_blob_garbage_collection
        }
        "table_factory.data_block_hash_table_util_ratio" => {
            options.table.data_block_index_type == DataBlockIndexType::BinaryAndHash
        }
        _ => true,
    }
}

/// More levels than any tree fills; each takes memory and time whether it has files or not.
const LEVELS_MAX: i32 = 1000;

pub(super) const RULES: &[FamilyRule] = &[
    invalid(
        "max_bytes_for_level_multiplier_additional",
        "leaves levels no bytes: give each a factor of at least 1",
        |family| {
            family
                .options
                .max_bytes_for_level_multiplier_additional
                .iter()
                .any(|&factor| factor < 1)
        },
    ),
    invalid("num_levels", "is more than any tree can use: set it to at most 1000", |family| {
        family.options.num_levels > LEVELS_MAX
    }),
    invalid(
        "memtable_factory",
        "takes one write at a time: set allow_concurrent_memtable_write=false, or \
         memtable_factory=SkipListFactory",
        |family| family.db.allow_concurrent_memtable_write && !inserts_concurrently(family),
    ),
    invalid(
        "max_successive_merges",
        "contradicts unordered_write=true: set it to 0, or unordered_write=false",
        |family| family.db.unordered_write && family.options.max_successive_merges != 0,
    ),
    invalid(
        "disallow_memtable_writes",
        "is not for the default column family: set it to false",
        |family| family.is_default && family.options.disallow_memtable_writes,
    ),
    unsupported(
        "persist_user_defined_timestamps",
        "contradicts atomic_flush=true: set atomic_flush=false, or \
         persist_user_defined_timestamps=true",
        |family| strips_timestamps(family) && family.db.atomic_flush,
    ),
    unsupported(
        "persist_user_defined_timestamps",
        "contradicts allow_concurrent_memtable_write=true: set one of them the other way",
        |family| strips_timestamps(family) && family.db.allow_concurrent_memtable_write,
    ),
    unsupported(
        "persist_user_defined_timestamps",
        "needs timestamps of 64 bits: use a comparator whose name ends in .u64ts, or set it to true",
        |family| strips_timestamps(family) && !family.options.comparator.name().ends_with(".u64ts"),
    ),
    unsupported(
        "cf_paths",
        "names more than one directory, which only levels can use: name one, or set \
         compaction_style=kCompactionStyleLevel",
        |family| !has_spread_levels(family) && family.options.cf_paths.len() > 1,
    ),
    unsupported(
        "cf_paths",
        "leaves several db_paths, which only levels can use: name one, or set \
         compaction_style=kCompactionStyleLevel",
        |family| {
            let is_of_database = family.options.cf_paths.is_empty();
            !has_spread_levels(family) && is_of_database && family.db.db_paths.len() > 1
        },
    ),
    unsupported(
        "ttl",
        "needs block-based tables: set it to 0, or table_factory=BlockBasedTable",
        |family| is_set(family.options.ttl) && !is_block_based(family),
    ),
    unsupported(
        "periodic_compaction_seconds",
        "needs block-based tables: set it to 0, or table_factory=BlockBasedTable",
        |family| is_set(family.options.periodic_compaction_seconds) && !is_block_based(family),
    ),
    unsupported(
        "ttl",
        "of FIFO compaction needs all tables open: set max_open_files=-1, or ttl=0",
        |family| {
            let has_limit = family.db.max_open_files != -1;
            style(family) == CompactionStyle::Fifo && has_limit && family.options.ttl > 0
        },
    ),
    unsupported(
        "compaction_style",
        "contradicts open_files_async=true: set open_files_async=false",
        |family| style(family) == CompactionStyle::Fifo && family.db.open_files_async,
    ),
    unsupported(
        "compaction_options_fifo.file_temperature_age_thresholds",
        "is for FIFO compaction: set compaction_style=kCompactionStyleFIFO, or no thresholds",
        |family| {
            let fifo = &family.options.compaction_options_fifo;
            !fifo.file_temperature_age_thresholds.is_empty()
                && style(family) != CompactionStyle::Fifo
        },
    ),
    unsupported(
        "compaction_options_fifo.file_temperature_age_thresholds",
        "is for one level: set num_levels=1, or no thresholds",
        |family| {
            let fifo = &family.options.compaction_options_fifo;
            !fifo.file_temperature_age_thresholds.is_empty() && family.options.num_levels > 1
        },
    ),
    unsupported(
        "compaction_options_fifo.file_temperature_age_thresholds",
        "has ages out of order: sort them, each above the one before",
        |family| {
            let fifo = &family.options.compaction_options_fifo;
            !fifo.file_temperature_age_thresholds.is_sorted_by(|a, b| a.age < b.age)
        },
    ),
    unsupported(
        "compaction_options_universal.max_read_amp",
        "allows fewer sorted runs than start a compaction: set it to at least \
         level0_file_num_compaction_trigger, or to -1",
        |family| {
            let runs_max = family.options.compaction_options_universal.max_read_amp;
            let trigger = family.options.level0_file_num_compaction_trigger;
            style(family) == CompactionStyle::Universal && 0 < runs_max && runs_max < trigger
        },
    ),
    invalid(
        "compression",
        "is for bottommost_compression alone: set it to kNoCompression",
        |family| is_block_based(family) && family.options.compression == CompressionType::Disable,
    ),
    invalid(
        "compression_opts.zstd_max_train_bytes",
        "trains dictionaries of no size: set max_dict_bytes above 0, or zstd_max_train_bytes=0",
        |family| {
            let compression = &family.options.compression_opts;
            is_block_based(family)
                && compression.zstd_max_train_bytes > 0
                && compression.max_dict_bytes == 0
        },
    ),
];

/// With `enable_blob_direct_write` so much else does not go.
pub(super) const BLOB_RULES: &[FamilyRule] = &[
    unsupported(
        "enable_blob_direct_write",
        "contradicts enable_pipelined_write=true: set one of them to false",
        |family| family.options.enable_blob_direct_write && family.db.enable_pipelined_write,
    ),
    unsupported(
        "enable_blob_direct_write",
        "contradicts allow_concurrent_memtable_write=true: set one of them to false",
        |family| {
            family.options.enable_blob_direct_write && family.db.allow_concurrent_memtable_write
        },
    ),
    unsupported(
        "enable_blob_direct_write",
        "contradicts unordered_write=true: set one of them to false",
        |family| family.options.enable_blob_direct_write && family.db.unordered_write,
    ),
    unsupported(
        "enable_blob_direct_write",
        "contradicts two_write_queues=true: set one of them to false",
        |family| family.options.enable_blob_direct_write && family.db.two_write_queues,
    ),
    unsupported(
        "enable_blob_direct_write",
        "contradicts experimental_mempurge_threshold: set that to 0, or \
         enable_blob_direct_write=false",
        |family| {
            let options = family.options;
            options.enable_blob_direct_write && options.experimental_mempurge_threshold > 0.0
        },
    ),
    unsupported(
        "enable_blob_direct_write",
        "does not go with timestamps: use a comparator without them, or set it to false",
        |family| {
            let options = family.options;
            options.enable_blob_direct_write && options.comparator.timestamp_size() > 0
        },
    ),
];
