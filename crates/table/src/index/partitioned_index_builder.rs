//! Builds a two-level index: partitions, each an index block, and a top level that leads to them.

use super::index_block::IndexEntry;
use super::index_builder::{WriteIndexBlock, WrittenIndex};
use super::shortened_index_builder::{IndexShape, ShortenedIndexBuilder};
use crate::block_based::FlushBlockBySize;
use crate::format::BlockHandle;
use crate::table_builder_options::TableBuilderOptions;
use base::Result;
use base::coding::varint_length;
use base::dbformat::extract_user_key;

#[derive(Debug)]
struct Partition {
    /// Key of the last entry, with sequence number and type.
    key: Vec<u8>,
    builder: ShortenedIndexBuilder,
}

/// Builds two-level indexes. A partition ends by size, or where the filter asks for it.
#[derive(Debug)]
pub(crate) struct PartitionedIndexBuilder {
    shape: IndexShape,
    flush_policy: FlushBlockBySize,
    complete: Vec<Partition>,
    complete_size: usize,
    current: Partition,
    keys_are_user_keys: bool,
    is_cut_requested: bool,
    /// Whether a partition ended that the filter has not ended yet.
    filter_cut: bool,
}

impl PartitionedIndexBuilder {
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        let shape = IndexShape::new(options);
        let builder = ShortenedIndexBuilder::new(options);
        let keys_are_user_keys = builder.keys_are_user_keys();
        Self {
            shape,
            flush_policy: FlushBlockBySize::new(
                options.metadata_block_size,
                options.block_size_deviation,
                false,
            ),
            complete: Vec::new(),
            complete_size: 0,
            current: Partition { key: Vec::new(), builder },
            keys_are_user_keys,
            is_cut_requested: false,
            filter_cut: false,
        }
    }

    /// Ends the partition at the next data block, for the filter's sake.
    pub(crate) fn request_partition_cut(&mut self) {
        self.is_cut_requested = true;
    }

    /// Whether the filter's partition is to end; says so once.
    pub(crate) fn take_filter_cut(&mut self) -> bool {
        std::mem::take(&mut self.filter_cut)
    }

    /// Internal key at or after all keys so far, and before all that follow.
    pub(crate) fn partition_key(&self) -> &[u8] {
        &self.current.key
    }

    pub(crate) fn keys_are_user_keys(&self) -> bool {
        self.keys_are_user_keys
    }

    pub(crate) fn add_entry(
        &mut self,
        last_key: &[u8],
        next_key: Option<&[u8]>,
        handle: BlockHandle,
    ) {
        // No partition of the last entry alone.
        if next_key.is_some() && self.must_cut(last_key, handle) {
            self.cut();
        }
        let separator = self.current.builder.add_entry(last_key, next_key, handle);
        self.current.key.clear();
        self.current.key.extend_from_slice(separator);
        self.keys_are_user_keys &= self.current.builder.keys_are_user_keys();
        if next_key.is_none() {
            self.filter_cut = true;
        }
    }

    fn must_cut(&self, key: &[u8], handle: BlockHandle) -> bool {
        if self.current.builder.is_empty() {
            return false;
        }
        let block = self.current.builder.block_builder();
        let handle_size = varint_length(handle.offset) + varint_length(handle.size);
        self.is_cut_requested
            || self.flush_policy.must_flush(block.size_for_cut(), || {
                block.size_for_cut_after(key.len(), handle_size)
            })
    }

    fn cut(&mut self) {
        let builder =
            ShortenedIndexBuilder::with_shape(self.shape.clone(), self.keys_are_user_keys);
        let next = Partition { key: Vec::new(), builder };
        self.complete_size += self.current.builder.size_estimate();
        self.complete.push(std::mem::replace(&mut self.current, next));
        self.is_cut_requested = false;
        self.filter_cut = true;
    }

    pub(crate) fn size_estimate(&self) -> usize {
        /// Of a partition's entry in the top level.
        const TOP_ENTRY_SIZE: usize = 70;
        let current = self.current.builder.size_estimate();
        let count = self.complete.len();
        let reserve = match self.complete_size.checked_div(count) {
            Some(average) => 2 * (average + TOP_ENTRY_SIZE),
            None => 2 * current,
        };
        self.complete_size + current + count * TOP_ENTRY_SIZE + reserve
    }

    pub(crate) fn finish(&mut self, write: &mut WriteIndexBlock<'_>) -> Result<WrittenIndex> {
        let mut top = self.shape.new_block_builder(self.keys_are_user_keys);
        let current = (!self.current.builder.is_empty()).then_some(&mut self.current);
        let (mut size, mut count) = (0, 0);
        for Partition { key, builder } in self.complete.iter_mut().chain(current) {
            if !self.keys_are_user_keys {
                builder.use_sequence();
            }
            let block = builder.finish();
            size += block.len() as u64;
            count += 1;
            let handle = write(block)?;
            let key = if self.keys_are_user_keys { extract_user_key(key) } else { key };
            top.add(&IndexEntry { key, handle, first_internal_key: None });
        }
        let block = top.finish();
        let top_size = block.len() as u64;
        Ok(WrittenIndex {
            handle: write(block)?,
            meta_blocks: Vec::new(),
            size: size + top_size,
            partitions: Some((count, top_size)),
        })
    }
}
