//! A B+tree that one writes and many read, without locks, where keys are ordered as bytes.
//!
//! Records lie in an arena and are never moved nor removed; nodes neither, though what they hold
//! moves within them and to new ones. A reader notices that by counts (see `seq_lock`): each leaf has
//! one for the records in it, and the tree one for everything else: nodes that are split, and what
//! leads to them. Whoever stands on a record can go on from there at any time, if need be by
//! looking for its key again.
//!
//! Nodes hold eight bytes of each key side by side, those that follow what the keys of the node have
//! in common with the tree's first key, so that a search that goes down looks at few lines of memory
//! and no record but the one it looks for. (Design after the memtables of TiKV and Topling and the
//! optimistic lock coupling of Leis et al., "The ART of practical synchronization", 2016.)

mod cursor;
mod look_ahead;
mod node;
mod seq_lock;
mod target;
mod writer;

pub(crate) use cursor::BPlusTreeCursor;
pub(crate) use writer::BPlusTreeWriter;

use crate::arena::{Arena, ArenaSlice};
use crate::memtable_rep::{MemTableEntry, split_keys_among};
use crate::published_ptr::PublishedPtr;
use crate::record::{Header, Record};
use base::dbformat::{extract_trailer, extract_user_key};
use look_ahead::Ahead;
use look_ahead::Direction::{self, Back, Forward};
use node::{Node, NodeAddress};
use seq_lock::{SeqLock, Version};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use target::Target;

/// More levels than a tree can have: those above the leaves are at least half full, but at the end.
const LEVEL_COUNT_MAX: usize = if cfg!(test) { 40 } else { 16 };

/// How many neighbours of a level are looked through for the size of a range.
const COUNTED_NODES_MAX: usize = 8;

/// Records in internal key order, those with equal keys from the last inserted to the first.
pub(crate) struct BPlusTree {
    records: Arc<Arena>,
    nodes: Arc<Arena>,
    root: PublishedPtr<Node>,
    /// The leaf with the first record, always the same.
    first_leaf: NodeAddress,
    /// The record inserted first, with whose user key the parts of keys that are in nodes have to do.
    base: PublishedPtr<Header>,
    /// What leads to the leaves, and which leaves there are.
    structure: SeqLock,
    /// How many nodes each level has, from the leaves on.
    node_counts: [AtomicU64; LEVEL_COUNT_MAX],
    record_count: AtomicU64,
}

// SAFETY: nodes and records belong to the arenas, which the tree holds. Nodes are made of atomics;
// records are written before a release store of the first pointer to them, and read after an acquire
// load of one. Nothing depends on the thread.
unsafe impl Send for BPlusTree {}
// SAFETY: as above.
unsafe impl Sync for BPlusTree {}

/// A slot of a node.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: NodeAddress,
    index: usize,
}

/// Where a record is.
#[derive(Clone, Copy, Debug)]
struct Position {
    leaf: NodeAddress,
    /// As long as the leaf has this version the record is at `index`.
    version: Version,
    index: usize,
    record: Record,
}

/// Where a key belongs in a leaf.
#[derive(Clone, Copy, Debug)]
struct LeafPlace {
    leaf: NodeAddress,
    /// As long as the leaf has this version the place is at `index`.
    version: Version,
    index: usize,
    /// How many records the leaf had. Those that are put behind them later leave the version as it
    /// is, and may belong in front of the key.
    count: usize,
}

/// What was looked at has changed meanwhile.
#[derive(Debug)]
struct Changed;

