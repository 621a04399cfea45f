//! The look at every entry of a block that a reader takes when it loads the block.

use crate::block::{BlockLayout, Entry, bad_entry};
use crate::data_block::REWRITTEN_RESTART_INTERVAL;
use crate::key_buffer::KeyBuffer;
use crate::sort_prefix::SortPrefixOrder;
use base::coding::decode_fixed64;
use base::dbformat::{TRAILER_SIZE, extract_trailer};
use base::{Result, SequenceNumber, Status, ValueType, common_prefix_length};

/// What a look at every entry of a block tells.
pub(super) struct CheckedEntries {
    /// Where they begin.
    pub(super) offsets: Vec<u32>,
    /// How many bytes all user keys have in common, timestamps left out.
    pub(super) common_length: usize,
    /// The most bytes that a key leaves out because the one before has them.
    pub(super) longest_shared: usize,
    /// The fewest bytes that are stored of a key.
    pub(super) shortest_suffix: usize,
    pub(super) holds: StoredKinds,
}

/// What the entries of a block are, as they are stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StoredKinds {
    /// A bit for each type that there is.
    types: u32,
    pub(super) newest_sequence: SequenceNumber,
}

impl StoredKinds {
    /// Takes in an entry by the trailer of its key; none if its type is unknown.
    #[inline]
    fn note(&mut self, packed: u64) -> Option<()> {
        let type_byte = packed as u8;
        self.newest_sequence = self.newest_sequence.max(packed >> 8);
        ValueType::is_stored_number(type_byte).then(|| self.types |= 1 << type_byte)
    }

    pub(super) fn only_deletions(self) -> bool {
        const DELETIONS: u32 = 1 << ValueType::Deletion as u8
            | 1 << ValueType::SingleDeletion as u8
            | 1 << ValueType::DeletionWithTimestamp as u8;
        self.types & !DELETIONS == 0
    }

    pub(super) fn only_values(self) -> bool {
        self.types & !(1 << ValueType::Value as u8) == 0
    }
}

/// Checks every entry of a block in the plain form.
pub(super) fn check_entries(
    contents: &[u8],
    layout: &BlockLayout,
    order: SortPrefixOrder,
) -> Result<CheckedEntries> {
    let stored = |entry: &Entry| {
        let is_stored = entry.non_shared >= TRAILER_SIZE;
        is_stored.then(|| decode_fixed64(contents, entry.value_start() - TRAILER_SIZE))
    };
    if let Some(checked) = check_with(contents, layout, order, stored)? {
        return Ok(checked);
    }
    // Versions of a key may have bytes of their trailers in common: keys have to be put together.
    let mut key = KeyBuffer::new();
    let put_together = |entry: &Entry| {
        key.splice(entry.shared, contents, entry.suffix_start, entry.non_shared);
        Some(extract_trailer(key.as_slice()))
    };
    check_with(contents, layout, order, put_together)?
        .ok_or_else(|| Status::corruption("block without trailers of keys"))
}

/// As [`check_entries`], with what `trailer_of` says of each entry in turn; none as soon as that says nothing.
#[inline]
fn check_with(
    contents: &[u8],
    layout: &BlockLayout,
    order: SortPrefixOrder,
    mut trailer_of: impl FnMut(&Entry) -> Option<u64>,
) -> Result<Option<CheckedEntries>> {
    /// Sizes, and the trailer of a key.
    const ENTRY_SIZE_MIN: usize = 3 + TRAILER_SIZE;
    let entries = &contents[..layout.entries_end];
    let suffix_size = order.internal_suffix_size();
    let count_estimate = layout.restart_count.saturating_mul(REWRITTEN_RESTART_INTERVAL);
    let mut offsets =
        Vec::with_capacity(count_estimate.min(entries.len().div_ceil(ENTRY_SIZE_MIN)));
    let mut holds = StoredKinds::default();
    let mut first_key: &[u8] = &[];
    let (mut offset, mut key_size, mut common) = (0, 0, usize::MAX);
    let (mut longest_shared, mut shortest_suffix) = (0, usize::MAX);
    while offset < entries.len() {
        let entry = Entry::decode(entries, offset)
            .filter(|entry| entry.shared <= key_size && entry.key_size() >= suffix_size)
            .ok_or_else(|| bad_entry(offset))?;
        let Some(packed) = trailer_of(&entry) else { return Ok(None) };
        holds.note(packed).ok_or_else(|| unknown_type(packed, offset))?;
        key_size = entry.key_size();
        common = common.min(key_size - suffix_size);
        if offset == 0 {
            first_key = &entries[entry.suffix_start..entry.value_start()];
        } else if entry.shared < common {
            let suffix = &entries[entry.suffix_start..entry.value_start()];
            common = entry.shared + common_prefix_length(&first_key[entry.shared..common], suffix);
        }
        longest_shared = longest_shared.max(entry.shared);
        shortest_suffix = shortest_suffix.min(entry.non_shared);
        offsets.push(offset as u32);
        offset = entry.value_end();
    }
    let common_length = if offsets.is_empty() { 0 } else { common };
    Ok(Some(CheckedEntries { offsets, common_length, longest_shared, shortest_suffix, holds }))
}

#[cold]
fn unknown_type(packed: u64, offset: usize) -> Status {
    let type_byte = packed as u8;
    Status::corruption(format!("unknown value type {type_byte:#04x} in block at its byte {offset}"))
}
