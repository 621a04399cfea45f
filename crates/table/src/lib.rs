//! Block-based tables: footer, blocks, index, filters, properties, reader.

#![forbid(unsafe_code)]

pub mod block;
pub mod block_based;
pub mod block_builder;
pub mod block_fetcher;
pub mod block_iter;
pub mod data_block;
pub mod data_block_hash_index;
pub mod filter;
pub mod format;
pub mod index;
mod key_buffer;
pub mod metaindex;
pub mod properties;
pub mod range_del;
pub mod read_options;
mod sort_prefix;

pub mod table_cache;
pub mod table_options;
#[cfg(test)]
mod test_files;
pub mod unique_id;

pub use block_based::{BlockBasedTable, EntryValue, TableIterator, TableTail};
pub use block_iter::DataBlockIter;
pub use data_block::DataBlock;
pub use format::{BlockHandle, Footer};
pub use properties::TableProperties;
pub use read_options::{ReadOptions, ReadTier};
pub use table_cache::TableCache;
pub use table_options::TableOptions;
