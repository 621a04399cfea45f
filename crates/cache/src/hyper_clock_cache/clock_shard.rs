//! One shard: entries in a slab, an index over them, and a hand that goes round.

use crate::dropped::Dropped;
use crate::hash_index::{self, HashIndex, NONE};
use crate::sharded_cache::{Books, CacheShard, NewEntry, NoRoom};
use crate::slab::Slab;
use crate::{CacheKey, CacheValue, Insertion, Priority};
use std::sync::atomic::{AtomicU8, Ordering};

/// The largest countdown, also that of high priority.
const COUNTDOWN_MAX: u8 = 3;

/// How many entries the hand passes that could go, before the one of them with the smallest
/// countdown goes: bounds the time under the lock where all were used often.
pub(super) const PASSED_MAX: usize = 256;

/// Bytes of a place in the table of a shard that does not grow, as RocksDB has it. Here that is for
/// the entry, a few less of these than places, and the place in the index.
pub(super) const PLACE_BYTES: usize = size_of::<Entry>();

/// What an entry takes besides its value where tables grow.
pub(super) const METADATA_BYTES: usize = size_of::<Entry>() + hash_index::BYTES_PER_ENTRY;

/// One cache line.
#[derive(Debug)]
#[repr(align(64))]
struct Entry {
    key: CacheKey,
    /// `None` only where the place is free.
    value: Option<CacheValue>,
    charge: usize,
    hash: u32,
    /// In a free place, the next free one.
    next_free: u32,
    /// Relaxed: it matters roughly, and the hand has the shard alone.
    countdown: AtomicU8,
}

const _: () = assert!(size_of::<Entry>() == 64);

/// What a shard keeps to.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockLimits {
    /// In bytes.
    pub(super) capacity: usize,
    pub(super) strict: bool,
    /// Values in use that the hand passes for each that it drops.
    pub(super) effort_cap: usize,
}

/// A shard of a hyper clock cache.
#[derive(Debug)]
pub struct ClockShard {
    books: Books,
    entries: Slab<Entry>,
    /// The most entries, where the table does not grow.
    occupancy_max: usize,
    free: u32,
    /// The entry that is looked at next.
    hand: usize,
    /// What the table counts for as a whole.
    table_bytes: usize,
    limits: ClockLimits,
}

/// What the hand did for one insert.
#[derive(Default)]
struct Round {
    held: usize,
    passed: usize,
    dropped: usize,
    /// The entry with the smallest countdown of those that were passed.
    best: Option<(u8, usize)>,
}

impl CacheShard for ClockShard {
    #[inline]
    fn lookup(&self, key: &CacheKey, hash: u32) -> Option<CacheValue> {
        let entry = &self.entries[self.find(key, hash)? as usize];
        // Most often it is at its largest already: readers share the line then.
        let countdown = entry.countdown.load(Ordering::Relaxed);
        if countdown < COUNTDOWN_MAX {
            entry.countdown.store(countdown + 1, Ordering::Relaxed);
        }
        entry.value.clone()
    }

    fn insert(&mut self, new: NewEntry, dropped: &mut Dropped) -> Result<Insertion, NoRoom> {
        let NewEntry { key, hash, value, charge, priority } = new;
        let known = self.find(&key, hash);
        if let Some(entry) = known {
            dropped.push(self.remove(entry));
        }
        if let Err(why) = self.make_room(charge, dropped) {
            dropped.push(Some(value));
            return Err(why);
        }
        let entry = self.allocate(Entry {
            key,
            value: Some(value),
            charge,
            hash,
            next_free: NONE,
            countdown: AtomicU8::new(first_countdown(priority)),
        });
        self.books.usage += charge;
        self.books.inserts += 1;
        self.books.index.insert(hash, entry);
        Ok(if known.is_some() { Insertion::Replaced } else { Insertion::Added })
    }

    fn erase(&mut self, key: &CacheKey, hash: u32) -> Option<CacheValue> {
        self.find(key, hash).and_then(|entry| self.remove(entry))
    }

    fn set_capacity(&mut self, capacity: usize, dropped: &mut Dropped) {
        self.limits.capacity = capacity;
        self.evict(0, 0, dropped);
    }

    fn books(&self) -> &Books {
        &self.books
    }

    fn entries(&self) -> impl Iterator<Item = (&CacheValue, usize)> {
        self.entries.iter().filter_map(|entry| Some((entry.value.as_ref()?, entry.charge)))
    }
}

impl ClockShard {
    /// A shard whose table grows.
    pub(super) fn growing(limits: ClockLimits) -> Self {
        Self::new(limits, HashIndex::default(), NONE as usize, 0)
    }

    /// A shard with a table of two to the power of `table_bits` places, which counts if
    /// `is_charged`. At most 84 of 100 places are used, as in RocksDB.
    pub(super) fn fixed(limits: ClockLimits, table_bits: u32, is_charged: bool) -> Self {
        let places = 1usize << table_bits;
        let occupancy_max = (places as f64 * 0.84) as usize;
        let table_bytes = if is_charged { PLACE_BYTES << table_bits } else { 0 };
        Self::new(limits, HashIndex::fixed(places), occupancy_max, table_bytes)
    }

