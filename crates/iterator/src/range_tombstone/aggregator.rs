//! The range tombstones of everything that a scan reads from.
//!
//! The scan keeps the stretch of keys around the last record in which no list changes its answer,
//! and the greatest visible sequence number over that stretch. Within it a record costs two key
//! comparisons, however many lists there are. A heap of the lists by where their regions end says
//! where the stretch ends; leaving it moves only the lists whose regions were left.

use super::fragmented::FragmentedRangeTombstoneList;
use super::truncated::{Bound, Cursor, OwnedBound, Visibility};
use crate::{Direction, heap};
use base::{
    InternalKey, InternalKeyComparator, ParsedInternalKey, SequenceNumber, ValueType, key_prefix,
};
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as MemoryOrder};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Says of each record of a scan whether a range tombstone hides it. Belongs to the scan; the
/// iterators below it add lists through a [`RangeTombstoneSink`] while they move.
pub struct RangeTombstoneAggregator {
    comparator: InternalKeyComparator,
    visibility: Visibility,
    inbox: Arc<Inbox>,
    cursors: Vec<FileCursor>,
    /// The cursors whose regions end, nearest end first; which end depends on the direction.
    heap: Vec<usize>,
    direction: Direction,
    stretch: Stretch,
    /// The sequence numbers over the stretch, each with the cursor it comes from.
    covering: BTreeSet<(SequenceNumber, usize)>,
    newest: SequenceNumber,
}

/// Hands the tombstones of a newly opened table to the scan it is part of.
#[derive(Clone, Debug)]
pub struct RangeTombstoneSink {
    inbox: Arc<Inbox>,
}

#[derive(Default)]
struct Inbox {
    /// Whether `arrivals` holds any. Written under the mutex; read without it on every record by
    /// the thread that moves the scan, which is the one that filled it.
    has_arrivals: AtomicBool,
    /// How many files `left` holds; read and written likewise.
    left_count: AtomicUsize,
    state: Mutex<InboxState>,
}

#[derive(Default)]
struct InboxState {
    arrivals: Vec<FileCursor>,
    files: HashSet<u64>,
    /// Those of `files` that the scan has left since. Their tombstones may be over keys that it comes to
    /// all the same, until it seeks.
    left: HashSet<u64>,
}

/// A cursor over a list, and the file that it is of.
struct FileCursor {
    cursor: Cursor,
    file: Option<u64>,
    older_from: usize,
}

/// So many files that were left may be looked at by each seek before they are forgotten.
const LEFT_FILES_MAX: usize = 4;

/// The keys over which nothing changes: from the record at which the stretch was found to the
/// nearest end of a region in the direction of the scan.
#[derive(Debug, Default)]
struct Stretch {
    is_known: bool,
    anchor: OwnedBound,
    /// Forward the first place behind the stretch, backward the first place within.
    end: OwnedBound,
    has_end: bool,
    /// What numbers say of the user keys of both: see [`rank`].
    anchor_rank: u64,
    end_rank: u64,
}

/// Orders user keys as far as it tells them apart: their first bytes; zero in orders other than bytewise.
#[inline]
fn rank(user_key: &[u8], comparator: &InternalKeyComparator) -> u64 {
    if comparator.is_bytewise() { key_prefix(user_key) } else { 0 }
}

impl Stretch {
    #[inline]
    fn contains(
        &self,
        key: &Bound<'_>,
        direction: Direction,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let by_rank = rank(key.user_key, comparator).cmp(&self.end_rank);
        let to_end = || by_rank.then_with(|| key.compare(&self.end.as_bound(), comparator));
        self.is_ahead(key, direction, comparator)
            && (!self.has_end
                || match direction {
                    Direction::Forward => to_end().is_lt(),
                    Direction::Backward => to_end().is_ge(),
                })
    }

    /// Whether `key` is the record that the stretch was found at or lies beyond.
    #[inline]
    fn is_ahead(
        &self,
        key: &Bound<'_>,
        direction: Direction,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let by_rank = rank(key.user_key, comparator).cmp(&self.anchor_rank);
        let to_anchor = || by_rank.then_with(|| key.compare(&self.anchor.as_bound(), comparator));
        self.is_known
            && match direction {
                Direction::Forward => to_anchor().is_ge(),
                Direction::Backward => to_anchor().is_le(),
            }
    }
}

impl Inbox {
    fn lock(&self) -> MutexGuard<'_, InboxState> {
        // Nothing is left half done by a panic under this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("files", &self.lock().files).finish_non_exhaustive()
    }
}

impl RangeTombstoneSink {
    /// Adds the tombstones of a memtable. What the scan's sources from `older_from` on have of the keys
    /// that these tombstones are over is older than they.
    pub fn add(&self, list: Arc<FragmentedRangeTombstoneList>, older_from: usize) {
        if !list.is_empty() {
            let cursor = Cursor::new(list, None, None);
            self.push(&mut self.inbox.lock(), FileCursor { cursor, file: None, older_from });
        }
    }

    /// Whether the tombstones of this file were added before, so that they need not be loaded.
    pub fn has_file(&self, file_number: u64) -> bool {
        self.inbox.lock().files.contains(&file_number)
    }

