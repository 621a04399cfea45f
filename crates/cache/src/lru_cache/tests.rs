use super::lru_shard::Pool;
use super::*;
use crate::sharded_cache::CacheShard;
use crate::sharded_cache::tests::check_with_threads;
use crate::{Cache, CacheCounters, CacheKey, CacheValue, Priority};
use proptest::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

/// One shard whose charges are those given.
fn one_shard(capacity: usize, high: f64, low: f64, strict: bool) -> LruCache {
    LruCache::new(&LruCacheOptions {
        capacity,
        num_shard_bits: 0,
        strict_capacity_limit: strict,
        high_pri_pool_ratio: high,
        low_pri_pool_ratio: low,
        metadata_charge_policy: CacheMetadataChargePolicy::DontCharge,
    })
    .unwrap()
}

fn key(number: u64) -> CacheKey {
    CacheKey::new(7, number)
}

fn insert(cache: &LruCache, number: u64, priority: Priority) {
    cache.insert(key(number), Arc::new(number).into(), 1, priority).unwrap();
}

fn get(cache: &LruCache, number: u64) -> Option<u64> {
    let value = cache.lookup(&key(number))?;
    Some(*value.downcast::<u64>().unwrap())
}

fn pool(cache: &LruCache, pool: Pool) -> Vec<u64> {
    let mut keys = Vec::new();
    cache.for_each_shard(|shard| keys.extend(shard.keys(pool).iter().map(|key| key.0[1])));
    keys
}

#[test]
fn values_are_found_replaced_and_erased() {
    let cache = one_shard(100, 0.5, 0.0, false);
    assert_eq!(get(&cache, 1), None);
    insert(&cache, 1, Priority::Low);
    assert_eq!(get(&cache, 1), Some(1));
    cache.insert(key(1), Arc::new(11u64).into(), 5, Priority::Low).unwrap();
    assert_eq!((get(&cache, 1), cache.usage_bytes(), cache.occupancy_count()), (Some(11), 5, 1));
    cache.erase(&key(1));
    cache.erase(&key(2));
    assert_eq!((get(&cache, 1), cache.usage_bytes(), cache.occupancy_count()), (None, 0, 0));
    let counters = CacheCounters { lookups: 4, hits: 2, inserts: 2, evictions: 0 };
    assert_eq!(cache.counters(), counters);
}

#[test]
fn entries_show_the_charge_they_were_put_in_with() {
    let cache = LruCache::new(&LruCacheOptions::with_capacity(1 << 20)).unwrap();
    for number in 0..40_u64 {
        cache.insert(key(number), Arc::new(number).into(), 10, Priority::Low).unwrap();
    }
    cache.erase(&key(7));
    let (mut count, mut sum) = (0, 0);
    cache.for_each_entry(&mut |value, charge| {
        assert_eq!(charge, 10);
        sum += value.downcast_ref::<u64>().unwrap();
        count += 1;
    });
    assert_eq!((count, sum), (39, (0..40).sum::<u64>() - 7));
    assert!(cache.usage_bytes() > 390);
    assert!(cache.table_address_count() >= 39);
}

#[test]
fn the_oldest_goes_first_and_hits_make_new() {
    let cache = one_shard(4, 0.0, 0.0, false);
    for number in 0..4 {
        insert(&cache, number, Priority::Low);
    }
    assert_eq!(get(&cache, 0), Some(0));
    insert(&cache, 4, Priority::Low);
    insert(&cache, 5, Priority::Low);
    assert_eq!(pool(&cache, Pool::Bottom), [5, 4, 0, 3]);
    assert_eq!(cache.counters().evictions, 2);
}

#[test]
fn a_scan_does_not_drive_out_what_was_hit() {
    let cache = one_shard(100, 0.5, 0.0, false);
    for number in 0..40 {
        insert(&cache, number, Priority::Low);
        assert_eq!(get(&cache, number), Some(number));
    }
    for number in 1000..2000 {
        insert(&cache, number, Priority::Low);
    }
    assert!((0..40).all(|number| get(&cache, number).is_some()));
}

