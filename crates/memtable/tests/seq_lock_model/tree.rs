//! A tree of two leaves at most, changed and read by the steps of the B+tree of memtables, with the same
//! orderings: what the tree's and the leaves' locks have to hold together.

use crate::published_ptr::PublishedPtr;
use crate::seq_lock::{SeqLock, Version};
use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

const CAPACITY: usize = 3;
const RECORDS: usize = CAPACITY + 2;

/// Where something is, for pointers to it.
fn address<T>(one: &T) -> *mut T {
    std::ptr::from_ref(one).cast_mut()
}

/// What of `all` a pointer leads to.
fn at_address<T>(all: &[T], address: *mut T) -> Option<&T> {
    all.iter().find(|one| std::ptr::eq(*one, address))
}

/// A record is filled in before a slot leads to it, and never changes then.
#[derive(Default)]
struct Record {
    key: AtomicU32,
}

impl Record {
    fn key(&self) -> u32 {
        self.key.load(Ordering::Relaxed)
    }
}

struct Leaf {
    lock: SeqLock,
    count: AtomicUsize,
    /// What of the keys a search looks at. Nothing but the lock orders them.
    ranks: [AtomicU32; CAPACITY],
    records: [PublishedPtr<Record>; CAPACITY],
    next: PublishedPtr<Leaf>,
}

impl Leaf {
    fn new() -> Self {
        Self {
            lock: SeqLock::default(),
            count: AtomicUsize::new(0),
            ranks: [u32::MAX; CAPACITY].map(AtomicU32::new),
            records: Default::default(),
            next: PublishedPtr::default(),
        }
    }

    /// As `NodeAddress::insert` has it.
    fn insert(&self, index: usize, record: &Record, rank: u32) {
        let count = self.count.load(Ordering::Acquire);
        for to in (index + 1..=count).rev() {
            self.copy_slot(to - 1, self, to);
        }
        self.ranks[index].store(rank, Ordering::Relaxed);
        self.records[index].publish(address(record));
        self.count.store(count + 1, Ordering::Release);
    }

    fn copy_slot(&self, from: usize, to_leaf: &Self, to: usize) {
        to_leaf.ranks[to].store(self.ranks[from].load(Ordering::Relaxed), Ordering::Relaxed);
        to_leaf.records[to].publish(self.records[from].peek());
    }

    /// The first of `count` slots that is not before `key`.
    fn lower_bound(&self, count: usize, key: u32) -> usize {
        (0..count).take_while(|index| self.ranks[*index].load(Ordering::Relaxed) < key).count()
    }
}

pub(crate) struct Tree {
    structure: SeqLock,
    /// The first key of the second leaf, once there is one.
    separator: AtomicU32,
    leaf_count: AtomicUsize,
    leaves: Box<[Leaf; 2]>,
    records: Box<[Record; RECORDS]>,
    record_count: AtomicUsize,
}

/// Something was changed while it was read.
struct Changed;

impl Tree {
    /// A tree of one leaf.
    pub(crate) fn new(keys: &[u32]) -> Self {
        let tree = Self {
            structure: SeqLock::default(),
            separator: AtomicU32::new(0),
            leaf_count: AtomicUsize::new(1),
            leaves: Box::new([Leaf::new(), Leaf::new()]),
            records: Default::default(),
            record_count: AtomicUsize::new(0),
        };
        for (index, key) in keys.iter().enumerate() {
            let record = tree.record(*key);
            tree.leaves[0].insert(index, record, *key);
        }
        tree
    }

    /// A new record.
    fn record(&self, key: u32) -> &Record {
        let count = self.record_count.load(Ordering::Relaxed);
        self.record_count.store(count + 1, Ordering::Relaxed);
        let record = &self.records[count];
        record.key.store(key, Ordering::Relaxed);
        record
    }

    /// The record that a slot in use leads to, also where it is another one by now. Searches compare it before
    /// they know, so it has to be whole.
    fn record_of(&self, leaf: &Leaf, index: usize) -> &Record {
        let record = at_address(&self.records[..], leaf.records[index].load());
        let record = record.expect("a record in a slot in use");
        assert_ne!(record.key(), 0, "a record that is not whole");
        record
    }

