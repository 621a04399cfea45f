//! Indexes: which data block may hold a key.
//!
//! A table's index has one entry per data block: a separator, which is at or after every key of
//! the block and before every key of the next, and the block's handle. The kinds that RocksDB
//! writes (binary search, hash, two-level, with first keys) become [`FlatIndex`]es when they are
//! loaded; the two-level kind is a flat index of partitions, each of them a flat index again.

pub mod flat_index;
mod handle_array;
mod hash_index_builder;
pub mod index_block;
pub(crate) mod index_builder;
mod key_arena;
pub(crate) mod partitioned_index_builder;
pub(crate) mod shortened_index_builder;

pub use flat_index::FlatIndex;
pub use index_block::{IndexBlockFormat, IndexBlockWalker, IndexEntry, IndexType};
