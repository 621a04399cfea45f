//! The data block that a builder is at, for values that change nothing but this block.
//!
//! Most entries of most tables are values that go behind others into the same block, with nobody
//! beside the block, the filter and the sums of the properties wanting to know of them. What makes
//! that so is found out once for each block, and each value is then added in one go: what its key
//! shares with the one before says also that it comes after it, and as a key of its own.

use crate::block_builder::BlockBuilder;
use crate::filter::FilterBitsBuilder;
use crate::properties::TableProperties;
use base::dbformat::{TRAILER_SIZE, extract_user_key, pack_sequence_and_type};
use base::{SequenceNumber, ValueType, common_prefix_length};

/// Larger entries go the long way, where sizes are checked.
const ENTRY_SIZE_MAX: usize = 64 << 10;

/// A data block with an entry at least, which takes values. See
/// [`BlockBasedTableBuilder::open_block`](super::BlockBasedTableBuilder::open_block).
#[derive(Debug)]
pub struct OpenBlock<'b> {
    pub(super) block: &'b mut BlockBuilder,
    /// Takes user keys.
    pub(super) filter: Option<&'b mut dyn FilterBitsBuilder>,
    /// The internal key of the last entry.
    pub(super) last_key: &'b mut Vec<u8>,
    pub(super) properties: &'b mut TableProperties,
    /// A block of more bytes might have to end before the next entry.
    pub(super) free_size: usize,
}

impl OpenBlock<'_> {
    /// Adds a value, unless that takes more than a look at this block: if the block may be full, the
    /// entry is large, or its user key is not after the last one's by a byte that both have. Returns
    /// whether it did; if not, nothing has changed.
    #[inline]
    pub fn add_value(&mut self, user_key: &[u8], sequence: SequenceNumber, value: &[u8]) -> bool {
        let last_user_key = extract_user_key(self.last_key);
        let shared = common_prefix_length(last_user_key, user_key);
        let (Some(last_byte), Some(byte)) = (last_user_key.get(shared), user_key.get(shared))
        else {
            return false;
        };
        if last_byte > byte
            || self.block.current_size_estimate() > self.free_size
            || user_key.len() + value.len() > ENTRY_SIZE_MAX
        {
            return false;
        }
        if let Some(filter) = &mut self.filter {
            filter.add_key(user_key);
        }
        let trailer = pack_sequence_and_type(sequence, ValueType::Value).to_le_bytes();
        self.block.add_in_parts(shared, user_key, trailer, value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&user_key[shared..]);
        self.last_key.extend_from_slice(&trailer);
        let properties = &mut *self.properties;
        properties.num_entries += 1;
        properties.raw_key_size += (user_key.len() + TRAILER_SIZE) as u64;
        properties.raw_value_size += value.len() as u64;
        properties.key_largest_seqno = properties.key_largest_seqno.max(sequence);
        properties.key_smallest_seqno = properties.key_smallest_seqno.min(sequence);
        true
    }

    /// The internal key of the last entry.
    #[inline]
    pub fn last_key(&self) -> &[u8] {
        self.last_key
    }
}

#[cfg(test)]
mod tests;
