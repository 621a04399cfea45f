//! What a memtable is made by.

use crate::memtable_memory::MemTableMemory;
use crate::memtable_rep_factory::{MemTableRepFactory, SkipListFactory};
use base::SliceTransform;
use std::sync::Arc;

/// Options of a memtable, by RocksDB's names.
#[derive(Clone, Debug)]
pub struct MemTableOptions {
    /// What holds the records (`memtable_factory`). Default: [`SkipListFactory`].
    pub rep_factory: Arc<dyn MemTableRepFactory>,
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
    /// `memtable_huge_page_size`: bytes of a page, a power of 2, of the memory of memtables beyond the first
    /// 2 MiB, where the system has set such pages aside (`vm.nr_hugepages`) and some are free; sizes below 64 KiB
    /// mean pages of 2 MiB. Ordinary ones are used elsewhere, and
    /// [`MemTableMemory::take_refusal_of_huge_pages`] tells so. Default: 0, ordinary ones.
    pub huge_page_size: usize,
    /// `memtable_max_range_deletions`: range tombstones at which a memtable counts as full.
    /// Default: 0, no limit.
    pub max_range_deletions: u32,
    /// The column family, for factories that want to know. Default: 0.
    pub column_family_id: u32,
}

impl Default for MemTableOptions {
    fn default() -> Self {
        Self {
            rep_factory: Arc::new(SkipListFactory::default()),
            write_buffer_size: 64 << 20,
            arena_block_size: 0,
            prefix_bloom_size_ratio: 0.0,
            whole_key_filtering: false,
            prefix_extractor: None,
            insert_hint_extractor: None,
            memory: None,
            huge_page_size: 0,
            max_range_deletions: 0,
            column_family_id: 0,
        }
    }
}
