//! How a memtable holds its records.
//!
//! A representation has two sides: one [`MemTableRepWriter`], which nobody can have twice, and the
//! [`MemTableRep`] that any number of readers share. That there is one writer at a time thus needs
//! no lock of the representation's own.

use crate::arena::ArenaSlice;
use crate::chunk::Chunk;
use base::dbformat::extract_user_key;
use base::{InternalIterator, PinnableSlice, key_prefix, pinnable_slice::PinnedBytes};
use perf_context::{PerfMetric, Timer, count};
use std::fmt;
use std::sync::Arc;

/// The side of a container of records that is read, in internal key order, also while records are
/// inserted (`rocksdb::MemTableRep`). Records with equal internal keys are all kept, the last one inserted first.
///
/// Who reads sees every record whose insertion happened before, those inserted meanwhile or not,
/// and each of them whole.
pub trait MemTableRep: fmt::Debug + Send + Sync {
    /// Visits the records from the internal key `target` on until `visitor` returns false.
    fn visit(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool);

    /// As [`Self::visit`] for who wants records of the user key of `target` alone: those of others need not
    /// be visited, and may be. Default: [`Self::visit`].
    fn visit_key(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        self.visit(target, visitor);
    }

    /// Iterates over all records and keeps them alive.
    fn new_iterator(self: Arc<Self>) -> Box<dyn InternalIterator>;

    /// Whether iterators see what is inserted after they were made, from their next seek on. Default:
    /// they may not.
    fn has_live_iterators(&self) -> bool {
        false
    }

    /// About how many records there are from the internal key `start` on and before `end`.
    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64;

    /// User keys that divide the records into ranges of about the same size, at most `count` of them: in their order, no
    /// two of the same bytes, and each that of a record. None where records lie in memory in the order of their keys, so
    /// that who goes through them waits for none. Asked when nothing is inserted any more. Default: none.
    fn split_keys(&self, _count: usize) -> Vec<Vec<u8>> {
        Vec::new()
    }

    /// Bytes of memory held, spare room included.
    fn allocated_bytes(&self) -> usize;

    /// Says that nothing will be inserted any more (`MarkReadOnly`). Default: nothing is to be done.
    fn mark_immutable(&self) {}

    /// Says that all records are in a table now (`MarkFlushed`). Readers may still be there. Default:
    /// nothing is to be done.
    fn mark_flushed(&self) {}
}

/// So many keys are told at once before they are inserted: memory answers about as many requests side by side.
pub const EXPECTED_KEYS_MAX: usize = 16;

/// The side of a container of records that is written.
pub trait MemTableRepWriter: fmt::Debug + Send {
    /// Adds a record, whose internal key is `user_key` and the packed `trailer`.
    ///
    /// # Panics
    /// If a key or a value is 4 GiB or longer: no record of the formats may be.
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]);

    /// As [`MemTableRepWriter::insert`] for a record that is likely to belong near the last one that
    /// came with the same `hint`. Returns whether that one is new, and takes memory from now on.
    ///
    /// # Panics
    /// As [`MemTableRepWriter::insert`].
    fn insert_with_hint(
        &mut self,
        _hint: u64,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> bool {
        self.insert(user_key, trailer, value);
        false
    }

    /// Says which user keys are inserted next, in this order, so that what has to be looked at can be brought
    /// into the processor's cache for all of them side by side. Others may come all the same, and more keys
    /// than [`EXPECTED_KEYS_MAX`] are not looked at. Default: nothing is done.
    fn expect(&mut self, _user_keys: &[&[u8]]) {}
}

/// The length of a key or value, which the formats limit to 32 bits.
pub(crate) fn length(bytes: &[u8]) -> u32 {
    match u32::try_from(bytes.len()) {
        Ok(length) => length,
        Err(_) => panic!("record with a key or value of {} bytes", bytes.len()),
    }
}

/// Some of `record_count` records that are evenly spread, by their user keys in their order: at most `count` of them, no
/// two of the same bytes, that divide what they are spread over into ranges of about the same size. None if they lie in
/// memory in that order.
pub(crate) fn split_keys_among<'a>(
    record_count: usize,
    user_key: impl Fn(usize) -> &'a [u8],
    count: usize,
) -> Vec<Vec<u8>> {
    if lie_in_order(record_count, &user_key) {
        return Vec::new();
    }
    let step = record_count.div_ceil(count.saturating_add(1)).max(1);
    let mut keys: Vec<&[u8]> = (0..record_count).step_by(step).skip(1).map(user_key).collect();
    // Of the versions of one key there may be very many.
    keys.dedup();
    keys.into_iter().map(<[u8]>::to_vec).collect()
}