impl BPlusTree {
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.records.allocated_bytes() + self.nodes.allocated_bytes()
    }

    /// Visits the records from the internal key `target` on until `visitor` returns false.
    #[inline]
    pub(crate) fn visit(&self, target: &[u8], mut visitor: impl FnMut(MemTableEntry<'_>) -> bool) {
        let mut found = self.seek(target);
        while let Some(position) = found
            && visitor(self.entry(position.record))
        {
            found = self.after(position);
        }
    }

    /// As [`Self::visit`], of which only records of the user key of `target` matter: visits nothing where
    /// ranks tell that there is none, which takes no look at a record.
    #[inline]
    pub(crate) fn visit_key(
        &self,
        target: &[u8],
        mut visitor: impl FnMut(MemTableEntry<'_>) -> bool,
    ) {
        let mut found = self.target(target).and_then(|target| self.find_key(&target));
        while let Some(position) = found
            && visitor(self.entry(position.record))
        {
            found = self.after(position);
        }
    }

    /// About how many records there are from the internal key `start` on and before `end`: exact
    /// where they are in a few leaves.
    pub(crate) fn approximate_num_entries(&self, start: &[u8], end: &[u8]) -> u64 {
        let (Some(start), Some(end)) = (self.target(start), self.target(end)) else { return 0 };
        let mut from = self.consistent_path(&start);
        let mut to = self.consistent_path(&end);
        // Should the tree have grown between the two: from the leaves on they are alike.
        let depth = from.len().min(to.len());
        from.reverse();
        to.reverse();
        for level in 0..depth {
            if let Some(count) = self.distance(from[level], to[level]) {
                return (count as f64 * self.records_per_slot(level)) as u64;
            }
        }
        self.record_count.load(Ordering::Relaxed)
    }

    /// Slots from one place of a level to another, if they are not far from each other. Places that
    /// are the other way round, or on different leaves of which the second is before the first, are
    /// far.
    fn distance(&self, from: Place, to: Place) -> Option<usize> {
        let Place { mut node, mut index } = from;
        let mut count = 0;
        for _ in 0..COUNTED_NODES_MAX {
            if node == to.node {
                return Some((count + to.index).saturating_sub(index));
            }
            count += self.node(node).count().saturating_sub(index);
            index = 0;
            node = self.node(node).next()?;
        }
        None
    }

    /// How many records a slot of a level stands for.
    fn records_per_slot(&self, level: usize) -> f64 {
        let children = match level.checked_sub(1) {
            Some(below) => self.node_counts[below].load(Ordering::Relaxed),
            None => return 1.0,
        };
        self.record_count.load(Ordering::Relaxed) as f64 / children as f64
    }

    /// User keys that divide the records into ranges of about the same size: those with which some of the leaves
    /// begin, and none of a tree with a single leaf. As [`MemTableRep::split_keys`](crate::MemTableRep::split_keys).
    pub(crate) fn split_keys(&self, count: usize) -> Vec<Vec<u8>> {
        let Some(mut first) = self.root().filter(|root| self.node(*root).level() > 0) else {
            return Vec::new();
        };
        while self.node(first).level() > 1
            // SAFETY: the tree holds the arena of its nodes.
            && let Some(below) = unsafe { first.child(0) }
        {
            first = below;
        }
        let nodes = std::iter::successors(Some(first), |node| self.node(*node).next());
        let leaves: Vec<Record> = nodes
            .map(|node| self.node(node))
            .flat_map(|node| (0..node.count()).filter_map(|slot| node.record(slot)))
            .collect();
        let user_key = |index: usize| extract_user_key(self.key(leaves[index]));
        split_keys_among(leaves.len(), user_key, count)
    }

    /// The path to `target` through nodes that were the tree's all at one time.
    fn consistent_path(&self, target: &Target<'_>) -> Vec<Place> {
        loop {
            let structure = self.structure.read();
            let path = self.path(target);
            if self.structure.is_still(structure) {
                return path;
            }
        }
    }

    /// The nodes from the root to the leaf where `target` belongs: the slot of the child that leads
    /// there, and its own. Consistent only while nodes are not split.
    fn path(&self, target: &Target<'_>) -> Vec<Place> {
        let mut path = Vec::with_capacity(LEVEL_COUNT_MAX);
        let mut below = self.root();
        while let Some(node) = below {
            let index = self.search(node, self.node(node).count(), target, false);
            path.push(Place { node, index });
            // SAFETY: the tree holds the arena of its nodes.
            below = unsafe { node.child(index) };
        }
        path
    }

    #[inline]
    fn root(&self) -> Option<NodeAddress> {
        NodeAddress::at(self.root.load())
    }

    #[inline]
    fn node(&self, address: NodeAddress) -> &Node {
        // SAFETY: the tree holds the arena of its nodes, and addresses of nodes are loaded with what
        // was written before they were stored.
        unsafe { address.node() }
    }

    #[inline]
    fn key(&self, record: Record) -> &[u8] {
        // SAFETY: the tree holds the arena of its records, and their addresses are loaded with what
        // was written before they were stored.
        unsafe { record.key() }
    }

    /// Of a record that was looked at: those near it have about as many bytes, as a rule.
    #[inline]
    fn record_size(&self, record: Record) -> usize {
        // SAFETY: as in `key`.
        unsafe { record.whole_size() }
    }

    /// The user key of the record inserted first; none while there is none.
    #[inline]
    fn base_key(&self) -> Option<&[u8]> {
        let record = Record::at(self.base.load())?;
        Some(extract_user_key(self.key(record)))
    }

    /// An internal key to search for; none while there is no record.
    #[inline]
    fn target<'a>(&self, key: &'a [u8]) -> Option<Target<'a>> {
        let base_key = self.base_key()?;
        Some(Target::new(extract_user_key(key), extract_trailer(key), base_key))
    }

    /// How many records of a leaf are before `target`, or the slot of the child where it belongs, of
    /// the first `count` ones.
    #[inline]
    fn search(
        &self,
        address: NodeAddress,
        count: usize,
        target: &Target<'_>,
        or_at: bool,
    ) -> usize {
        let node = self.node(address);
        // SAFETY: the tree holds the arena of its records.
        let before = unsafe { node.search(count, target, or_at) };
        before - node.lowest()
    }

    /// The leaf where `target` belongs, and its place there.
    #[inline]
    fn descend(&self, target: &Target<'_>, or_at: bool) -> LeafPlace {
        let mut address = self.root().unwrap_or(self.first_leaf);
        loop {
            let node = self.node(address);
            let version = node.lock.read();
            let count = node.count();
            let index = self.search(address, count, target, or_at);
            // SAFETY: the tree holds the arena of its nodes.
            match unsafe { address.child(index) } {
                Some(child) => address = child,
                None => return LeafPlace { leaf: address, version, index, count },
            }
            address.prefetch_ranks();
        }
    }

    /// The first record that is not before `target`, and the leaf where that belongs.
    #[inline]
    fn find(&self, target: &Target<'_>) -> (Option<Position>, NodeAddress) {
        loop {
            let structure = self.structure.read();
            let place = self.descend(target, false);
            if let Ok(position) = self.at(place)
                && self.structure.is_still(structure)
            {
                return (position, place.leaf);
            }
        }
    }

    /// As [`Self::find`], without a way down, if the target belongs into this leaf.
    #[inline]
    fn find_in(&self, leaf: NodeAddress, target: &Target<'_>) -> Option<Option<Position>> {
        // That the last leaf has become another one changes the version of this one.
        self.at(self.place_in(leaf, target)?).ok()
    }

    /// The place of `target` in a leaf, if it belongs between its records, or behind the last one of all.
    #[inline]
    fn place_in(&self, leaf: NodeAddress, target: &Target<'_>) -> Option<LeafPlace> {
        let node = self.node(leaf);
        let version = node.lock.read();
        let count = node.count();
        let is_last = || node.next().is_none();
        if !(node.may_span(count, target) || count > 0 && is_last()) {
            return None;
        }
        let index = self.search(leaf, count, target, false);
        let belongs_here = index > 0 && (index < count || is_last());
        belongs_here.then_some(LeafPlace { leaf, version, index, count })
    }

    /// As [`Self::find`], or none if ranks tell that the record found is of another user key.
    #[inline]
    fn find_key(&self, target: &Target<'_>) -> Option<Position> {
        loop {
            let structure = self.structure.read();
            let place = self.descend(target, false);
            let node = self.node(place.leaf);
            let found = match place.index < place.count && node.ranks_apart(place.index, target) {
                false => self.at(place),
                true if node.lock.is_still(place.version) => Ok(None),
                true => Err(Changed),
            };
            if let Ok(position) = found
                && self.structure.is_still(structure)
            {
                return position;
            }
        }
    }

    /// The last record that is before `target`; or at it where `or_at` says so.
    fn find_before(&self, target: &Target<'_>, or_at: bool) -> Option<Position> {
        loop {
            let structure = self.structure.read();
            let LeafPlace { leaf, version, index, .. } = self.descend(target, or_at);
            let found = self.before(leaf, version, index);
            if let Ok(position) = found
                && self.structure.is_still(structure)
            {
                return position;
            }
        }
    }

    /// The place of a leaf that is at `index`, of the records that it has now.
    #[inline]
    fn place(&self, leaf: NodeAddress, version: Version, index: usize) -> LeafPlace {
        LeafPlace { leaf, version, index, count: self.node(leaf).count() }
    }

    /// The record at a place of a leaf, which may be right behind its last one.
    #[inline]
    fn at(&self, place: LeafPlace) -> Result<Option<Position>, Changed> {
        let LeafPlace { leaf, version, index, count } = place;
        let node = self.node(leaf);
        if index < count {
            let record = node.record(index);
            let position = record.map(|record| Position { leaf, version, index, record });
            return if node.lock.is_still(version) { Ok(position) } else { Err(Changed) };
        }
        let next = node.next();
        if !node.lock.is_still(version) {
            return Err(Changed);
        }
        match next {
            // Nothing is ever put in front of the first record of a leaf but of the first one.
            Some(next) => {
                let version = self.node(next).lock.read();
                self.at(self.place(next, version, 0))
            }
            None => Ok(None),
        }
    }

    /// The record before a place of a leaf.
    fn before(
        &self,
        leaf: NodeAddress,
        version: Version,
        index: usize,
    ) -> Result<Option<Position>, Changed> {
        let node = self.node(leaf);
        if let Some(index) = index.checked_sub(1) {
            let record = node.record(index);
            let position = record.map(|record| Position { leaf, version, index, record });
            return if node.lock.is_still(version) { Ok(position) } else { Err(Changed) };
        }
        let Some(prev) = node.prev() else {
            return if node.lock.is_still(version) { Ok(None) } else { Err(Changed) };
        };
        let prev_version = self.node(prev).lock.read();
        let count = self.node(prev).count();
        let found = self.before(prev, prev_version, count.max(1))?;
        // Between the two there may be a new leaf, and in front of the place a new record.
        let are_neighbours = self.node(prev).next() == Some(leaf);
        if are_neighbours && node.lock.is_still(version) { Ok(found) } else { Err(Changed) }
    }

    /// Asks for the record here and for the one after it in the leaf.
    fn prefetch_records(&self, position: Position) {
        let node = self.node(position.leaf);
        (0..=1).for_each(|ahead| node.prefetch_record(position.index + ahead));
    }

    /// The record that follows.
    #[inline]
    fn after(&self, position: Position) -> Option<Position> {
        let (node, index) = (self.node(position.leaf), position.index + 1);
        let count = node.count();
        if index < count
            && let Some(record) = node.record(index)
            && node.lock.is_still(position.version)
        {
            self.look_ahead(Forward, node, index, count, self.record_size(position.record));
            return Some(Position { index, record, ..position });
        }
        self.beyond_leaf(Forward, position)
    }

    /// The record that precedes.
    #[inline]
    fn previous(&self, position: Position) -> Option<Position> {
        let node = self.node(position.leaf);
        if let Some(index) = position.index.checked_sub(1)
            && let Some(record) = node.record(index)
            && node.lock.is_still(position.version)
        {
            let size = self.record_size(position.record);
            self.look_ahead(Back, node, index, position.index, size);
            return Some(Position { index, record, ..position });
        }
        self.beyond_leaf(Back, position)
    }

    /// Asks for what comes soon after the slot at `index` of a leaf with `count` of them. Records are expected to
    /// have about `size` bytes.
    #[inline(always)]
    fn look_ahead(&self, way: Direction, node: &Node, index: usize, count: usize, size: usize) {
        if way.needs_addresses(index, count)
            && let Some(next) = node.neighbour(way)
        {
            next.prefetch_records();
        }
        match way.record_ahead(index, count) {
            Ahead::Here(slot) => node.prefetch_whole_record(slot, size),
            Ahead::NextLeaf(behind) => {
                if let Some(next) = node.neighbour(way) {
                    let next = self.node(next);
                    next.prefetch_whole_record(way.slot_of(behind, || next.count()), size);
                }
            }
        }
    }

    /// The record that comes after one that is the last in its leaf that way, or whose leaf has changed.
    #[cold]
    fn beyond_leaf(&self, way: Direction, position: Position) -> Option<Position> {
        let mut at = position;
        let found = loop {
            let found = match way {
                Forward => self.at(self.place(at.leaf, at.version, at.index + 1)),
                Back => self.before(at.leaf, at.version, at.index),
            };
            match found {
                Ok(found) => break found?,
                Err(Changed) => at = self.find_again(position.record),
            }
        };
        let node = self.node(found.leaf);
        let (index, count) = (found.index, node.count());
        if way.is_late_for_addresses(index, count)
            && let Some(next) = node.neighbour(way)
        {
            next.prefetch_records();
        }
        self.look_ahead(way, node, index, count, self.record_size(position.record));
        Some(found)
    }

    /// Whether the record before is known to be of another user key.
    fn starts_user_key(&self, position: Position) -> bool {
        let node = self.node(position.leaf);
        let before = position.index.checked_sub(1).and_then(|before| node.record(before));
        before.is_some_and(|before| {
            node.lock.is_still(position.version)
                && extract_user_key(self.key(before)) != extract_user_key(self.key(position.record))
        })
    }

    /// Where a record is now.
    #[cold]
    fn find_again(&self, record: Record) -> Position {
        loop {
            let mut found = self.seek(self.key(record));
            // There may be others with the same key before this one.
            while let Some(position) = found {
                if position.record == record {
                    return position;
                }
                let next = self.place(position.leaf, position.version, position.index + 1);
                match self.at(next) {
                    Ok(next) => found = next,
                    Err(Changed) => break,
                }
            }
            assert!(found.is_some(), "a record of a memtable is gone");
        }
    }

    #[inline]
    fn seek(&self, target: &[u8]) -> Option<Position> {
        self.find(&self.target(target)?).0
    }

    /// As [`Self::seek`], of one who remembers to which leaf the last one has led.
    #[inline]
    fn seek_from(&self, near: &mut Option<NodeAddress>, target: &[u8]) -> Option<Position> {
        let target = self.target(target)?;
        if let Some(position) = near.and_then(|leaf| self.find_in(leaf, &target)) {
            return position;
        }
        let (position, found) = self.find(&target);
        *near = Some(found);
        position
    }

    fn seek_for_prev(&self, target: &[u8]) -> Option<Position> {
        self.find_before(&self.target(target)?, true)
    }

    fn first(&self) -> Option<Position> {
        loop {
            let version = self.node(self.first_leaf).lock.read();
            if let Ok(first) = self.at(self.place(self.first_leaf, version, 0)) {
                return first;
            }
        }
    }

    fn last(&self) -> Option<Position> {
        loop {
            let structure = self.structure.read();
            let mut address = self.root()?;
            let version = loop {
                let node = self.node(address);
                let version = node.lock.read();
                // SAFETY: the tree holds the arena of its nodes.
                match unsafe { address.child(node.count().wrapping_sub(1)) } {
                    Some(child) => address = child,
                    None => break version,
                }
            };
            let found = self.before(address, version, self.node(address).count());
            if let Ok(position) = found
                && self.structure.is_still(structure)
            {
                return position;
            }
        }
    }

    #[inline]
    fn entry(&self, record: Record) -> MemTableEntry<'_> {
        // SAFETY: as in `key`.
        let value = unsafe { record.value() };
        // SAFETY: the value is part of a piece of the arena, which is never written to again.
        let value = unsafe { ArenaSlice::new(&self.records, value) };
        MemTableEntry::in_arena(self.key(record), value)
    }
}

impl fmt::Debug for BPlusTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BPlusTree")
            .field("records", &self.records)
            .field("nodes", &self.nodes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
