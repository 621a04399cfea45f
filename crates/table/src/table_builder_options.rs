//! What a table is built with.

use crate::block_based::CacheWarming;
use crate::cache_charges::CacheCharges;
use crate::filter::FilterPolicy;
use crate::filter::filter_policy::FilterContext;
use crate::format::{FORMAT_VERSION_MAX, FORMAT_VERSION_WRITTEN_MIN};
use crate::index::IndexType;
use crate::properties::UNKNOWN_COLUMN_FAMILY_ID;
use base::compaction_filter::TableFileCreationReason;
use base::file_checksum::FileChecksumGenFactory;
use base::table_properties_collector::TablePropertiesCollectorFactory;
use base::{
    ChecksumType, FlushBlockPolicyFactory, InternalKeyComparator, Result, SliceTransform, Status,
};
use compression::{CompressionOptions, CompressionType};
use statistics::Statistics;
use std::sync::Arc;

/// How far separators in indexes are shortened (`index_shortening`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexShortening {
    /// They are the last keys of blocks.
    None,
    /// Those between blocks are as short as can be.
    #[default]
    Separators,
    /// That after the last block, too.
    SeparatorsAndSuccessor,
}

/// How a table is built: the column family's options, and what is known of the file.
///
/// Defaults are those of RocksDB's options, not of what it finds in old OPTIONS files.
#[derive(Clone, Debug)]
pub struct TableBuilderOptions {
    /// The order of keys. Default: bytewise.
    pub comparator: InternalKeyComparator,
    /// Version of the table format, 2 to 7; less is taken as 2, as RocksDB does since 11.0, where
    /// older versions can't be written any more. Default: 6.
    pub format_version: u32,
    /// How blocks are checked (`checksum`). Default: XXH3.
    pub checksum: ChecksumType,
    /// Bytes of data blocks before compression, about. Default: 4096.
    pub block_size: u64,
    /// By how many percent a block may be smaller so that an entry need not make it larger; more
    /// than 100 count as 0. Default: 10.
    pub block_size_deviation: u8,
    /// Whether data blocks never cross the borders of pages, which needs uncompressed ones of a
    /// size that is a power of two. Default: false.
    pub block_align: bool,
    /// Data blocks start rather at a multiple of this than cross it; 0 or a power of two. Default:
    /// 0, for none.
    pub super_block_alignment_size: u64,
    /// At most one part in this many of `super_block_alignment_size` is left empty for it. Default:
    /// 128.
    pub super_block_alignment_space_overhead_ratio: u64,
    /// Makes a rule of its own for where data blocks end. Default: none, by size.
    pub flush_block_policy_factory: Option<Arc<dyn FlushBlockPolicyFactory>>,
    /// Entries from one restart point to the next in data blocks. Default: 16.
    pub block_restart_interval: usize,
    /// The same in index blocks. Default: 1.
    pub index_block_restart_interval: usize,
    /// Whether keys in data blocks leave out what they share with the key before. Default: true.
    pub use_delta_encoding: bool,
    /// Keys per bucket of a hash index in data blocks (`data_block_hash_table_util_ratio`), where
    /// `data_block_index_type` asks for one. Only comparators to which keys of
    /// different bytes are different, and without timestamps, get it.
    /// Default: none.
    pub data_block_hash_table_util_ratio: Option<f64>,
    /// Whether values lie apart from keys in data blocks (`separate_key_value_in_data_block`), which
    /// RocksDB before 11.0 cannot read. Default: false.
    pub separate_key_value_in_data_block: bool,
    /// Kind of index. Default: binary search.
    pub index_type: IndexType,
    /// How separators are shortened. Default: between blocks.
    pub index_shortening: IndexShortening,
    /// Whether index blocks are compressed as data blocks are. Default: true.
    pub enable_index_compression: bool,
    /// Whether filters are partitioned, which needs a two-level index. Default: false.
    pub partition_filters: bool,
    /// Bytes of partitions of indexes and filters, about. Default: 4096.
    pub metadata_block_size: u64,
    /// Whether filter partitions end independently of index partitions. Default: true.
    pub decouple_partitioned_filters: bool,
    /// The filter. Default: none.
    pub filter_policy: Option<FilterPolicy>,
    /// Whether the table gets no filter all the same (`optimize_filters_for_hits` at the bottommost
    /// level). Default: false.
    pub skip_filters: bool,
    /// Whether whole keys are in the filter. Default: true.
    pub whole_key_filtering: bool,
    /// The prefix extractor; prefixes are in the filter, too. Default: none.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Whether filters make use of all bytes of their last line. Default: true.
    pub optimize_filters_for_memory: bool,
    /// How data blocks are compressed. Default: not at all.
    pub compression: CompressionType,
    /// With what parameters. Of its `parallel_threads` one is the thread that adds the entries.
    pub compression_options: CompressionOptions,
    /// Size of the table that the caller aims at, in bytes: data is held back for no longer, to
    /// sample a dictionary from it; 0 for no such limit. Default: 0.
    pub target_file_size: u64,
    /// Whether every block is uncompressed again and compared before it is written
    /// (`verify_compression`). Default: false.
    pub verify_compression: bool,
    /// Whether keys keep their timestamps (`persist_user_defined_timestamps`). Default: true.
    pub user_defined_timestamps_persisted: bool,
    /// Collectors of user properties (`table_properties_collector_factories`). Default: none.
    pub collector_factories: Vec<Arc<dyn TablePropertiesCollectorFactory>>,
    /// Computes the checksum of the whole file (`file_checksum_gen_factory`). Default: none.
    pub file_checksum_gen_factory: Option<Arc<dyn FileChecksumGenFactory>>,
    /// Name of the merge operator, for the properties. Default: none.
    pub merge_operator_name: Option<String>,
    /// The column family's id. Default: unknown.
    pub column_family_id: u64,
    /// The column family's name. Default: empty.
    pub column_family_name: String,
    /// The database's identity. Default: empty.
    pub db_id: String,
    /// The session's identity. Default: empty.
    pub db_session_id: String,
    /// The host's name (`db_host_id`). Default: empty.
    pub db_host_id: String,
    /// The file's number. Default: 0.
    pub file_number: u64,
    /// Time of the oldest source, seconds since 1970; 0 if not known. Default: 0.
    pub creation_time: u64,
    /// Time of the oldest key; 0 if not known. Default: 0.
    pub oldest_key_time: u64,
    /// Time of the newest key; 0 if not known. Default: 0.
    pub newest_key_time: u64,
    /// Time the file is made; 0 if not known. Default: 0.
    pub file_creation_time: u64,
    /// `rocksdb.seqno.time.map`, encoded. Default: empty, which leaves it out.
    pub seqno_to_time_mapping: Vec<u8>,
    /// Why the table is built. Default: misc.
    pub reason: TableFileCreationReason,
    /// Its level; none if it is not known. Default: none.
    pub level: Option<u32>,
    /// How many levels the column family has; none if it is not known. Default: none.
    pub num_levels: Option<u32>,
    /// Whether levels mean something, which they don't under FIFO compaction. Default: true.
    pub has_levels: bool,
    /// Where it is counted what is compressed and written (`statistics`). Default: none.
    pub statistics: Option<Arc<Statistics>>,
    /// The block cache that data blocks go to as they are written (`prepopulate_block_cache`).
    /// Default: none.
    pub cache_warming: Option<CacheWarming>,
    /// What memory of the builder is charged to. Default: nothing.
    pub charges: CacheCharges,
}

