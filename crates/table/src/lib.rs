//! Block-based tables: footer, blocks, index, filters, properties, reader.

#![forbid(unsafe_code)]

pub mod block;
pub mod block_builder;
pub mod block_iter;
pub mod data_block;
pub mod data_block_hash_index;
pub mod filter;
pub mod format;
pub mod index;
mod key_buffer;
mod sort_prefix;

pub use block_iter::DataBlockIter;
pub use data_block::DataBlock;
pub use format::{BlockHandle, Footer};
