//! Builds the index of a table.

use super::hash_index_builder::HashIndexBuilder;
use super::index_block::IndexType;
use super::partitioned_index_builder::PartitionedIndexBuilder;
use super::shortened_index_builder::ShortenedIndexBuilder;
use crate::format::BlockHandle;
use crate::table_builder_options::TableBuilderOptions;
use base::Result;

/// Writes a block of the index.
pub(crate) type WriteIndexBlock<'w> = dyn FnMut(Vec<u8>) -> Result<BlockHandle> + 'w;

/// Builds indexes of the kind that a table's options ask for.
#[derive(Debug)]
pub(crate) enum IndexBuilder {
    Shortened(Box<ShortenedIndexBuilder>),
    Hash(Box<HashIndexBuilder>),
    Partitioned(Box<PartitionedIndexBuilder>),
}

/// An index that was written.
#[derive(Debug, Default)]
pub(crate) struct WrittenIndex {
    /// The index block, or the top level.
    pub(crate) handle: BlockHandle,
    /// Blocks beside it, for the metaindex.
    pub(crate) meta_blocks: Vec<(&'static str, BlockHandle)>,
    /// Bytes of all its blocks before compression, without trailers.
    pub(crate) size: u64,
    /// Number of partitions and bytes of the top level, of a two-level index.
    pub(crate) partitions: Option<(u64, u64)>,
}

impl IndexBuilder {
    /// The options must be sanitized.
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        match options.index_type {
            IndexType::TwoLevel => {
                Self::Partitioned(Box::new(PartitionedIndexBuilder::new(options)))
            }
            IndexType::HashSearch => Self::Hash(Box::new(HashIndexBuilder::new(options))),
            IndexType::BinarySearch | IndexType::BinarySearchWithFirstKey => {
                Self::Shortened(Box::new(ShortenedIndexBuilder::new(options)))
            }
        }
    }

    /// Whether [`IndexBuilder::on_key_added`] must be called.
    pub(crate) fn wants_keys(&self) -> bool {
        match self {
            Self::Shortened(builder) => builder.wants_keys(),
            Self::Hash(_) => true,
            Self::Partitioned(_) => false,
        }
    }

    /// Tells of an internal key that was added to the current data block.
    pub(crate) fn on_key_added(&mut self, internal_key: &[u8]) {
        match self {
            Self::Shortened(builder) => builder.on_key_added(internal_key),
            Self::Hash(builder) => builder.on_key_added(internal_key),
            Self::Partitioned(_) => {}
        }
    }

    /// Adds the data block of `handle`, by its last internal key and the first of the next.
    pub(crate) fn add_entry(
        &mut self,
        last_key: &[u8],
        next_key: Option<&[u8]>,
        handle: BlockHandle,
    ) {
        match self {
            Self::Shortened(builder) => {
                builder.add_entry(last_key, next_key, handle);
            }
            Self::Hash(builder) => builder.add_entry(last_key, next_key, handle),
            Self::Partitioned(builder) => builder.add_entry(last_key, next_key, handle),
        }
    }

    /// Whether separators are stored without sequence number and type, as far as is known by now.
    pub(crate) fn keys_are_user_keys(&self) -> bool {
        match self {
            Self::Shortened(builder) => builder.keys_are_user_keys(),
            Self::Hash(builder) => builder.keys_are_user_keys(),
            Self::Partitioned(builder) => builder.keys_are_user_keys(),
        }
    }

    /// About how many bytes the index will take.
    pub(crate) fn size_estimate(&self) -> usize {
        match self {
            Self::Shortened(builder) => builder.size_estimate(),
            Self::Hash(builder) => builder.size_estimate(),
            Self::Partitioned(builder) => builder.size_estimate(),
        }
    }

    /// Writes the index. Nothing may be added afterwards.
    pub(crate) fn finish(&mut self, write: &mut WriteIndexBlock<'_>) -> Result<WrittenIndex> {
        match self {
            Self::Shortened(builder) => {
                let block = builder.finish();
                let size = block.len() as u64;
                Ok(WrittenIndex { handle: write(block)?, size, ..Default::default() })
            }
            Self::Hash(builder) => builder.finish(write),
            Self::Partitioned(builder) => builder.finish(write),
        }
    }
}
