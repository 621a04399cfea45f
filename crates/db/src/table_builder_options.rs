//! What a column family's tables are built with, by its options.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use base::ChecksumType;
use compression::{CompressionOptions, CompressionType};
use options::{ColumnFamilyOptions, DataBlockIndexType, FilterPolicy, IndexShorteningMode};
use table::filter::FilterPolicy as TableFilterPolicy;
use table::index::IndexType;
use table::table_builder_options::{IndexShortening, TableBuilderOptions};

/// The codec of blocks; none where it has none to be named by.
pub(crate) fn compression_type(codec: options::CompressionType) -> CompressionType {
    use options::CompressionType as Named;
    match codec {
        Named::Snappy => CompressionType::Snappy,
        Named::Zlib => CompressionType::Zlib,
        Named::Bzip2 => CompressionType::Bzip2,
        Named::Lz4 => CompressionType::Lz4,
        Named::Lz4hc => CompressionType::Lz4hc,
        Named::Zstd => CompressionType::Zstd,
        _ => CompressionType::None,
    }
}

/// What a codec is tuned by.
pub(crate) fn compression_options(given: &options::CompressionOptions) -> CompressionOptions {
    CompressionOptions {
        window_bits: given.window_bits,
        level: given.level,
        strategy: given.strategy,
        max_dict_bytes: given.max_dict_bytes,
        zstd_max_train_bytes: given.zstd_max_train_bytes,
        parallel_threads: given.parallel_threads,
        enabled: given.enabled,
        max_dict_buffer_bytes: given.max_dict_buffer_bytes,
        use_zstd_dict_trainer: given.use_zstd_dict_trainer,
        max_compressed_bytes_per_kb: given.max_compressed_bytes_per_kb,
        checksum: given.checksum,
    }
}

fn filter_policy(given: Option<&FilterPolicy>) -> Option<TableFilterPolicy> {
    match given? {
        FilterPolicy::Bloom { bits_per_key } => {
            Some(TableFilterPolicy::Bloom { bits_per_key: *bits_per_key })
        }
        FilterPolicy::Ribbon { bits_per_key, bloom_before_level } => {
            Some(TableFilterPolicy::Ribbon {
                bloom_equivalent_bits_per_key: *bits_per_key,
                bloom_before_level: *bloom_before_level,
            })
        }
        FilterPolicy::ReadOnly | FilterPolicy::Other(_) => None,
    }
}

fn index_type(given: options::IndexType) -> IndexType {
    match given {
        options::IndexType::BinarySearch => IndexType::BinarySearch,
        options::IndexType::HashSearch => IndexType::HashSearch,
        options::IndexType::TwoLevelIndexSearch => IndexType::TwoLevel,
        options::IndexType::BinarySearchWithFirstKey => IndexType::BinarySearchWithFirstKey,
    }
}

fn checksum(given: options::ChecksumType) -> ChecksumType {
    match given {
        options::ChecksumType::NoChecksum => ChecksumType::None,
        options::ChecksumType::Crc32c => ChecksumType::Crc32c,
        options::ChecksumType::XxHash => ChecksumType::XxHash,
        options::ChecksumType::XxHash64 => ChecksumType::XxHash64,
        options::ChecksumType::Xxh3 => ChecksumType::Xxh3,
    }
}

fn index_shortening(given: IndexShorteningMode) -> IndexShortening {
    match given {
        IndexShorteningMode::NoShortening => IndexShortening::None,
        IndexShorteningMode::ShortenSeparators => IndexShortening::Separators,
        IndexShorteningMode::ShortenSeparatorsAndSuccessor => {
            IndexShortening::SeparatorsAndSuccessor
        }
    }
}

fn positive(number: i32) -> usize {
    usize::try_from(number).unwrap_or(0)
}

/// The part that the column family's options decide. Codec, level and what is known of the file are
/// left to whoever builds the table.
pub(crate) fn family_part(family: &ColumnFamilyOptions) -> TableBuilderOptions {
    let table = &family.table;
    let has_hash_index = table.data_block_index_type == DataBlockIndexType::BinaryAndHash;
    TableBuilderOptions {
        format_version: table.format_version,
        checksum: checksum(table.checksum),
        block_size: table.block_size,
        block_size_deviation: u8::try_from(table.block_size_deviation).unwrap_or(u8::MAX),
        block_align: table.block_align,
        super_block_alignment_size: table.super_block_alignment_size,
        super_block_alignment_space_overhead_ratio: table
            .super_block_alignment_space_overhead_ratio,
        flush_block_policy_factory: Some(table.flush_block_policy_factory.clone()),
        block_restart_interval: positive(table.block_restart_interval),
        index_block_restart_interval: positive(table.index_block_restart_interval),
        use_delta_encoding: table.use_delta_encoding,
        data_block_hash_table_util_ratio: has_hash_index
            .then_some(table.data_block_hash_table_util_ratio),
        separate_key_value_in_data_block: table.separate_key_value_in_data_block,
        index_type: index_type(table.index_type),
        index_shortening: index_shortening(table.index_shortening),
        enable_index_compression: table.enable_index_compression,
        partition_filters: table.partition_filters,
        metadata_block_size: table.metadata_block_size,
        decouple_partitioned_filters: table.decouple_partitioned_filters,
        filter_policy: filter_policy(table.filter_policy.as_ref()),
        whole_key_filtering: table.whole_key_filtering,
        prefix_extractor: family.prefix_extractor.clone(),
        optimize_filters_for_memory: table.optimize_filters_for_memory,
        verify_compression: table.verify_compression,
        user_defined_timestamps_persisted: family.persist_user_defined_timestamps,
        merge_operator_name: family.merge_operator.as_ref().map(|merge| merge.name().to_owned()),
        num_levels: u32::try_from(family.num_levels).ok(),
        has_levels: family.compaction_style != options::CompactionStyle::Fifo,
        ..TableBuilderOptions::default()
    }
}

impl DbImpl {
    /// How tables of a column family are built, but for codec, level and what is known of the file.
    pub(crate) fn table_builder_options(
        &self,
        writing: &Writing,
        family: &ColumnFamilyData,
        options: &ColumnFamilyOptions,
    ) -> TableBuilderOptions {
        TableBuilderOptions {
            comparator: family.comparator.clone(),
            collector_factories: options.table_properties_collector_factories.clone(),
            file_checksum_gen_factory: self.file_checksum_gen_factory(),
            column_family_id: family.id.into(),
            column_family_name: family.name.to_string(),
            db_id: String::from_utf8_lossy(&writing.db_id).into_owned(),
            db_session_id: writing.session_id.clone(),
            db_host_id: self.host_id(),
            statistics: self.context.statistics.clone(),
            charges: family.tables.options.load().charges.clone(),
            ..family_part(options)
        }
    }

    /// The host's name where `db_host_id` asks for it, else what it says.
    fn host_id(&self) -> String {
        match self.options().db_host_id.as_str() {
            "__hostname__" => env::host_name(),
            id => id.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
