//! The reader of block-based tables.
//!
//! ```text
//! data block ... | filter | index | compression dictionary | range tombstones | properties
//! metaindex | footer
//! ```
//!
//! Every block is followed by its trailer (`block_fetcher`). Only handles say where blocks are; the
//! order above is RocksDB's habit. [`TableTail`] is what can be read without knowing how keys are
//! ordered; [`BlockBasedTable`] is a table open for reads.

mod embedded_blob;
mod entry_value;
mod filter_reader;
mod index_reader;
mod iterator;
mod memory_usage;
mod meta_block;
mod open;
mod reader;
mod tail;
mod tools;

pub use entry_value::EntryValue;
pub(crate) use filter_reader::FilterBits;
pub use iterator::TableIterator;
pub use reader::BlockBasedTable;
pub use tail::TableTail;
pub use tools::{DataBlockInfo, IndexEntryInfo};

#[cfg(test)]
mod tests;