#[test]
fn one_insert_moves_a_bounded_number_of_entries() {
    let cache = one_shard(1000, 0.0, 0.0, false);
    for number in 0..1000 {
        insert(&cache, number, Priority::Low);
        assert_eq!(get(&cache, number), Some(number));
    }
    insert(&cache, 5000, Priority::Low);
    let moved = lru_shard::SECOND_CHANCES_MAX as u64;
    let order = pool(&cache, Pool::Bottom);
    assert_eq!(order[..2], [5000, moved - 1]);
    assert_eq!(order.last(), Some(&(moved + 1)));
    assert_eq!(cache.counters().evictions, 1);
}

#[test]
fn priorities_choose_pools_and_pools_hand_down() {
    let cache = one_shard(10, 0.3, 0.4, false);
    for number in 0..5 {
        insert(&cache, number, Priority::High);
    }
    insert(&cache, 10, Priority::Low);
    insert(&cache, 20, Priority::Bottom);
    assert_eq!(pool(&cache, Pool::High), [4, 3, 2]);
    assert_eq!(pool(&cache, Pool::Low), [10, 1, 0]);
    assert_eq!(pool(&cache, Pool::Bottom), [20]);
    insert(&cache, 11, Priority::Low);
    insert(&cache, 12, Priority::Low);
    assert_eq!(pool(&cache, Pool::Low), [12, 11, 10, 1]);
    assert_eq!(pool(&cache, Pool::Bottom), [0, 20]);
    assert_eq!(get(&cache, 20), Some(20));
    insert(&cache, 13, Priority::Bottom);
    insert(&cache, 14, Priority::Bottom);
    assert_eq!(pool(&cache, Pool::High), [20, 4, 3]);
    assert_eq!(pool(&cache, Pool::Low), [2, 12, 11, 10]);
    assert_eq!(pool(&cache, Pool::Bottom), [14, 1, 13]);
}

#[test]
fn values_in_use_stay() {
    let cache = one_shard(4, 0.0, 0.0, false);
    insert(&cache, 0, Priority::Low);
    let held = cache.lookup(&key(0)).unwrap();
    for number in 1..50 {
        insert(&cache, number, Priority::Low);
    }
    assert_eq!(cache.pinned_usage_bytes(), 1);
    assert_eq!(get(&cache, 0), Some(0));
    assert_eq!(cache.usage_bytes(), 4);
    drop(held);
    for number in 50..60 {
        insert(&cache, number, Priority::Low);
    }
    assert_eq!((get(&cache, 0), cache.pinned_usage_bytes()), (None, 0));
}

#[test]
fn without_a_strict_limit_values_in_use_may_exceed_the_capacity() {
    let cache = one_shard(4, 0.5, 0.0, false);
    let held: Vec<CacheValue> = (0..10u64)
        .map(|number| {
            let value = CacheValue::from(Arc::new(number));
            cache.insert(key(number), value.clone(), 1, Priority::Low).unwrap();
            value
        })
        .collect();
    assert_eq!((cache.usage_bytes(), cache.pinned_usage_bytes()), (10, 10));
    drop(held);
    insert(&cache, 100, Priority::Low);
    assert_eq!((cache.usage_bytes(), cache.counters().evictions), (4, 7));
    // What alone is larger than the cache is not kept, and that is no error.
    cache.insert(key(5), Arc::new(5u64).into(), 5, Priority::High).unwrap();
    assert_eq!((get(&cache, 5), cache.usage_bytes()), (None, 4));
}

#[test]
fn a_strict_limit_fails_inserts() {
    let cache = one_shard(4, 0.5, 0.0, true);
    let held: Vec<CacheValue> = (0..4u64)
        .map(|number| {
            let value = CacheValue::from(Arc::new(number));
            cache.insert(key(number), value.clone(), 1, Priority::Low).unwrap();
            value
        })
        .collect();
    let error = cache.insert(key(9), Arc::new(9u64).into(), 1, Priority::Low).unwrap_err();
    assert_eq!(error.subcode(), SubCode::MemoryLimit);
    assert_eq!(error.to_string(), "Operation aborted: Insert failed due to LRU cache being full.");
    assert_eq!((cache.usage_bytes(), get(&cache, 9)), (4, None));
    drop(held);
    insert(&cache, 9, Priority::Low);
    assert_eq!((cache.usage_bytes(), get(&cache, 9)), (4, Some(9)));
    assert!(cache.insert(key(5), Arc::new(5u64).into(), 5, Priority::High).is_err());
    assert!(cache.has_strict_capacity_limit());
}

