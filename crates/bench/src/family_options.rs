//! Options of column families and tables from flags.

use crate::flags::{self, Flag, Flags, Support};
use crate::uint64_comparator::Uint64Comparator;
use base::{Result, Status};
use options::{
    CacheUsage, CacheUsageOptions, ChecksumType, ColumnFamilyOptions, CompactionPri,
    CompactionStopStyle, CompactionStyle, CompressionType, ConfigOptions, DataBlockIndexType,
    FilterPolicy, IndexShorteningMode, IndexType, LruCacheOptions, PrepopulateBlockCache, Registry,
};
use std::sync::Arc;

/// Hands each flag that sets an option to `set`, with its value.
pub(crate) fn apply(flags: &Flags, mut set: impl FnMut(Support, &str) -> Result<()>) -> Result<()> {
    let is_left_alone = |flag: &Flag| {
        matches!(flag.support, Support::FamilyUnlessDefault(_)) && !flags.is_changed(flag)
    };
    flags::all().filter(|flag| !is_left_alone(flag)).try_for_each(|flag| {
        set(flag.support, &flags.option_text(flag))
            .map_err(|status| Status::invalid_argument(format!("--{}: {status}", flag.name)))
    })
}

/// The options of every column family.
pub(crate) fn family_options(flags: &Flags) -> Result<ColumnFamilyOptions> {
    let mut options = ColumnFamilyOptions::default();
    let config = ConfigOptions::default();
    apply(flags, |support, value| match support {
        Support::Family(name) | Support::FamilyUnlessDefault(name) => {
            options.apply(name, value, &config).map(|_| ())
        }
        Support::Table(name) => options.table.apply(name, value, &config).map(|_| ()),
        _ => Ok(()),
    })?;
    set_compaction(flags, &mut options)?;
    set_compression(flags, &mut options)?;
    set_table(flags, &mut options)?;
    if flags.bool("memtable_use_huge_page") {
        // As RocksDB's tool sets it, whose pages have the system's default size whatever it says.
        options.memtable_huge_page_size = 2048;
    }
    set_objects(flags, &mut options)?;
    Ok(options)
}

fn set_compaction(flags: &Flags, options: &mut ColumnFamilyOptions) -> Result<()> {
    options.compaction_style = match flags.int("compaction_style") {
        0 => CompactionStyle::Level,
        1 => CompactionStyle::Universal,
        2 => CompactionStyle::Fifo,
        3 => CompactionStyle::None,
        other => return Err(out_of_range("compaction_style", other, 3)),
    };
    options.compaction_pri = match flags.int("compaction_pri") {
        0 => CompactionPri::ByCompensatedSize,
        1 => CompactionPri::OldestLargestSeqFirst,
        2 => CompactionPri::OldestSmallestSeqFirst,
        3 => CompactionPri::MinOverlappingRatio,
        4 => CompactionPri::RoundRobin,
        other => return Err(out_of_range("compaction_pri", other, 4)),
    };
    set_level_multipliers(flags, options)?;
    options.compaction_options_universal.stop_style = match flags.int("universal_stop_style") {
        0 => CompactionStopStyle::SimilarSize,
        1 => CompactionStopStyle::TotalSize,
        other => return Err(out_of_range("universal_stop_style", other, 1)),
    };
    let fifo_bytes = flags.uint("fifo_compaction_max_table_files_size_mb") << 20;
    options.apply(
        "compaction_options_fifo.max_table_files_size",
        &fifo_bytes.to_string(),
        &ConfigOptions::default(),
    )?;
    // In RocksDB's tool --ttl_seconds undoes this flag even where it is not given.
    let is_undone = flags.is_given("ttl_seconds") || flags.bool("as_published");
    if flags.is_given("fifo_compaction_ttl") && !is_undone {
        options.ttl = flags.uint("fifo_compaction_ttl");
    }
    Ok(())
}

/// One factor for each level, separated by commas.
fn set_level_multipliers(flags: &Flags, options: &mut ColumnFamilyOptions) -> Result<()> {
    let text = flags.text("max_bytes_for_level_multiplier_additional");
    if text.is_empty() {
        return Ok(());
    }
    let factors: Vec<i32> = text.split(',').flat_map(str::parse).collect();
    if factors.len() != text.split(',').count() || factors.len() as i32 != options.num_levels {
        return Err(Status::invalid_argument(format!(
            "--max_bytes_for_level_multiplier_additional={text}: expected a number for each of \
             --num_levels={}, separated by commas",
            options.num_levels
        )));
    }
    options.max_bytes_for_level_multiplier_additional = factors;
    Ok(())
}

fn set_compression(flags: &Flags, options: &mut ColumnFamilyOptions) -> Result<()> {
    options.compression = compression(flags, "compression_type")?;
    options.blob_compression_type = compression(flags, "blob_compression_type")?;
    options.blob_cache = blob_cache(flags)?;
    if let Ok(first) = usize::try_from(flags.int("min_level_to_compress")) {
        let by_level = (0..options.num_levels.max(0) as usize).map(|level| match level < first {
            true => CompressionType::NoCompression,
            false => options.compression,
        });
        options.compression_per_level = by_level.collect();
    }
    Ok(())
}

/// A cache of blobs alone.
fn blob_cache(flags: &Flags) -> Result<Option<LruCacheOptions>> {
    if !flags.bool("use_blob_cache") {
        return Ok(None);
    }
    if flags.bool("use_shared_block_and_blob_cache") {
        return Err(Status::not_supported(
            "--use_shared_block_and_blob_cache: blobs are cached apart from blocks; set it to 0",
        ));
    }
    Ok(Some(LruCacheOptions {
        capacity: flags.uint("blob_cache_size"),
        num_shard_bits: flags.int("blob_cache_numshardbits") as i32,
        ..LruCacheOptions::default()
    }))
}

