//! Records in a vector that is sorted when it is read.
//!
//! The cheapest container to fill, and to read once filled: what recovery needs, which replays a
//! log and then only reads. Who reads while it is filled pays for it, as the records that came since
//! the last read are sorted in; an immutable one is sorted once and read without a lock.
//!
//! Keys and values lie in chunks of memory that grow with the table. What is sorted are small
//! entries that say where. Where keys are ordered as bytes each entry carries the eight bytes of
//! its user key that follow what all user keys begin with; they decide most comparisons. A search
//! looks through every 64th of these first, few enough to stay in the processor's cache.

use crate::block_source::BlockSource;
use crate::chunk::Chunk;
use crate::kept_block::KEPT_BLOCK_SIZE;
use crate::memtable_rep::start_seek;
use crate::memtable_rep::{
    MemTableEntry, MemTableRep, MemTableRepWriter, length, rank_of, split_keys_among,
};
use base::dbformat::{TRAILER_SIZE, extract_user_key};
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result};
use parking_lot::Mutex;
use perf_context::{PerfMetric, count};
use std::cmp::Ordering;
use std::fmt;
use std::sync::atomic::{self, AtomicBool};
use std::sync::{Arc, OnceLock};

const CHUNK_SIZE_MIN: usize = 512;
const CHUNK_SIZE_MAX: usize = KEPT_BLOCK_SIZE;
const SAMPLE_DISTANCE: usize = 64;

/// A memtable for filling once and reading often. RocksDB knows one as `VectorRepFactory`.
pub struct VectorRep {
    comparator: InternalKeyComparator,
    growing: Mutex<Growing>,
    is_immutable: AtomicBool,
    /// All records, once one that is immutable was read.
    fixed: OnceLock<Arc<Sorted>>,
}

/// Adds records to a [`VectorRep`].
#[derive(Debug)]
pub struct VectorRepWriter {
    rep: Arc<VectorRep>,
}

/// Records that are still added to.
#[derive(Default)]
struct Growing {
    /// Chunks that are added to no more.
    chunks: Vec<Arc<Chunk>>,
    /// The chunk that follows them.
    last_chunk: Chunk,
    /// Bytes of all chunks, spare room included.
    chunks_size: usize,
    /// Size of the next chunk.
    next_chunk_size: usize,
    /// The records that are not among the sorted ones.
    unsorted: Vec<Entry>,
    /// The records up to the last read.
    sorted: Option<Arc<Sorted>>,
    /// Where the largest chunks come from.
    source: BlockSource,
}

/// Records as a reader sees them.
struct Sorted {
    comparator: InternalKeyComparator,
    chunks: Vec<Arc<Chunk>>,
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

#[inline]
fn resolve<'a>(chunks: &'a [Arc<Chunk>], entry: &Entry) -> MemTableEntry<'a> {
    let start = entry.offset as usize;
    let value_start = start + entry.user_key_length as usize + TRAILER_SIZE;
    let end = value_start + entry.value_length as usize;
    MemTableEntry::in_chunk(&chunks[entry.chunk as usize], start, value_start, end)
}

