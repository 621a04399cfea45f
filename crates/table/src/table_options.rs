//! What a table is opened with.

use base::{InternalKeyComparator, SequenceNumber, SliceTransform};
use cache::Cache;
use env::{RateLimiter, ReadaheadOptions};
use statistics::Statistics;
use std::sync::Arc;

/// How a table is read: the column family's options, and what the MANIFEST says of the file.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// The order of keys. Default: bytewise.
    pub comparator: InternalKeyComparator,
    /// The cache of blocks. Default: none.
    pub block_cache: Option<Arc<dyn Cache>>,
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
    /// Whether those of files in level 0 stay in memory all the same. Default: false.
    pub pin_l0_filter_and_index_blocks_in_cache: bool,
    /// Whether the top level of partitioned indexes and filters stays in memory all the same.
    /// Default: true.
    pub pin_top_level_index_and_filter: bool,
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
    /// Whom reads ask that have a `ReadOptions::rate_limiter_priority`. Default: none.
    pub rate_limiter: Option<Arc<dyn RateLimiter>>,
    /// Whether the file is in the last of all levels, to who counts. Default: false.
    pub is_in_last_level: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            comparator: InternalKeyComparator::bytewise(),
            block_cache: None,
            cache_id: None,
            prefix_extractor: None,
            whole_key_filtering: true,
            cache_index_and_filter_blocks: false,
            cache_index_and_filter_blocks_with_high_priority: true,
            pin_l0_filter_and_index_blocks_in_cache: false,
            pin_top_level_index_and_filter: true,
            readahead: ReadaheadOptions::default(),
            file_number: 0,
            level: None,
            largest_sequence: None,
            expected_unique_id: None,
            user_defined_timestamps_persisted: true,
            statistics: None,
            rate_limiter: None,
            is_in_last_level: false,
        }
    }
}
