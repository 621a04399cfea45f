//! A skip list that one writes and many read, without locks.
//!
//! Nodes lie in an arena and are never moved nor removed, so that a reader may stand on one for as
//! long as it holds the list. The writer makes a node whole before it links it, lowest level first,
//! with a store that readers' loads pair with: who comes to a node by a link sees all of it. A node
//! that is linked on some of its levels only is found all the same, by the level below.
//!
//! Where keys are ordered as bytes each node has the first eight of its user key as a number, which
//! decides most comparisons without a look at the key.

mod node;

use crate::arena::{ALIGNMENT, Arena, ArenaSlice, ArenaWriter, BLOCK_SIZE_MIN};
use crate::block_source::BlockSource;
use crate::hint_hasher::HintHasher;
use crate::memtable_rep::{MemTableEntry, rank_of, split_keys_among};
use crate::rep_iterator::RepCursor;
use base::InternalKeyComparator;
use base::dbformat::{extract_trailer, extract_user_key};
use node::Node;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const HEIGHT_MAX: usize = 12;
/// Of this many nodes, as a power of 2, one is on the next level.
const BRANCHING_LOG2: u32 = 2;
/// How many nodes of a level tell how many there are below.
const SAMPLE_SIZE: u64 = 64;
/// How many nodes of a level tell where a range of records ends.
const NODES_PER_RANGE: usize = 16;

/// Records in internal key order, those with equal keys from the last inserted to the first.
pub(crate) struct SkipList {
    comparator: InternalKeyComparator,
    arena: Arc<Arena>,
    /// The node before the first record, with links on all levels.
    head: Node,
    /// How many levels have a node.
    height: AtomicUsize,
}

// SAFETY: the nodes that the list leads to belong to the arena, which the list holds. What of them
// changes are links, which are atomic; all else was written before a release store of the first
// link to them, and is read after an acquire load of it. Nothing depends on the thread.
unsafe impl Send for SkipList {}
// SAFETY: as above.
unsafe impl Sync for SkipList {}

/// Inserts into a list. There is one of a list.
pub(crate) struct SkipListWriter {
    list: Arc<SkipList>,
    arena: ArenaWriter,
    /// Where the last record was inserted: the neighbours on each level, of which on those where
    /// it has a link the first is its own node. Ascending keys follow there.
    splices: Splices,
    /// The same where the last record with a hint was inserted, by the hint. Others may have been
    /// inserted since.
    hints: HashMap<u64, Box<Splices>, HintHasher>,
    random: u64,
}

// SAFETY: the nodes of the splice belong to the arena, which the writer holds, and are reached as
// those of the list are.
unsafe impl Send for SkipListWriter {}

/// Two neighbours on a level.
#[derive(Clone, Copy)]
struct Splice {
    before: Node,
    after: Option<Node>,
}

/// Those of each level, from the lowest on. On levels that the list does not have it is the head and
/// nothing.
type Splices = [Splice; HEIGHT_MAX];

/// A key to search for.
struct Target<'a> {
    rank: u64,
    user_key: &'a [u8],
    trailer: u64,
}

impl SkipList {
    /// An empty list.
    pub(crate) fn new(
        comparator: InternalKeyComparator,
        source: BlockSource,
    ) -> (Arc<Self>, SkipListWriter) {
        let mut arena = ArenaWriter::new(BLOCK_SIZE_MIN, ALIGNMENT, source);
        let head = Node::new(&mut arena, HEIGHT_MAX, 0, b"", 0, b"");
        let height = AtomicUsize::new(1);
        let list = Arc::new(Self { comparator, arena: arena.arena().clone(), head, height });
        let splices = [Splice { before: head, after: None }; HEIGHT_MAX];
        let random = 0x9e37_79b9_7f4a_7c15;
        let hints = HashMap::default();
        (list.clone(), SkipListWriter { list, arena, splices, hints, random })
    }

    pub(crate) fn allocated_bytes(&self) -> usize {
        self.arena.allocated_bytes()
    }

