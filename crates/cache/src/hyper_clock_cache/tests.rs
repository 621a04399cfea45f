use super::clock_shard::PASSED_MAX;
use super::*;
use crate::sharded_cache::tests::check_with_threads;
use crate::{Cache, CacheKey, CacheValue, Priority};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// One shard whose charges are those given.
fn one_shard(capacity: usize, strict: bool) -> HyperClockCache {
    HyperClockCache::new(&HyperClockCacheOptions {
        capacity,
        num_shard_bits: 0,
        strict_capacity_limit: strict,
        metadata_charge_policy: CacheMetadataChargePolicy::DontCharge,
        ..HyperClockCacheOptions::default()
    })
    .unwrap()
}

fn fixed(capacity: usize, estimated_entry_charge: usize, strict: bool) -> HyperClockCache {
    HyperClockCache::new(&HyperClockCacheOptions {
        capacity,
        estimated_entry_charge,
        num_shard_bits: 0,
        strict_capacity_limit: strict,
        ..HyperClockCacheOptions::default()
    })
    .unwrap()
}

fn key(number: u64) -> CacheKey {
    CacheKey::new(7, number)
}

fn insert(cache: &HyperClockCache, number: u64, priority: Priority) {
    cache.insert(key(number), Arc::new(number).into(), 1, priority).unwrap();
}

fn get(cache: &HyperClockCache, number: u64) -> Option<u64> {
    let value = cache.lookup(&key(number))?;
    Some(*value.downcast::<u64>().unwrap())
}

fn countdowns(cache: &HyperClockCache) -> Vec<(u64, u8)> {
    let mut seen = Vec::new();
    cache.for_each_shard(|shard| {
        seen.extend(shard.countdowns().iter().map(|(key, countdown)| (key.0[1], *countdown)));
    });
    seen
}

#[test]
fn values_are_found_replaced_and_erased() {
    let cache = one_shard(100, false);
    assert_eq!(get(&cache, 1), None);
    insert(&cache, 1, Priority::Low);
    assert_eq!(get(&cache, 1), Some(1));
    cache.insert(key(1), Arc::new(11u64).into(), 5, Priority::Low).unwrap();
    assert_eq!((get(&cache, 1), cache.usage_bytes(), cache.occupancy_count()), (Some(11), 5, 1));
    cache.erase(&key(1));
    cache.erase(&key(2));
    assert_eq!((get(&cache, 1), cache.usage_bytes(), cache.occupancy_count()), (None, 0, 0));
}

#[test]
fn priorities_and_uses_count_down_before_an_entry_goes() {
    let cache = one_shard(4, false);
    insert(&cache, 0, Priority::Bottom);
    insert(&cache, 1, Priority::Low);
    insert(&cache, 2, Priority::High);
    insert(&cache, 3, Priority::Bottom);
    assert_eq!(countdowns(&cache), [(0, 1), (1, 2), (2, 3), (3, 1)]);
    for _ in 0..9 {
        assert_eq!(get(&cache, 0), Some(0));
    }
    assert_eq!(countdowns(&cache)[0], (0, 3));
    // Once round takes one from each; then the first of those at none goes.
    insert(&cache, 4, Priority::Low);
    assert_eq!(countdowns(&cache), [(0, 1), (1, 0), (2, 1), (4, 2)]);
    // The next in line.
    insert(&cache, 5, Priority::Low);
    assert_eq!(get(&cache, 1), None);
    assert_eq!(cache.counters().evictions, 2);
}

#[test]
fn what_was_used_often_outlives_a_scan() {
    let cache = one_shard(100, false);
    for number in 0..40 {
        insert(&cache, number, Priority::Low);
    }
    for number in 1000..3000 {
        if number % 10 == 0 {
            (0..40).for_each(|number| assert!(get(&cache, number).is_some(), "{number}"));
        }
        insert(&cache, number, Priority::Low);
    }
}

#[test]
fn one_insert_passes_a_bounded_number_of_entries() {
    let cache = one_shard(10_000, false);
    for number in 0..10_000 {
        insert(&cache, number, Priority::High);
    }
    insert(&cache, 10_000, Priority::Low);
    let passed = countdowns(&cache).iter().filter(|(_, countdown)| *countdown < 3).count();
    assert_eq!((passed, cache.counters().evictions), (PASSED_MAX, 1));
    assert_eq!(cache.usage_bytes(), 10_000);
}

