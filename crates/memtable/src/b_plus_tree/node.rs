//! A node of a tree: up to 64 records in order, and above the leaves a child for each.
//!
//! ```text
//! lock, count, start, level, next, prev    one cache line
//! ranks                                    8 bytes each
//! records                                  8
//! children                                 8, above the leaves
//! ```
//!
//! A search looks at the ranks, which lie side by side, and at records only where ranks are equal.
//! A rank is eight bytes of a record's user key from `start` on: up to there all keys of the node are
//! equal to the tree's base key.
//!
//! Above the leaves the record of a child is one that everything in the child is not before, and
//! that everything in the child on its left is before; the first child has none.

use super::look_ahead::Direction;
use super::seq_lock::SeqLock;
use super::target::Target;
use crate::arena::ArenaWriter;
use crate::memtable_rep::rank_of;
use crate::published_ptr::PublishedPtr;
use crate::record::{Header, Record};
use base::dbformat::extract_user_key;
use kernels::prefetch::prefetch_address;
use std::cmp::Ordering as Order;
use std::hint::select_unpredictable;
use std::ops::RangeInclusive;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Slots of a node; few in this crate's tests, so that small trees have many nodes.
pub(super) const CAPACITY: usize = if cfg!(test) { 8 } else { 64 };

const LINE_SIZE: usize = 64;
const RANKS_PER_LINE: usize = LINE_SIZE / size_of::<u64>();
const LAST_OF_LINE: usize = RANKS_PER_LINE - 1;

/// Lines of a record that are asked for ahead. Of longer ones processors see by themselves where it goes.
const RECORD_LINES_MAX: usize = 8;

/// The rank of a slot that is not in use: below none.
pub(super) const UNUSED: u64 = u64::MAX;

/// The address of a node. Nothing says how long it is good: its arena has to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeAddress(NonNull<Node>);

/// What a leaf is, and a node above the leaves begins with.
#[repr(C, align(64))]
#[derive(Debug)]
pub(super) struct Node {
    /// Of a leaf: changes where records are moved. That nodes above are changed the tree's own lock
    /// tells.
    pub(super) lock: SeqLock,
    /// How many slots are in use. What they hold is there before it is counted.
    count: AtomicU32,
    /// Where the ranks begin in the user keys.
    start: AtomicU32,
    /// 0 for a leaf. Never changes.
    level: u32,
    next: PublishedPtr<Node>,
    /// Of a leaf.
    prev: PublishedPtr<Node>,
    ranks: Ranks,
    records: [PublishedPtr<Header>; CAPACITY],
}

#[repr(align(64))]
#[derive(Debug)]
struct Ranks([AtomicU64; CAPACITY]);

#[repr(C, align(64))]
#[derive(Debug)]
struct InnerNode {
    node: Node,
    children: [PublishedPtr<Node>; CAPACITY],
}

/// What a slot holds: a record, and above the leaves the child that begins with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) record: Record,
    pub(super) child: Option<NodeAddress>,
}

const _: () = assert!(size_of::<Node>() == 64 + 16 * CAPACITY);

/// The first block of an arena of nodes, which has room for four, so that none gets one of its own.
pub(super) const NODE_BLOCK_SIZE_MIN: usize = (4 * size_of::<InnerNode>()).next_power_of_two();

impl NodeAddress {
    /// A new node without records, known to nobody else.
    pub(super) fn new(arena: &mut ArenaWriter, level: u32) -> Self {
        let node = Node {
            lock: SeqLock::default(),
            count: AtomicU32::new(0),
            start: AtomicU32::new(u32::MAX),
            level,
            next: PublishedPtr::default(),
            prev: PublishedPtr::default(),
            ranks: Ranks([const { AtomicU64::new(UNUSED) }; CAPACITY]),
            records: std::array::from_fn(|_| PublishedPtr::default()),
        };
        if level == 0 {
            let piece = arena.allocate(size_of::<Node>()).cast();
            assert!(piece.is_aligned(), "other pieces in an arena of nodes");
            // SAFETY: the piece is as large as a node and aligned for it, and nobody else's.
            unsafe { piece.write(node) };
            return Self(piece);
        }
        let children = std::array::from_fn(|_| PublishedPtr::default());
        let piece = arena.allocate(size_of::<InnerNode>()).cast();
        assert!(piece.is_aligned(), "other pieces in an arena of nodes");
        // SAFETY: as above, for a node with children.
        unsafe { piece.write(InnerNode { node, children }) };
        Self(piece.cast())
    }

