//! What a memtable is made by.

use crate::memtable_memory::MemTableMemory;
use base::SliceTransform;
use std::sync::Arc;

/// Which representation holds the records (`memtable_factory`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemTableRepKind {
    /// A skip list (`SkipListFactory`): the default, for reads and writes alike.
    #[default]
    SkipList,
    /// A vector that is sorted when it is read (`VectorRepFactory`): the cheapest to fill.
    Vector {
        /// Records to take memory for at once (`count`).
        reserve: usize,
    },
}

/// Options of a memtable, by RocksDB's names.
#[derive(Clone, Debug)]
pub struct MemTableOptions {
    /// `memtable_factory`. Default: a skip list.
    pub rep: MemTableRepKind,
    /// `write_buffer_size`: bytes at which a memtable is full, counted as RocksDB's memtables take
    /// them. Default: 64 MiB.
    pub write_buffer_size: usize,
    /// `arena_block_size`: bytes that RocksDB's memtables take at a time, which decides how closely
    /// `write_buffer_size` is met. Default: 0, an eighth of `write_buffer_size` and at most 1 MiB.
    pub arena_block_size: usize,
    /// `memtable_prefix_bloom_size_ratio`: size of the Bloom filter as a share of
    /// `write_buffer_size`. Default: 0, no filter.
    pub prefix_bloom_size_ratio: f64,
    /// `memtable_whole_key_filtering`: whether whole keys go into the filter. Default: false.
    pub whole_key_filtering: bool,
    /// `prefix_extractor`: the prefixes of keys that go into the filter. Default: none.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// `memtable_insert_with_hint_prefix_extractor`: keys of one prefix are likely to be inserted in
    /// ascending order, so that a skip list remembers where the last of each was. Default: none.
    pub insert_hint_extractor: Option<Arc<dyn SliceTransform>>,
    /// Where memory is counted together with that of other memtables. Default: nowhere.
    pub memory: Option<Arc<MemTableMemory>>,
    /// `memtable_max_range_deletions`: range tombstones at which a memtable counts as full.
    /// Default: 0, no limit.
    pub max_range_deletions: u32,
}

impl Default for MemTableOptions {
    fn default() -> Self {
        Self {
            rep: MemTableRepKind::default(),
            write_buffer_size: 64 << 20,
            arena_block_size: 0,
            prefix_bloom_size_ratio: 0.0,
            whole_key_filtering: false,
            prefix_extractor: None,
            insert_hint_extractor: None,
            memory: None,
            max_range_deletions: 0,
        }
    }
}
