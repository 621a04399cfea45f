//! The reader and the builder of block-based tables.
//!
//! ```text
//! data block ... | filter | index | compression dictionary | range tombstones | properties
//! metaindex | footer
//! ```
//!
//! Every block is followed by its trailer (`block_fetcher`). Only handles say where blocks are; the
//! order above is RocksDB's habit. [`TableTail`] is what can be read without knowing how keys are
//! ordered; [`BlockBasedTable`] is a table open for reads; [`BlockBasedTableBuilder`] writes one.

mod batch_reads;
mod batched_blocks;
mod batched_partitions;
mod block_compressor;
mod block_run;
mod block_writer;
mod builder;
mod cache_warming;
mod cached_blocks;
mod compression_threads;
mod dictionary_buffer;
mod embedded_blob;
mod entry_value;
mod file_with_end;
mod filter_reader;
mod flush_block_policy;
mod held_filter;
mod index_reader;
mod iterator;
mod memory_usage;
mod meta_block;
mod meta_reads;
mod open;
mod open_block;
mod perf_counts;
mod read_buffer;
mod reader;
mod seek_reads;
mod seek_tally;
mod staged_get;
mod table_lookup;
mod table_scan;
mod table_stats;
mod tail;
mod tools;
mod whole_block;

pub use batch_reads::{BatchReads, LevelReads};
pub use batched_blocks::read_missing_blocks;
pub use batched_partitions::{ask_partitioned_filters, find_blocks};
pub use block_run::{BlockRun, RunLimits};
pub use builder::{BlockBasedTableBuilder, FinishedTable};
pub use cache_warming::CacheWarming;
pub use cached_blocks::{BlocksInCache, LoadedBlocks};
pub use entry_value::EntryValue;
pub(crate) use filter_reader::FilterBits;
pub(crate) use flush_block_policy::FlushBlockBySize;
pub use held_filter::HeldFilter;
pub use iterator::TableIterator;
pub(crate) use meta_block::Meta;
pub use open_block::OpenBlock;
pub use reader::BlockBasedTable;
pub use seek_reads::SeekReads;
pub use staged_get::StagedGet;
pub use table_lookup::TableLookup;
pub use table_scan::TableScan;
pub(crate) use table_stats::{count_checksum, count_decompression};
pub use tail::TableTail;
pub use tools::{DataBlockInfo, IndexEntryInfo};
pub use whole_block::{BlockFit, BlockForm, BlockObstacle, BlockTerms, WholeBlock};

#[cfg(test)]
pub(crate) mod tests;
