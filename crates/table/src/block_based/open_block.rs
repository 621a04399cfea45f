//! The data block that a builder is at, for values and merge operands that change nothing but this block.
//!
//! Most entries of most tables are such that go behind others into the same block, with nobody
//! beside the block, the filter and the sums of the properties wanting to know of them. What makes
//! that so is found out once for each block, and each entry is then added in one go: what its key
//! shares with the one before says also that it comes after it, and as a key of its own.

use crate::block_builder::BlockBuilder;
use crate::entry_columns::StoredEntry;
use crate::filter::FilterBitsBuilder;
use crate::properties::TableProperties;
use base::dbformat::{TRAILER_SIZE, extract_user_key, pack_sequence_and_type};
use base::{SequenceNumber, ValueType, common_prefix_length};

/// Larger entries, with their sequence numbers, go the long way, where sizes are checked.
const ENTRY_SIZE_MAX: usize = 64 << 10;

/// A data block with an entry at least, which takes more. See
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
    /// Adds an entry with this type, that of values or of merge operands, and this sequence number instead of
    /// its own, unless that takes more than a look at this block: if the block may be full, the entry is
    /// large, or its user key is not after the last one's by a byte that both have. Returns whether it did; if
    /// not, nothing has changed.
    #[inline(always)]
    pub fn add(
        &mut self,
        entry: &StoredEntry<'_>,
        sequence: SequenceNumber,
        value_type: ValueType,
    ) -> bool {
        debug_assert!(matches!(value_type, ValueType::Value | ValueType::Merge));
        let user_key = extract_user_key(entry.key);
        let last_user_key = extract_user_key(self.last_key);
        let shared = common_prefix_length(last_user_key, user_key);
        let (Some(last_byte), Some(byte)) = (last_user_key.get(shared), user_key.get(shared))
        else {
            return false;
        };
        if last_byte > byte
            || self.block.current_size_estimate() > self.free_size
            || entry.key.len() + entry.value_size > ENTRY_SIZE_MAX
        {
            return false;
        }
        if let Some(filter) = &mut self.filter {
            filter.add_key(user_key);
        }
        let trailer = pack_sequence_and_type(sequence, value_type).to_le_bytes();
        self.block.add_stored(shared, entry, trailer);
        self.note_last_key(user_key, trailer);
        let properties = &mut *self.properties;
        properties.num_entries += 1;
        properties.num_merge_operands += u64::from(value_type == ValueType::Merge);
        properties.raw_key_size += entry.key.len() as u64;
        properties.raw_value_size += entry.value_size as u64;
        properties.key_largest_seqno = properties.key_largest_seqno.max(sequence);
        properties.key_smallest_seqno = properties.key_smallest_seqno.min(sequence);
        true
    }

    #[inline(always)]
    fn note_last_key(&mut self, user_key: &[u8], trailer: [u8; TRAILER_SIZE]) {
        match self.last_key.split_last_chunk_mut::<TRAILER_SIZE>() {
            Some((last_user_key, last_trailer)) if last_user_key.len() == user_key.len() => {
                copy_short(last_user_key, user_key);
                *last_trailer = trailer;
            }
            _ => {
                self.last_key.clear();
                self.last_key.extend_from_slice(user_key);
                self.last_key.extend_from_slice(&trailer);
            }
        }
    }

    /// Entries that the table has so far.
    #[inline]
    pub fn num_entries(&self) -> u64 {
        self.properties.num_entries
    }

    /// Bytes of all keys and of all values that the table has so far.
    #[inline]
    pub fn raw_sizes(&self) -> (u64, u64) {
        (self.properties.raw_key_size, self.properties.raw_value_size)
    }

    /// The internal key of the last entry.
    #[inline]
    pub fn last_key(&self) -> &[u8] {
        self.last_key
    }
}

/// Copies a user key over one as long. Most need no call: their first and their last bytes, which may
/// be the same ones, are all.
#[inline(always)]
fn copy_short(target: &mut [u8], source: &[u8]) {
    match source.len() {
        8..=16 => copy_ends::<8>(target, source),
        17..=32 => copy_ends::<16>(target, source),
        _ => target.copy_from_slice(source),
    }
}

#[inline(always)]
fn copy_ends<const N: usize>(target: &mut [u8], source: &[u8]) {
    if let (Some(first), Some(last)) = (source.first_chunk::<N>(), source.last_chunk::<N>()) {
        target[..N].copy_from_slice(first);
        let last_start = target.len() - N;
        target[last_start..].copy_from_slice(last);
    }
}

#[cfg(test)]
mod tests;
