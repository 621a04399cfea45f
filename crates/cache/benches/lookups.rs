//! What a lookup in a block cache costs that finds its block, by one thread, beside a hash and a look at a slot: `cargo
//! bench -p touchstone-cache`, with parts of names to measure those alone, and with `--short`.

use cache::{
    Cache, CacheKey, CacheValue, HyperClockCache, HyperClockCacheOptions, LruCache,
    LruCacheOptions, Priority,
};
use microbench::{Benches, each, scatter};
use std::hint::black_box;
use std::sync::Arc;

const OPERATIONS: u64 = 20_000;
const BLOCK_SIZE: usize = 4096;
/// Entries: of the first the nearest caches have room, of the second not.
const COUNTS: [u64; 2] = [1024, 262_144];

/// One entry of an array that is as long as there are blocks: a line, as that of a cache.
#[repr(align(64))]
#[derive(Clone)]
struct Slot(u64);

fn key(number: u64) -> CacheKey {
    CacheKey::new(7, number * BLOCK_SIZE as u64)
}

/// As few steps as a hash can have that uses all bits of a key.
#[inline]
fn hash(CacheKey([file, offset]): CacheKey) -> u64 {
    let product = u128::from(file ^ offset) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

/// Has room for twice as many blocks, so that none is dropped where shards fill unevenly.
fn caches(count: u64) -> [(&'static str, Box<dyn Cache>); 3] {
    let capacity = 2 * count as usize * BLOCK_SIZE;
    let lru = LruCache::new(&LruCacheOptions::with_capacity(capacity));
    let clock = HyperClockCacheOptions::with_capacity(capacity);
    let fixed = HyperClockCacheOptions { estimated_entry_charge: BLOCK_SIZE, ..clock.clone() };
    [
        ("LRU", Box::new(lru.expect("an LRU cache"))),
        ("clock that grows", Box::new(HyperClockCache::new(&clock).expect("a clock cache"))),
        ("clock of fixed size", Box::new(HyperClockCache::new(&fixed).expect("a clock cache"))),
    ]
}

fn fill(cache: &dyn Cache, count: u64) {
    for number in 0..count {
        let value = CacheValue::from(Arc::new(number));
        cache.insert(key(number), value, BLOCK_SIZE, Priority::Low).expect("room");
    }
    assert_eq!(cache.occupancy_count() as u64, count, "blocks in the cache");
}

fn main() {
    let benches = Benches::from_arguments();
    for count in COUNTS {
        let slots: Vec<Slot> = (0..count).map(Slot).collect();
        for (kind, cache) in caches(count) {
            let name = format!("{kind}: hit among {count}");
            if !benches.wants(&name) {
                continue;
            }
            fill(&*cache, count);
            benches.compare(
                &name,
                each(OPERATIONS, |number| cache.lookup(&key(scatter(number, count))).is_some()),
                "a hash and a look at a slot",
                each(OPERATIONS, |number| {
                    let place = (u128::from(hash(black_box(key(scatter(number, count)))))
                        * u128::from(count))
                        >> 64;
                    slots[place as usize].0
                }),
            );
        }
    }
}
