//! One shard: entries in a slab, an index over them, and three lists through them.

use crate::dropped::Dropped;
use crate::hash_index::{self, NONE};
use crate::sharded_cache::{Books, CacheShard, NewEntry, NoRoom};
use crate::slab::Slab;
use crate::{CacheKey, CacheValue, Insertion, Priority};
use std::sync::atomic::{AtomicBool, Ordering};

/// How many entries one insert moves to the front because they were hit, before it drops one
/// nevertheless: bounds the time under the lock. On average there is at most one move for each hit.
pub(super) const SECOND_CHANCES_MAX: usize = 128;
/// The same for entries that somebody holds, where exceeding the capacity is allowed.
const PINNED_SKIPPED_MAX: usize = 64;

/// What an entry takes besides its value.
pub(super) const METADATA_BYTES: usize = size_of::<Entry>() + hash_index::BYTES_PER_ENTRY;

/// The lists, in the order in which entries are handed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Pool {
    High = 0,
    Low = 1,
    Bottom = 2,
}

/// One cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Entry {
    key: CacheKey,
    /// `None` only where the place is free.
    value: Option<CacheValue>,
    charge: usize,
    /// Towards the front of the list, where the newest are.
    newer: u32,
    /// Towards the back; in a free place, the next free one.
    older: u32,
    hash: u32,
    pool: Pool,
    priority: Priority,
    /// Hit since it was last moved to a front. Relaxed: it matters roughly, and who reads it has the
    /// shard alone.
    hit: AtomicBool,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// How much a shard may hold. A pool that has no share takes no entries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LruLimits {
    /// In bytes.
    pub(super) capacity: usize,
    /// Of the capacity, for high and low priority.
    pub(super) pool_ratios: [f64; 2],
    pub(super) strict: bool,
}

impl LruLimits {
    /// Bytes of the high and of the low pool.
    fn pool(&self, pool: Pool) -> Option<usize> {
        let ratio = *self.pool_ratios.get(pool as usize)?;
        (ratio > 0.0).then_some((self.capacity as f64 * ratio) as usize)
    }
}

#[derive(Clone, Copy, Debug)]
struct List {
    newest: u32,
    oldest: u32,
    usage: usize,
}

const EMPTY_LIST: List = List { newest: NONE, oldest: NONE, usage: 0 };

/// A shard of an LRU cache.
#[derive(Debug)]
pub struct LruShard {
    books: Books,
    entries: Slab<Entry>,
    free: u32,
    lists: [List; 3],
    limits: LruLimits,
}

impl CacheShard for LruShard {
    #[inline]
    fn lookup(&self, key: &CacheKey, hash: u32) -> Option<CacheValue> {
        let entry = &self.entries[self.find(key, hash)? as usize];
        // Most often it is set already: readers share the line then.
        if !entry.hit.load(Ordering::Relaxed) {
            entry.hit.store(true, Ordering::Relaxed);
        }
        entry.value.clone()
    }

    fn insert(&mut self, new: NewEntry, dropped: &mut Dropped) -> Result<Insertion, NoRoom> {
        let NewEntry { key, hash, value, charge, priority } = new;
        let known = self.find(&key, hash);
        if let Some(entry) = known {
            dropped.push(self.remove(entry));
        }
        if charge > self.limits.capacity {
            dropped.push(Some(value));
            return Err(NoRoom::TooLarge);
        }
        self.make_room(charge, dropped);
        if self.books.usage + charge > self.limits.capacity && self.limits.strict {
            dropped.push(Some(value));
            return Err(NoRoom::Capacity);
        }
        let entry = self.allocate(Entry {
            key,
            value: Some(value),
            charge,
            newer: NONE,
            older: NONE,
            hash,
            pool: Pool::Bottom,
            priority,
            hit: AtomicBool::new(false),
        });
        self.books.usage += charge;
        self.books.inserts += 1;
        self.books.index.insert(hash, entry);
        let pool = self.pool_of(priority, false);
        self.link(entry, pool);
        self.maintain_pools();
        Ok(if known.is_some() { Insertion::Replaced } else { Insertion::Added })
    }

    fn erase(&mut self, key: &CacheKey, hash: u32) -> Option<CacheValue> {
        self.find(key, hash).and_then(|entry| self.remove(entry))
    }

    fn set_capacity(&mut self, capacity: usize, dropped: &mut Dropped) {
        self.limits.capacity = capacity;
        self.maintain_pools();
        self.make_room(0, dropped);
    }

    fn books(&self) -> &Books {
        &self.books
    }

    fn entries(&self) -> impl Iterator<Item = (&CacheValue, usize)> {
        self.entries.iter().filter_map(|entry| Some((entry.value.as_ref()?, entry.charge)))
    }
}

impl LruShard {
    pub(super) fn new(limits: LruLimits) -> Self {
        Self {
            books: Books::default(),
            entries: Slab::default(),
            free: NONE,
            lists: [EMPTY_LIST; 3],
            limits,
        }
    }

    #[inline]
    fn find(&self, key: &CacheKey, hash: u32) -> Option<u32> {
        self.books.index.find(hash, |entry| self.entries[entry as usize].key == *key)
    }