    /// The leaf where a key belongs.
    fn leaf_of(&self, key: u32) -> &Leaf {
        let is_second = self.leaf_count.load(Ordering::Acquire) == 2
            && key >= self.separator.load(Ordering::Relaxed);
        &self.leaves[usize::from(is_second)]
    }

    /// Adds a record to a leaf that has room: readers of it are told, unless it goes behind the last one.
    pub(crate) fn insert(&self, key: u32) {
        let record = self.record(key);
        let leaf = self.leaf_of(key);
        let count = leaf.count.load(Ordering::Acquire);
        let index = leaf.lower_bound(count, key);
        if index == count {
            leaf.insert(index, record, key);
        } else {
            leaf.lock.write(|| leaf.insert(index, record, key));
        }
    }

    /// Adds a record to a leaf that is full: before the last ones, which go into a new leaf, or behind all of
    /// them, into a new leaf of its own.
    pub(crate) fn split(&self, key: u32) {
        let record = self.record(key);
        let [left, right] = &*self.leaves;
        self.structure.write(|| {
            let is_last = left.lower_bound(CAPACITY, key) == CAPACITY;
            let cut = if is_last { CAPACITY } else { CAPACITY / 2 };
            for from in cut..CAPACITY {
                left.copy_slot(from, right, from - cut);
            }
            right.count.store(CAPACITY - cut, Ordering::Release);
            if is_last {
                right.insert(0, record, key);
            }
            left.lock.write(|| {
                left.count.store(cut, Ordering::Release);
                left.next.publish(address(right));
                if !is_last {
                    left.insert(left.lower_bound(cut, key), record, key);
                }
            });
            self.separator.store(self.record_of(right, 0).key(), Ordering::Relaxed);
            self.leaf_count.store(2, Ordering::Release);
        });
    }

    /// The first key that is not before `key`.
    pub(crate) fn find(&self, key: u32) -> Option<u32> {
        loop {
            let structure = self.structure.read();
            let leaf = self.leaf_of(key);
            let version = leaf.lock.read();
            let count = leaf.count.load(Ordering::Acquire);
            let found = self.at(leaf, version, leaf.lower_bound(count, key), count);
            if let Ok(found) = found
                && self.structure.is_still(structure)
            {
                return found.map(|(.., record)| record.key());
            }
        }
    }

    /// As [`Self::find`], in the first leaf alone: none if the key does not belong between two of its records,
    /// nor behind the last one of all, or something has moved.
    pub(crate) fn find_here(&self, key: u32) -> Option<Option<u32>> {
        let leaf = &self.leaves[0];
        let version = leaf.lock.read();
        let count = leaf.count.load(Ordering::Acquire);
        let index = leaf.lower_bound(count, key);
        let is_last = || leaf.next.load().is_null();
        if index == 0 || index == count && !is_last() {
            return None;
        }
        let found = self.at(leaf, version, index, count).ok()?;
        Some(found.map(|(.., record)| record.key()))
    }

    /// The record at a place, which may be right behind the last one of its leaf.
    fn at<'a>(
        &'a self,
        leaf: &'a Leaf,
        version: Version,
        index: usize,
        count: usize,
    ) -> Result<Option<(&'a Leaf, Version, usize, &'a Record)>, Changed> {
        if index < count {
            let record = self.record_of(leaf, index);
            return match leaf.lock.is_still(version) {
                true => Ok(Some((leaf, version, index, record))),
                false => Err(Changed),
            };
        }
        let next = leaf.next.load();
        if !leaf.lock.is_still(version) {
            return Err(Changed);
        }
        match at_address(&self.leaves[..], next) {
            Some(next) => {
                let version = next.lock.read();
                self.at(next, version, 0, next.count.load(Ordering::Acquire))
            }
            None => Ok(None),
        }
    }

    /// All keys from the first one on, by steps each of which goes on from a record; none if a record that
    /// was gone on from had moved.
    pub(crate) fn scan(&self) -> Option<Vec<u32>> {
        let mut keys = Vec::new();
        let first = &self.leaves[0];
        let version = first.lock.read();
        let count = first.count.load(Ordering::Acquire);
        let mut found = self.at(first, version, 0, count).ok()?;
        while let Some((leaf, version, index, record)) = found {
            keys.push(record.key());
            let count = leaf.count.load(Ordering::Acquire);
            found = self.at(leaf, version, index + 1, count).ok()?;
        }
        Some(keys)
    }
}