impl Growing {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        let (user_key_length, value_length) = (length(user_key), length(value));
        self.make_room(user_key.len() + TRAILER_SIZE + value.len());
        let chunk = &mut self.last_chunk;
        let offset = chunk.bytes().len() as u32;
        chunk.put(user_key);
        chunk.put(&trailer.to_le_bytes());
        chunk.put(value);
        let chunk = self.chunks.len() as u32;
        self.unsorted.push(Entry { rank: 0, chunk, offset, user_key_length, value_length });
    }

    fn make_room(&mut self, size: usize) {
        let chunk = &self.last_chunk;
        let filled = chunk.bytes().len();
        if chunk.capacity() - filled >= size && u32::try_from(filled).is_ok() {
            return;
        }
        if filled > 0 {
            self.close_chunk();
        }
        let capacity = self.next_chunk_size.clamp(CHUNK_SIZE_MIN, CHUNK_SIZE_MAX);
        self.next_chunk_size = 2 * capacity;
        self.chunks_size -= self.last_chunk.capacity();
        self.last_chunk = Chunk::new(capacity.max(size), &mut self.source);
        self.chunks_size += self.last_chunk.capacity();
    }

    fn close_chunk(&mut self) {
        self.chunks.push(Arc::new(std::mem::take(&mut self.last_chunk)));
    }

    /// All records so far. The chunk that was being filled is closed, as readers will share it;
    /// the next one begins small, for the case that a read follows each insertion.
    fn sorted(&mut self, comparator: &InternalKeyComparator) -> Arc<Sorted> {
        if let Some(sorted) = &self.sorted
            && self.unsorted.is_empty()
        {
            return sorted.clone();
        }
        if !self.last_chunk.bytes().is_empty() {
            self.close_chunk();
            self.next_chunk_size = 0;
        }
        let added = std::mem::take(&mut self.unsorted);
        let entries = match self.sorted.take().map(Arc::try_unwrap) {
            None => added,
            Some(Ok(sorted)) => [sorted.entries, added].concat(),
            Some(Err(sorted)) => [&sorted.entries[..], &added].concat(),
        };
        let sorted = Arc::new(Sorted::new(comparator.clone(), self.chunks.clone(), entries));
        self.sorted = Some(sorted.clone());
        sorted
    }
}

impl Sorted {
    fn new(
        comparator: InternalKeyComparator,
        chunks: Vec<Arc<Chunk>>,
        entries: Vec<Entry>,
    ) -> Self {
        let (common_prefix, samples) = (Vec::new(), Vec::new());
        let mut sorted = Self { comparator, chunks, entries, common_prefix, samples };
        let mut entries = std::mem::take(&mut sorted.entries);
        let is_bytewise = sorted.comparator.is_bytewise();
        if is_bytewise {
            sorted.common_prefix = sorted.find_common_prefix(&entries);
            for entry in &mut entries {
                let user_key = resolve(&sorted.chunks, entry).user_key();
                entry.rank = rank_of(user_key, sorted.common_prefix.len());
            }
        }
        // A stable sort, because it is fast where most entries were sorted before.
        entries.sort_by(|a, b| sorted.compare_entries(a, b));
        if is_bytewise {
            let samples = entries.iter().step_by(SAMPLE_DISTANCE);
            sorted.samples = samples.map(|entry| entry.rank).collect();
        }
        sorted.entries = entries;
        sorted
    }

    fn find_common_prefix(&self, entries: &[Entry]) -> Vec<u8> {
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

    /// How many of the entries are before `target`, or at it where `or_at` says so.
    fn count_before(&self, target: &[u8], or_at: bool) -> usize {
        let Self { entries, common_prefix, samples, .. } = self;
        if entries.is_empty() {
            return 0;
        }
        let (mut rank, mut from, mut to) = (0, 0, entries.len());
        if self.comparator.is_bytewise() {
            let user_key = extract_user_key(target);
            let head = &user_key[..user_key.len().min(common_prefix.len())];
            // Nothing in common is the usual case, and a comparison of no bytes at no address is slow:
            // processors with masked loads go to microcode for an address that is not mapped.
            if !common_prefix.is_empty() {
                match head.cmp(common_prefix) {
                    Ordering::Less => return 0,
                    Ordering::Greater => return entries.len(),
                    Ordering::Equal => {}
                }
            }
            rank = rank_of(user_key, common_prefix.len());
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

    #[inline]
    fn entry(&self, index: usize) -> MemTableEntry<'_> {
        resolve(&self.chunks, &self.entries[index])
    }

    fn allocated_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.samples.capacity() * size_of::<u64>()
            + self.common_prefix.capacity()
    }
}

impl VectorRep {
    /// An empty container with memory for the entries of `reserve` records.
    pub fn new(comparator: InternalKeyComparator, reserve: usize) -> (Arc<Self>, VectorRepWriter) {
        Self::with_blocks(comparator, reserve, BlockSource::default())
    }

