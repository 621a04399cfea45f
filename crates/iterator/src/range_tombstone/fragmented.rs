//! Range tombstones cut into pieces that do not overlap.
//!
//! All start and end keys, sorted, are the *bounds*; between two neighbouring bounds lies a
//! *fragment*, which every tombstone covers wholly or not at all. Writing for each fragment the
//! tombstones over it would take quadratic memory where many overlap, so they are held in a
//! segment tree over the fragments: a tombstone stands at the O(log n) nodes that together make up
//! its range, and the tombstones over a fragment are those at its leaf and above. What nearly every
//! read asks, the newest sequence number over a fragment, is kept beside.

use base::{InternalKeyComparator, RangeTombstone, SequenceNumber};
use std::cmp::Ordering;
use std::fmt;

/// The range tombstones of one memtable or table.
pub struct FragmentedRangeTombstoneList {
    comparator: InternalKeyComparator,
    bounds: Bounds,
    nodes: Nodes,
    /// For each fragment the greatest sequence number over it; 0 if there is none.
    newest: Vec<SequenceNumber>,
    smallest_sequence: SequenceNumber,
    tombstone_count: usize,
}

/// Keys in ascending order, without equal ones. With timestamps each key ends in the greatest, so
/// that it comes before all versions of itself and whole keys can be compared.
#[derive(Default)]
struct Bounds {
    bytes: Vec<u8>,
    /// Where each key ends.
    ends: Vec<usize>,
}

/// The segment tree: node 1 is the root, node n has the children 2n and 2n + 1, and the leaf of
/// fragment f is node `fragment count + f`.
#[derive(Default)]
struct Nodes {
    /// Where the entries of each node begin, and one more for the end of the last.
    starts: Vec<usize>,
    /// The sequence numbers at each node, greatest first.
    sequences: Vec<SequenceNumber>,
    /// The timestamps of the entries, `timestamp_size` bytes each.
    timestamps: Vec<u8>,
}

/// The newest tombstone over a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoveringTombstone<'a> {
    /// Its sequence number.
    pub sequence: SequenceNumber,
    /// Its timestamp; empty in column families without.
    pub timestamp: &'a [u8],
}

/// A range of keys between two bounds, and the tombstones over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// First user key; with timestamps it ends in the greatest.
    pub start_key: &'a [u8],
    /// First user key after the fragment; with timestamps it ends in the greatest.
    pub end_key: &'a [u8],
    /// The tombstones, newest first, at least one.
    pub tombstones: Vec<CoveringTombstone<'a>>,
}

impl Bounds {
    fn len(&self) -> usize {
        self.ends.len()
    }

    #[inline]
    fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    fn push(&mut self, user_key: &[u8], comparator: &InternalKeyComparator) {
        self.bytes.extend_from_slice(comparator.strip_timestamp(user_key));
        self.bytes.resize(self.bytes.len() + comparator.timestamp_size(), 0xff);
        self.ends.push(self.bytes.len());
    }
}

