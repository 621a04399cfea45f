//! Takes blocks of other tables as they are stored.

use super::{BlockBasedTableBuilder, add_to_filter};
use crate::block_based::flush_block_policy::BlockEnds;
use crate::block_based::whole_block::{BlockTerms, WholeBlock};
use crate::format::BLOCK_TRAILER_SIZE;
use base::dbformat::TRAILER_SIZE;
use base::{Result, Status};
use compression::CompressionType;

impl BlockBasedTableBuilder {
    /// What data blocks are here, for [`BlockForm::fit`](crate::BlockForm::fit).
    pub fn block_terms(&self) -> BlockTerms<'_> {
        let options = &self.options;
        let is_plain = self.status.is_ok()
            && options.comparator.is_bytewise()
            && options.comparator.timestamp_size() == 0
            && self.held_back.is_none()
            && self.compressor.dictionary().is_none()
            && self.collectors.is_empty()
            && self.data_block.is_plain()
            && options.use_delta_encoding
            && !options.block_align
            && matches!(self.block_ends, BlockEnds::BySize(_));
        BlockTerms {
            wants_entries: !is_plain,
            compression_type: self.compressor.kind() as u8,
            compression_options: &self.compression_property,
            block_size: usize::try_from(options.block_size).unwrap_or(usize::MAX),
            restart_interval: options.block_restart_interval,
            pending_size: match self.data_block.entry_count() {
                0 => 0,
                _ => self.data_block.current_size_estimate(),
            },
        }
    }

    /// The data block under way ends once it has `size` bytes.
    pub fn end_block_at(&mut self, size: usize) {
        self.cut_size = Some(size);
    }

    /// Adds all entries of a block that fits ([`Self::block_terms`]), as it is stored. They are values of
    /// ascending user keys, all after the last key.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn copy_block(&mut self, block: &WholeBlock<'_>) -> Result<()> {
        self.status.clone()?;
        let result = self.copy(block);
        if let Err(status) = &result {
            self.status = Err(status.clone());
        }
        result
    }

    fn copy(&mut self, block: &WholeBlock<'_>) -> Result<()> {
        self.flush(Some(block.first_key()))?;
        self.settle_all()?;
        self.index_copied(Some(block.first_key()));
        self.note_entries(block)?;
        self.charge_for_filter();
        let kind = self.compressor.kind();
        let mut stored = self.data_block.take_memory();
        stored.extend_from_slice(block.stored);
        let handle = self.write_aligned(&mut stored, kind)?;
        self.data_block.recycle(stored);
        if let Some(warmer) = &self.warmer {
            warmer.add(block.contents, handle)?;
        }
        self.compressor.note_copied();
        let properties = &mut self.properties;
        properties.num_data_blocks += 1;
        properties.num_data_blocks_compression_bypassed += u64::from(kind == CompressionType::None);
        properties.data_size = self.writer.offset();
        self.pre_compression_size += (block.contents.len() + BLOCK_TRAILER_SIZE) as u64;
        self.copied = Some(handle);
        Ok(())
    }

    /// Does for the entries of a copied block all that does not concern the block.
    fn note_entries(&mut self, block: &WholeBlock<'_>) -> Result<()> {
        let Self { options, filter, index, properties, last_key, .. } = self;
        let mut last: &[u8] = last_key;
        for entry in block.entries() {
            let key = entry.key;
            let Some(trailer) = key.last_chunk::<TRAILER_SIZE>() else {
                return Err(Status::corruption("a block with a key without sequence number"));
            };
            if let Some(filter) = filter {
                add_to_filter(filter, index, &options.comparator, key, last);
            }
            if self.index_wants_keys {
                index.on_key_added(key);
            }
            let sequence = u64::from_le_bytes(*trailer) >> 8;
            properties.num_entries += 1;
            properties.raw_key_size += key.len() as u64;
            properties.raw_value_size += entry.value_size as u64;
            properties.key_largest_seqno = properties.key_largest_seqno.max(sequence);
            properties.key_smallest_seqno = properties.key_smallest_seqno.min(sequence);
            last = key;
        }
        last_key.clear();
        last_key.extend_from_slice(block.last_key());
        Ok(())
    }

    /// Gives the index the copied block before `next_key`, none if there is none after it.
    pub(super) fn index_copied(&mut self, next_key: Option<&[u8]>) {
        if let Some(handle) = self.copied.take() {
            self.index.add_entry(&self.last_key, next_key, handle);
        }
    }
}