    /// Visits the records from the internal key `target` on until `visitor` returns false.
    pub(crate) fn visit(&self, target: &[u8], mut visitor: impl FnMut(MemTableEntry<'_>) -> bool) {
        let mut node = self.seek(target);
        while let Some(current) = node
            && visitor(self.entry(current))
        {
            node = self.next(current);
        }
    }

    /// About how many records there are from the internal key `start` on and before `end`: the
    /// nodes of the highest level that has enough of them there, times how many each stands for.
    pub(crate) fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        let start = self.target(extract_user_key(start), extract_trailer(start));
        let end = self.target(extract_user_key(end), extract_trailer(end));
        let mut splice = Splice { before: self.head, after: None };
        let mut count = 0;
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            splice = self.splice_of(level, splice.before, splice.after, |node| {
                self.is_before(node, &start, false)
            });
            count = 0;
            let mut node = splice.after;
            while let Some(current) = node
                && self.is_before(current, &end, false)
            {
                count += 1;
                // SAFETY: the list holds the arena of its nodes; this one was reached on the level.
                node = unsafe { current.next(level) };
            }
            if count >= SAMPLE_SIZE {
                return count << (level as u32 * BRANCHING_LOG2);
            }
        }
        count
    }

    /// User keys that divide the records into ranges of about the same size, at most `count` of them: those of nodes on
    /// the highest level that has enough of them. As [`MemTableRep::split_keys`](crate::MemTableRep::split_keys).
    pub(crate) fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        let wanted = count.saturating_add(1).saturating_mul(NODES_PER_RANGE);
        let mut nodes = Vec::new();
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            // SAFETY: the list holds the arena of its nodes; each was reached on the level, and the head has all.
            let after = |node: &Node| unsafe { node.next(level) };
            nodes = std::iter::successors(after(&self.head), after).collect();
            if nodes.len() >= wanted {
                break;
            }
        }
        split_keys_among(nodes.len(), |index| self.entry(nodes[index]).user_key(), count)
    }

    #[inline]
    fn target<'a>(&self, user_key: &'a [u8], trailer: u64) -> Target<'a> {
        let rank = if self.comparator.is_bytewise() { rank_of(user_key, 0) } else { 0 };
        Target { rank, user_key, trailer }
    }

    /// Whether the record of `node`, which is not the head, is before `target`, or at it where
    /// `or_at` says so.
    #[inline]
    fn is_before(&self, node: Node, target: &Target<'_>, or_at: bool) -> bool {
        // SAFETY: the list holds the arena of its nodes.
        let rank = unsafe { node.rank() };
        if rank != target.rank {
            return rank < target.rank;
        }
        // SAFETY: as above.
        let key = unsafe { node.record().key() };
        let order = self.comparator.compare_user_keys(extract_user_key(key), target.user_key);
        let order = order.then_with(|| target.trailer.cmp(&extract_trailer(key)));
        order.is_lt() || (or_at && order.is_eq())
    }

    /// The neighbours on `level` of where `is_before` turns false, going on from `before`.
    /// `after` is a node known to be behind that.
    #[inline]
    fn splice_of(
        &self,
        level: usize,
        mut before: Node,
        after: Option<Node>,
        is_before: impl Fn(Node) -> bool,
    ) -> Splice {
        loop {
            // SAFETY: the list holds the arena of its nodes. `before` was reached on this level or
            // one above it, or is the head, which has all.
            let next = unsafe { before.next(level) };
            if level > 0 {
                // SAFETY: who has this level has the one below it.
                unsafe { before.prefetch_next(level - 1) };
            }
            match next {
                Some(node) if next != after && is_before(node) => before = node,
                _ => return Splice { before, after: next },
            }
        }
    }

    /// Whether no node is between those of a splice of a level.
    #[inline]
    fn are_neighbours(&self, level: usize, splice: Splice) -> bool {
        // SAFETY: the list holds the arena of its nodes, and that of a splice has its level.
        unsafe { splice.before.next(level) == splice.after }
    }

    /// Whether `target` belongs between the nodes of a splice.
    #[inline]
    fn is_between(&self, splice: Splice, target: &Target<'_>) -> bool {
        let is_before = |node| self.is_before(node, target, false);
        (splice.before == self.head || is_before(splice.before))
            && !splice.after.is_some_and(is_before)
    }

    /// Finds where `target` belongs on the levels below `level`, on which it is known; on all for
    /// `HEIGHT_MAX`.
    fn find_splices(&self, target: &Target<'_>, splices: &mut Splices, level: usize) {
        let nowhere = Splice { before: self.head, after: None };
        let mut above = splices.get(level).copied().unwrap_or(nowhere);
        let height = level.min(self.height.load(Ordering::Relaxed));
        if level == HEIGHT_MAX {
            splices[height..].fill(nowhere);
        }
        for (level, splice) in splices[..height].iter_mut().enumerate().rev() {
            above = self.splice_of(level, above.before, above.after, |node| {
                self.is_before(node, target, false)
            });
            *splice = above;
        }
    }

    /// The neighbours on the lowest level of where `is_before` turns false.
    #[inline]
    fn find(&self, is_before: impl Fn(Node) -> bool) -> Splice {
        let mut splice = Splice { before: self.head, after: None };
        for level in (0..self.height.load(Ordering::Relaxed)).rev() {
            splice = self.splice_of(level, splice.before, splice.after, &is_before);
        }
        splice
    }

    /// A node that was found, unless it is the head.
    fn record(&self, node: Node) -> Option<Node> {
        (node != self.head).then_some(node)
    }

    fn next(&self, node: Node) -> Option<Node> {
        // SAFETY: the list holds the arena of its nodes, and all have the lowest level.
        unsafe { node.next(0) }
    }

    fn prev(&self, node: Node) -> Option<Node> {
        // SAFETY: the list holds the arena of its nodes.
        let key = unsafe { node.record().key() };
        let target = self.target(extract_user_key(key), extract_trailer(key));
        let mut before = self.find(|other| self.is_before(other, &target, false)).before;
        // There may be others with the same key before this one.
        while let Some(next) = self.next(before)
            && next != node
        {
            before = next;
        }
        self.record(before)
    }

    fn first(&self) -> Option<Node> {
        self.next(self.head)
    }

    fn last(&self) -> Option<Node> {
        self.record(self.find(|_| true).before)
    }

    fn seek(&self, target: &[u8]) -> Option<Node> {
        let target = self.target(extract_user_key(target), extract_trailer(target));
        self.find(|node| self.is_before(node, &target, false)).after
    }

    fn seek_for_prev(&self, target: &[u8]) -> Option<Node> {
        let target = self.target(extract_user_key(target), extract_trailer(target));
        self.record(self.find(|node| self.is_before(node, &target, true)).before)
    }

    #[inline]
    fn entry(&self, node: Node) -> MemTableEntry<'_> {
        // SAFETY: the list, which the entry borrows, holds the arena of its nodes.
        let (key, value) = unsafe { (node.record().key(), node.record().value()) };
        // SAFETY: the value is part of a node's piece of the arena; records are never written to
        // after their node was made.
        let value = unsafe { ArenaSlice::new(&self.arena, value) };
        MemTableEntry::in_arena(key, value)
    }
}

