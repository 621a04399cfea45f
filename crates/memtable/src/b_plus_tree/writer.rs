//! The one who adds records to a tree.

use super::node::{CAPACITY, NODE_BLOCK_SIZE_MIN, NodeAddress, Slot};
use super::seq_lock::SeqLock;
use super::target::Target;
use super::{BPlusTree, LEVEL_COUNT_MAX, Place};
use crate::arena::{ALIGNMENT, ArenaWriter, BLOCK_SIZE_MIN};
use crate::block_source::BlockSource;
use crate::hint_hasher::HintHasher;
use crate::memtable_rep::EXPECTED_KEYS_MAX;
use crate::published_ptr::PublishedPtr;
use crate::record::Record;
use base::common_prefix_length;
use base::dbformat::extract_user_key;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Inserts into a tree. There is one of a tree.
pub(crate) struct BPlusTreeWriter {
    tree: Arc<BPlusTree>,
    records: ArenaWriter,
    nodes: ArenaWriter,
    /// Where the last record was inserted. Ascending keys follow there.
    last: Place,
    /// Where the last record with a hint was inserted, by the hint. Others may have been since.
    hints: HashMap<u64, Place, HintHasher>,
    /// Leaves where the keys that are expected belong, as far as is known, the next one last.
    pub(super) expected: Vec<NodeAddress>,
}

// SAFETY: the nodes belong to the arena of the tree, which the writer holds, and are reached as the
// tree's are.
unsafe impl Send for BPlusTreeWriter {}

impl BPlusTree {
    /// An empty tree.
    pub(crate) fn new(source: BlockSource) -> (Arc<Self>, BPlusTreeWriter) {
        let records = ArenaWriter::new(BLOCK_SIZE_MIN, Record::ALIGNMENT, source.clone());
        let mut nodes = ArenaWriter::new(NODE_BLOCK_SIZE_MIN, ALIGNMENT, source);
        let first_leaf = NodeAddress::new(&mut nodes, 0);
        let tree = Arc::new(Self {
            records: records.arena().clone(),
            nodes: nodes.arena().clone(),
            root: PublishedPtr::default(),
            first_leaf,
            base: PublishedPtr::default(),
            structure: SeqLock::default(),
            node_counts: [const { AtomicU64::new(0) }; LEVEL_COUNT_MAX],
            record_count: AtomicU64::new(0),
        });
        tree.root.prepare(first_leaf.address());
        tree.node_counts[0].store(1, Ordering::Relaxed);
        let last = Place { node: first_leaf, index: 0 };
        let writer = BPlusTreeWriter {
            tree: tree.clone(),
            records,
            nodes,
            last,
            hints: HashMap::default(),
            expected: Vec::new(),
        };
        (tree, writer)
    }

    /// Whether `target` belongs right behind the record at `place`, as far as its leaf tells.
    #[inline]
    fn is_next(&self, place: Place, target: &Target<'_>) -> bool {
        let node = self.node(place.node);
        let count = node.count();
        // SAFETY: the tree holds the arena of its records.
        let is_before = |index| unsafe { node.is_before(index, target) };
        if place.index >= count || !is_before(place.index) {
            return false;
        }
        match place.index + 1 < count {
            true => !is_before(place.index + 1),
            false => node.next().is_none(),
        }
    }

    /// Where `target` belongs in a leaf, if that is between two of the records there: leaves may have been
    /// split, and it may be another's. Apart from what inserts one record, which most writers do.
    #[inline(never)]
    fn place_within(&self, leaf: NodeAddress, target: &Target<'_>) -> Option<Place> {
        let count = self.node(leaf).count();
        let index = self.search(leaf, count, target, false);
        (index > 0 && index < count).then_some(Place { node: leaf, index })
    }

    /// Bytes that a record's user key and the base key begin with alike.
    fn common_with_base(&self, record: Record) -> usize {
        let user_key = extract_user_key(self.key(record));
        self.base_key().map_or(0, |base_key| common_prefix_length(user_key, base_key))
    }
}