    /// Drops the oldest entries until `charge` more fits, if entries in use allow.
    fn make_room(&mut self, charge: usize, dropped: &mut Dropped) {
        let mut chances = SECOND_CHANCES_MAX;
        let mut pinned = if self.limits.strict { self.len() } else { PINNED_SKIPPED_MAX };
        while self.books.usage.saturating_add(charge) > self.limits.capacity {
            let Some(oldest) = self.oldest() else { break };
            let entry = &mut self.entries[oldest as usize];
            if is_pinned(entry) {
                if pinned == 0 {
                    break;
                }
                pinned -= 1;
                self.renew(oldest);
            } else if chances > 0 && take_hit(entry) {
                chances -= 1;
                self.renew(oldest);
            } else {
                self.books.evictions += 1;
                let key = self.entries[oldest as usize].key;
                dropped.push_evicted(key, self.remove(oldest));
            }
        }
    }

    /// The entry to be dropped next.
    fn oldest(&self) -> Option<u32> {
        self.lists.iter().rev().map(|list| list.oldest).find(|&oldest| oldest != NONE)
    }

    /// Moves an entry that was used to the front, where it counts as new again.
    fn renew(&mut self, entry: u32) {
        self.unlink(entry);
        *self.entries[entry as usize].hit.get_mut() = false;
        let pool = self.pool_of(self.entries[entry as usize].priority, true);
        self.link(entry, pool);
        self.maintain_pools();
    }

    fn pool_of(&self, priority: Priority, hit: bool) -> Pool {
        let has = |pool| self.limits.pool(pool).is_some();
        if has(Pool::High) && (hit || priority == Priority::High) {
            Pool::High
        } else if has(Pool::Low) && (hit || priority != Priority::Bottom) {
            Pool::Low
        } else {
            Pool::Bottom
        }
    }

    /// Hands the oldest entries of a pool that is too large down to the next.
    fn maintain_pools(&mut self) {
        let mut chances = SECOND_CHANCES_MAX;
        let high_pool = self.limits.pool(Pool::High).unwrap_or(0);
        while self.lists[Pool::High as usize].usage > high_pool {
            let oldest = self.lists[Pool::High as usize].oldest;
            self.unlink(oldest);
            let entry = &mut self.entries[oldest as usize];
            let again = chances > 0 && take_hit(entry);
            if again {
                chances -= 1;
            }
            self.link(oldest, if again { Pool::High } else { Pool::Low });
        }
        let low_pool = self.limits.pool(Pool::Low).unwrap_or(0);
        while self.lists[Pool::Low as usize].usage > low_pool {
            let oldest = self.lists[Pool::Low as usize].oldest;
            self.unlink(oldest);
            self.link(oldest, Pool::Bottom);
        }
    }

    /// Puts an entry that is in no list to the front of one.
    fn link(&mut self, entry: u32, pool: Pool) {
        let list = &mut self.lists[pool as usize];
        let this = &mut self.entries[entry as usize];
        this.pool = pool;
        this.newer = NONE;
        this.older = list.newest;
        list.usage += this.charge;
        match std::mem::replace(&mut list.newest, entry) {
            NONE => list.oldest = entry,
            second => self.entries[second as usize].newer = entry,
        }
    }

    fn unlink(&mut self, entry: u32) {
        let &Entry { newer, older, pool, charge, .. } = &self.entries[entry as usize];
        match newer {
            NONE => self.lists[pool as usize].newest = older,
            newer => self.entries[newer as usize].older = older,
        }
        match older {
            NONE => self.lists[pool as usize].oldest = newer,
            older => self.entries[older as usize].newer = newer,
        }
        self.lists[pool as usize].usage -= charge;
    }

    /// Takes an entry out of everything.
    fn remove(&mut self, entry: u32) -> Option<CacheValue> {
        self.unlink(entry);
        let this = &mut self.entries[entry as usize];
        self.books.index.remove(this.hash, entry);
        self.books.usage -= this.charge;
        this.older = std::mem::replace(&mut self.free, entry);
        this.value.take()
    }

    fn allocate(&mut self, entry: Entry) -> u32 {
        match self.free {
            NONE => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
            place => {
                self.free = self.entries[place as usize].older;
                self.entries[place as usize] = entry;
                place
            }
        }
    }

    /// Panics unless the index, the lists and the sums agree.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let mut seen = 0;
        let mut usage = 0;
        for (number, list) in self.lists.iter().enumerate() {
            let (mut at, mut newer, mut list_usage) = (list.newest, NONE, 0);
            while at != NONE {
                let entry = &self.entries[at as usize];
                assert_eq!((entry.newer, entry.pool as usize), (newer, number));
                assert_eq!(self.find(&entry.key, entry.hash), Some(at));
                assert!(entry.value.is_some());
                list_usage += entry.charge;
                seen += 1;
                (newer, at) = (at, entry.older);
            }
            assert_eq!((list.oldest, list.usage), (newer, list_usage));
            usage += list_usage;
        }
        assert_eq!((seen, usage), (self.books.index.len(), self.books.usage));
    }

    /// Keys from the newest to the oldest.
    #[cfg(test)]
    pub(super) fn keys(&self, pool: Pool) -> Vec<CacheKey> {
        let mut keys = Vec::new();
        let mut at = self.lists[pool as usize].newest;
        while at != NONE {
            keys.push(self.entries[at as usize].key);
            at = self.entries[at as usize].older;
        }
        keys
    }
}

fn is_pinned(entry: &Entry) -> bool {
    entry.value.as_ref().is_some_and(CacheValue::is_held)
}

/// Whether it was found since this was last asked.
fn take_hit(entry: &mut Entry) -> bool {
    let by_link = entry.value.as_ref().is_some_and(CacheValue::take_use);
    std::mem::take(entry.hit.get_mut()) || by_link
}