    /// The node at an address that [`Self::address`] gave; none if it is null.
    #[inline]
    pub(super) fn at(address: *mut Node) -> Option<Self> {
        NonNull::new(address).map(Self)
    }

    #[inline]
    pub(super) fn address(self) -> *mut Node {
        self.0.as_ptr()
    }

    /// # Safety
    /// The node's arena is held as long as `'a`, and the caller saw the node by what happened after
    /// it was made.
    #[inline]
    pub(super) unsafe fn node<'a>(self) -> &'a Node {
        // SAFETY: the node was initialised before anyone knew of it, and is made of atomics.
        unsafe { self.0.as_ref() }
    }

    /// The children of a node; none of a leaf.
    ///
    /// # Safety
    /// As for [`Self::node`].
    #[inline]
    unsafe fn children<'a>(self) -> Option<&'a [PublishedPtr<Node>; CAPACITY]> {
        // SAFETY: the caller's. A node that is no leaf was made with children, and the address is
        // that of the whole.
        unsafe { (self.node().level > 0).then(|| &self.0.cast::<InnerNode>().as_ref().children) }
    }

    /// The child in a slot; none of a leaf.
    ///
    /// # Safety
    /// As for [`Self::node`].
    #[inline]
    pub(super) unsafe fn child(self, index: usize) -> Option<Self> {
        // SAFETY: the caller's.
        let children = unsafe { self.children() };
        // Who finds the child sees all of it.
        Self::at(children?[index % CAPACITY].load())
    }

    /// Brings the part of the node that a search looks at first into the processor's cache.
    #[inline]
    pub(super) fn prefetch_ranks(self) {
        prefetch(self.0.as_ptr(), 0..=CAPACITY / RANKS_PER_LINE);
    }

    /// Brings the part of the node that one who goes through it looks at.
    #[inline]
    pub(super) fn prefetch_records(self) {
        let lines = CAPACITY / RANKS_PER_LINE;
        prefetch(self.0.as_ptr(), 0..=0);
        prefetch(self.0.as_ptr(), lines + 1..=2 * lines);
    }

    /// Puts a slot in front of that at `index`. The node has room. Where it is not the last one of a
    /// leaf, readers have to be told by a lock.
    ///
    /// # Safety
    /// As for [`Self::node`]; the caller is the one who writes, and the record and the child of
    /// `slot` live as long as the node. The record's user key agrees with the base key up to where
    /// the node's ranks start.
    pub(super) unsafe fn insert(self, index: usize, slot: Slot) {
        // SAFETY: the caller's.
        let (node, children) = unsafe { (self.node(), self.children()) };
        let count = node.count();
        for to in (index + 1..=count).rev() {
            node.ranks.0[to].store(node.ranks.0[to - 1].load(Ordering::Relaxed), Ordering::Relaxed);
            move_pointer(&node.records, to - 1, &node.records, to);
            if let Some(children) = children {
                move_pointer(children, to - 1, children, to);
            }
        }
        // SAFETY: the caller's.
        let user_key = extract_user_key(unsafe { slot.record.key() });
        node.ranks.0[index].store(rank_of(user_key, node.start()), Ordering::Relaxed);
        node.records[index].publish(slot.record.address());
        if let (Some(children), Some(child)) = (children, slot.child) {
            children[index].publish(child.address());
        }
        node.count.store(count as u32 + 1, Ordering::Release);
    }