impl BPlusTreeWriter {
    /// Adds a record.
    ///
    /// # Panics
    /// If the key or the value is 4 GiB or longer.
    #[inline]
    pub(crate) fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]) {
        let record = Record::new(&mut self.records, user_key, trailer, value);
        let tree = &*self.tree;
        let base_key = match tree.base_key() {
            Some(base_key) => base_key,
            None => {
                tree.base.publish(record.address());
                user_key
            }
        };
        let target = Target::new(user_key, trailer, base_key);
        let expected = self.expected.pop().and_then(|leaf| tree.place_within(leaf, &target));
        let place = match expected {
            Some(place) => place,
            None if tree.is_next(self.last, &target) => {
                Place { index: self.last.index + 1, ..self.last }
            }
            None => {
                let place = tree.descend(&target, false);
                Place { node: place.leaf, index: place.index }
            }
        };
        self.last = match tree.node(place.node).count() < CAPACITY {
            true => tree.insert_into_leaf(place, &target, record),
            false => Splitter { tree, nodes: &mut self.nodes }.insert(&target, record),
        };
        let count = tree.record_count.load(Ordering::Relaxed);
        tree.record_count.store(count + 1, Ordering::Relaxed);
    }

    /// As [`Self::insert`], with the search beginning where the last record with the same `hint` is.
    /// Returns whether it is the first one.
    ///
    /// # Panics
    /// As [`Self::insert`].
    pub(crate) fn insert_with_hint(
        &mut self,
        hint: u64,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> bool {
        let known = self.hints.get(&hint).copied();
        self.last = known.unwrap_or(self.last);
        self.insert(user_key, trailer, value);
        self.hints.insert(hint, self.last);
        known.is_none()
    }
}

impl BPlusTreeWriter {
    /// Finds the leaves of keys that are inserted next, in this order, one level for all of them after the
    /// other, so that the processor waits for their lines of memory at one time. Keys of which the first
    /// goes behind the last record are taken to ascend, which needs no search.
    pub(crate) fn expect(&mut self, user_keys: &[&[u8]]) {
        let tree = &*self.tree;
        self.expected.clear();
        let (Some(base_key), Some(root)) = (tree.base_key(), tree.root()) else { return };
        let target_of = |user_key| Target::new(user_key, u64::MAX, base_key);
        let Some(first) = user_keys.first() else { return };
        if tree.is_next(self.last, &target_of(first)) {
            return;
        }
        let user_keys = &user_keys[..user_keys.len().min(EXPECTED_KEYS_MAX)];
        self.expected.extend(user_keys.iter().map(|_| root));
        for _ in 0..tree.node(root).level() {
            for (user_key, address) in user_keys.iter().rev().zip(&mut self.expected) {
                let count = tree.node(*address).count();
                let index = tree.search(*address, count, &target_of(user_key), false);
                // SAFETY: the tree holds the arena of its nodes.
                *address = unsafe { address.child(index) }.unwrap_or(*address);
                address.prefetch_ranks();
            }
        }
    }
}

/// What of a tree only the one who writes may call.
impl BPlusTree {
    /// Puts a record into a leaf that has room. Returns where it is.
    #[inline]
    fn insert_into_leaf(&self, place: Place, target: &Target<'_>, record: Record) -> Place {
        let node = self.node(place.node);
        let slot = Slot { record, child: None };
        let is_ranked = node.start() <= target.common;
        if is_ranked && place.index == node.count() {
            // Readers who counted before do not look there.
            self.put(place, slot, target.common);
        } else {
            node.lock.write(|| self.put(place, slot, target.common));
        }
        place
    }

    /// Puts a slot, whose key agrees with the base key in `common` bytes, into a node that has room.
    /// The node's ranks are made to begin where that allows.
    #[inline]
    fn put(&self, place: Place, slot: Slot, common: usize) {
        let node = self.node(place.node);
        // SAFETY: the caller is the only one who writes, and the tree holds the arenas of nodes and
        // records.
        unsafe {
            if node.start() > common {
                node.rank_from(common);
            }
            place.node.insert(place.index, slot);
        }
    }

    /// As [`Self::put`], for a slot of which only the record is known.
    fn put_record(&self, place: Place, slot: Slot) {
        self.put(place, slot, self.common_with_base(slot.record));
    }