impl Default for TableBuilderOptions {
    fn default() -> Self {
        Self {
            comparator: InternalKeyComparator::bytewise(),
            format_version: 6,
            checksum: ChecksumType::Xxh3,
            block_size: 4096,
            block_size_deviation: 10,
            block_align: false,
            super_block_alignment_size: 0,
            super_block_alignment_space_overhead_ratio: 128,
            flush_block_policy_factory: None,
            block_restart_interval: 16,
            index_block_restart_interval: 1,
            use_delta_encoding: true,
            data_block_hash_table_util_ratio: None,
            separate_key_value_in_data_block: false,
            index_type: IndexType::BinarySearch,
            index_shortening: IndexShortening::Separators,
            enable_index_compression: true,
            partition_filters: false,
            metadata_block_size: 4096,
            decouple_partitioned_filters: true,
            filter_policy: None,
            skip_filters: false,
            whole_key_filtering: true,
            prefix_extractor: None,
            optimize_filters_for_memory: true,
            compression: CompressionType::None,
            compression_options: CompressionOptions::default(),
            target_file_size: 0,
            verify_compression: false,
            user_defined_timestamps_persisted: true,
            collector_factories: Vec::new(),
            file_checksum_gen_factory: None,
            merge_operator_name: None,
            column_family_id: UNKNOWN_COLUMN_FAMILY_ID,
            column_family_name: String::new(),
            db_id: String::new(),
            db_session_id: String::new(),
            db_host_id: String::new(),
            file_number: 0,
            creation_time: 0,
            oldest_key_time: 0,
            newest_key_time: 0,
            file_creation_time: 0,
            seqno_to_time_mapping: Vec::new(),
            reason: TableFileCreationReason::Misc,
            level: None,
            num_levels: None,
            has_levels: true,
            statistics: None,
            cache_warming: None,
            charges: CacheCharges::default(),
        }
    }
}

