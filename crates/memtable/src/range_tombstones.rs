//! The range tombstones of a memtable, cut up when they are read.

use base::{InternalKeyComparator, RangeTombstone};
use iterator::FragmentedRangeTombstoneList;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Range tombstones that readers see cut up. The list of a memtable that is still written is cached
/// until the next range tombstone; that of an immutable one is made once and read without a lock.
#[derive(Debug)]
pub(crate) struct RangeTombstones {
    comparator: InternalKeyComparator,
    /// How many there are: written after the tombstone is in, so that who reads it finds them.
    count: AtomicU64,
    growing: Mutex<Growing>,
    is_immutable: AtomicBool,
    /// The list of an immutable memtable, once it was read.
    fixed: OnceLock<Arc<FragmentedRangeTombstoneList>>,
}

#[derive(Debug, Default)]
struct Growing {
    tombstones: Vec<RangeTombstone>,
    key_bytes: usize,
    fragmented: Option<Arc<FragmentedRangeTombstoneList>>,
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
        growing.fragmented = None;
        self.count.store(growing.tombstones.len() as u64, Ordering::Release);
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Says that none will be added any more.
    pub(crate) fn mark_immutable(&self) {
        self.is_immutable.store(true, Ordering::Release);
    }

    pub(crate) fn fragmented(&self) -> Arc<FragmentedRangeTombstoneList> {
        if let Some(fixed) = self.fixed.get() {
            fixed.clone()
        } else if self.is_immutable.load(Ordering::Acquire) {
            self.fixed.get_or_init(|| self.fragmented_so_far()).clone()
        } else {
            self.fragmented_so_far()
        }
    }

    fn fragmented_so_far(&self) -> Arc<FragmentedRangeTombstoneList> {
        let Growing { tombstones, fragmented, .. } = &mut *self.growing.lock();
        let fragment = || FragmentedRangeTombstoneList::new(tombstones.clone(), &self.comparator);
        fragmented.get_or_insert_with(|| Arc::new(fragment())).clone()
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        let growing = self.growing.lock();
        growing.key_bytes + growing.tombstones.capacity() * size_of::<RangeTombstone>()
    }
}