    /// Makes the ranks of a node begin as far behind as its keys allow: the first and the last one
    /// tell for those between.
    fn raise_start(&self, address: NodeAddress) {
        let node = self.node(address);
        if node.count() <= node.lowest() {
            return;
        }
        let ends = [node.lowest(), node.count() - 1];
        let common = ends.iter().filter_map(|index| node.record(*index));
        let common = common.map(|record| self.common_with_base(record)).min();
        if let Some(common) = common
            && common > node.start()
        {
            // SAFETY: as in `put`.
            unsafe { node.rank_from(common) };
        }
    }
}

/// Adds nodes to a tree.
struct Splitter<'a> {
    tree: &'a BPlusTree,
    nodes: &'a mut ArenaWriter,
}

/// What became of a node that was split.
struct Split {
    /// Where the slot that it was split for is.
    place: Place,
    /// The new node.
    right: Slot,
}

impl Splitter<'_> {
    /// Adds a record whose leaf is full, and the nodes that this takes. Returns where the record is.
    #[cold]
    fn insert(&mut self, target: &Target<'_>, record: Record) -> Place {
        let tree = self.tree;
        tree.structure.write(|| {
            let mut path = tree.path(target);
            let mut slot = Slot { record, child: None };
            let mut inserted = None;
            while let Some(mut place) = path.pop() {
                // A new child goes behind the one that was split for it.
                place.index += usize::from(slot.child.is_some());
                if tree.node(place.node).count() < CAPACITY {
                    tree.put_record(place, slot);
                    inserted.get_or_insert(place);
                    break;
                }
                let split = self.split(place, slot);
                inserted.get_or_insert(split.place);
                slot = split.right;
                if path.is_empty() {
                    self.grow(place.node, slot);
                }
            }
            inserted.unwrap_or(Place { node: tree.first_leaf, index: 0 })
        })
    }

    /// Puts a slot into a node that is full, of which a part goes into a new node behind it.
    fn split(&mut self, place: Place, slot: Slot) -> Split {
        let tree = self.tree;
        let left = tree.node(place.node);
        let right = NodeAddress::new(self.nodes, left.level());
        // What is added at the end is likely to go on there: nodes are left full then.
        let cut = if place.index == CAPACITY { CAPACITY } else { CAPACITY / 2 };
        // SAFETY: the caller is the only one who writes, and the tree holds the arenas.
        unsafe { place.node.copy_from(cut, right) };
        let goes_right = place.index > cut || cut == CAPACITY;
        let place_right = Place { node: right, index: place.index.saturating_sub(cut) };
        if goes_right {
            tree.put_record(place_right, slot);
        }
        tree.raise_start(right);
        tree.node(right).set_prev(place.node);
        tree.node(right).set_next(left.next());
        if let Some(next) = left.next() {
            // Who comes from there looks whether this one leads back.
            tree.node(next).set_prev(right);
        }
        left.lock.write(|| {
            left.truncate(cut);
            left.set_next(Some(right));
            if !goes_right {
                tree.put_record(place, slot);
            }
            tree.raise_start(place.node);
        });
        let nodes = &tree.node_counts[left.level() as usize];
        nodes.store(nodes.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        let first = tree.node(right).record(0).unwrap_or(slot.record);
        Split {
            place: if goes_right { place_right } else { place },
            right: Slot { record: first, child: Some(right) },
        }
    }

    /// A new root, over the old one and the node that has become its neighbour.
    fn grow(&mut self, root: NodeAddress, right: Slot) {
        let tree = self.tree;
        let level = tree.node(root).level() + 1;
        let node = NodeAddress::new(self.nodes, level);
        tree.put_record(Place { node, index: 0 }, Slot { child: Some(root), ..right });
        tree.put_record(Place { node, index: 1 }, right);
        tree.node_counts[level as usize].store(1, Ordering::Relaxed);
        tree.root.publish(node.address());
    }
}

impl fmt::Debug for BPlusTreeWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BPlusTreeWriter").field("tree", &self.tree).finish_non_exhaustive()
    }
}
