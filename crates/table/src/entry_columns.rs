//! The entries of data blocks side by side: keys whole, and where values are.
//!
//! For who goes through all entries of a block once, as compactions do. One pass checks each entry
//! and lays it out, where cursors need a directory and put keys together one after another. The
//! memory is used again for block after block.
//!
//! ```text
//! keys       internal keys, one behind the other
//! entries    for each: rank | start and size of the key | start of its suffix, start and size of the value
//! ```
//!
//! A *rank* is the eight bytes of a user key that follow what all keys are expected to begin with, as
//! a number. Where two ranks differ, keys that are ordered as bytes differ alike.
//!
//! Delta-coded keys can stand for far more bytes than the block has. No more than some are laid out
//! at once.

use crate::block::{BlockLayout, Entry, bad_entry};
use base::dbformat::TRAILER_SIZE;
use base::{Result, Status, ValueType, key_prefix};
use std::cmp::Ordering;

/// Keys and suffixes up to this length are copied as one block of constant size, which costs a few
/// instructions where a copy of variable size costs a call.
const CHUNK_SIZE: usize = 32;

/// Once keys take so many bytes no more are laid out: more than those of most blocks.
const KEYS_SIZE_ENOUGH: usize = 64 << 10;

/// Makes numbers of user keys that are ordered as bytes.
#[derive(Clone, Debug, Default)]
pub struct RankOrder {
    common: Box<[u8]>,
}

impl RankOrder {
    /// For keys most of which begin with `common`.
    pub fn new(common: &[u8]) -> Self {
        Self { common: common.into() }
    }

    /// Where a user key stands among those that begin with the common bytes, by its first ones.
    #[inline]
    fn place(&self, user_key: &[u8]) -> Ordering {
        user_key[..user_key.len().min(self.common.len())].cmp(&self.common)
    }

    /// The rank of a user key in this place.
    #[inline]
    fn rank(&self, user_key: &[u8], place: Ordering) -> u64 {
        match place {
            Ordering::Less => 0,
            Ordering::Equal => key_prefix(&user_key[self.common.len()..]),
            Ordering::Greater => u64::MAX,
        }
    }
}

/// The entries of one block, or some of them. Values stay in the block.
#[derive(Clone, Debug, Default)]
pub(crate) struct EntryColumns {
    /// Longer than what is used by a chunk at least.
    keys: Vec<u8>,
    entries: Vec<ColumnEntry>,
    /// The part of the block that is still to come.
    next_offset: usize,
    entries_end: usize,
    last: LastKey,
}

/// In the keys, the key of the last entry that is laid out.
#[derive(Clone, Copy, Debug, Default)]
struct LastKey {
    start: usize,
    size: usize,
    rank: u64,
    /// Whether it begins with the common bytes.
    is_common: bool,
}

/// Where the parts of an entry are.
#[derive(Clone, Copy, Debug)]
struct ColumnEntry {
    rank: u64,
    /// In the keys.
    key_start: u32,
    key_size: u32,
    /// In the block.
    suffix_start: u32,
    value_start: u32,
    value_size: u32,
}

/// An entry, and how a block stores it.
#[derive(Clone, Copy, Debug)]
pub struct StoredEntry<'e> {
    /// The internal key.
    pub key: &'e [u8],
    /// Bytes that the key ends in, as many of them as the block has in front of the value, and the
    /// value.
    pub stored: &'e [u8],
    /// Bytes of the value.
    pub value_size: usize,
}

impl<'e> StoredEntry<'e> {
    /// An entry of which it is not known how it is stored.
    #[inline]
    pub fn apart(key: &'e [u8], value: &'e [u8]) -> Self {
        Self { key, stored: value, value_size: value.len() }
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &'e [u8] {
        &self.stored[self.stored.len() - self.value_size..]
    }
}

impl EntryColumns {
    /// How many entries are laid out.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The rank of an entry.
    ///
    /// # Panics
    /// As [`Self::key`] and [`Self::value`]: if it is not laid out.
    #[inline]
    pub(crate) fn rank(&self, index: usize) -> u64 {
        self.entries[index].rank
    }

    /// The internal key of an entry.
    #[inline]
    pub(crate) fn key(&self, index: usize) -> &[u8] {
        let entry = &self.entries[index];
        self.key_of(entry)
    }

    #[inline]
    fn key_of(&self, entry: &ColumnEntry) -> &[u8] {
        &self.keys[entry.key_start as usize..][..entry.key_size as usize]
    }

