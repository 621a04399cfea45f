//! The range tombstones of a memtable, cut up when they are read.
//!
//! Cutting up all of them anew for each reader that comes after a new one would cost a writer's n
//! tombstones n times n steps. They are therefore cut up in parts, oldest first, each at least
//! [`GROWTH`] times as large as the next: new ones make a part of their own, and are cut up together
//! with the parts before that are too small beside it. So there are O(log n) parts for a reader to
//! search, and each tombstone is cut up O(log n) times.

use base::{InternalKeyComparator, RangeTombstone, SequenceNumber};
use iterator::FragmentedRangeTombstoneList;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// How many times as many tombstones a part has than the next, at least. More means fewer parts to
/// search, and more work for each new tombstone.
const GROWTH: usize = 4;

/// Tombstones cut up in parts, oldest first. Which of them hides a key only all together know.
pub type RangeTombstoneParts = Arc<[Arc<FragmentedRangeTombstoneList>]>;

/// Range tombstones that readers see cut up. The parts of a memtable that is still written are cached
/// until the next range tombstone; the one list of an immutable memtable is made once and read
/// without a lock.
#[derive(Debug)]
pub(crate) struct RangeTombstones {
    comparator: InternalKeyComparator,
    /// How many there are: written after the tombstone is in, so that who reads it finds them.
    count: AtomicU64,
    growing: Mutex<Growing>,
    is_immutable: AtomicBool,
    /// The list of an immutable memtable, once it was read.
    fixed: OnceLock<RangeTombstoneParts>,
}

#[derive(Debug, Default)]
struct Growing {
    /// In the order in which they were added.
    tombstones: Vec<RangeTombstone>,
    key_bytes: usize,
    parts: RangeTombstoneParts,
    /// How many of the tombstones the parts hold: the first ones.
    cut_up: usize,
}

impl Growing {
    /// Cuts up what was added since, with the parts before that are too small beside it.
    fn catch_up(&mut self, comparator: &InternalKeyComparator) {
        let mut kept = self.parts.len();
        let mut start = self.cut_up;
        while kept > 0
            && self.parts[kept - 1].tombstone_count() < GROWTH * (self.tombstones.len() - start)
        {
            kept -= 1;
            start -= self.parts[kept].tombstone_count();
        }
        let new = FragmentedRangeTombstoneList::new(self.tombstones[start..].to_vec(), comparator);
        self.parts = self.parts[..kept].iter().cloned().chain([Arc::new(new)]).collect();
        self.cut_up = self.tombstones.len();
    }
}

impl RangeTombstones {
    pub(crate) fn new(comparator: InternalKeyComparator) -> Self {
        Self {
            comparator,
            count: AtomicU64::new(0),
            growing: Mutex::default(),
            is_immutable: AtomicBool::new(false),
            fixed: OnceLock::new(),
        }
    }

    pub(crate) fn add(&self, tombstone: RangeTombstone) {
        let mut growing = self.growing.lock();
        growing.key_bytes += tombstone.start_key.len() + tombstone.end_key.len();
        growing.tombstones.push(tombstone);
        self.count.store(growing.tombstones.len() as u64, Ordering::Release);
    }

    #[inline]
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Whether those that a read at `sequence` sees are over all keys from `start` on and before `end`,
    /// as far as one part tells.
    pub(crate) fn cover(&self, start: &[u8], end: &[u8], sequence: SequenceNumber) -> bool {
        self.count() > 0 && self.parts().iter().any(|part| part.covers(start, end, sequence))
    }

    /// Says that none will be added any more.
    pub(crate) fn mark_immutable(&self) {
        self.is_immutable.store(true, Ordering::Release);
    }

    /// All of them, in few parts.
    pub(crate) fn parts(&self) -> RangeTombstoneParts {
        if let Some(fixed) = self.fixed.get() {
            return fixed.clone();
        }
        if self.is_immutable.load(Ordering::Acquire) {
            return self.fixed.get_or_init(|| [self.whole_so_far()].into()).clone();
        }
        let mut growing = self.growing.lock();
        if growing.cut_up < growing.tombstones.len() {
            growing.catch_up(&self.comparator);
        }
        growing.parts.clone()
    }

    /// All of them as one list.
    pub(crate) fn fragmented(&self) -> Arc<FragmentedRangeTombstoneList> {
        match &*self.parts() {
            [whole] => whole.clone(),
            _ => self.whole_so_far(),
        }
    }

    /// As one list, which becomes the only part.
    fn whole_so_far(&self) -> Arc<FragmentedRangeTombstoneList> {
        let mut growing = self.growing.lock();
        if growing.parts.len() != 1 || growing.cut_up < growing.tombstones.len() {
            (growing.parts, growing.cut_up) = (Arc::default(), 0);
            growing.catch_up(&self.comparator);
        }
        growing.parts[0].clone()
    }

    /// As they were added.
    pub(crate) fn all(&self) -> Vec<RangeTombstone> {
        self.growing.lock().tombstones.clone()
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        let growing = self.growing.lock();
        growing.key_bytes + growing.tombstones.capacity() * size_of::<RangeTombstone>()
    }
}

#[cfg(test)]
mod tests;
