//! The range that a memtable keeps, and where readers find it. The model test (`tests/hidden_range_model`)
//! takes this file as it is.

use crate::sync_primitives::{AtomicBool, Ordering, RwLock};
use base::{InternalKeyComparator, SequenceNumber};
use std::sync::Arc;

/// Deletions in a hidden range that are under no range tombstone, and may be brought under one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unconverted {
    /// The key of the first.
    pub first: Vec<u8>,
    /// How many there are.
    pub deletions: u64,
}

/// A range of user keys of which nothing shows.
#[derive(Debug)]
pub struct HiddenRange {
    /// The first key; none for all before `end`.
    pub start: Option<Vec<u8>>,
    /// The first key after; none for all from `start` on.
    pub end: Option<Vec<u8>>,
    /// Reads at this sequence number and later ones see nothing of the range.
    pub sequence: SequenceNumber,
    /// The state of the column family in which that holds.
    pub super_version_number: u64,
    /// Entries that a scan need not pass.
    pub entries: u64,
    unconverted: Option<Unconverted>,
    /// They are under a range tombstone now.
    is_converted: AtomicBool,
    /// Something that shows was written into the range.
    pub(crate) is_broken: AtomicBool,
}

impl HiddenRange {
    /// A range that nobody knows of yet.
    pub fn new(
        (start, end): (Option<Vec<u8>>, Option<Vec<u8>>),
        sequence: SequenceNumber,
        super_version_number: u64,
        entries: u64,
    ) -> Self {
        let (is_converted, is_broken) = (AtomicBool::new(false), AtomicBool::new(false));
        Self {
            start,
            end,
            sequence,
            super_version_number,
            entries,
            unconverted: None,
            is_converted,
            is_broken,
        }
    }

    /// The range with deletions in it that may be brought under a range tombstone.
    #[must_use]
    pub fn with_unconverted(self, unconverted: Option<Unconverted>) -> Self {
        Self { unconverted, ..self }
    }

    /// Deletions in it that are under no range tombstone, where these are counted.
    pub fn unconverted(&self) -> Option<&Unconverted> {
        self.unconverted.as_ref().filter(|_| !self.is_converted.load(Ordering::Acquire))
    }

    /// Says that a range tombstone is over them.
    pub fn set_converted(&self) {
        self.is_converted.store(true, Ordering::Release);
    }

    /// The same range in another state of the column family.
    pub(crate) fn in_state(&self, super_version_number: u64) -> Self {
        let bounds = (self.start.clone(), self.end.clone());
        Self::new(bounds, self.sequence, super_version_number, self.entries)
            .with_unconverted(self.unconverted().cloned())
    }

    /// Whether a user key lies within.
    #[inline]
    pub fn contains(&self, user_key: &[u8], comparator: &InternalKeyComparator) -> bool {
        let is_after = |start: &Vec<u8>| comparator.compare_user_keys(user_key, start).is_ge();
        let is_before = |end: &Vec<u8>| comparator.compare_user_keys(user_key, end).is_lt();
        self.start.as_ref().is_none_or(is_after) && self.end.as_ref().is_none_or(is_before)
    }

    /// Whether it holds for a read of this state at `sequence`, which the caller has learned before
    /// it got the range.
    #[inline]
    pub fn holds(&self, sequence: SequenceNumber, super_version_number: u64) -> bool {
        sequence >= self.sequence
            && super_version_number == self.super_version_number
            && !self.is_broken()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }
}

/// Where readers find the range that a memtable keeps. Scans hold on to it, not to the memtable.
#[derive(Debug, Default)]
pub struct HiddenSlot {
    range: RwLock<Option<Arc<HiddenRange>>>,
    is_set: AtomicBool,
}

impl HiddenSlot {
    /// The range, if something is known.
    #[inline]
    pub fn get(&self) -> Option<Arc<HiddenRange>> {
        if !self.is_set.load(Ordering::Acquire) {
            return None;
        }
        self.range.read().clone()
    }

    /// For who holds the writer's lock.
    pub(crate) fn set(&self, range: Option<Arc<HiddenRange>>) {
        let is_set = range.is_some();
        *self.range.write() = range;
        self.is_set.store(is_set, Ordering::Release);
    }
}
