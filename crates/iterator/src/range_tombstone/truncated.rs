//! The tombstones of one table within that table's boundaries, seen from a moving key.
//!
//! A tombstone in a table says nothing about keys outside of the table's range: when tables were
//! split, the tombstone went into each of them, and of the others' keys it hides only what it
//! hides there. Boundaries are internal keys, for one user key may be spread over two tables:
//!
//! ```text
//! smallest   the first record may be hidden: covered from (its user key, its sequence)
//! largest    a range tombstone's end: covered up to before its user key
//!            sequence 0:              covered up to before the record; nothing hides it here
//!            otherwise:               covered up to and with the record
//! ```

use super::fragmented::FragmentedRangeTombstoneList;
use crate::Direction;
use base::dbformat::{MAX_SEQUENCE_NUMBER, VALUE_TYPE_FOR_SEEK, pack_sequence_and_type};
use base::{InternalKey, InternalKeyComparator, ParsedInternalKey, SequenceNumber};
use std::cmp::Ordering;
use std::sync::Arc;

/// A place between internal keys: before the records of `user_key` whose trailer is at most
/// `trailer`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    pub(super) user_key: &'a [u8],
    pub(super) trailer: u64,
}

/// A [`Bound`] that keeps its key.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnedBound {
    user_key: Vec<u8>,
    trailer: u64,
}

/// Before all records of a user key.
const TRAILER_FIRST: u64 = trailer_before(MAX_SEQUENCE_NUMBER);

/// Before all records of a user key with this sequence number, whatever their type.
const fn trailer_before(sequence: SequenceNumber) -> u64 {
    sequence << 8 | 0xff
}

impl<'a> Bound<'a> {
    pub(super) fn before(key: &ParsedInternalKey<'a>) -> Self {
        Self { user_key: key.user_key, trailer: key.trailer() }
    }

    #[inline]
    pub(super) fn compare(
        &self,
        other: &Bound<'_>,
        comparator: &InternalKeyComparator,
    ) -> Ordering {
        comparator
            .compare_user_keys(self.user_key, other.user_key)
            .then_with(|| other.trailer.cmp(&self.trailer))
    }

    /// Makes `target` what a seek in either direction takes to here, or to a record on this side.
    pub(super) fn write_target(&self, target: &mut Vec<u8>) {
        target.clear();
        target.extend_from_slice(self.user_key);
        let packed = pack_sequence_and_type(self.trailer >> 8, VALUE_TYPE_FOR_SEEK);
        target.extend_from_slice(&packed.to_le_bytes());
    }
}

impl OwnedBound {
    #[inline]
    pub(super) fn as_bound(&self) -> Bound<'_> {
        Bound { user_key: &self.user_key, trailer: self.trailer }
    }

    pub(super) fn set(&mut self, bound: Bound<'_>) {
        self.user_key.clear();
        self.user_key.extend_from_slice(bound.user_key);
        self.trailer = bound.trailer;
    }
}

/// What a read may see.
#[derive(Clone, Debug)]
pub(super) struct Visibility {
    pub(super) sequence: SequenceNumber,
    pub(super) timestamp: Option<Vec<u8>>,
}

/// One end of the region in which the answer stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// It has no end.
    None,
    Smallest,
    Largest,
    /// The list's bound of this index.
    Fragment(usize),
}

/// Regions in a row over which there are tombstones that are looked at for how far these reach.
const REACH_MAX: usize = 1024;

/// A list within boundaries, and the region around the key it was last moved to.
pub(super) struct Cursor {
    list: Arc<FragmentedRangeTombstoneList>,
    /// Covered from here on, if bounded.
    smallest: Option<OwnedBound>,
    /// Covered to before here, if bounded.
    largest: Option<OwnedBound>,
    slot: usize,
    low: Edge,
    high: Edge,
    sequence: SequenceNumber,
}

fn exclusive_end(largest: &InternalKey) -> u64 {
    if largest.is_range_tombstone_sentinel() {
        return TRAILER_FIRST;
    }
    match (largest.trailer() >> 8).checked_sub(1) {
        Some(sequence) => trailer_before(sequence),
        None => largest.trailer(),
    }
}

impl Cursor {
    /// Bounds `list` by a table's first and last internal keys.
    pub(super) fn new(
        list: Arc<FragmentedRangeTombstoneList>,
        smallest: Option<&InternalKey>,
        largest: Option<&InternalKey>,
    ) -> Self {
        let bound =
            |key: &InternalKey, trailer| OwnedBound { user_key: key.user_key().to_vec(), trailer };
        Self {
            smallest: smallest.map(|key| bound(key, trailer_before(key.trailer() >> 8))),
            largest: largest.map(|key| bound(key, exclusive_end(key))),
            list,
            slot: 0,
            low: Edge::None,
            high: Edge::None,
            sequence: 0,
        }
    }

    /// The greatest sequence number of a visible tombstone over the key last moved to, and over
    /// every other key of the region; 0 if there is none.
    pub(super) fn sequence(&self) -> SequenceNumber {
        self.sequence
    }

    /// The smallest sequence number in the list: older reads see none of its tombstones.
    pub(super) fn smallest_sequence(&self) -> SequenceNumber {
        self.list.smallest_sequence()
    }