#[test]
fn a_smaller_capacity_drops_entries() {
    let cache = one_shard(100, 0.5, 0.0, false);
    (0..100).for_each(|number| insert(&cache, number, Priority::Low));
    cache.set_capacity(10);
    assert_eq!((cache.capacity_bytes(), cache.usage_bytes()), (10, 10));
    assert_eq!(pool(&cache, Pool::Bottom), (90..100).rev().collect::<Vec<_>>());
    cache.set_capacity(0);
    insert(&cache, 1, Priority::High);
    assert_eq!((get(&cache, 1), cache.usage_bytes()), (None, 0));
}

#[test]
fn shards_are_rocksdbs_and_all_are_used() {
    let bits = |capacity| {
        LruCache::new(&LruCacheOptions::with_capacity(capacity)).unwrap().num_shard_bits()
    };
    let expected =
        [(0, 0), (512 << 10, 0), (1 << 20, 1), (8 << 20, 4), (32 << 20, 6), (4 << 30, 6)];
    for (capacity, expected) in expected {
        assert_eq!(bits(capacity), expected, "{capacity}");
    }
    let cache = LruCache::new(&LruCacheOptions::with_capacity(64 << 20)).unwrap();
    for file in 1..=10 {
        for block in 0..1000 {
            let key = CacheKey::new(file, block * 4096);
            cache.insert(key, Arc::new(()).into(), 1, Priority::Low).unwrap();
        }
    }
    assert_eq!(cache.occupancy_count(), 10_000);
    cache.for_each_shard(|shard| assert!((90..230).contains(&shard.len()), "{}", shard.len()));
    let metadata = lru_shard::METADATA_BYTES;
    assert_eq!(cache.usage_bytes(), 10_000 * (1 + metadata));
}

#[test]
fn wrong_options_are_refused() {
    let defaults = LruCacheOptions::default();
    for options in [
        LruCacheOptions { num_shard_bits: 20, ..defaults.clone() },
        LruCacheOptions { high_pri_pool_ratio: 1.1, ..defaults.clone() },
        LruCacheOptions { low_pri_pool_ratio: -0.1, ..defaults.clone() },
        LruCacheOptions { low_pri_pool_ratio: 0.6, ..defaults.clone() },
        LruCacheOptions { high_pri_pool_ratio: f64::NAN, ..defaults },
    ] {
        let error = LruCache::new(&options).unwrap_err();
        assert_eq!(error.code(), base::status::Code::InvalidArgument, "{options:?}");
    }
}

#[test]
fn ids_are_new() {
    let cache = one_shard(1, 0.5, 0.0, false);
    assert!(cache.new_id() < cache.new_id());
}

#[test]
fn threads_share_a_cache() {
    let cache = LruCache::new(&LruCacheOptions {
        num_shard_bits: 2,
        ..LruCacheOptions::with_capacity(1000 * (1 + lru_shard::METADATA_BYTES))
    })
    .unwrap();
    check_with_threads(&cache);
    cache.for_each_shard(LruShard::check);
}

/// The same rules over plain queues, newest first; nothing is ever held.
struct Model {
    capacity: usize,
    pools: [Option<usize>; 2],
    queues: [VecDeque<ModelEntry>; 3],
}

#[derive(Clone)]
struct ModelEntry {
    number: u64,
    value: u64,
    charge: usize,
    priority: Priority,
    hit: bool,
}

impl Model {
    fn usage(&self) -> usize {
        self.queues.iter().flatten().map(|entry| entry.charge).sum()
    }

    fn push(&mut self, entry: ModelEntry, hit: bool) {
        let queue = match (entry.priority, hit) {
            (Priority::High, _) | (_, true) if self.pools[0].is_some() => 0,
            (Priority::High | Priority::Low, _) | (_, true) if self.pools[1].is_some() => 1,
            _ => 2,
        };
        self.queues[queue].push_front(entry);
        self.hand_down();
    }