impl SkipListWriter {
    /// Adds a record.
    ///
    /// # Panics
    /// If the key or the value is 4 GiB or longer.
    pub(crate) fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        let target = self.list.target(user_key, trailer);
        // Nobody else inserts, so that the lowest level tells for all.
        if !self.list.is_between(self.splices[0], &target) {
            self.list.find_splices(&target, &mut self.splices, HEIGHT_MAX);
        }
        self.link_new(&target, value);
    }

    /// As [`SkipListWriter::insert`], with the search beginning where the last record with the same
    /// `hint` is. Whether it is the first one.
    ///
    /// # Panics
    /// As [`SkipListWriter::insert`].
    pub(crate) fn insert_with_hint(
        &mut self,
        hint: u64,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> bool {
        let target = self.list.target(user_key, trailer);
        let known = self.hints.get(&hint);
        if let Some(known) = known {
            self.splices = **known;
        }
        // The lowest level on which the target is between neighbours bounds the search below it.
        // Others may have been inserted since.
        let height = self.list.height.load(Ordering::Relaxed);
        let holds = |level: &usize| {
            let splice = self.splices[*level];
            self.list.are_neighbours(*level, splice) && self.list.is_between(splice, &target)
        };
        let level = (0..height).find(holds).unwrap_or(HEIGHT_MAX);
        let is_new = known.is_none();
        self.list.find_splices(&target, &mut self.splices, level);
        self.link_new(&target, value);
        match self.hints.entry(hint) {
            Entry::Occupied(known) => **known.into_mut() = self.splices,
            Entry::Vacant(new) => drop(new.insert(Box::new(self.splices))),
        }
        is_new
    }

    /// Links a new node where the splices are, which on each level are before and behind it.
    fn link_new(&mut self, target: &Target<'_>, value: &[u8]) {
        let height = self.random_height();
        let (user_key, trailer) = (target.user_key, target.trailer);
        let node = Node::new(&mut self.arena, height, target.rank, user_key, trailer, value);
        for (level, splice) in self.splices[..height].iter_mut().enumerate() {
            // On the upper levels a hint may be older than some node between.
            if !self.list.are_neighbours(level, *splice) {
                *splice = self.list.splice_of(level, splice.before, None, |node| {
                    self.list.is_before(node, target, false)
                });
            }
            // SAFETY: the writer holds the arena. The new node has `height` links, and that of the
            // splice has this level's, by which it was found.
            unsafe {
                node.prepare_next(level, splice.after);
                splice.before.set_next(level, node);
            }
            splice.before = node;
        }
        // Readers who do not see it yet miss a shortcut only.
        if height > self.list.height.load(Ordering::Relaxed) {
            self.list.height.store(height, Ordering::Relaxed);
        }
    }

    /// One level, and another one by a chance of one in four, and so on.
    fn random_height(&mut self) -> usize {
        // Marsaglia's xorshift64.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let height = 1 + (self.random >> 32).trailing_zeros() / BRANCHING_LOG2;
        HEIGHT_MAX.min(height as usize)
    }
}

