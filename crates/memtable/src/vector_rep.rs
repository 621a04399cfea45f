//! Records in a vector that is sorted when it is first read.
//!
//! The cheapest container to fill, and to read once filled: what recovery needs, which replays a
//! log and then only reads. Insertions after a read are allowed, and the next read sorts again.
//!
//! Keys and values lie in chunks of memory that grow with the table. What is sorted are small
//! entries that say where. Where keys are ordered as bytes each entry carries the eight bytes of
//! its user key that follow what all user keys begin with; they decide most comparisons. A search
//! looks through every 64th of these first, few enough to stay in the processor's cache.

use crate::memtable_rep::{MemTableEntry, MemTableRep, Position};
use base::InternalKeyComparator;
use base::coding::put_fixed64;
use base::dbformat::{TRAILER_SIZE, extract_user_key};
use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

const CHUNK_SIZE_MIN: usize = 4 << 10;
const CHUNK_SIZE_MAX: usize = 1 << 20;
const SAMPLE_DISTANCE: usize = 64;

/// A memtable for filling once and reading often. RocksDB knows one as `VectorRepFactory`.
pub struct VectorRep {
    comparator: InternalKeyComparator,
    chunks: Vec<Arc<Vec<u8>>>,
    chunks_size: usize,
    /// All entries until the first read takes them away to sort them.
    unsorted: Mutex<Vec<Entry>>,
    sorted: OnceLock<Sorted>,
}

#[derive(Default)]
struct Sorted {
    entries: Vec<Entry>,
    /// What all user keys begin with; empty where keys are not ordered as bytes.
    common_prefix: Vec<u8>,
    /// The ranks of every [`SAMPLE_DISTANCE`]th entry; none where keys are not ordered as bytes.
    samples: Vec<u64>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// Once sorted: where two ranks differ, the keys are ordered as they are. Zero where keys are
    /// not ordered as bytes.
    rank: u64,
    chunk: u32,
    offset: u32,
    user_key_length: u32,
    value_length: u32,
}

const _: () = assert!(size_of::<Entry>() == 24);

/// Eight bytes of the user key from `start` on, padded with zeroes.
#[inline]
fn rank_of(user_key: &[u8], start: usize) -> u64 {
    let bytes = &user_key[start..];
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(padded)
        }
    }
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

    fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| {
            let mut unsorted = self.unsorted.lock().unwrap_or_else(PoisonError::into_inner);
            self.sort(std::mem::take(&mut *unsorted))
        })
    }

    fn sort(&self, mut entries: Vec<Entry>) -> Sorted {
        let is_bytewise = self.comparator.is_bytewise();
        let common_prefix = if is_bytewise { self.common_prefix(&entries) } else { Vec::new() };
        if is_bytewise {
            for entry in &mut entries {
                let user_key = resolve(&self.chunks, entry).user_key();
                entry.rank = rank_of(user_key, common_prefix.len());
            }
        }
        entries.sort_unstable_by(|a, b| self.compare_entries(a, b));
        let samples = if is_bytewise {
            entries.iter().step_by(SAMPLE_DISTANCE).map(|entry| entry.rank).collect()
        } else {
            Vec::new()
        };
        Sorted { entries, common_prefix, samples }
    }

    fn common_prefix(&self, entries: &[Entry]) -> Vec<u8> {
        let mut user_keys = entries.iter().map(|entry| resolve(&self.chunks, entry).user_key());
        let mut common = user_keys.next().unwrap_or_default();
        for user_key in user_keys {
            if !user_key.starts_with(common) {
                let length = common.iter().zip(user_key).take_while(|(a, b)| a == b).count();
                common = &common[..length];
            }
        }
        common.to_vec()
    }

    #[inline]
    fn compare_entries(&self, a: &Entry, b: &Entry) -> Ordering {
        a.rank.cmp(&b.rank).then_with(|| {
            let (key_a, key_b) = (resolve(&self.chunks, a).key(), resolve(&self.chunks, b).key());
            let last_first = || (b.chunk, b.offset).cmp(&(a.chunk, a.offset));
            self.comparator.compare(key_a, key_b).then_with(last_first)
        })
    }

    /// How many of the sorted entries are before `target`, or at it where `or_at` says so.
    fn count_before(&self, target: &[u8], or_at: bool) -> usize {
        let Sorted { entries, common_prefix, samples } = self.sorted();
        let (mut rank, mut from, mut to) = (0, 0, entries.len());
        if self.comparator.is_bytewise() {
            let user_key = extract_user_key(target);
            let head = &user_key[..user_key.len().min(common_prefix.len())];
            match head.cmp(common_prefix) {
                Ordering::Less => return 0,
                Ordering::Greater => return entries.len(),
                Ordering::Equal => rank = rank_of(user_key, common_prefix.len()),
            }
            let first = samples.partition_point(|sample| *sample < rank);
            let ties = samples[first..].partition_point(|sample| *sample == rank);
            from = first.saturating_sub(1) * SAMPLE_DISTANCE;
            to = to.min((first + ties) * SAMPLE_DISTANCE);
        }
        from + entries[from..to].partition_point(|entry| {
            let order = entry
                .rank
                .cmp(&rank)
                .then_with(|| self.comparator.compare(resolve(&self.chunks, entry).key(), target));
            order.is_lt() || (or_at && order.is_eq())
        })
    }

    fn position(&self, index: usize) -> Option<Position> {
        (index < self.sorted().entries.len()).then_some(Position(index))
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
        let chunk = self.chunk_with_room(user_key.len() + TRAILER_SIZE + value.len());
        let offset = chunk.len() as u32;
        chunk.extend_from_slice(user_key);
        put_fixed64(chunk, trailer);
        chunk.extend_from_slice(value);
        let chunk = self.chunks.len() as u32 - 1;
        let unsorted = self.unsorted.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(sorted) = self.sorted.take() {
            *unsorted = sorted.entries;
        }
        unsorted.push(Entry { rank: 0, chunk, offset, user_key_length, value_length });
    }

    fn approximate_memory_usage(&self) -> usize {
        let unsorted = self.unsorted.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = unsorted.capacity();
        let mut samples = 0;
        if let Some(sorted) = self.sorted.get() {
            entries += sorted.entries.capacity();
            samples = sorted.samples.capacity();
        }
        self.chunks_size + entries * size_of::<Entry>() + samples * size_of::<u64>()
    }

    fn first(&self) -> Option<Position> {
        self.position(0)
    }

    fn last(&self) -> Option<Position> {
        self.sorted().entries.len().checked_sub(1).map(Position)
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
        resolve(&self.chunks, &self.sorted().entries[position.0])
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