    /// Copies the slots from `index` on into the new node `to`.
    ///
    /// # Safety
    /// As for [`Self::insert`], of both.
    pub(super) unsafe fn copy_from(self, index: usize, to: Self) {
        // SAFETY: the caller's.
        let (node, children) = unsafe { (self.node(), self.children()) };
        // SAFETY: the caller's.
        let (to, to_children) = unsafe { (to.node(), to.children()) };
        let count = node.count();
        for from in index..count {
            let rank = node.ranks.0[from].load(Ordering::Relaxed);
            to.ranks.0[from - index].store(rank, Ordering::Relaxed);
            move_pointer(&node.records, from, &to.records, from - index);
            if let (Some(children), Some(to_children)) = (children, to_children) {
                move_pointer(children, from, to_children, from - index);
            }
        }
        to.start.store(node.start.load(Ordering::Relaxed), Ordering::Relaxed);
        to.count.store((count - index) as u32, Ordering::Release);
    }
}

/// Begins to bring lines of memory, counted from an address on, into the processor's cache.
#[inline]
fn prefetch<T>(address: *const T, lines: RangeInclusive<usize>) {
    for line in lines {
        let address = address.cast::<u8>().wrapping_add(line * LINE_SIZE);
        prefetch_address(address);
    }
}

/// Copies a pointer; who loads the copy sees all that it leads to.
fn move_pointer<T>(source: &[PublishedPtr<T>], from: usize, target: &[PublishedPtr<T>], to: usize) {
    target[to].publish(source[from].peek());
}