    fn new(
        limits: ClockLimits,
        index: HashIndex,
        occupancy_max: usize,
        table_bytes: usize,
    ) -> Self {
        Self {
            books: Books { index, usage: table_bytes, ..Books::default() },
            entries: Slab::default(),
            occupancy_max,
            free: NONE,
            hand: 0,
            table_bytes,
            limits,
        }
    }

    #[inline]
    fn find(&self, key: &CacheKey, hash: u32) -> Option<u32> {
        self.books.index.find(hash, |entry| self.entries[entry as usize].key == *key)
    }

    /// Drops entries until `charge` more fits and there is a place for it, if entries in use allow.
    fn make_room(&mut self, charge: usize, dropped: &mut Dropped) -> Result<(), NoRoom> {
        if self.table_bytes.saturating_add(charge) > self.limits.capacity {
            return Err(NoRoom::TooLarge);
        }
        self.evict(charge, 1, dropped);
        if self.len() >= self.occupancy_max {
            return Err(NoRoom::Occupancy);
        }
        if self.limits.strict && self.books.usage.saturating_add(charge) > self.limits.capacity {
            return Err(NoRoom::Capacity);
        }
        Ok(())
    }

    /// Moves the hand until `charge` and `places` more fit, or it has gone round often enough that
    /// all that is left is in use.
    fn evict(&mut self, charge: usize, places: usize, dropped: &mut Dropped) {
        let mut round = Round::default();
        let mut steps = self.entries.len() * (usize::from(COUNTDOWN_MAX) + 1);
        while self.is_full(charge, places) && steps > 0 {
            steps -= 1;
            let victim = self.step(&mut round);
            if let Some(victim) = victim {
                round.best = None;
                round.passed = 0;
                round.dropped += 1;
                self.books.evictions += 1;
                let key = self.entries[victim].key;
                dropped.push_evicted(key, self.remove(victim as u32));
            }
            let effort = (round.dropped + 1) * self.limits.effort_cap;
            if !self.limits.strict && round.held >= effort && self.len() < self.occupancy_max {
                break;
            }
        }
    }

    fn is_full(&self, charge: usize, places: usize) -> bool {
        self.books.usage.saturating_add(charge) > self.limits.capacity
            || self.len() + places > self.occupancy_max
    }

    /// Looks at the entry under the hand and moves on. Returns an entry that is to go.
    fn step(&mut self, round: &mut Round) -> Option<usize> {
        let at = self.hand;
        self.hand = if at + 1 < self.entries.len() { at + 1 } else { 0 };
        let entry = &mut self.entries[at];
        let value = entry.value.as_ref()?;
        if value.is_held() {
            round.held += 1;
            return None;
        }
        let uses = u8::from(value.take_use());
        let countdown = entry.countdown.get_mut();
        *countdown = (*countdown + uses).min(COUNTDOWN_MAX);
        let Some(less) = countdown.checked_sub(1) else { return Some(at) };
        *countdown = less;
        if round.best.is_none_or(|(best, _)| less < best) {
            round.best = Some((less, at));
        }
        round.passed += 1;
        if round.passed < PASSED_MAX {
            return None;
        }
        round.best.map(|(_, best)| best)
    }

    /// Takes an entry out of everything.
    fn remove(&mut self, entry: u32) -> Option<CacheValue> {
        let this = &mut self.entries[entry as usize];
        self.books.index.remove(this.hash, entry);
        self.books.usage -= this.charge;
        this.next_free = std::mem::replace(&mut self.free, entry);
        this.value.take()
    }

    fn allocate(&mut self, entry: Entry) -> u32 {
        match self.free {
            NONE => {
                self.entries.push(entry);
                (self.entries.len() - 1) as u32
            }
            place => {
                self.free = self.entries[place as usize].next_free;
                self.entries[place as usize] = entry;
                place
            }
        }
    }

    /// Keys with their countdowns, by place.
    #[cfg(test)]
    pub(super) fn countdowns(&self) -> Vec<(CacheKey, u8)> {
        let used = self.entries.iter().filter(|entry| entry.value.is_some());
        used.map(|entry| (entry.key, entry.countdown.load(Ordering::Relaxed))).collect()
    }

    /// Panics unless the index, the slab and the sums agree.
    #[cfg(test)]
    pub(super) fn check(&self, table_bytes: usize) {
        let used: Vec<_> =
            (0..self.entries.len()).filter(|&at| self.entries[at].value.is_some()).collect();
        for &at in &used {
            let entry = &self.entries[at];
            assert_eq!(self.find(&entry.key, entry.hash), Some(at as u32));
            assert!(entry.countdown.load(Ordering::Relaxed) <= COUNTDOWN_MAX);
        }
        let charges: usize = used.iter().map(|&at| self.entries[at].charge).sum();
        assert_eq!((used.len(), charges + table_bytes), (self.len(), self.books.usage));
        assert!(self.len() <= self.occupancy_max);
    }
}

fn first_countdown(priority: Priority) -> u8 {
    match priority {
        Priority::High => COUNTDOWN_MAX,
        Priority::Low => 2,
        Priority::Bottom => 1,
    }
}