    /// The value of an entry of `block`, which must be the one that it was laid out from.
    #[inline]
    pub(crate) fn value<'b>(&self, block: &'b [u8], index: usize) -> &'b [u8] {
        let entry = &self.entries[index];
        &block[entry.value_start as usize..][..entry.value_size as usize]
    }

    /// An entry of `block`, which must be the one that it was laid out from.
    #[inline]
    pub(crate) fn stored_entry<'b>(&'b self, block: &'b [u8], index: usize) -> StoredEntry<'b> {
        let entry = &self.entries[index];
        let value_size = entry.value_size as usize;
        let end = entry.value_start as usize + value_size;
        StoredEntry {
            key: self.key_of(entry),
            stored: &block[entry.suffix_start as usize..end],
            value_size,
        }
    }

    /// Forgets all entries.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        (self.next_offset, self.entries_end) = (0, 0);
        self.last = LastKey::default();
    }

    /// Begins a block. None of its entries is laid out yet.
    ///
    /// # Errors
    /// As [`BlockLayout::parse`]; `NotSupported` if values are stored apart, and for blocks of 4 GiB and
    /// more.
    pub(crate) fn begin(&mut self, block: &[u8]) -> Result<()> {
        self.clear();
        let layout = BlockLayout::parse(block)?;
        if layout.values_offset.is_some() {
            return Err(Status::not_supported("entries side by side of values stored apart"));
        }
        if u32::try_from(block.len()).is_err() {
            return Err(Status::not_supported("entries of a block of 4 GiB or more"));
        }
        self.entries_end = layout.entries_end;
        Ok(())
    }

    /// Lays out the next entries of `block`, the one that was begun, in place of those before. Returns
    /// whether there are any.
    ///
    /// # Errors
    /// `Corruption` if an entry does not fit, its key is not an internal key of a kind that tables
    /// hold, or ranks do not ascend. The block is then at its end.
    pub(crate) fn fill(&mut self, block: &[u8], order: &RankOrder) -> Result<bool> {
        let result = self.lay_out(block, order);
        if result.is_err() {
            self.clear();
        }
        result.map(|()| !self.entries.is_empty())
    }

    fn lay_out(&mut self, block: &[u8], order: &RankOrder) -> Result<()> {
        self.entries.clear();
        let mut last = self.last;
        self.keys.copy_within(last.start..last.start + last.size, 0);
        last.start = 0;
        let entries = &block[..self.entries_end];
        let common_size = order.common.len();
        let (mut start, mut offset) = (last.size, self.next_offset);
        while offset < entries.len() && (start <= KEYS_SIZE_ENOUGH || self.entries.is_empty()) {
            let entry = Entry::decode(entries, offset)
                .filter(|entry| entry.shared <= last.size && entry.key_size() >= TRAILER_SIZE)
                .ok_or_else(|| bad_entry(offset))?;
            let size = entry.key_size();
            self.put_key(entries, &entry, last.start, start);
            let (user_key, trailer) = self.keys[start..start + size].split_at(size - TRAILER_SIZE);
            if !ValueType::is_stored_number(trailer[0]) {
                return Err(unknown_type(trailer[0], offset));
            }
            // What it shares with a key that begins so, it begins with.
            let is_common =
                last.is_common && entry.shared >= common_size && user_key.len() >= common_size;
            let place = if is_common { Ordering::Equal } else { order.place(user_key) };
            let rank = order.rank(user_key, place);
            if rank < last.rank {
                return Err(out_of_order(offset));
            }
            // Sizes in the block have 32 bits as that does, and keys come to their end before long.
            self.entries.push(ColumnEntry {
                rank,
                key_start: start as u32,
                key_size: size as u32,
                suffix_start: entry.suffix_start as u32,
                value_start: entry.value_start() as u32,
                value_size: entry.value_size as u32,
            });
            last = LastKey { start, size, rank, is_common: place.is_eq() };
            offset = entry.value_end();
            start += size;
        }
        (self.last, self.next_offset) = (last, offset);
        Ok(())
    }

    /// Puts the key of an entry at `start`, behind which nothing is used. The key before begins at
    /// `last_start`.
    #[inline]
    fn put_key(&mut self, entries: &[u8], entry: &Entry, last_start: usize, start: usize) {
        let Entry { shared, suffix_start, non_shared, .. } = *entry;
        let needed = start + shared.max(CHUNK_SIZE) + non_shared.max(CHUNK_SIZE);
        if self.keys.len() < needed {
            self.keys.resize(needed.next_power_of_two(), 0);
        }
        if shared <= CHUNK_SIZE {
            // What of the chunk is not shared is written over, or is not used.
            self.keys.copy_within(last_start..last_start + CHUNK_SIZE, start);
        } else {
            self.keys.copy_within(last_start..last_start + shared, start);
        }
        let at = start + shared;
        match entries[suffix_start..].first_chunk::<CHUNK_SIZE>() {
            Some(chunk) if non_shared <= CHUNK_SIZE => {
                self.keys[at..at + CHUNK_SIZE].copy_from_slice(chunk);
            }
            _ => self.keys[at..at + non_shared]
                .copy_from_slice(&entries[suffix_start..suffix_start + non_shared]),
        }
    }
}

#[cold]
fn out_of_order(offset: usize) -> Status {
    Status::corruption(format!("keys of block out of order at its byte {offset}"))
}

#[cold]
fn unknown_type(type_byte: u8, offset: usize) -> Status {
    Status::corruption(format!("unknown value type {type_byte:#04x} in block at its byte {offset}"))
}

#[cfg(test)]
mod tests;