    fn hand_down(&mut self) {
        let usage = |queue: &VecDeque<ModelEntry>| queue.iter().map(|e| e.charge).sum::<usize>();
        let mut chances = lru_shard::SECOND_CHANCES_MAX;
        while usage(&self.queues[0]) > self.pools[0].unwrap_or(0) {
            let mut entry = self.queues[0].pop_back().unwrap();
            if entry.hit && chances > 0 {
                chances -= 1;
                entry.hit = false;
                self.queues[0].push_front(entry);
            } else {
                self.queues[1].push_front(entry);
            }
        }
        while usage(&self.queues[1]) > self.pools[1].unwrap_or(0) {
            let entry = self.queues[1].pop_back().unwrap();
            self.queues[2].push_front(entry);
        }
    }

    fn erase(&mut self, number: u64) {
        self.queues.iter_mut().for_each(|queue| queue.retain(|entry| entry.number != number));
    }

    fn lookup(&mut self, number: u64) -> Option<u64> {
        let entry = self.queues.iter_mut().flatten().find(|entry| entry.number == number)?;
        entry.hit = true;
        Some(entry.value)
    }

    fn make_room(&mut self, charge: usize) {
        let mut chances = lru_shard::SECOND_CHANCES_MAX;
        while self.usage() + charge > self.capacity {
            let Some(queue) = self.queues.iter_mut().rev().find(|queue| !queue.is_empty()) else {
                return;
            };
            let mut entry = queue.pop_back().unwrap();
            if entry.hit && chances > 0 {
                chances -= 1;
                entry.hit = false;
                self.push(entry, true);
            }
        }
    }

    fn insert(&mut self, entry: ModelEntry) {
        self.erase(entry.number);
        if entry.charge <= self.capacity {
            self.make_room(entry.charge);
            self.push(entry, false);
        }
    }

    fn set_capacity(&mut self, capacity: usize, ratios: [f64; 2]) {
        self.capacity = capacity;
        self.pools =
            ratios.map(|ratio| (ratio > 0.0).then_some((capacity as f64 * ratio) as usize));
        self.hand_down();
        self.make_room(0);
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, usize, Priority),
    Lookup(u64),
    Erase(u64),
    SetCapacity(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let priority = prop_oneof![Just(Priority::High), Just(Priority::Low), Just(Priority::Bottom)];
    let step = prop_oneof![
        6 => (0u64..60, 0usize..12, priority).prop_map(|(n, c, p)| Step::Insert(n, c, p)),
        8 => (0u64..60).prop_map(Step::Lookup),
        1 => (0u64..60).prop_map(Step::Erase),
        1 => (0usize..200).prop_map(Step::SetCapacity),
    ];
    prop::collection::vec(step, 0..300)
}

proptest! {
    #[test]
    fn behaves_as_the_model(steps in steps(), high in 0u32..4, low in 0u32..4) {
        let ratios = [f64::from(high) / 6.0, f64::from(low) / 6.0];
        let cache = one_shard(100, ratios[0], ratios[1], false);
        let mut model = Model { capacity: 0, pools: [None; 2], queues: Default::default() };
        model.set_capacity(100, ratios);
        for (value, step) in steps.into_iter().enumerate() {
            let value = value as u64;
            match step {
                Step::Insert(number, charge, priority) => {
                    cache.insert(key(number), Arc::new(value).into(), charge, priority).unwrap();
                    model.insert(ModelEntry { number, value, charge, priority, hit: false });
                }
                Step::Lookup(number) => prop_assert_eq!(get(&cache, number), model.lookup(number)),
                Step::Erase(number) => {
                    cache.erase(&key(number));
                    model.erase(number);
                }
                Step::SetCapacity(capacity) => {
                    cache.set_capacity(capacity);
                    model.set_capacity(capacity, ratios);
                }
            }
            cache.for_each_shard(LruShard::check);
            prop_assert_eq!(cache.usage_bytes(), model.usage());
            for (number, list) in [Pool::High, Pool::Low, Pool::Bottom].into_iter().enumerate() {
                let expected: Vec<u64> = model.queues[number].iter().map(|e| e.number).collect();
                prop_assert_eq!(pool(&cache, list), expected);
            }
        }
    }
}
