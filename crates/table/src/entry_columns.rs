//! The entries of data blocks side by side: keys whole, and where values are.
//!
//! For who goes through all entries of a block once, as compactions do. One pass checks each entry
//! and lays it out, where cursors need a directory and put keys together one after another. The
//! memory is used again for block after block.
//!
//! Most keys fit a few machine words. Such a key is put together in registers, of those of the key
//! before it and of what the block has, by a mask for each number of shared bytes
//! ([`EntryColumns::lay_out_short`]); all others go the long way.
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
use std::array;
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

    /// The rank of a user key of which nothing is known, and whether it begins with the common bytes.
    #[inline(never)]
    fn place_and_rank(&self, user_key: &[u8]) -> (u64, bool) {
        let place = self.place(user_key);
        (self.rank(user_key, place), place.is_eq())
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

/// How far a block is laid out.
#[derive(Clone, Copy, Debug)]
struct Progress {
    last: LastKey,
    /// Where the next key goes.
    start: usize,
    /// Where the next entry is in the block.
    offset: usize,
}

/// The bytes of a chunk.
type Words = [u64; CHUNK_SIZE / 8];

#[inline(always)]
fn words_of(chunk: &[u8; CHUNK_SIZE]) -> Words {
    let (words, _) = chunk.as_chunks::<8>();
    array::from_fn(|index| u64::from_le_bytes(words[index]))
}

/// For each number of bytes up to a chunk's, ones in so many of the first bytes.
static SHARED_MASKS: [Words; CHUNK_SIZE + 1] = {
    let mut masks = [[0; CHUNK_SIZE / 8]; CHUNK_SIZE + 1];
    let mut shared = 0;
    while shared <= CHUNK_SIZE {
        let mut byte = 0;
        while byte < shared {
            masks[shared][byte / 8] |= 0xff << (byte % 8 * 8);
            byte += 1;
        }
        shared += 1;
    }
    masks
};

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

impl ColumnEntry {
    /// Of an entry whose key is laid out from `key_start` on. Sizes in a block have 32 bits as that
    /// does, and keys come to their end before long.
    #[inline(always)]
    fn new(rank: u64, key_start: usize, entry: &Entry) -> Self {
        Self {
            rank,
            key_start: key_start as u32,
            key_size: entry.key_size() as u32,
            suffix_start: entry.suffix_start as u32,
            value_start: entry.value_start() as u32,
            value_size: entry.value_size as u32,
        }
    }
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

    /// The rank of an entry; none if it is not laid out.
    #[inline]
    pub(crate) fn rank(&self, index: usize) -> Option<u64> {
        self.entries.get(index).map(|entry| entry.rank)
    }

    /// The internal key of an entry.
    ///
    /// # Panics
    /// As [`Self::value`]: if it is not laid out.
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

    /// Where the value of an entry ends in its block.
    pub(crate) fn value_end(&self, index: usize) -> usize {
        let entry = &self.entries[index];
        entry.value_start as usize + entry.value_size as usize
    }

    /// How many of the last bytes of an entry's key its block has in front of the value.
    pub(crate) fn suffix_size(&self, index: usize) -> usize {
        let entry = &self.entries[index];
        (entry.value_start - entry.suffix_start) as usize
    }

    /// An entry of `block`, which must be the one that it was laid out from; none if it is not laid
    /// out.
    #[inline(always)]
    pub(crate) fn stored_entry<'b>(
        &'b self,
        block: &'b [u8],
        index: usize,
    ) -> Option<StoredEntry<'b>> {
        let entry = self.entries.get(index)?;
        let value_size = entry.value_size as usize;
        let end = entry.value_start as usize + value_size;
        let stored = &block[entry.suffix_start as usize..end];
        Some(StoredEntry { key: self.key_of(entry), stored, value_size })
    }

    /// Whether entries are laid out, up to the last one of their block.
    #[inline]
    pub(crate) fn reach_end_of_block(&self) -> bool {
        self.next_offset >= self.entries_end && !self.entries.is_empty()
    }

    /// The rank of the last entry that is laid out.
    #[inline]
    pub(crate) fn last_rank(&self) -> Option<u64> {
        self.entries.last().map(|entry| entry.rank)
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
        let mut progress = Progress { last, start: last.size, offset: self.next_offset };
        loop {
            self.lay_out_short(block, order, &mut progress)?;
            let Progress { start, offset, .. } = progress;
            if offset >= self.entries_end || start > KEYS_SIZE_ENOUGH && !self.entries.is_empty() {
                break;
            }
            self.lay_out_one(block, order, &mut progress)?;
        }
        (self.last, self.next_offset) = (progress.last, progress.offset);
        Ok(())
    }

    /// Lays out entries whose keys fit a chunk, until one is not such, or looks damaged, or enough
    /// are laid out.
    #[inline(never)]
    fn lay_out_short(
        &mut self,
        block: &[u8],
        order: &RankOrder,
        progress: &mut Progress,
    ) -> Result<()> {
        let Self { keys, entries, entries_end, .. } = self;
        let keys_end = keys.len().min(KEYS_SIZE_ENOUGH + CHUNK_SIZE);
        let (keys, entries_end) = (&mut keys[..keys_end], *entries_end);
        let common_size = order.common.len();
        let Progress { mut last, mut start, mut offset } = *progress;
        let Some(chunk) = keys.get(last.start..).and_then(<[u8]>::first_chunk) else {
            return Ok(());
        };
        let mut words = words_of(chunk);
        while let Some(entry) = Entry::decode_short_head(block, offset) {
            let (size, end) = (entry.key_size(), entry.value_end());
            // What the block has in front of the suffix is masked out.
            let before = block.get(entry.suffix_start.wrapping_sub(entry.shared)..);
            let Some(chunk) = before.and_then(<[u8]>::first_chunk) else { break };
            let Some(mask) = SHARED_MASKS.get(entry.shared) else { break };
            let target = keys.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<CHUNK_SIZE>);
            let Some(target) = target else { break };
            let user_size = size.wrapping_sub(TRAILER_SIZE);
            if user_size > CHUNK_SIZE - TRAILER_SIZE
                || entry.shared > last.size
                || end > entries_end
            {
                break;
            }
            let stored = words_of(chunk);
            words = array::from_fn(|at| words[at] & mask[at] | stored[at] & !mask[at]);
            for (target, word) in target.as_chunks_mut().0.iter_mut().zip(words) {
                *target = word.to_le_bytes();
            }
            if !ValueType::is_stored_number(target[user_size]) {
                return Err(unknown_type(target[user_size], offset));
            }
            // What it shares with a key that begins so, it begins with.
            let (rank, is_common) = if last.is_common
                && entry.shared >= common_size
                && let Some(first) = target[..user_size].get(common_size..)
                && let Some(first) = first.first_chunk()
            {
                (u64::from_be_bytes(*first), true)
            } else {
                order.place_and_rank(&target[..user_size])
            };
            if rank < last.rank {
                return Err(out_of_order(offset));
            }
            entries.push(ColumnEntry::new(rank, start, &entry));
            last = LastKey { start, size, rank, is_common };
            start += size;
            offset = end;
        }
        *progress = Progress { last, start, offset };
        Ok(())
    }

    /// Lays out one entry, whatever its size.
    #[inline(never)]
    fn lay_out_one(
        &mut self,
        block: &[u8],
        order: &RankOrder,
        progress: &mut Progress,
    ) -> Result<()> {
        let entries = &block[..self.entries_end];
        let Progress { last, start, offset } = *progress;
        let entry = Entry::decode(entries, offset)
            .filter(|entry| entry.shared <= last.size && entry.key_size() >= TRAILER_SIZE)
            .ok_or_else(|| bad_entry(offset))?;
        let size = entry.key_size();
        self.put_key(entries, &entry, last.start, start);
        let (user_key, trailer) = self.keys[start..start + size].split_at(size - TRAILER_SIZE);
        if !ValueType::is_stored_number(trailer[0]) {
            return Err(unknown_type(trailer[0], offset));
        }
        let common_size = order.common.len();
        // What it shares with a key that begins so, it begins with.
        let is_common =
            last.is_common && entry.shared >= common_size && user_key.len() >= common_size;
        let place = if is_common { Ordering::Equal } else { order.place(user_key) };
        let rank = order.rank(user_key, place);
        if rank < last.rank {
            return Err(out_of_order(offset));
        }
        self.entries.push(ColumnEntry::new(rank, start, &entry));
        let last = LastKey { start, size, rank, is_common: place.is_eq() };
        *progress = Progress { last, start: start + size, offset: entry.value_end() };
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