    /// Adds the tombstones of a table within the boundaries that the version gives for the file.
    /// Does nothing if they were added before. `older_from` as in [`Self::add`].
    pub fn add_file(
        &self,
        file_number: u64,
        list: Arc<FragmentedRangeTombstoneList>,
        smallest: &InternalKey,
        largest: &InternalKey,
        older_from: usize,
    ) {
        let mut state = self.inbox.lock();
        if state.left.remove(&file_number) {
            self.inbox.left_count.store(state.left.len(), MemoryOrder::Relaxed);
        }
        if state.files.insert(file_number) && !list.is_empty() {
            let cursor = Cursor::new(list, Some(smallest), Some(largest));
            self.push(&mut state, FileCursor { cursor, file: Some(file_number), older_from });
        }
    }

    /// The scan has left a file. If it comes to it again after the next seek, it adds its tombstones again.
    pub fn leave_file(&self, file_number: u64) {
        let mut state = self.inbox.lock();
        if state.files.contains(&file_number) && state.left.insert(file_number) {
            self.inbox.left_count.store(state.left.len(), MemoryOrder::Relaxed);
        }
    }

    fn push(&self, state: &mut InboxState, cursor: FileCursor) {
        state.arrivals.push(cursor);
        self.inbox.has_arrivals.store(true, MemoryOrder::Release);
    }
}

impl RangeTombstoneAggregator {
    /// For a scan that sees writes up to `snapshot_sequence`, and in a column family with
    /// timestamps those up to `read_timestamp`.
    pub fn new(
        comparator: InternalKeyComparator,
        snapshot_sequence: SequenceNumber,
        read_timestamp: Option<&[u8]>,
    ) -> Self {
        let timestamp = read_timestamp.map(<[u8]>::to_vec);
        Self {
            comparator,
            visibility: Visibility { sequence: snapshot_sequence, timestamp },
            inbox: Arc::default(),
            cursors: Vec::new(),
            heap: Vec::new(),
            direction: Direction::Forward,
            stretch: Stretch::default(),
            covering: BTreeSet::new(),
            newest: 0,
        }
    }

    /// A way to add lists.
    pub fn sink(&self) -> RangeTombstoneSink {
        RangeTombstoneSink { inbox: self.inbox.clone() }
    }

    /// To be called before all that is below seeks. Files that the scan has left are forgotten, if there
    /// are many: a scan that has been all over a level would else look at the lists of all its files in
    /// each seek.
    #[inline]
    pub fn begin_seek(&mut self) {
        if self.inbox.left_count.load(MemoryOrder::Relaxed) > LEFT_FILES_MAX {
            self.forget_left_files();
        }
    }

    #[cold]
    fn forget_left_files(&mut self) {
        let mut state = self.inbox.lock();
        let left = std::mem::take(&mut state.left);
        self.inbox.left_count.store(0, MemoryOrder::Relaxed);
        let is_kept = |of: &FileCursor| of.file.is_none_or(|file| !left.contains(&file));
        state.files.retain(|file| !left.contains(file));
        state.arrivals.retain(is_kept);
        self.cursors.retain(is_kept);
        // Places of cursors have changed.
        self.heap.clear();
        self.covering.clear();
        self.stretch.is_known = false;
    }

    /// As made anew, for a scan that sees writes up to another number. Whether it is: not once lists were
    /// added.
    pub fn begin_anew(&mut self, snapshot_sequence: SequenceNumber) -> bool {
        self.visibility.sequence = snapshot_sequence;
        self.is_empty() && self.inbox.left_count.load(MemoryOrder::Relaxed) == 0
    }

