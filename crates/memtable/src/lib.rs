//! What has been written and is in no table yet.
//!
//! A [`MemTable`] holds the records of one column family in memory, in internal key order, and its
//! range tombstones apart from them. One writes at a time, anyone reads meanwhile. How the records
//! are held is behind [`MemTableRep`]. A memtable knows no log and no file: recovery and writes fill
//! it, reads and flushes go through it.

#![deny(unsafe_code)]

#[expect(unsafe_code, reason = "memory that one writes while others read")]
mod arena;
#[expect(unsafe_code, reason = "nodes and records that readers reach while others are added")]
mod b_plus_tree;
pub mod b_plus_tree_rep;
mod block_pool;
mod block_source;
mod chunk;
mod deleted_keys;
mod dynamic_bloom;
pub mod hidden_range;
mod hint_hasher;
mod kept_block;
pub mod memtable;
pub mod memtable_memory;
pub mod memtable_options;
pub mod memtable_rep;
pub mod memtable_rep_factory;
mod memtable_stats;
mod published_ptr;
mod range_tombstones;
#[expect(unsafe_code, reason = "keys and values behind lengths, in pieces of an arena")]
mod record;
mod rep_iterator;
#[expect(unsafe_code, reason = "nodes that readers reach while others are linked")]
mod skip_list;
pub mod skip_list_rep;
mod sync_primitives;
pub mod vector_rep;
mod write_buffer;

pub use b_plus_tree_rep::{BPlusTreeRep, BPlusTreeRepWriter};
pub use hidden_range::{HiddenRange, HiddenSlot, Unconverted};
pub use memtable::{MemTable, MemTableWriter, RedundantTombstone};
pub use memtable_memory::{MemTableMemory, MemTableMemoryObserver};
pub use memtable_options::MemTableOptions;
pub use memtable_rep::{EXPECTED_KEYS_MAX, MemTableEntry, MemTableRep, MemTableRepWriter};
pub use memtable_rep_factory::{
    MemTableAccounting, MemTableRepContext, MemTableRepFactory, MemTableRepSides, SkipListFactory,
    VectorRepFactory,
};
pub use range_tombstones::RangeTombstoneParts;
pub use skip_list_rep::{SkipListRep, SkipListRepWriter};
pub use vector_rep::{VectorRep, VectorRepWriter};
