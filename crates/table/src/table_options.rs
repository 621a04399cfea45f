//! What a table is opened with.

use crate::cache_charges::CacheCharges;
use base::{InternalKeyComparator, SequenceNumber, SliceTransform};
use cache::Cache;
use env::{ReadGate, ReadaheadOptions};
use statistics::Statistics;
use std::sync::Arc;

/// How a table is read: the column family's options, and what the MANIFEST says of the file.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The order of keys. Default: bytewise.
    pub comparator: InternalKeyComparator,
    /// The cache of blocks. Default: none.
    pub block_cache: Option<Arc<dyn Cache>>,
    /// What else is charged to it. Default: nothing.
    pub charges: CacheCharges,
    /// What the file is called in the cache: a number that [`Cache::new_id`] gave, the same every
    /// time the file is opened. Default: none, which takes a new one.
    pub cache_id: Option<u64>,
    /// The prefix extractor. Filters of prefixes are used only in files that were made with one of
    /// the same name. Default: none.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Whether filters may be asked for whole keys (`whole_key_filtering`), in files that have such.
    /// Default: true.
    pub whole_key_filtering: bool,
    /// Whether indexes and filters live in the block cache rather than in the table. Default: false.
    pub cache_index_and_filter_blocks: bool,
    /// Whether they have high priority there. Default: true.
    pub cache_index_and_filter_blocks_with_high_priority: bool,
    /// Which of them stay in memory all the same.
    pub metadata_pinning: MetadataPinning,
    /// How large a file of level 0 may be to count as flushed, in bytes. Default: any size.
    pub l0_pin_file_size_max: u64,
    /// How iterators read ahead when `ReadOptions::readahead_size` is 0. Default: RocksDB's.
    pub readahead: ReadaheadOptions,
    /// The file's number, for messages. Default: 0.
    pub file_number: u64,
    /// The file's level, if it is known. Default: none.
    pub level: Option<usize>,
    /// The largest sequence number in the file by the MANIFEST: that of all keys in an ingested file.
    /// Default: none.
    pub largest_sequence: Option<SequenceNumber>,
    /// The file's unique id by the MANIFEST; another in the file is `Corruption`. Default: none.
    pub expected_unique_id: Option<[u8; 16]>,
    /// Whether keys hold their timestamps, by the MANIFEST. A file may also say by itself that they
    /// don't. Default: true.
    pub user_defined_timestamps_persisted: bool,
    /// Where reads count what they do (`statistics`). Default: none.
    pub statistics: Option<Arc<Statistics>>,
    /// Whom reads ask that have a `ReadOptions::rate_limiter_priority` or a `deadline`. Default: no
    /// limiter, the system's clock.
    pub read_gate: ReadGate,
    /// Whether the file is in the last of all levels, to who counts. Default: false.
    pub is_in_last_level: bool,
}

/// Of which tables blocks stay in memory (`rocksdb::PinningTier`, without what falls back).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinnedTables {
    /// Of none.
    None,
    /// Of those in level 0 that are no larger than a flush makes them.
    FlushedAndSimilar,
    /// Of all.
    All,
}

/// Which blocks of index and filter a table holds itself where the others are in the block cache
/// (`rocksdb::MetadataCacheOptions`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetadataPinning {
    /// The top level of what is partitioned. Default: of all tables.
    pub top_level: PinnedTables,
    /// Partitions. Default: of none.
    pub partitions: PinnedTables,
    /// What is not partitioned, and dictionaries. Default: of none.
    pub unpartitioned: PinnedTables,
}

impl Default for MetadataPinning {
    fn default() -> Self {
        Self {
            top_level: PinnedTables::All,
            partitions: PinnedTables::None,
            unpartitioned: PinnedTables::None,
        }
    }
}

impl TableOptions {
    /// Whether a table of `file_size` bytes holds blocks of a kind itself.
    pub(crate) fn holds(&self, pinned: PinnedTables, file_size: u64) -> bool {
        if !self.cache_index_and_filter_blocks || self.block_cache.is_none() {
            return true;
        }
        match pinned {
            PinnedTables::None => false,
            PinnedTables::FlushedAndSimilar => {
                self.level == Some(0) && file_size <= self.l0_pin_file_size_max
            }
            PinnedTables::All => true,
        }
    }
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            comparator: InternalKeyComparator::bytewise(),
            block_cache: None,
            charges: CacheCharges::default(),
            cache_id: None,
            prefix_extractor: None,
            whole_key_filtering: true,
            cache_index_and_filter_blocks: false,
            cache_index_and_filter_blocks_with_high_priority: true,
            metadata_pinning: MetadataPinning::default(),
            l0_pin_file_size_max: u64::MAX,
            readahead: ReadaheadOptions::default(),
            file_number: 0,
            level: None,
            largest_sequence: None,
            expected_unique_id: None,
            user_defined_timestamps_persisted: true,
            statistics: None,
            read_gate: ReadGate::default(),
            is_in_last_level: false,
        }
    }
}