    /// Where the region begins; none if nothing is before it.
    #[inline]
    pub(super) fn low(&self) -> Option<Bound<'_>> {
        self.resolve(self.low)
    }

    /// Where the next region begins; none if there is no other.
    #[inline]
    pub(super) fn high(&self) -> Option<Bound<'_>> {
        self.resolve(self.high)
    }

    fn resolve(&self, edge: Edge) -> Option<Bound<'_>> {
        match edge {
            Edge::None => None,
            Edge::Smallest => self.smallest.as_ref().map(OwnedBound::as_bound),
            Edge::Largest => self.largest.as_ref().map(OwnedBound::as_bound),
            Edge::Fragment(index) => {
                Some(Bound { user_key: self.list.bound(index), trailer: TRAILER_FIRST })
            }
        }
    }

    /// Moves to the region that holds the record at `key`.
    pub(super) fn move_to(
        &mut self,
        key: &Bound<'_>,
        comparator: &InternalKeyComparator,
        visibility: &Visibility,
    ) {
        self.sequence = 0;
        if let Some(smallest) = self.resolve(Edge::Smallest)
            && key.compare(&smallest, comparator).is_lt()
        {
            (self.low, self.high) = (Edge::None, Edge::Smallest);
        } else if let Some(largest) = self.resolve(Edge::Largest)
            && key.compare(&largest, comparator).is_ge()
        {
            (self.low, self.high) = (Edge::Largest, Edge::None);
        } else {
            self.slot = self.locate_near(key.user_key, comparator);
            self.sequence = self
                .list
                .newest_visible(self.slot, visibility.sequence, visibility.timestamp.as_deref())
                .map_or(0, |tombstone| tombstone.sequence);
            self.low = self.inner_low(comparator);
            self.high = self.inner_high(comparator);
        }
    }

    fn inner_low(&self, comparator: &InternalKeyComparator) -> Edge {
        let bound = match self.slot.checked_sub(1) {
            Some(index) => Edge::Fragment(index),
            None => Edge::None,
        };
        match (self.resolve(bound), self.resolve(Edge::Smallest)) {
            (Some(bound), Some(smallest)) if bound.compare(&smallest, comparator).is_lt() => {
                Edge::Smallest
            }
            (None, Some(_)) => Edge::Smallest,
            _ => bound,
        }
    }

    fn inner_high(&self, comparator: &InternalKeyComparator) -> Edge {
        let bound = if self.slot < self.list.bound_count() {
            Edge::Fragment(self.slot)
        } else {
            Edge::None
        };
        match (self.resolve(bound), self.resolve(Edge::Largest)) {
            (Some(bound), Some(largest)) if largest.compare(&bound, comparator).is_lt() => {
                Edge::Largest
            }
            (None, Some(_)) => Edge::Largest,
            _ => bound,
        }
    }

    /// How far a read sees a tombstone over every key, from a region on over which there is one, through
    /// [`REACH_MAX`] regions at most.
    pub(super) fn reach(
        &self,
        direction: Direction,
        comparator: &InternalKeyComparator,
        visibility: &Visibility,
    ) -> Option<Bound<'_>> {
        let is_hidden = |slot: usize| {
            let timestamp = visibility.timestamp.as_deref();
            self.list.newest_visible(slot, visibility.sequence, timestamp).is_some()
        };
        let fragment =
            |index: usize| Bound { user_key: self.list.bound(index), trailer: TRAILER_FIRST };
        match (direction, self.low, self.high) {
            (Direction::Forward, _, Edge::Fragment(end)) => {
                let last = end.saturating_add(REACH_MAX);
                let end = (end..last).find(|bound| !is_hidden(bound + 1)).unwrap_or(last);
                let largest = self.resolve(Edge::Largest);
                let is_inner =
                    |largest: &Bound<'_>| largest.compare(&fragment(end), comparator).is_lt();
                Some(largest.filter(is_inner).unwrap_or_else(|| fragment(end)))
            }
            (Direction::Backward, Edge::Fragment(start), _) => {
                let first = start.saturating_sub(REACH_MAX);
                let start = (first + 1..=start).rev().find(|bound| !is_hidden(*bound));
                let start = start.unwrap_or(first);
                let smallest = self.resolve(Edge::Smallest);
                let is_inner =
                    |smallest: &Bound<'_>| smallest.compare(&fragment(start), comparator).is_gt();
                Some(smallest.filter(is_inner).unwrap_or_else(|| fragment(start)))
            }
            (Direction::Forward, _, high) => self.resolve(high),
            (Direction::Backward, low, _) => self.resolve(low),
        }
    }

    /// As the list's `locate`, but in few steps where the key lies near the last one.
    fn locate_near(&self, user_key: &[u8], comparator: &InternalKeyComparator) -> usize {
        let count = self.list.bound_count();
        let is_before =
            |index: usize| comparator.compare_user_keys(self.list.bound(index), user_key).is_le();
        let (mut low, mut high, mut step) = (self.slot, self.slot, 1);
        // The answer is at least `low` when the bound before `low` is at or before the key.
        if low > 0 && !is_before(low - 1) {
            high = low - 1;
            low = high.saturating_sub(step);
            while low > 0 && !is_before(low - 1) {
                high = low - 1;
                step *= 2;
                low = high.saturating_sub(step);
            }
        } else {
            while high < count && is_before(high) {
                low = high + 1;
                high = low.saturating_add(step).min(count);
                step *= 2;
            }
        }
        self.list.locate_within(user_key, low, high)
    }
}