impl TableBuilderOptions {
    /// The options as RocksDB corrects them without a word.
    ///
    /// # Errors
    /// `InvalidArgument`, in RocksDB's words where it has some, for options that no table can be
    /// built with.
    pub(crate) fn sanitized(&self) -> Result<Self> {
        let mut options = self.clone();
        options.format_version = self.format_version.max(FORMAT_VERSION_WRITTEN_MIN);
        if self.block_size_deviation > 100 {
            options.block_size_deviation = 0;
        }
        options.block_restart_interval = self.block_restart_interval.max(1);
        options.index_block_restart_interval = match self.index_type {
            IndexType::HashSearch => 1,
            _ => self.index_block_restart_interval.max(1),
        };
        options.partition_filters &= self.index_type == IndexType::TwoLevel;
        let user = self.comparator.user_comparator();
        if user.can_keys_with_different_byte_contents_be_equal() || user.timestamp_size() > 0 {
            options.data_block_hash_table_util_ratio = None;
        }
        options.check()?;
        Ok(options)
    }

    fn check(&self) -> Result<()> {
        let invalid = |what: String| Err(Status::invalid_argument(what));
        if self.format_version > FORMAT_VERSION_MAX {
            return invalid(format!(
                "Unsupported BlockBasedTable format_version: expected at most \
                 {FORMAT_VERSION_MAX}, found {}",
                self.format_version
            ));
        }
        if self.index_type == IndexType::HashSearch && self.prefix_extractor.is_none() {
            return invalid(
                "Hash index is specified for block-based table, but prefix_extractor is not given"
                    .to_owned(),
            );
        }
        if self.block_align && self.compression != CompressionType::None {
            return invalid("Enable block_align, but compression enabled".to_owned());
        }
        if self.block_align && !self.block_size.is_power_of_two() {
            return invalid(
                "Block alignment requested but block size is not a power of 2".to_owned(),
            );
        }
        if self.block_size > u64::from(u32::MAX) {
            return invalid("block size exceeds maximum number (4GiB) allowed".to_owned());
        }
        let super_block = self.super_block_alignment_size;
        if super_block != 0 && !super_block.is_power_of_two() {
            return invalid(
                "Super Block alignment requested but super block alignment size is not a power of \
                 2"
                .to_owned(),
            );
        }
        if super_block > u64::from(u32::MAX) {
            return invalid(
                "Super block alignment size exceeds maximum number (4GiB) allowed".to_owned(),
            );
        }
        if (1..4).contains(&self.super_block_alignment_space_overhead_ratio) {
            return invalid("Super block alignment space overhead is too high".to_owned());
        }
        if self.data_block_hash_table_util_ratio.is_some_and(|ratio| ratio <= 0.0) {
            return invalid(
                "data_block_hash_table_util_ratio should be greater than 0 when \
                 data_block_index_type is set to kDataBlockBinaryAndHash"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Whether index values leave out what follows from the block before.
    pub(crate) fn index_values_are_delta_encoded(&self) -> bool {
        const FORMAT_VERSION_WITH_DELTAS: u32 = 4;
        self.format_version >= FORMAT_VERSION_WITH_DELTAS && !self.block_align
    }

    /// Size of the timestamps that keys given to the builder have and keys in the file don't.
    pub(crate) fn stripped_timestamp_size(&self) -> usize {
        if self.user_defined_timestamps_persisted { 0 } else { self.comparator.timestamp_size() }
    }

    pub(crate) fn filter_context(&self) -> FilterContext {
        let level = match (self.reason, self.level) {
            (TableFileCreationReason::Misc, _) => FilterContext::LEVEL_UNKNOWN,
            _ if !self.has_levels => FilterContext::LEVEL_UNKNOWN,
            (TableFileCreationReason::Flush, _) => -1,
            (_, Some(level)) => i32::try_from(level).unwrap_or(FilterContext::LEVEL_UNKNOWN),
            (_, None) => FilterContext::LEVEL_UNKNOWN,
        };
        FilterContext {
            format_version: self.format_version,
            level,
            optimize_filters_for_memory: self.optimize_filters_for_memory,
        }
    }
}

#[cfg(test)]
mod tests;