impl Node {
    /// How many slots are in use.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count.load(Ordering::Acquire) as usize
    }

    /// Leaves the first `count` slots in use.
    pub(super) fn truncate(&self, count: usize) {
        for rank in &self.ranks.0[count..] {
            rank.store(UNUSED, Ordering::Relaxed);
        }
        self.count.store(count as u32, Ordering::Release);
    }

    #[inline]
    pub(super) fn level(&self) -> u32 {
        self.level
    }

    /// Where the ranks begin in user keys.
    #[inline]
    pub(super) fn start(&self) -> usize {
        self.start.load(Ordering::Relaxed) as usize
    }

    /// The first slot with a record that says something: above the leaves the first child has none.
    #[inline]
    pub(super) fn lowest(&self) -> usize {
        usize::from(self.level > 0)
    }

    /// The node that follows on the level.
    #[inline]
    pub(super) fn next(&self) -> Option<NodeAddress> {
        NodeAddress::at(self.next.load())
    }

    pub(super) fn set_next(&self, next: Option<NodeAddress>) {
        let address = next.map_or(std::ptr::null_mut(), NodeAddress::address);
        self.next.publish(address);
    }

    /// The leaf before this one.
    #[inline]
    pub(super) fn prev(&self) -> Option<NodeAddress> {
        NodeAddress::at(self.prev.load())
    }

    /// The leaf that comes next on a way.
    #[inline]
    pub(super) fn neighbour(&self, way: Direction) -> Option<NodeAddress> {
        match way {
            Direction::Forward => self.next(),
            Direction::Back => self.prev(),
        }
    }

    pub(super) fn set_prev(&self, prev: NodeAddress) {
        self.prev.publish(prev.address());
    }

    /// The record of a slot that is, or was, in use.
    #[inline]
    pub(super) fn record(&self, index: usize) -> Option<Record> {
        Record::at(self.records[index % CAPACITY].load())
    }

    /// Begins to bring the record of a slot that may be in use into the processor's cache.
    #[inline]
    pub(super) fn prefetch_record(&self, index: usize) {
        prefetch(self.records[index % CAPACITY].peek(), 0..=1);
    }

    /// As [`Self::prefetch_record`], of a record that has about `size` bytes.
    #[inline]
    pub(super) fn prefetch_whole_record(&self, index: usize, size: usize) {
        let record = self.records[index % CAPACITY].peek();
        let last_line = (record.addr() % LINE_SIZE + size - 1) / LINE_SIZE;
        prefetch(record, 0..=last_line.min(RECORD_LINES_MAX - 1));
    }

    /// The number of slots, of the first `count`, whose records are before `target`, or at it where
    /// `or_at` says so.
    ///
    /// # Safety
    /// The arena of the records is held, and so many slots are or were in use.
    #[inline]
    pub(super) unsafe fn search(&self, count: usize, target: &Target<'_>, or_at: bool) -> usize {
        let start = self.start();
        if start > target.common {
            // All of the node's keys agree with the base key where the target does not.
            return if target.is_after_base { count } else { self.lowest() };
        }
        let rank = rank_of(target.user_key, start);
        let mut first = self.count_below(count, rank);
        if first >= count || self.rank(first) != rank {
            return first;
        }
        let mut end = match rank.checked_add(1) {
            Some(above) => self.count_below(count, above),
            None => count,
        };
        while first < end {
            let middle = first.midpoint(end);
            // SAFETY: the slot is or was in use, so that its record is whole; the caller holds it.
            let is_before = self.record(middle).is_some_and(|record| unsafe {
                target.is_behind(record.key(), start + size_of::<u64>(), or_at)
            });
            if is_before {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }

    /// Whether ranks leave it open that `target` is from the first of `count` records to the last.
    #[inline]
    pub(super) fn may_span(&self, count: usize, target: &Target<'_>) -> bool {
        let start = self.start();
        if count == 0 || start > target.common {
            return false;
        }
        let rank = rank_of(target.user_key, start);
        self.rank(0) <= rank && rank <= self.rank(count - 1)
    }

    /// Whether ranks tell that the record of a slot in use is of another user key than `target`.
    #[inline]
    pub(super) fn ranks_apart(&self, index: usize, target: &Target<'_>) -> bool {
        let start = self.start();
        start > target.common || self.rank(index) != rank_of(target.user_key, start)
    }

    /// Whether the record of a slot in use is before `target`.
    ///
    /// # Safety
    /// As for [`Self::search`].
    #[inline]
    pub(super) unsafe fn is_before(&self, index: usize, target: &Target<'_>) -> bool {
        let start = self.start();
        if start > target.common {
            return target.is_after_base;
        }
        let rank = rank_of(target.user_key, start);
        let ranked = start + size_of::<u64>();
        match self.rank(index).cmp(&rank) {
            // SAFETY: as in `search`.
            Order::Equal => self
                .record(index)
                .is_some_and(|record| unsafe { target.is_behind(record.key(), ranked, false) }),
            order => order.is_lt(),
        }
    }

    #[inline]
    pub(super) fn rank(&self, index: usize) -> u64 {
        self.ranks.0[index % CAPACITY].load(Ordering::Relaxed)
    }

    /// The first slot that says something and whose rank is not below `rank`, of the first `count` ones.
    ///
    /// First the line is found, by the last ranks of lines, then the slot: no load waits for more than one
    /// other, and no branch depends on ranks, which would be wrong half of the time.
    #[inline]
    fn count_below(&self, count: usize, rank: u64) -> usize {
        let lines = self.ranks.0.as_chunks::<RANKS_PER_LINE>().0;
        let mut line = 0;
        for (index, ranks) in lines.iter().enumerate() {
            let is_below = ranks[LAST_OF_LINE].load(Ordering::Relaxed) < rank;
            line = select_unpredictable(is_below, index + 1, line);
        }
        // Where all ranks are below, those of the first line are looked at in vain.
        let start = line * RANKS_PER_LINE;
        let mut first = start.max(self.lowest());
        for (index, slot_rank) in lines[line % lines.len()].iter().enumerate() {
            let is_below = slot_rank.load(Ordering::Relaxed) < rank;
            first = select_unpredictable(is_below, start + index + 1, first);
        }
        first.min(count)
    }

    /// Makes the ranks begin at `start`.
    ///
    /// # Safety
    /// The caller is the one who writes and the arena of the records is held. All user keys of the
    /// node agree with the base key up to `start`.
    pub(super) unsafe fn rank_from(&self, start: usize) {
        for index in self.lowest()..self.count() {
            if let Some(record) = self.record(index) {
                // SAFETY: the caller's.
                let rank = rank_of(extract_user_key(unsafe { record.key() }), start);
                self.ranks.0[index].store(rank, Ordering::Relaxed);
            }
        }
        self.start.store(start as u32, Ordering::Relaxed);
    }
}
