//! Block-based tables.
//!
//! From the bytes up: `format` (block handle, footer), `block_fetcher` (checksum, compression),
//! `block` and `block_builder` (entries), `data_block` and `block_iter` (a data block in memory and
//! cursors over it), `index`, `filter`, `metaindex`, `properties`, `range_del`. `block_based` puts
//! them together: [`BlockBasedTable::open`], [`BlockBasedTable::get`],
//! [`BlockBasedTable::new_iterator`]. [`TableCache`] keeps tables open. [`BlockBasedTableBuilder`]
//! writes them.
//!
//! This crate knows one table at a time, and neither levels nor column families. A form that it
//! does not know is refused as `NotSupported`, bytes that cannot be right as `Corruption`, naming
//! file and offset.

#![forbid(unsafe_code)]

pub mod block;
pub mod block_based;
pub mod block_builder;
pub mod block_fetcher;
pub mod block_iter;
pub mod block_memory;
mod cache_charges;
pub mod cache_entry_role;
pub mod data_block;
pub mod data_block_hash_index;
mod entry_columns;
pub mod filter;
pub mod format;
mod frame_slots;
pub mod index;
mod key_buffer;
pub mod metaindex;
pub mod properties;
mod properties_collector;
pub mod range_del;
pub mod read_options;
mod read_window;
pub mod seqno_to_time_mapping;
mod sort_prefix;
mod sorted_numbers;
mod sync_primitives;
pub mod table_builder_options;
pub mod table_cache;
pub mod table_options;
#[cfg(test)]
mod test_files;
pub mod unique_id;

pub use block_based::{
    BatchReads, BlockBasedTable, BlockBasedTableBuilder, BlockFit, BlockForm, BlockObstacle,
    BlockRun, BlockTerms, BlocksInCache, CacheWarming, EntryValue, FinishedTable, HeldFilter,
    LevelReads, LoadedBlocks, OpenBlock, RunLimits, SeekReads, StagedGet, TableIterator,
    TableLookup, TableScan, TableTail, WholeBlock, ask_partitioned_filters, find_blocks,
    read_missing_blocks,
};
pub use block_iter::DataBlockIter;
pub use cache_charges::CacheCharges;
pub use cache_entry_role::{CacheEntryRole, RoleCharge};
pub use data_block::DataBlock;
pub use entry_columns::{RankOrder, StoredEntry};
pub use filter::FilterPolicy;
pub use filter::KeyHash;
pub use format::{BlockHandle, Footer};
pub use index::IndexType;
pub use properties::TableProperties;
pub use read_options::{ReadOptions, ReadTier, TableFilter};
pub use seqno_to_time_mapping::SeqnoToTimeMapping;
pub use table_builder_options::{IndexShortening, TableBuilderOptions};
pub use table_cache::{ClosingTable, TableCache};
pub use table_options::{MetadataPinning, PinnedTables, TableOptions};
