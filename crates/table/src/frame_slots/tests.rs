mod interleavings;

use super::*;
use crate::block_builder::{BlockBuilder, BlockBuilderOptions};
use crate::data_block::{DataBlockDecoder, KeyTransform};
use base::comparator::BytewiseComparator;
use base::dbformat::InternalKey;
use base::{InternalKeyComparator, ValueType};
use cache::{Cache, CacheKey, CacheValue, LruCache, LruCacheOptions, Priority};
use std::sync::{Arc, Weak};

const BLOCK_COUNT: usize = 8;

fn block(value: &str) -> Arc<DataBlock> {
    let mut builder = BlockBuilder::new(BlockBuilderOptions::default());
    let key = InternalKey::new(b"key", 1, ValueType::Value);
    builder.add(key.as_bytes(), value.as_bytes());
    let comparator = InternalKeyComparator::new(Arc::new(BytewiseComparator));
    let decoder = DataBlockDecoder::new(&comparator, KeyTransform::default());
    Arc::new(decoder.decode(&builder.finish()).unwrap())
}

/// A cache of one shard with room for so many blocks.
fn cache(blocks: usize) -> LruCache {
    let options = LruCacheOptions { num_shard_bits: 0, ..LruCacheOptions::with_capacity(blocks) };
    let policy = cache::CacheMetadataChargePolicy::DontCharge;
    LruCache::new(&LruCacheOptions { metadata_charge_policy: policy, ..options }).unwrap()
}

fn put(cache: &LruCache, slots: &FrameSlots, position: usize) -> Weak<DataBlock> {
    let block = block("value");
    block.residence().enter_cache();
    let key = CacheKey::new(1, position as u64);
    cache.insert(key, CacheValue::Linked(block.clone()), 1, Priority::Low).unwrap();
    slots.link(position, BLOCK_COUNT, &block);
    Arc::downgrade(&block)
}

#[test]
fn a_block_is_linked_as_long_as_it_is_cached_and_then_freed() {
    let (cache, slots) = (cache(2), FrameSlots::<DataBlock>::default());
    assert!(slots.get(0).is_none());
    let first = put(&cache, &slots, 0);
    let second = put(&cache, &slots, 1);
    assert!(slots.get(0).is_some_and(|block| std::ptr::eq(&**block, first.as_ptr())));
    assert!(slots.get(7).is_none() && slots.get(8).is_none());
    // The first was used since it came, the second was not.
    let third = put(&cache, &slots, 2);
    assert!(slots.get(1).is_none() && second.upgrade().is_none());
    assert!(slots.get(0).is_some() && slots.get(2).is_some());
    cache.erase(&CacheKey::new(1, 0));
    assert!(slots.get(0).is_none() && first.upgrade().is_none());
    cache.set_capacity(0);
    assert!(slots.get(2).is_none() && third.upgrade().is_none());
}

#[test]
fn a_block_in_no_cache_is_not_linked() {
    let slots = FrameSlots::<DataBlock>::default();
    let lonely = block("lonely");
    slots.link(0, BLOCK_COUNT, &lonely);
    assert!(slots.get(0).is_none());
    let (full, refused) = (cache(0), put(&cache(0), &slots, 1));
    assert!(slots.get(1).is_none() && refused.upgrade().is_none());
    assert_eq!(full.occupancy_count(), 0);
}

#[test]
fn links_pin_nothing_and_readers_do() {
    let (cache, slots) = (cache(2), FrameSlots::<DataBlock>::default());
    let first = put(&cache, &slots, 0);
    assert_eq!(cache.pinned_usage_bytes(), 0);
    let held = slots.get(0).unwrap().into_arc();
    assert_eq!(cache.pinned_usage_bytes(), 1);
    let _ = put(&cache, &slots, 1);
    let _ = put(&cache, &slots, 2);
    assert!(slots.get(0).is_some() && slots.get(1).is_none());
    drop(held);
    drop(slots);
    assert_eq!((cache.pinned_usage_bytes(), first.strong_count()), (0, 1));
}

#[test]
fn another_block_in_the_place_of_one_is_reached_and_leaves_nothing_behind() {
    let (cache, slots) = (cache(4), FrameSlots::<DataBlock>::default());
    let first = put(&cache, &slots, 0);
    let second = put(&cache, &slots, 0);
    assert!(first.upgrade().is_none());
    assert!(slots.get(0).is_none_or(|block| std::ptr::eq(&**block, second.as_ptr())));
    let CacheValue::Linked(_) = cache.lookup(&CacheKey::new(1, 0)).unwrap() else { panic!() };
    slots.link(0, BLOCK_COUNT, &second.upgrade().unwrap());
    assert!(slots.get(0).is_some());
    cache.erase(&CacheKey::new(1, 0));
    assert!(slots.get(0).is_none() && second.upgrade().is_none());
}

#[test]
fn threads_that_read_through_a_small_cache_leave_only_cached_blocks_linked() {
    const ROUNDS: usize = 3000;
    let (cache, slots) = (cache(3), FrameSlots::<DataBlock>::default());
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (cache, slots) = (&cache, &slots);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let position = (round * (thread + 1) + round / 7) % BLOCK_COUNT;
                    if let Some(found) = slots.get(position) {
                        assert_eq!(found.entry_count(), 1);
                        continue;
                    }
                    let key = CacheKey::new(1, position as u64);
                    match cache.lookup(&key).and_then(CacheValue::downcast::<DataBlock>) {
                        Some(found) => slots.link(position, BLOCK_COUNT, &found),
                        None => drop(put(cache, slots, position)),
                    }
                }
            });
        }
    });
    for position in 0..BLOCK_COUNT {
        let cached = cache.lookup(&CacheKey::new(1, position as u64));
        let cached = cached.and_then(CacheValue::downcast::<DataBlock>);
        let linked = slots.get(position).map(BlockRef::into_arc);
        assert!(linked.is_none_or(|linked| cached.is_some_and(|it| Arc::ptr_eq(&it, &linked))));
    }
    assert!(cache.usage_bytes() <= 3);
}
