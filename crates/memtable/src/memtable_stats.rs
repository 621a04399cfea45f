//! What a memtable counts of its records.

use base::{SequenceNumber, ValueType};
use std::sync::atomic::{AtomicU64, Ordering};

/// Stands for no sequence number; none is this large.
const NONE: u64 = u64::MAX;

/// Counts that one writer at a time raises and anyone reads. Each is right by itself; between two
/// of them a record may be counted in one and not yet in the other.
#[derive(Debug)]
pub(crate) struct MemTableStats {
    entries: AtomicU64,
    point_entries: AtomicU64,
    deletes: AtomicU64,
    single_deletes: AtomicU64,
    merges: AtomicU64,
    data_size_bytes: AtomicU64,
    first_sequence: AtomicU64,
    smallest_sequence: AtomicU64,
    largest_sequence: AtomicU64,
}

impl Default for MemTableStats {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Self {
            entries: zero(),
            point_entries: zero(),
            deletes: zero(),
            single_deletes: zero(),
            merges: zero(),
            data_size_bytes: zero(),
            first_sequence: AtomicU64::new(NONE),
            smallest_sequence: AtomicU64::new(NONE),
            largest_sequence: AtomicU64::new(NONE),
        }
    }
}

/// Raises a count. There is one writer, so nothing gets lost between load and store.
#[inline]
fn raise(count: &AtomicU64, by: u64) {
    count.store(count.load(Ordering::Relaxed) + by, Ordering::Relaxed);
}

fn known(sequence: &AtomicU64) -> Option<SequenceNumber> {
    Some(sequence.load(Ordering::Relaxed)).filter(|sequence| *sequence != NONE)
}

impl MemTableStats {
    /// Counts a record of `size` bytes. To be called by one at a time.
    #[inline]
    pub(crate) fn add(&self, sequence: SequenceNumber, value_type: ValueType, size: usize) {
        match value_type {
            ValueType::SingleDeletion => raise(&self.single_deletes, 1),
            ValueType::Merge => raise(&self.merges, 1),
            _ => {}
        }
        if value_type.is_point_deletion() {
            raise(&self.deletes, 1);
        }
        if value_type != ValueType::RangeDeletion {
            raise(&self.point_entries, 1);
        }
        raise(&self.entries, 1);
        raise(&self.data_size_bytes, size as u64);
        let set = |place: &AtomicU64| place.store(sequence, Ordering::Relaxed);
        if self.first_sequence().is_none() {
            set(&self.first_sequence);
        }
        if self.smallest_sequence().is_none_or(|smallest| sequence < smallest) {
            set(&self.smallest_sequence);
        }
        if self.largest_sequence().is_none_or(|largest| sequence > largest) {
            set(&self.largest_sequence);
        }
    }

    pub(crate) fn num_entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn num_point_entries(&self) -> u64 {
        self.point_entries.load(Ordering::Relaxed)
    }

    pub(crate) fn num_deletes(&self) -> u64 {
        self.deletes.load(Ordering::Relaxed)
    }

    pub(crate) fn num_single_deletes(&self) -> u64 {
        self.single_deletes.load(Ordering::Relaxed)
    }

    pub(crate) fn num_merges(&self) -> u64 {
        self.merges.load(Ordering::Relaxed)
    }

    pub(crate) fn data_size_bytes(&self) -> u64 {
        self.data_size_bytes.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn first_sequence(&self) -> Option<SequenceNumber> {
        known(&self.first_sequence)
    }

    #[inline]
    pub(crate) fn smallest_sequence(&self) -> Option<SequenceNumber> {
        known(&self.smallest_sequence)
    }

    #[inline]
    pub(crate) fn largest_sequence(&self) -> Option<SequenceNumber> {
        known(&self.largest_sequence)
    }
}