impl Nodes {
    /// Calls `visit` with the nodes that make up the fragments `[first, last)` of `count`.
    fn cover(count: usize, first: usize, last: usize, mut visit: impl FnMut(usize)) {
        let (mut left, mut right) = (first + count, last + count);
        while left < right {
            if left % 2 == 1 {
                visit(left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                visit(right);
            }
            left /= 2;
            right /= 2;
        }
    }

    /// Places `tombstones`, newest first, of which each comes with its range of fragments.
    fn build(
        count: usize,
        timestamp_size: usize,
        tombstones: &[(usize, usize, &RangeTombstone)],
    ) -> Self {
        let mut starts = vec![0; 2 * count + 1];
        for &(first, last, _) in tombstones {
            Self::cover(count, first, last, |node| starts[node + 1] += 1);
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let entries = starts.last().copied().unwrap_or(0);
        let mut sequences = vec![0; entries];
        let mut timestamps = vec![0; entries * timestamp_size];
        let mut nexts = starts.clone();
        for &(first, last, tombstone) in tombstones {
            let timestamp = timestamp_of(&tombstone.start_key, timestamp_size);
            Self::cover(count, first, last, |node| {
                let entry = nexts[node];
                nexts[node] += 1;
                sequences[entry] = tombstone.sequence;
                timestamps[entry * timestamp_size..][..timestamp.len()].copy_from_slice(timestamp);
            });
        }
        Self { starts, sequences, timestamps }
    }

    fn entries(&self, node: usize) -> std::ops::Range<usize> {
        self.starts[node]..self.starts[node + 1]
    }

    /// The nodes over a leaf, itself included.
    fn path(leaf: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(leaf), |node| Some(node / 2)).take_while(|node| *node > 0)
    }

    fn newest_of_leaves(&self, count: usize) -> Vec<SequenceNumber> {
        let mut newest = vec![0; 2 * count];
        for node in 1..newest.len() {
            let own = self.sequences[self.entries(node)].first().copied().unwrap_or(0);
            newest[node] = own.max(newest[node / 2]);
        }
        newest.split_off(count)
    }
}

fn timestamp_of(user_key: &[u8], timestamp_size: usize) -> &[u8] {
    &user_key[user_key.len().saturating_sub(timestamp_size)..]
}

impl FragmentedRangeTombstoneList {
    /// Cuts up `tombstones`, in any order. In a column family with timestamps both keys of each
    /// end in its timestamp. Tombstones whose range is empty hide nothing and are left out.
    pub fn new(mut tombstones: Vec<RangeTombstone>, comparator: &InternalKeyComparator) -> Self {
        let timestamp_size = comparator.timestamp_size();
        let tombstone_count = tombstones.len();
        tombstones.retain(|tombstone| {
            comparator.compare_without_timestamp(&tombstone.start_key, &tombstone.end_key).is_lt()
        });
        tombstones.sort_by(|a, b| newest_first(comparator, a, b));
        tombstones.dedup();

        let mut keys: Vec<&[u8]> = tombstones
            .iter()
            .flat_map(|tombstone| [&tombstone.start_key[..], &tombstone.end_key[..]])
            .collect();
        keys.sort_by(|a, b| comparator.compare_without_timestamp(a, b));
        keys.dedup_by(|a, b| comparator.compare_without_timestamp(a, b).is_eq());
        let mut bounds = Bounds::default();
        for key in &keys {
            bounds.push(key, comparator);
        }

        let fragment_count = keys.len().saturating_sub(1);
        let bound_of = |user_key: &[u8]| {
            keys.partition_point(|key| comparator.compare_without_timestamp(key, user_key).is_lt())
        };
        let placed: Vec<_> = tombstones
            .iter()
            .map(|tombstone| {
                (bound_of(&tombstone.start_key), bound_of(&tombstone.end_key), tombstone)
            })
            .collect();
        let nodes = Nodes::build(fragment_count, timestamp_size, &placed);
        let newest = nodes.newest_of_leaves(fragment_count);
        let smallest_sequence = tombstones.last().map_or(0, |tombstone| tombstone.sequence);
        Self {
            comparator: comparator.clone(),
            bounds,
            nodes,
            newest,
            smallest_sequence,
            tombstone_count,
        }
    }

    /// Whether nothing is hidden.
    pub fn is_empty(&self) -> bool {
        self.newest.is_empty()
    }

    /// How many tombstones there were before they were cut up.
    pub fn tombstone_count(&self) -> usize {
        self.tombstone_count
    }

    /// The smallest sequence number of a tombstone; 0 if there is none. Reads at an older
    /// snapshot see none of them.
    pub fn smallest_sequence(&self) -> SequenceNumber {
        self.smallest_sequence
    }

    /// The greatest sequence number of a tombstone over `user_key` that a read at
    /// `snapshot_sequence` sees; 0 if there is none. In a column family with timestamps
    /// `user_key` ends in one (any), and the read sees no tombstone newer than `read_timestamp`.
    #[inline]
    pub fn max_covering_sequence(
        &self,
        user_key: &[u8],
        snapshot_sequence: SequenceNumber,
        read_timestamp: Option<&[u8]>,
    ) -> SequenceNumber {
        self.max_covering(user_key, snapshot_sequence, read_timestamp)
            .map_or(0, |tombstone| tombstone.sequence)
    }

    /// As [`Self::max_covering_sequence`], with the tombstone's timestamp.
    pub fn max_covering(
        &self,
        user_key: &[u8],
        snapshot_sequence: SequenceNumber,
        read_timestamp: Option<&[u8]>,
    ) -> Option<CoveringTombstone<'_>> {
        self.newest_visible(self.locate(user_key), snapshot_sequence, read_timestamp)
    }

    /// Whether tombstones that a read at `snapshot_sequence` sees are over all keys from `start` on and
    /// before `end`.
    pub fn covers(&self, start: &[u8], end: &[u8], snapshot_sequence: SequenceNumber) -> bool {
        let mut slot = self.locate(start);
        while self.newest_visible(slot, snapshot_sequence, None).is_some() {
            if self.comparator.compare_user_keys(self.bound(slot), end).is_ge() {
                return true;
            }
            slot += 1;
        }
        false
    }