fn set_table(flags: &Flags, options: &mut ColumnFamilyOptions) -> Result<()> {
    let table = &mut options.table;
    table.no_block_cache = flags.int("cache_size") <= 0;
    table.checksum = match flags.int("checksum_type") {
        0 => ChecksumType::NoChecksum,
        1 => ChecksumType::Crc32c,
        2 => ChecksumType::XxHash,
        3 => ChecksumType::XxHash64,
        4 => ChecksumType::Xxh3,
        other => return Err(out_of_range("checksum_type", other, 4)),
    };
    table.index_shortening = match flags.int("index_shortening_mode") {
        0 => IndexShorteningMode::NoShortening,
        1 => IndexShorteningMode::ShortenSeparators,
        2 => IndexShorteningMode::ShortenSeparatorsAndSuccessor,
        other => return Err(out_of_range("index_shortening_mode", other, 2)),
    };
    table.prepopulate_block_cache = match flags.int("prepopulate_block_cache") {
        0 => PrepopulateBlockCache::Disable,
        1 => PrepopulateBlockCache::FlushOnly,
        2 => PrepopulateBlockCache::FlushAndCompaction,
        other => return Err(out_of_range("prepopulate_block_cache", other, 2)),
    };
    let partitions_filters = flags.bool("partition_index_and_filters");
    table.partition_filters = partitions_filters;
    table.index_type = if partitions_filters || flags.bool("partition_index") {
        IndexType::TwoLevelIndexSearch
    } else if flags.bool("index_with_first_key") {
        IndexType::BinarySearchWithFirstKey
    } else if flags.bool("use_hash_search") {
        IndexType::HashSearch
    } else {
        IndexType::BinarySearch
    };
    table.data_block_index_type = match flags.bool("use_data_block_hash_index") {
        true => DataBlockIndexType::BinaryAndHash,
        false => DataBlockIndexType::BinarySearch,
    };
    table.filter_policy = filter_policy(flags);
    table.cache_usage_options = cache_usage_options(flags);
    Ok(())
}

/// As in RocksDB's tool what is not asked for is not charged, dictionaries neither.
fn cache_usage_options(flags: &Flags) -> CacheUsageOptions {
    let usage = |flag| match flags.bool(flag) {
        true => CacheUsage::Enabled,
        false => CacheUsage::Disabled,
    };
    CacheUsageOptions {
        compression_dictionary_building_buffer: usage(
            "charge_compression_dictionary_building_buffer",
        ),
        filter_construction: usage("charge_filter_construction"),
        block_based_table_reader: usage("charge_table_reader"),
        file_metadata: usage("charge_file_metadata"),
        blob_cache: usage("charge_blob_cache"),
    }
}

/// The filter of tables that flags ask for; none for no filter.
pub(crate) fn filter_policy(flags: &Flags) -> Option<FilterPolicy> {
    let bits_per_key = flags.int("bloom_bits") as f64;
    (bits_per_key > 0.0).then(|| match flags.bool("use_ribbon_filter") {
        true => FilterPolicy::Ribbon { bits_per_key, bloom_before_level: 0 },
        false => FilterPolicy::Bloom { bits_per_key },
    })
}

fn set_objects(flags: &Flags, options: &mut ColumnFamilyOptions) -> Result<()> {
    let registry = Registry::new();
    let hint_size = flags.int("memtable_insert_with_hint_prefix_size");
    if hint_size > 0 {
        options.memtable_insert_with_hint_prefix_extractor =
            registry.slice_transform(&format!("capped:{hint_size}"));
    }
    if flags.int("prefix_size") > 0 {
        options.prefix_extractor =
            registry.slice_transform(&format!("fixed:{}", flags.int("prefix_size")));
    }
    if flags.bool("use_uint64_comparator") {
        if flags.int("key_size") != 8 {
            return Err(Status::invalid_argument(
                "--use_uint64_comparator: keys are numbers of eight bytes; give --key_size=8",
            ));
        }
        options.comparator = Arc::new(Uint64Comparator);
    }
    let name = flags.text("merge_operator");
    if !name.is_empty() {
        options.merge_operator = Some(registry.merge_operator(name).ok_or_else(|| {
            Status::invalid_argument(format!("--merge_operator={name} is not known"))
        })?);
    }
    match flags.text("memtablerep") {
        name @ ("skip_list" | "vector") => {
            let factory = registry.memtable_rep_factory(name);
            options.memtable_factory = factory.unwrap_or(options.memtable_factory.clone());
        }
        // Nothing is written.
        _ if flags.bool("readonly") => {}
        other => {
            return Err(Status::not_supported(format!(
                "--memtablerep={other}: only skip_list and vector are there"
            )));
        }
    }
    Ok(())
}

/// The compression that a flag names.
pub(crate) fn compression(flags: &Flags, flag: &str) -> Result<CompressionType> {
    Ok(match flags.text(flag).to_ascii_lowercase().as_str() {
        "none" => CompressionType::NoCompression,
        "snappy" => CompressionType::Snappy,
        "zlib" => CompressionType::Zlib,
        "bzip2" => CompressionType::Bzip2,
        "lz4" => CompressionType::Lz4,
        "lz4hc" => CompressionType::Lz4hc,
        "xpress" => CompressionType::Xpress,
        "zstd" => CompressionType::Zstd,
        other => {
            return Err(Status::invalid_argument(format!(
                "--{flag}: cannot parse compression type '{other}'"
            )));
        }
    })
}

fn out_of_range(flag: &str, found: i64, most: i64) -> Status {
    Status::invalid_argument(format!("--{flag}={found}: expected 0 to {most}"))
}

#[cfg(test)]
mod tests;
