//! Caches and clocks of the user's own.

use crate::fixture::{Fixture, content, files, flush, get, put};
use cache::{Cache, CacheCounters, CacheKey, CacheValue, Insertion, Priority};
use db::WriteOptions;
use env::SystemClock;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Values with their charges, and the order in which they came.
type Entries = (HashMap<CacheKey, (CacheValue, usize)>, VecDeque<CacheKey>);

/// Entries in the order they came, the oldest of which go first; no more than so many.
#[derive(Debug)]
struct Queue {
    max: usize,
    entries: Mutex<Entries>,
    counters: Mutex<CacheCounters>,
    next_id: AtomicU64,
}

impl Queue {
    fn new(max: usize) -> Self {
        let (entries, counters) = (Mutex::default(), Mutex::default());
        Self { max, entries, counters, next_id: AtomicU64::new(1) }
    }
}

impl Cache for Queue {
    fn name(&self) -> &'static str {
        "QueueCache"
    }
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue> {
        let found = self.entries.lock().unwrap().0.get(key).map(|(value, _)| value.clone());
        let mut counters = self.counters.lock().unwrap();
        counters.lookups += 1;
        counters.hits += u64::from(found.is_some());
        found
    }
    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        _priority: Priority,
    ) -> base::Result<Insertion> {
        let mut gone = Vec::new();
        let mut entries = self.entries.lock().unwrap();
        let (map, order) = &mut *entries;
        let replaced = map.insert(key, (value, charge_bytes));
        let inserted = if replaced.is_some() { Insertion::Replaced } else { Insertion::Added };
        gone.extend(replaced);
        if inserted == Insertion::Added {
            order.push_back(key);
        }
        while order.len() > self.max {
            gone.extend(order.pop_front().and_then(|oldest| map.remove(&oldest)));
        }
        drop(entries);
        let mut counters = self.counters.lock().unwrap();
        counters.inserts += 1;
        counters.evictions += gone.len() as u64;
        drop(counters);
        gone.iter().for_each(|(value, _)| value.left_cache());
        Ok(inserted)
    }
    fn erase(&self, key: &CacheKey) {
        let gone = {
            let mut entries = self.entries.lock().unwrap();
            entries.1.retain(|other| other != key);
            entries.0.remove(key)
        };
        gone.iter().for_each(|(value, _)| value.left_cache());
    }
    fn new_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
    fn capacity_bytes(&self) -> usize {
        1 << 20
    }
    fn set_capacity(&self, _capacity_bytes: usize) {}
    fn has_strict_capacity_limit(&self) -> bool {
        false
    }
    fn usage_bytes(&self) -> usize {
        self.entries.lock().unwrap().0.values().map(|(_, charge)| charge).sum()
    }
    fn pinned_usage_bytes(&self) -> usize {
        0
    }
    fn occupancy_count(&self) -> usize {
        self.entries.lock().unwrap().0.len()
    }
    fn table_address_count(&self) -> usize {
        self.max
    }
    fn for_each_entry(&self, visit: &mut dyn FnMut(&CacheValue, usize)) {
        let entries = self.entries.lock().unwrap();
        entries.0.values().for_each(|(value, charge)| visit(value, *charge));
    }
    fn counters(&self) -> CacheCounters {
        *self.counters.lock().unwrap()
    }
}

#[test]
fn a_cache_of_ones_own_decides_what_stays() {
    let (mut fixture, cache) = (Fixture::new(), Arc::new(Queue::new(3)));
    fixture.context.block_cache = Some(cache.clone());
    fixture.family.table.block_size = 256;
    let db = fixture.open();
    for index in 0..40 {
        put(&db, &format!("key{index:02}"), &"v".repeat(200));
    }
    flush(&db);
    let value = Some("v".repeat(200));
    let read = |key: &str| {
        let before = cache.counters();
        assert_eq!(get(&db, key), value);
        let after = cache.counters();
        after.inserts - before.inserts
    };
    assert_eq!(read("key00"), 1);
    assert_eq!(read("key00"), 0, "it is there");
    for other in ["key10", "key20", "key30"] {
        assert_eq!(read(other), 1);
    }
    assert_eq!(cache.occupancy_count(), 3);
    assert_eq!(read("key00"), 1, "it had to go");
    assert_eq!(content(&db).split(' ').count(), 40);
    assert_eq!(cache.occupancy_count(), 3);
    assert_eq!(db.property(&crate::fixture::family(&db), "rocksdb.block-cache-usage"), {
        Some(cache.usage_bytes().to_string())
    });
    drop(db);
    // Another open names its files anew, or finds them: either way they are the right ones.
    assert_eq!(content(&fixture.open()).split(' ').count(), 40);
}

/// A clock that goes on by a second whenever it is asked, and a thousand times too fast where a thread
/// waits.
#[derive(Debug)]
struct Hasty(AtomicU64);

impl SystemClock for Hasty {
    fn now_micros(&self) -> u64 {
        self.0.fetch_add(1_000_000, Ordering::Relaxed)
    }
    fn begin_wait(&self, _micros: u64) -> std::time::Duration {
        std::time::Duration::from_millis(1)
    }
}

#[test]
fn a_clock_of_ones_own_says_how_old_everything_is() {
    const START_SECONDS: u64 = 4_000_000_000;
    let (mut fixture, clock) = (Fixture::new(), Arc::new(Hasty(AtomicU64::new(0))));
    clock.0.store(START_SECONDS * 1_000_000, Ordering::Relaxed);
    fixture.context.clock = clock.clone();
    fixture.family.disable_auto_compactions = false;
    fixture.family.compaction_style = options::CompactionStyle::Fifo;
    fixture.family.ttl = 10 * 24 * 3600;
    let db = fixture.open();
    put(&db, "old", "1");
    flush(&db);
    let family = crate::fixture::family(&db);
    let properties = db.properties_of_all_tables(&family).unwrap();
    let made = properties.values().next().unwrap().creation_time;
    assert!((START_SECONDS..START_SECONDS + 9 * 24 * 3600).contains(&made), "{made}");
    // Long enough for what was written.
    clock.0.fetch_add(20 * 24 * 3_600_000_000, Ordering::Relaxed);
    db.put(&WriteOptions::default(), &family, b"new", b"2").unwrap();
    flush(&db);
    db.wait_for_compact(&db::WaitForCompactOptions::default()).unwrap();
    assert_eq!(files(&db).len(), 1, "the old table went");
    assert_eq!(content(&db), "new=2");
}
