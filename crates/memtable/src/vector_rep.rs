//! Records in a vector that is sorted when it is first read.
//!
//! The cheapest container to fill, and to read once filled: what recovery needs, which replays a
//! log and then only reads. Insertions after a read are allowed, and the next read sorts again.
//!
//! Keys and values lie in chunks of memory that grow with the table. What is sorted are small
//! entries that say where; each carries the first eight bytes of its user key, which decide most
//! comparisons of bytewise keys.

use crate::memtable_rep::{MemTableEntry, MemTableRep, Position};
use base::InternalKeyComparator;
use base::coding::put_fixed64;
use base::dbformat::{TRAILER_SIZE, extract_user_key};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const CHUNK_SIZE_MIN: usize = 4 << 10;
const CHUNK_SIZE_MAX: usize = 1 << 20;

/// A memtable for filling once and reading often. RocksDB knows one as `VectorRepFactory`.
pub struct VectorRep {
    comparator: InternalKeyComparator,
    chunks: Vec<Arc<Vec<u8>>>,
    chunks_size: usize,
    /// All entries until the first read takes them away to sort them.
    unsorted: Mutex<Vec<Entry>>,
    sorted: OnceLock<Vec<Entry>>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The first bytes of the user key where keys are ordered as bytes, otherwise zero.
    prefix: u64,
    chunk: u32,
    offset: u32,
    user_key_length: u32,
    value_length: u32,
}

const _: () = assert!(size_of::<Entry>() == 24);

/// The first eight bytes, padded with zeroes: where two prefixes differ their keys differ alike.
fn prefix_of(user_key: &[u8], comparator: &InternalKeyComparator) -> u64 {
    if !comparator.is_bytewise() {
        return 0;
    }
    let mut padded = [0; 8];
    let length = user_key.len().min(8);
    padded[..length].copy_from_slice(&user_key[..length]);
    u64::from_be_bytes(padded)
}

fn length(bytes: &[u8]) -> u32 {
    match u32::try_from(bytes.len()) {
        Ok(length) => length,
        Err(_) => panic!("record with a key or value of {} bytes", bytes.len()),
    }
}

#[inline]
fn resolve<'a>(chunks: &'a [Arc<Vec<u8>>], entry: &Entry) -> MemTableEntry<'a> {
    let start = entry.offset as usize;
    let value_start = start + entry.user_key_length as usize + TRAILER_SIZE;
    let end = value_start + entry.value_length as usize;
    MemTableEntry::new(&chunks[entry.chunk as usize], start, value_start, end)
}

impl VectorRep {
    /// An empty container.
    pub fn new(comparator: InternalKeyComparator) -> Self {
        Self {
            comparator,
            chunks: Vec::new(),
            chunks_size: 0,
            unsorted: Mutex::default(),
            sorted: OnceLock::new(),
        }
    }

    fn sorted(&self) -> &[Entry] {
        self.sorted.get_or_init(|| {
            let mut unsorted = self.unsorted.lock().unwrap_or_else(PoisonError::into_inner);
            let mut entries = std::mem::take(&mut *unsorted);
            entries.sort_unstable_by(|a, b| self.compare_entries(a, b));
            entries
        })
    }

    #[inline]
    fn compare_entries(&self, a: &Entry, b: &Entry) -> Ordering {
        a.prefix.cmp(&b.prefix).then_with(|| {
            let (key_a, key_b) = (resolve(&self.chunks, a).key(), resolve(&self.chunks, b).key());
            let last_first = || (b.chunk, b.offset).cmp(&(a.chunk, a.offset));
            self.comparator.compare(key_a, key_b).then_with(last_first)
        })
    }

    /// How many of the sorted entries are before `target`, or at it where `or_at` says so.
    fn count_before(&self, target: &[u8], or_at: bool) -> usize {
        let prefix = prefix_of(extract_user_key(target), &self.comparator);
        self.sorted().partition_point(|entry| {
            let order = entry
                .prefix
                .cmp(&prefix)
                .then_with(|| self.comparator.compare(resolve(&self.chunks, entry).key(), target));
            order.is_lt() || (or_at && order.is_eq())
        })
    }

    fn position(&self, index: usize) -> Option<Position> {
        (index < self.sorted().len()).then_some(Position(index))
    }

    /// The chunk to append `size` bytes to: the last one if it has room and nobody holds it.
    fn chunk_with_room(&mut self, size: usize) -> &mut Vec<u8> {
        let has_room = self.chunks.last_mut().and_then(Arc::get_mut).is_some_and(|chunk| {
            chunk.capacity() - chunk.len() >= size && u32::try_from(chunk.len()).is_ok()
        });
        if !has_room {
            let capacity = self.chunks_size.clamp(CHUNK_SIZE_MIN, CHUNK_SIZE_MAX).max(size);
            self.chunks.push(Arc::new(Vec::with_capacity(capacity)));
            self.chunks_size += capacity;
        }
        match self.chunks.last_mut().and_then(Arc::get_mut) {
            Some(chunk) => chunk,
            None => unreachable!("the last chunk is new or was seen to be unshared"),
        }
    }
}

impl MemTableRep for VectorRep {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        let (user_key_length, value_length) = (length(user_key), length(value));
        let prefix = prefix_of(user_key, &self.comparator);
        let chunk = self.chunk_with_room(user_key.len() + TRAILER_SIZE + value.len());
        let offset = chunk.len() as u32;
        chunk.extend_from_slice(user_key);
        put_fixed64(chunk, trailer);
        chunk.extend_from_slice(value);
        let chunk = self.chunks.len() as u32 - 1;
        let unsorted = self.unsorted.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(sorted) = self.sorted.take() {
            *unsorted = sorted;
        }
        unsorted.push(Entry { prefix, chunk, offset, user_key_length, value_length });
    }

    fn approximate_memory_usage(&self) -> usize {
        let unsorted = self.unsorted.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = unsorted.capacity() + self.sorted.get().map_or(0, Vec::capacity);
        self.chunks_size + entries * size_of::<Entry>()
    }

    fn first(&self) -> Option<Position> {
        self.position(0)
    }

    fn last(&self) -> Option<Position> {
        self.sorted().len().checked_sub(1).map(Position)
    }

    fn seek(&self, target: &[u8]) -> Option<Position> {
        self.position(self.count_before(target, false))
    }

    fn seek_for_prev(&self, target: &[u8]) -> Option<Position> {
        self.count_before(target, true).checked_sub(1).map(Position)
    }

    fn next(&self, position: Position) -> Option<Position> {
        self.position(position.0 + 1)
    }

    fn prev(&self, position: Position) -> Option<Position> {
        position.0.checked_sub(1).map(Position)
    }

    fn entry(&self, position: Position) -> MemTableEntry<'_> {
        resolve(&self.chunks, &self.sorted()[position.0])
    }
}

impl fmt::Debug for VectorRep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorRep")
            .field("chunks", &self.chunks.len())
            .field("chunks_size", &self.chunks_size)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