    /// Whether no list was added so far.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.cursors.is_empty() && !self.inbox.has_arrivals.load(MemoryOrder::Acquire)
    }

    /// Whether a tombstone that the scan sees hides the record at `key`. `direction` says where the
    /// scan goes from here and has no bearing on the answer: keys in that direction are answered
    /// fast, others after a search in every list.
    #[inline]
    pub fn should_delete(&mut self, key: &ParsedInternalKey<'_>, direction: Direction) -> bool {
        if self.is_empty() {
            return false;
        }
        let place = Bound::before(key);
        if self.direction != direction
            || self.inbox.has_arrivals.load(MemoryOrder::Acquire)
            || !self.stretch.contains(&place, direction, &self.comparator)
        {
            self.move_to(&place, direction);
        }
        self.newest > key.sequence
    }

    /// As [`Self::should_delete`], of a value.
    #[inline]
    pub fn hides_value(
        &mut self,
        user_key: &[u8],
        sequence: SequenceNumber,
        direction: Direction,
    ) -> bool {
        let key = ParsedInternalKey { user_key, sequence, value_type: ValueType::Value };
        self.should_delete(&key, direction)
    }

    /// How far from a hidden record on, the last one asked for, tombstones hide all that sources from some
    /// on have, of which `source` is one: which one is the first, and in `target` where to seek them to,
    /// in the direction of the scan. None if its own source or a newer one has to be asked.
    pub fn hidden_reach(&self, source: usize, target: &mut Vec<u8>) -> Option<usize> {
        let is_farther = |a: &Bound<'_>, b: &Bound<'_>| match self.direction {
            Direction::Forward => a.compare(b, &self.comparator).is_gt(),
            Direction::Backward => a.compare(b, &self.comparator).is_lt(),
        };
        let mut farthest: Option<(Bound<'_>, usize)> = None;
        for (_, index) in &self.covering {
            let FileCursor { cursor, older_from, .. } = &self.cursors[*index];
            if *older_from <= source
                && let Some(reach) =
                    cursor.reach(self.direction, &self.comparator, &self.visibility)
                && farthest.as_ref().is_none_or(|(other, _)| is_farther(&reach, other))
            {
                farthest = Some((reach, *older_from));
            }
        }
        let (reach, older_from) = farthest?;
        reach.write_target(target);
        Some(older_from)
    }

    #[cold]
    fn move_to(&mut self, key: &Bound<'_>, direction: Direction) {
        if self.direction == direction && self.stretch.is_ahead(key, direction, &self.comparator) {
            self.advance(key);
        } else {
            self.direction = direction;
            self.restart(key);
        }
        self.admit(key);
        self.newest = self.covering.last().map_or(0, |(sequence, _)| *sequence);
        self.stretch.is_known = true;
        self.stretch.anchor.set(*key);
        self.stretch.anchor_rank = rank(key.user_key, &self.comparator);
        let nearest =
            self.heap.first().and_then(|top| region_end(&self.cursors[*top].cursor, direction));
        self.stretch.has_end = nearest.is_some();
        if let Some(end) = nearest {
            self.stretch.end_rank = rank(end.user_key, &self.comparator);
            self.stretch.end.set(end);
        }
    }

    /// Moves the cursors whose regions `key` has left.
    fn advance(&mut self, key: &Bound<'_>) {
        while let Some(&top) = self.heap.first()
            && self.is_left_behind(top, key)
        {
            let (cursors, direction, comparator) =
                (&self.cursors, self.direction, &self.comparator);
            heap::pop(&mut self.heap, |a, b| {
                is_nearer(&cursors[*a].cursor, &cursors[*b].cursor, direction, comparator)
            });
            self.covering.remove(&(self.cursors[top].cursor.sequence(), top));
            self.enter(top, key);
        }
    }

    fn is_left_behind(&self, cursor: usize, key: &Bound<'_>) -> bool {
        region_end(&self.cursors[cursor].cursor, self.direction).is_some_and(|end| {
            let order = key.compare(&end, &self.comparator);
            match self.direction {
                Direction::Forward => order.is_ge(),
                Direction::Backward => order.is_lt(),
            }
        })
    }

    /// Moves all cursors.
    fn restart(&mut self, key: &Bound<'_>) {
        self.heap.clear();
        self.covering.clear();
        for cursor in 0..self.cursors.len() {
            self.enter(cursor, key);
        }
    }

    /// Takes in the lists that arrived since the last record.
    fn admit(&mut self, key: &Bound<'_>) {
        if !self.inbox.has_arrivals.load(MemoryOrder::Acquire) {
            return;
        }
        let arrivals = {
            let mut state = self.inbox.lock();
            self.inbox.has_arrivals.store(false, MemoryOrder::Release);
            std::mem::take(&mut state.arrivals)
        };
        for cursor in arrivals {
            if cursor.cursor.smallest_sequence() <= self.visibility.sequence {
                self.cursors.push(cursor);
                self.enter(self.cursors.len() - 1, key);
            }
        }
    }

    /// Moves one cursor, which is not in the heap.
    fn enter(&mut self, index: usize, key: &Bound<'_>) {
        let cursor = &mut self.cursors[index].cursor;
        cursor.move_to(key, &self.comparator, &self.visibility);
        if cursor.sequence() > 0 {
            self.covering.insert((cursor.sequence(), index));
        }
        let (cursors, direction, comparator) = (&self.cursors, self.direction, &self.comparator);
        if region_end(&cursors[index].cursor, direction).is_some() {
            heap::push(&mut self.heap, index, |a, b| {
                is_nearer(&cursors[*a].cursor, &cursors[*b].cursor, direction, comparator)
            });
        }
    }
}

fn region_end(cursor: &Cursor, direction: Direction) -> Option<Bound<'_>> {
    match direction {
        Direction::Forward => cursor.high(),
        Direction::Backward => cursor.low(),
    }
}

/// Whether the region of `a` ends before that of `b` in the direction of the scan.
fn is_nearer(
    a: &Cursor,
    b: &Cursor,
    direction: Direction,
    comparator: &InternalKeyComparator,
) -> bool {
    match (region_end(a, direction), region_end(b, direction)) {
        (Some(a), Some(b)) => match direction {
            Direction::Forward => a.compare(&b, comparator).is_lt(),
            Direction::Backward => a.compare(&b, comparator).is_gt(),
        },
        (a, _) => a.is_some(),
    }
}

impl fmt::Debug for RangeTombstoneAggregator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RangeTombstoneAggregator")
            .field("visibility", &self.visibility)
            .field("lists", &self.cursors.len())
            .field("inbox", &self.inbox)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