    /// All fragments in ascending order.
    pub fn fragments(&self) -> impl Iterator<Item = Fragment<'_>> {
        (0..self.newest.len()).filter_map(|fragment| {
            let mut tombstones: Vec<_> = Nodes::path(fragment + self.newest.len())
                .flat_map(|node| self.nodes.entries(node))
                .map(|entry| self.tombstone(entry))
                .collect();
            tombstones.sort_by_key(|tombstone| std::cmp::Reverse(tombstone.sequence));
            let (start_key, end_key) = (self.bounds.get(fragment), self.bounds.get(fragment + 1));
            (!tombstones.is_empty()).then_some(Fragment { start_key, end_key, tombstones })
        })
    }

    fn tombstone(&self, entry: usize) -> CoveringTombstone<'_> {
        let timestamp_size = self.comparator.timestamp_size();
        let timestamp = &self.nodes.timestamps[entry * timestamp_size..][..timestamp_size];
        CoveringTombstone { sequence: self.nodes.sequences[entry], timestamp }
    }

    /// How many bounds there are.
    pub(super) fn bound_count(&self) -> usize {
        self.bounds.len()
    }

    /// The bound at `index`: a user key before all versions of itself.
    #[inline]
    pub(super) fn bound(&self, index: usize) -> &[u8] {
        self.bounds.get(index)
    }

    /// How many bounds are at or before `user_key`: the *slot* it lies in. Slot s is fragment
    /// s - 1; the first and the last slot are before and after all fragments.
    pub(super) fn locate(&self, user_key: &[u8]) -> usize {
        self.locate_within(user_key, 0, self.bounds.len())
    }

    /// As [`Self::locate`], when the answer is known to lie in `[low, high]`.
    pub(super) fn locate_within(&self, user_key: &[u8], low: usize, high: usize) -> usize {
        let (mut low, mut high) = (low, high);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.comparator.compare_user_keys(self.bounds.get(middle), user_key).is_le() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The newest tombstone over a slot that a read sees.
    #[inline]
    pub(super) fn newest_visible(
        &self,
        slot: usize,
        snapshot_sequence: SequenceNumber,
        read_timestamp: Option<&[u8]>,
    ) -> Option<CoveringTombstone<'_>> {
        let fragment = slot.wrapping_sub(1);
        let newest = *self.newest.get(fragment)?;
        if newest == 0 {
            return None;
        }
        if newest <= snapshot_sequence && self.comparator.timestamp_size() == 0 {
            return Some(CoveringTombstone { sequence: newest, timestamp: b"" });
        }
        self.search_visible(fragment, snapshot_sequence, read_timestamp)
    }

    fn search_visible(
        &self,
        fragment: usize,
        snapshot_sequence: SequenceNumber,
        read_timestamp: Option<&[u8]>,
    ) -> Option<CoveringTombstone<'_>> {
        let user_comparator = self.comparator.user_comparator();
        let in_time = |tombstone: &CoveringTombstone<'_>| {
            read_timestamp.is_none_or(|read_timestamp| {
                user_comparator.compare_timestamp(tombstone.timestamp, read_timestamp).is_le()
            })
        };
        Nodes::path(fragment + self.newest.len())
            .filter_map(|node| {
                let entries = self.nodes.entries(node);
                let sequences = &self.nodes.sequences[entries.clone()];
                let skipped = sequences.partition_point(|sequence| *sequence > snapshot_sequence);
                (entries.start + skipped..entries.end)
                    .map(|entry| self.tombstone(entry))
                    .find(|tombstone| in_time(tombstone))
            })
            .max_by_key(|tombstone| tombstone.sequence)
    }
}

/// Orders tombstones by sequence number and then timestamp, newest first; equal ones end up side
/// by side.
fn newest_first(
    comparator: &InternalKeyComparator,
    a: &RangeTombstone,
    b: &RangeTombstone,
) -> Ordering {
    let timestamp_size = comparator.timestamp_size();
    b.sequence
        .cmp(&a.sequence)
        .then_with(|| {
            comparator.user_comparator().compare_timestamp(
                timestamp_of(&b.start_key, timestamp_size),
                timestamp_of(&a.start_key, timestamp_size),
            )
        })
        .then_with(|| (&a.start_key, &a.end_key).cmp(&(&b.start_key, &b.end_key)))
}

impl fmt::Debug for FragmentedRangeTombstoneList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.fragments()).finish()
    }
}

#[cfg(test)]
mod tests;
