//! Options that make no sense together, or that this engine does not write with: refused before a
//! file is touched, by RocksDB's rules and in its words.

use crate::column_family::{ColumnFamilyDescriptor, DEFAULT_COLUMN_FAMILY_NAME};
use base::{Result, Status, file_checksum};
use options::{
    BlockBasedTableOptions, ColumnFamilyOptions, CompactionStyle, CompressionType,
    DataBlockIndexType, DbOptions, IndexType, TableFactory,
};

/// Newest format of tables that is written.
const FORMAT_VERSION_MAX: u32 = 7;
/// `ttl` and `periodic_compaction_seconds` that stand for "whatever fits".
const UNSET_SECONDS: u64 = u64::MAX - 1;
/// Directories of tables.
const PATHS_MAX: usize = 4;

/// A rule: whether it is broken, the code, and what RocksDB says then.
type Rule = (bool, fn(String) -> Status, &'static str);

fn check(rules: &[Rule], owner: &str) -> Result<()> {
    match rules.iter().find(|(is_broken, ..)| *is_broken) {
        Some((_, status, message)) => Err(status(format!("{message}{owner}"))),
        None => Ok(()),
    }
}

/// Checks the options of a database and of all its column families, as an open for writing does.
///
/// # Errors
/// `InvalidArgument` or `NotSupported` that names the option and the column family.
pub fn validate(options: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Result<()> {
    families.iter().try_for_each(|family| validate_family(options, family))?;
    validate_db(options)
}

fn validate_db(options: &DbOptions) -> Result<()> {
    let invalid: fn(String) -> Status = |message| Status::invalid_argument(message);
    let refused: fn(String) -> Status = |message| Status::not_supported(message);
    let is_direct = options.use_direct_io_for_flush_and_compaction;
    let rules: [Rule; 9] = [
        (
            options.db_paths.len() > PATHS_MAX,
            refused,
            "More than four DB paths are not supported yet. ",
        ),
        (
            options.allow_mmap_reads && options.use_direct_reads,
            refused,
            "If memory mapped reads (allow_mmap_reads) are enabled then direct I/O reads \
             (use_direct_reads) must be disabled. ",
        ),
        (
            options.allow_mmap_writes && is_direct,
            refused,
            "If memory mapped writes (allow_mmap_writes) are enabled then direct I/O writes \
             (use_direct_io_for_flush_and_compaction) must be disabled. ",
        ),
        (options.keep_log_file_num == 0, invalid, "keep_log_file_num must be greater than 0"),
        (
            options.unordered_write && !options.allow_concurrent_memtable_write,
            invalid,
            "unordered_write is incompatible with !allow_concurrent_memtable_write",
        ),
        (
            options.unordered_write && options.enable_pipelined_write,
            invalid,
            "unordered_write is incompatible with enable_pipelined_write",
        ),
        (
            options.atomic_flush && options.enable_pipelined_write,
            invalid,
            "atomic_flush is incompatible with enable_pipelined_write",
        ),
        (
            is_direct && options.writable_file_max_buffer_size == 0,
            invalid,
            "writes in direct IO require writable_file_max_buffer_size > 0",
        ),
        (
            !options.write_dbid_to_manifest && !options.write_identity_file,
            invalid,
            "write_dbid_to_manifest and write_identity_file cannot both be false",
        ),
    ];
    check(&rules, "")?;
    validate_offpeak_time(&options.daily_offpeak_time_utc)?;
    let checksums = &options.file_checksum_gen_factory;
    if !checksums.is_null() && file_checksum::builtin(&checksums.id()).is_none() {
        return Err(Status::not_supported(format!(
            "file_checksum_gen_factory {} is not registered: tables would be written without the \
             checksums that others have",
            checksums.id()
        )));
    }
    Ok(())
}

/// `HH:mm-HH:mm`.
fn validate_offpeak_time(text: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let minutes = |time: &str| {
        let (hour, minute) = time.split_once(':')?;
        let is_number = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let number = |part: &str| part.parse::<u32>().ok().filter(|_| is_number(part));
        let (hour, minute) = (number(hour)?, number(minute)?);
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    };
    let range =
        text.split_once('-').and_then(|(start, end)| Some((minutes(start)?, minutes(end)?)));
    match range {
        None => Err(Status::invalid_argument(format!(
            "daily_offpeak_time_utc should be set in the format HH:mm-HH:mm (e.g. 04:30-07:30), \
             found {text}"
        ))),
        Some((start, end)) if start == end => Err(Status::invalid_argument(format!(
            "start_time and end_time cannot be the same in daily_offpeak_time_utc={text}"
        ))),
        Some(_) => Ok(()),
    }
}

/// Checks the options of one column family.
///
/// # Errors
/// As [`validate`].
pub(crate) fn validate_family(db: &DbOptions, descriptor: &ColumnFamilyDescriptor) -> Result<()> {
    let ColumnFamilyDescriptor { name, options: family } = descriptor;
    if family.inplace_update_support {
        return Err(Status::not_supported(format!(
            "inplace_update_support of column family {name}: a value changed in place would change \
             under snapshots, and reads that take no lock would see it half written"
        )));
    }
    if family.num_levels < 1 {
        return Err(Status::invalid_argument(format!(
            "num_levels of column family {name} is {}, expected at least 1",
            family.num_levels
        )));
    }
    let owner = format!(" (column family {name})");
    validate_memtables(db, family, &owner, name == DEFAULT_COLUMN_FAMILY_NAME)?;
    validate_compaction(db, family, &owner)?;
    validate_style(db, family, &owner)?;
    if family.table_factory == TableFactory::BlockBased {
        validate_tables(family, &family.table, &owner)?;
        validate_blocks(family, &family.table, &owner)?;
    }
    Ok(())
}

fn validate_memtables(
    db: &DbOptions,
    family: &ColumnFamilyOptions,
    owner: &str,
    is_default: bool,
) -> Result<()> {
    let invalid: fn(String) -> Status = |message| Status::invalid_argument(message);
    let refused: fn(String) -> Status = |message| Status::not_supported(message);
    let is_concurrent = matches!(&*family.memtable_factory.id(), "SkipListFactory" | "skip_list");
    let strips = family.comparator.timestamp_size() > 0 && !family.persist_user_defined_timestamps;
    let protection = [0, 1, 2, 4, 8];
    let rules: [Rule; 8] = [
        (
            db.allow_concurrent_memtable_write && !is_concurrent,
            invalid,
            "Memtable doesn't allow concurrent writes (allow_concurrent_memtable_write)",
        ),
        (
            db.unordered_write && family.max_successive_merges != 0,
            invalid,
            "max_successive_merges > 0 is incompatible with unordered_write",
        ),
        (
            is_default && family.disallow_memtable_writes,
            invalid,
            "Default column family cannot use disallow_memtable_writes=true",
        ),
        (
            strips && db.atomic_flush,
            refused,
            "Not persisting user-defined timestamps feature is not supported in combination with \
             atomic flush.",
        ),
        (
            strips && db.allow_concurrent_memtable_write,
            refused,
            "Not persisting user-defined timestamps feature is not supported in combination with \
             concurrent memtable write.",
        ),
        (
            strips && !family.comparator.name().ends_with(".u64ts"),
            refused,
            "Not persisting user-defined timestamps feature only support user-defined timestamps \
             formatted as uint64_t.",
        ),
        (
            !protection.contains(&family.memtable_protection_bytes_per_key),
            refused,
            "Memtable per key-value checksum protection only supports 0, 1, 2, 4 or 8 bytes per \
             key.",
        ),
        (
            !protection.contains(&u32::from(family.block_protection_bytes_per_key)),
            refused,
            "Block per key-value checksum protection only supports 0, 1, 2, 4 or 8 bytes per key.",
        ),
    ];
    check(&rules, owner)
}

fn validate_compaction(db: &DbOptions, family: &ColumnFamilyOptions, owner: &str) -> Result<()> {
    let invalid: fn(String) -> Status = |message| Status::invalid_argument(message);
    let refused: fn(String) -> Status = |message| Status::not_supported(message);
    let style = family.compaction_style;
    let is_spread = matches!(style, CompactionStyle::Universal | CompactionStyle::Level);
    let is_block_based = family.table_factory == TableFactory::BlockBased;
    let is_set = |seconds: u64| seconds > 0 && seconds != UNSET_SECONDS;
    let in_range = |ratio: f64| (0.0..=1.0).contains(&ratio);
    let collects = family.enable_blob_garbage_collection;
    let rules: [Rule; 6] = [
        (
            !is_spread && family.cf_paths.len() > 1,
            refused,
            "More than one CF paths are only supported in universal and level compaction styles. ",
        ),
        (
            !is_spread && family.cf_paths.is_empty() && db.db_paths.len() > 1,
            refused,
            "More than one DB paths are only supported in universal and level compaction styles. ",
        ),
        (
            is_set(family.ttl) && !is_block_based,
            refused,
            "TTL is only supported in Block-Based Table format. ",
        ),
        (
            is_set(family.periodic_compaction_seconds) && !is_block_based,
            refused,
            "Periodic Compaction is only supported in Block-Based Table format. ",
        ),
        (
            collects && !in_range(family.blob_garbage_collection_age_cutoff),
            invalid,
            "The age cutoff for blob garbage collection should be in the range [0.0, 1.0].",
        ),
        (
            collects && !in_range(family.blob_garbage_collection_force_threshold),
            invalid,
            "The garbage ratio threshold for forcing blob garbage collection should be in the \
             range [0.0, 1.0].",
        ),
    ];
    check(&rules, owner)
}

fn validate_style(db: &DbOptions, family: &ColumnFamilyOptions, owner: &str) -> Result<()> {
    let refused: fn(String) -> Status = |message| Status::not_supported(message);
    let style = family.compaction_style;
    let ages = &family.compaction_options_fifo.file_temperature_age_thresholds;
    let is_fifo = style == CompactionStyle::Fifo;
    let max_read_amp = family.compaction_options_universal.max_read_amp;
    let rules: [Rule; 6] = [
        (
            is_fifo && db.max_open_files != -1 && family.ttl > 0,
            refused,
            "FIFO compaction only supported with max_open_files = -1.",
        ),
        (
            !ages.is_empty() && !is_fifo,
            refused,
            "Option file_temperature_age_thresholds only supports FIFO compaction.",
        ),
        (
            !ages.is_empty() && family.num_levels > 1,
            refused,
            "Option file_temperature_age_thresholds is only supported when num_levels = 1.",
        ),
        (
            !ages.is_sorted_by(|a, b| a.age < b.age),
            refused,
            "Option file_temperature_age_thresholds requires elements to be sorted in increasing \
             order with respect to `age` field.",
        ),
        (
            style == CompactionStyle::Universal && max_read_amp < -1,
            refused,
            "CompactionOptionsUniversal::max_read_amp should be at least -1.",
        ),
        (
            style == CompactionStyle::Universal
                && 0 < max_read_amp
                && max_read_amp < family.level0_file_num_compaction_trigger,
            refused,
            "CompactionOptionsUniversal::max_read_amp limits the number of sorted runs but is \
             smaller than the compaction trigger level0_file_num_compaction_trigger.",
        ),
    ];
    check(&rules, owner)
}

fn validate_tables(
    family: &ColumnFamilyOptions,
    table: &BlockBasedTableOptions,
    owner: &str,
) -> Result<()> {
    let invalid: fn(String) -> Status = |message| Status::invalid_argument(message);
    let compression = &family.compression_opts;
    let rules: [Rule; 6] = [
        (
            family.compression == CompressionType::Disable,
            invalid,
            "kDisableCompressionOption not permitted for option: compression",
        ),
        (
            compression.zstd_max_train_bytes > 0 && compression.max_dict_bytes == 0,
            invalid,
            "The dictionary size limit (`CompressionOptions::max_dict_bytes`) should be nonzero if \
             we're using zstd's dictionary generator.",
        ),
        (
            table.index_type == IndexType::HashSearch && family.prefix_extractor.is_none(),
            invalid,
            "Hash index is specified for block-based table, but prefix_extractor is not given",
        ),
        (
            table.cache_index_and_filter_blocks && table.no_block_cache,
            invalid,
            "Enable cache_index_and_filter_blocks, , but block cache is disabled",
        ),
        (
            table.pin_l0_filter_and_index_blocks_in_cache && table.no_block_cache,
            invalid,
            "Enable pin_l0_filter_and_index_blocks_in_cache, , but block cache is disabled",
        ),
        (
            table.format_version > FORMAT_VERSION_MAX,
            invalid,
            "Unsupported BlockBasedTable format_version. Please check include/rocksdb/table.h for \
             more info",
        ),
    ];
    check(&rules, owner)
}

fn validate_blocks(
    family: &ColumnFamilyOptions,
    table: &BlockBasedTableOptions,
    owner: &str,
) -> Result<()> {
    let invalid: fn(String) -> Status = |message| Status::invalid_argument(message);
    let compresses = |kind: &CompressionType| {
        !matches!(kind, CompressionType::NoCompression | CompressionType::Disable)
    };
    let kinds = [family.compression, family.bottommost_compression];
    let mut kinds = kinds.iter().chain(&family.compression_per_level);
    let hash_needs_ratio = table.data_block_index_type == DataBlockIndexType::BinaryAndHash;
    let rules: [Rule; 7] = [
        (
            table.block_align && kinds.any(compresses),
            invalid,
            "Enable block_align, but compression enabled",
        ),
        (
            table.block_align && !table.block_size.is_power_of_two(),
            invalid,
            "Block alignment requested but block size is not a power of 2",
        ),
        (
            table.block_size > u64::from(u32::MAX),
            invalid,
            "block size exceeds maximum number (4GiB) allowed",
        ),
        (
            table.super_block_alignment_size != 0
                && !table.super_block_alignment_size.is_power_of_two(),
            invalid,
            "Super Block alignment requested but super block alignment size is not a power of 2",
        ),
        (
            table.super_block_alignment_size > u64::from(u32::MAX),
            invalid,
            "Super block alignment size exceeds maximum number (4GiB) allowed",
        ),
        (
            (1..4).contains(&table.super_block_alignment_space_overhead_ratio),
            invalid,
            "Super block alignment space overhead is too high",
        ),
        (
            hash_needs_ratio && table.data_block_hash_table_util_ratio <= 0.0,
            invalid,
            "data_block_hash_table_util_ratio should be greater than 0 when data_block_index_type \
             is set to kDataBlockBinaryAndHash",
        ),
    ];
    check(&rules, owner)
}

#[cfg(test)]
mod tests;