/// Iterates over a list and holds it.
#[derive(Clone)]
pub(crate) struct SkipListCursor {
    list: Arc<SkipList>,
    node: Option<Node>,
}

// SAFETY: the node belongs to the list, which the cursor holds, and is reached as the list's are.
unsafe impl Send for SkipListCursor {}

impl SkipListCursor {
    /// A cursor that stands nowhere.
    pub(crate) fn new(list: Arc<SkipList>) -> Self {
        Self { list, node: None }
    }

    fn node(&self) -> Node {
        match self.node {
            Some(node) => node,
            None => panic!("iterator is not valid"),
        }
    }
}

impl RepCursor for SkipListCursor {
    fn valid(&self) -> bool {
        self.node.is_some()
    }

    fn seek_to_first(&mut self) {
        self.node = self.list.first();
    }

    fn seek_to_last(&mut self) {
        self.node = self.list.last();
    }

    fn seek(&mut self, target: &[u8]) {
        self.node = self.list.seek(target);
    }

    fn seek_for_prev(&mut self, target: &[u8]) {
        self.node = self.list.seek_for_prev(target);
    }

    fn next(&mut self) {
        self.node = self.list.next(self.node());
    }

    fn prev(&mut self) {
        self.node = self.list.prev(self.node());
    }

    #[inline]
    fn entry(&self) -> MemTableEntry<'_> {
        self.list.entry(self.node())
    }
}

impl fmt::Debug for SkipList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkipList").field("arena", &self.arena).finish_non_exhaustive()
    }
}

impl fmt::Debug for SkipListWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SkipListWriter").field("list", &self.list).finish_non_exhaustive()
    }
}