    /// As [`Self::new`], of such blocks.
    pub(crate) fn with_blocks(
        comparator: InternalKeyComparator,
        reserve: usize,
        source: BlockSource,
    ) -> (Arc<Self>, VectorRepWriter) {
        let unsorted = Vec::with_capacity(reserve);
        let growing = Growing { unsorted, source, ..Growing::default() };
        let rep = Arc::new(Self {
            comparator,
            growing: Mutex::new(growing),
            is_immutable: AtomicBool::new(false),
            fixed: OnceLock::new(),
        });
        (rep.clone(), VectorRepWriter { rep })
    }

    /// All records, if there will be no more.
    fn fixed(&self) -> Option<&Arc<Sorted>> {
        self.fixed.get().or_else(|| {
            let sort = || self.growing.lock().sorted(&self.comparator);
            self.is_immutable.load(atomic::Ordering::Acquire).then(|| self.fixed.get_or_init(sort))
        })
    }

    fn sorted(&self) -> Arc<Sorted> {
        self.fixed().cloned().unwrap_or_else(|| self.growing.lock().sorted(&self.comparator))
    }
}

impl MemTableRepWriter for VectorRepWriter {
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        self.rep.growing.lock().insert(user_key, trailer, value);
    }
}

impl MemTableRep for VectorRep {
    fn visit(&self, target: &[u8], visitor: &mut dyn FnMut(MemTableEntry<'_>) -> bool) {
        let current;
        let sorted = match self.fixed() {
            Some(fixed) => fixed,
            None => {
                current = self.sorted();
                &current
            }
        };
        let mut index = sorted.count_before(target, false);
        while index < sorted.entries.len() && visitor(sorted.entry(index)) {
            index += 1;
        }
    }

    fn new_iterator(self: Arc<Self>) -> Box<dyn InternalIterator> {
        let sorted = self.sorted();
        Box::new(SortedIterator { index: sorted.entries.len(), sorted })
    }

    fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        let sorted = self.sorted();
        sorted.count_before(end, false).saturating_sub(sorted.count_before(start, false)) as u64
    }

    fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        let sorted = self.sorted();
        split_keys_among(sorted.entries.len(), |index| sorted.entry(index).user_key(), count)
    }

    fn allocated_bytes(&self) -> usize {
        let growing = self.growing.lock();
        let sorted = growing.sorted.as_ref().map_or(0, |sorted| sorted.allocated_bytes());
        growing.chunks_size + growing.unsorted.capacity() * size_of::<Entry>() + sorted
    }

    fn mark_immutable(&self) {
        self.is_immutable.store(true, atomic::Ordering::Release);
    }
}

impl fmt::Debug for VectorRep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VectorRep")
            .field("fixed", &self.fixed.get().is_some())
            .finish_non_exhaustive()
    }
}

/// Iterates over the records that there were when it was made.
struct SortedIterator {
    sorted: Arc<Sorted>,
    /// Any index past the last entry where the iterator is not valid.
    index: usize,
}

impl SortedIterator {
    fn require_valid(&self) {
        assert!(self.valid(), "iterator is not valid");
    }
}

impl InternalIterator for SortedIterator {
    fn valid(&self) -> bool {
        self.index < self.sorted.entries.len()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.index = 0;
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.index = self.sorted.entries.len().wrapping_sub(1);
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        let _timer = start_seek();
        self.index = self.sorted.count_before(target, false);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        let _timer = start_seek();
        self.index = self.sorted.count_before(target, true).wrapping_sub(1);
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        count(PerfMetric::NextOnMemtableCount, 1);
        self.require_valid();
        self.index += 1;
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        count(PerfMetric::PrevOnMemtableCount, 1);
        self.require_valid();
        self.index = self.index.wrapping_sub(1);
        Ok(())
    }

    fn key(&self) -> &[u8] {
        self.sorted.entry(self.index).key()
    }

    fn value(&self) -> &[u8] {
        self.sorted.entry(self.index).value()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.sorted.entry(self.index).pinned_value()
    }
}

#[cfg(test)]
mod tests;