/// Whether most records lie in memory not far behind those before them in the order of keys, as far as some pairs tell.
/// Others are those before which the arena goes on elsewhere, and those that came late.
fn lie_in_order<'a>(record_count: usize, user_key: impl Fn(usize) -> &'a [u8]) -> bool {
    const PAIRS: usize = 64;
    /// Between the first records of two leaves there are those of one.
    const NEAR_BYTES: usize = 64 << 10;
    let address = |index| user_key(index).as_ptr().addr();
    let is_behind = |index: &usize| address(*index).wrapping_sub(address(index - 1)) < NEAR_BYTES;
    let seconds = (1..record_count).step_by(record_count.div_ceil(PAIRS).max(1));
    let pairs = seconds.len();
    seconds.filter(is_behind).count() * 2 >= pairs
}

/// Eight bytes of a user key from `start` on, padded with zeroes. Where two ranks differ, keys that
/// are equal before `start` and ordered as bytes are ordered as their ranks.
#[inline]
pub(crate) fn rank_of(user_key: &[u8], start: usize) -> u64 {
    let ranked = &user_key[start..];
    match user_key.last_chunk() {
        // Of a short rest, eight bytes that end where it ends tell without a loop.
        Some(last) if (1..size_of::<u64>()).contains(&ranked.len()) => {
            u64::from_be_bytes(*last) << (u64::BITS as usize - 8 * ranked.len())
        }
        _ => key_prefix(ranked),
    }
}

/// A record of a memtable.
#[derive(Clone, Copy)]
pub struct MemTableEntry<'a> {
    key: &'a [u8],
    value: &'a [u8],
    home: Home<'a>,
}

/// What to hold on to so that the value stays.
#[derive(Clone, Copy)]
enum Home<'a> {
    Arena(ArenaSlice<'a>),
    Chunk {
        chunk: &'a Arc<Chunk>,
        value_start: usize,
    },
    /// Nothing: who wants to keep the value copies it.
    Unknown,
}

impl<'a> MemTableEntry<'a> {
    /// A record of a program's own container, by its internal key and its value.
    pub fn new(key: &'a [u8], value: &'a [u8]) -> Self {
        Self { key, value, home: Home::Unknown }
    }

    /// A record whose key and value lie in an arena.
    #[inline]
    pub(crate) fn in_arena(key: &'a [u8], value: ArenaSlice<'a>) -> Self {
        Self { key, value: value.bytes(), home: Home::Arena(value) }
    }

    /// A record within `chunk`: the internal key, then the value.
    #[inline]
    pub(crate) fn in_chunk(
        chunk: &'a Arc<Chunk>,
        start: usize,
        value_start: usize,
        end: usize,
    ) -> Self {
        let bytes = chunk.bytes();
        let (key, value) = (&bytes[start..value_start], &bytes[value_start..end]);
        Self { key, value, home: Home::Chunk { chunk, value_start } }
    }

    /// The internal key.
    #[inline]
    pub fn key(&self) -> &'a [u8] {
        self.key
    }

    /// The user key.
    #[inline]
    pub fn user_key(&self) -> &'a [u8] {
        extract_user_key(self.key)
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        self.value
    }

    /// The value, kept alive by a reference of its own, or as a copy where it is small.
    pub fn pinned_value(&self) -> PinnableSlice {
        match self.home {
            Home::Arena(value) => value.pin(),
            Home::Chunk { chunk, value_start } => {
                let owner = Arc::clone(chunk) as Arc<dyn PinnedBytes>;
                PinnableSlice::pinned(owner, value_start..value_start + self.value.len())
            }
            Home::Unknown => PinnableSlice::from(self.value),
        }
    }
}

impl fmt::Debug for MemTableEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemTableEntry").field("key", &self.key()).finish_non_exhaustive()
    }
}

/// An iterator of a memtable seeks.
pub(crate) fn start_seek() -> Timer<PerfMetric> {
    count(PerfMetric::SeekOnMemtableCount, 1);
    Timer::start(PerfMetric::SeekOnMemtableTime)
}

#[cfg(test)]
mod tests;
