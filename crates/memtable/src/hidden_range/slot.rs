//! The ranges that a memtable keeps, and where readers find them. The model test (`tests/hidden_range_model`)
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
    /// Something that shows was written into the range, or nobody watches any more whether that happens.
    is_broken: AtomicBool,
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

    /// Whether a seek to `target`, or to the first of all keys, comes into it.
    #[inline]
    pub fn is_at(&self, target: Option<&[u8]>, comparator: &InternalKeyComparator) -> bool {
        target.map_or(self.start.is_none(), |user_key| self.contains(user_key, comparator))
    }

    /// Whether it holds for a read of this state at `sequence`, which the caller has learned before
    /// it calls this.
    #[inline]
    pub fn holds(&self, sequence: SequenceNumber, super_version_number: u64) -> bool {
        sequence >= self.sequence
            && super_version_number == self.super_version_number
            && !self.is_broken()
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Acquire)
    }

    /// Says that it holds no more, to whoever got it; for who holds the writer's lock.
    pub(crate) fn set_broken(&self) {
        self.is_broken.store(true, Ordering::Release);
    }
}

/// Ranges that have no key in common, in the order of their keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenRanges(Vec<Arc<HiddenRange>>);

impl HiddenRanges {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<HiddenRange>> {
        self.0.iter()
    }

    /// How many of them begin at a user key or before it.
    #[inline]
    fn count_up_to(&self, user_key: &[u8], comparator: &InternalKeyComparator) -> usize {
        let is_before = |start: &Vec<u8>| comparator.compare_user_keys(start, user_key).is_le();
        self.0.partition_point(|range| range.start.as_ref().is_none_or(is_before))
    }

    /// The last one that begins at a user key or before it; none for the first of all keys.
    #[inline]
    fn last_up_to(
        &self,
        user_key: Option<&[u8]>,
        comparator: &InternalKeyComparator,
    ) -> Option<&Arc<HiddenRange>> {
        match user_key {
            Some(user_key) => self.0[..self.count_up_to(user_key, comparator)].last(),
            None => self.0.first().filter(|range| range.start.is_none()),
        }
    }

    /// The one that a user key lies in.
    #[inline]
    pub(crate) fn at(
        &self,
        user_key: Option<&[u8]>,
        comparator: &InternalKeyComparator,
    ) -> Option<&Arc<HiddenRange>> {
        let range = self.last_up_to(user_key, comparator)?;
        let is_before = |end: &Vec<u8>| {
            user_key.is_none_or(|user_key| comparator.compare_user_keys(user_key, end).is_lt())
        };
        range.end.as_ref().is_none_or(is_before).then_some(range)
    }

    /// Whether this very range is among them.
    pub(crate) fn has(&self, range: &Arc<HiddenRange>) -> bool {
        self.0.iter().any(|other| Arc::ptr_eq(other, range))
    }

    /// Those that have keys in common with `range`.
    pub(crate) fn overlapping(
        &self,
        range: &HiddenRange,
        comparator: &InternalKeyComparator,
    ) -> Vec<Arc<HiddenRange>> {
        let ends_before = |a: &HiddenRange, b: &HiddenRange| match (&a.end, &b.start) {
            (Some(end), Some(start)) => comparator.compare_user_keys(end, start).is_le(),
            _ => false,
        };
        let is_apart = |other: &HiddenRange| ends_before(other, range) || ends_before(range, other);
        self.0.iter().filter(|other| !is_apart(other)).cloned().collect()
    }

    /// Adds one that has no key in common with the others.
    pub(crate) fn insert(&mut self, range: Arc<HiddenRange>, comparator: &InternalKeyComparator) {
        let index = range.start.as_ref().map_or(0, |start| self.count_up_to(start, comparator));
        self.0.insert(index, range);
    }

    pub(crate) fn remove(&mut self, range: &Arc<HiddenRange>) {
        self.0.retain(|other| !Arc::ptr_eq(other, range));
    }
}

impl FromIterator<Arc<HiddenRange>> for HiddenRanges {
    /// Of ranges in their order.
    fn from_iter<I: IntoIterator<Item = Arc<HiddenRange>>>(ranges: I) -> Self {
        Self(ranges.into_iter().collect())
    }
}

/// Where readers find the ranges that a memtable keeps. Scans hold on to it, not to the memtable; and to a range that
/// they have found, which tells by itself when it holds no more.
#[derive(Debug, Default)]
pub struct HiddenSlot {
    ranges: RwLock<HiddenRanges>,
    is_set: AtomicBool,
}

impl HiddenSlot {
    /// Whether there are any.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }

    #[inline]
    fn find(
        &self,
        find: impl FnOnce(&HiddenRanges) -> Option<&Arc<HiddenRange>>,
    ) -> Option<Arc<HiddenRange>> {
        if self.has_any() { self.find_shown(find) } else { None }
    }

    #[inline(never)]
    fn find_shown(
        &self,
        find: impl FnOnce(&HiddenRanges) -> Option<&Arc<HiddenRange>>,
    ) -> Option<Arc<HiddenRange>> {
        find(&self.ranges.read()).cloned()
    }

    /// The range that a user key lies in, or that the first of all keys does, if something is known.
    #[inline]
    pub fn at(
        &self,
        user_key: Option<&[u8]>,
        comparator: &InternalKeyComparator,
    ) -> Option<Arc<HiddenRange>> {
        self.find(|ranges| ranges.at(user_key, comparator))
    }

    /// The last range that begins at a user key or before it.
    pub fn last_up_to(
        &self,
        user_key: &[u8],
        comparator: &InternalKeyComparator,
    ) -> Option<Arc<HiddenRange>> {
        self.find(|ranges| ranges.last_up_to(Some(user_key), comparator))
    }

    /// The first range that begins behind a user key.
    pub fn first_after(
        &self,
        user_key: &[u8],
        comparator: &InternalKeyComparator,
    ) -> Option<Arc<HiddenRange>> {
        self.find(|ranges| ranges.0.get(ranges.count_up_to(user_key, comparator)))
    }

    /// All of them.
    pub(crate) fn all(&self) -> HiddenRanges {
        self.ranges.read().clone()
    }

    /// Changes which there are; for who holds the writer's lock.
    pub(crate) fn update(&self, change: impl FnOnce(&mut HiddenRanges)) {
        let mut ranges = self.ranges.write();
        change(&mut ranges);
        self.is_set.store(!ranges.is_empty(), Ordering::Release);
    }
}