#[test]
fn values_in_use_stay_and_may_exceed_the_capacity() {
    let cache = one_shard(4, false);
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
fn passing_many_values_in_use_is_given_up_before_all_were_seen() {
    let cache = one_shard(1000, false);
    let held: Vec<CacheValue> = (0..999u64).map(|number| Arc::new(number).into()).collect();
    for (number, value) in held.iter().enumerate() {
        cache.insert(key(number as u64), value.clone(), 1, Priority::Low).unwrap();
    }
    insert(&cache, 5000, Priority::Bottom);
    insert(&cache, 5001, Priority::Bottom);
    assert_eq!(cache.usage_bytes(), 1001, "the hand did not come to the one that could go");
}

#[test]
fn a_strict_limit_fails_inserts() {
    let cache = one_shard(40, true);
    let held: Vec<CacheValue> = (0..40u64).map(|number| Arc::new(number).into()).collect();
    for (number, value) in held.iter().enumerate() {
        cache.insert(key(number as u64), value.clone(), 1, Priority::Low).unwrap();
    }
    let refused = |charge| {
        let value = Arc::new(9u64).into();
        let error = cache.insert(key(99), value, charge, Priority::Low).unwrap_err();
        assert_eq!(error.subcode(), SubCode::MemoryLimit);
        error.to_string()
    };
    assert_eq!(
        refused(1),
        "Operation aborted: Insert failed because unable to evict entries to stay within capacity \
         limit."
    );
    assert_eq!(
        refused(41),
        "Operation aborted: Cache entry too large for a single cache shard: 41 > 40"
    );
    assert_eq!((cache.usage_bytes(), get(&cache, 99)), (40, None));
    drop(held);
    insert(&cache, 99, Priority::Low);
    assert_eq!((cache.usage_bytes(), get(&cache, 99)), (40, Some(99)));
}

#[test]
fn a_table_that_does_not_grow_counts_as_a_whole_and_is_never_overfull() {
    let cache = fixed(1 << 20, 4096, false);
    assert_eq!(cache.name(), "FixedHyperClockCache");
    // 1 MiB by 0.7 x 4096 + 64 is 358; the power of two that is at least that.
    assert_eq!((cache.table_address_count(), cache.usage_bytes()), (512, 512 * 64));
    for number in 0..2000 {
        insert(&cache, number, Priority::Low);
    }
    assert_eq!(cache.occupancy_count(), 430, "84 of 100 places");
    assert_eq!(cache.usage_bytes(), 512 * 64 + 430);
    cache.for_each_shard(|shard| shard.check(512 * 64));
    // Values in use take all places.
    let mut held = Vec::new();
    cache.for_each_entry(&mut |value, _| held.push(value.clone()));
    assert_eq!(
        cache.insert(key(9999), Arc::new(1u64).into(), 1, Priority::Low).unwrap(),
        crate::Insertion::NotKept
    );
    let strict = fixed(4096, 4096, true);
    assert_eq!(strict.table_address_count(), 2);
    let value = CacheValue::from(Arc::new(1u64));
    strict.insert(key(1), value.clone(), 1, Priority::Low).unwrap();
    let error = strict.insert(key(2), value, 1, Priority::Low).unwrap_err();
    assert!(error.to_string().ends_with("stay within table occupancy limit."), "{error}");
}

#[test]
fn a_smaller_capacity_drops_entries() {
    let cache = one_shard(100, false);
    (0..100).for_each(|number| insert(&cache, number, Priority::Low));
    cache.set_capacity(10);
    assert_eq!((cache.capacity_bytes(), cache.usage_bytes()), (10, 10));
    cache.set_capacity(0);
    insert(&cache, 1, Priority::High);
    assert_eq!((get(&cache, 1), cache.usage_bytes()), (None, 0));
}

#[test]
fn shards_are_rocksdbs() {
    let options = HyperClockCacheOptions::with_capacity;
    let bits = |capacity| HyperClockCache::new(&options(capacity)).unwrap().num_shard_bits();
    for (mib, expected) in [(0, 0), (32, 0), (64, 1), (1 << 10, 5), (2 << 10, 6), (64 << 10, 6)] {
        assert_eq!(bits(mib << 20), expected, "{mib}");
    }
    let many = HyperClockCacheOptions { num_shard_bits: 20, ..HyperClockCacheOptions::default() };
    let error = HyperClockCache::new(&many).unwrap_err();
    assert_eq!(error.code(), base::status::Code::InvalidArgument);
    let cache = HyperClockCache::new(&options(1 << 20)).unwrap();
    assert_eq!(cache.name(), "AutoHyperClockCache");
    insert(&cache, 1, Priority::Low);
    assert_eq!(cache.usage_bytes(), 1 + clock_shard::METADATA_BYTES);
    cache.for_each_entry(&mut |_, charge| assert_eq!(charge, 1));
}

#[test]
fn threads_share_a_cache() {
    let cache = HyperClockCache::new(&HyperClockCacheOptions {
        num_shard_bits: 2,
        ..HyperClockCacheOptions::with_capacity(1000 * (1 + clock_shard::METADATA_BYTES))
    })
    .unwrap();
    check_with_threads(&cache);
    cache.for_each_shard(|shard| shard.check(0));
}

proptest! {
    /// What is found is what was put in last, however the hand moves, and sums are right.
    #[test]
    fn what_is_found_was_put_in_last(
        steps in prop::collection::vec((0u64..60, 0usize..14, 0u8..4), 0..400),
        is_fixed in any::<bool>(),
    ) {
        let cache = if is_fixed { fixed(2048, 100, false) } else { one_shard(100, false) };
        let table = if is_fixed { cache.usage_bytes() } else { 0 };
        let mut last = HashMap::new();
        for (value, (number, charge, kind)) in steps.into_iter().enumerate() {
            let value = value as u64;
            let priority = [Priority::High, Priority::Low, Priority::Bottom][charge % 3];
            match kind {
                0 | 1 => {
                    cache.insert(key(number), Arc::new(value).into(), charge, priority).unwrap();
                    last.insert(number, value);
                }
                2 => if let Some(found) = get(&cache, number) {
                    prop_assert_eq!(Some(&found), last.get(&number));
                },
                _ => {
                    cache.erase(&key(number));
                    last.remove(&number);
                }
            }
            cache.for_each_shard(|shard| shard.check(table));
            prop_assert!(cache.usage_bytes() <= cache.capacity_bytes());
        }
    }
}
