use super::*;
use crate::{LruCache, LruCacheOptions};

const UNIT: usize = RESERVATION_UNIT_BYTES;

#[test]
fn a_cache_is_charged_for_memory_elsewhere() {
    let options =
        LruCacheOptions { num_shard_bits: 0, ..LruCacheOptions::with_capacity(64 * UNIT) };
    let cache = Arc::new(LruCache::new(&options).unwrap());
    let mut reservation = CacheReservation::new(cache.clone(), Arc::new("elsewhere").into());
    reservation.follow(1);
    assert_eq!(reservation.reserved_bytes(), UNIT);
    reservation.follow(8 * UNIT);
    assert_eq!(reservation.reserved_bytes(), 8 * UNIT);
    assert!(cache.usage_bytes() >= 8 * UNIT && cache.pinned_usage_bytes() >= 8 * UNIT);
    reservation.follow(6 * UNIT);
    assert_eq!(reservation.reserved_bytes(), 8 * UNIT, "a little less changes nothing");
    reservation.follow(5 * UNIT);
    assert_eq!(reservation.reserved_bytes(), 5 * UNIT);
    drop(reservation);
    assert_eq!((cache.usage_bytes(), cache.occupancy_count()), (0, 0));
}

#[test]
fn a_strict_limit_is_kept() {
    let options = LruCacheOptions {
        num_shard_bits: 0,
        strict_capacity_limit: true,
        ..LruCacheOptions::with_capacity(3 * UNIT)
    };
    let cache = Arc::new(LruCache::new(&options).unwrap());
    let mut reservation = CacheReservation::new(cache.clone(), Arc::new("elsewhere").into());
    reservation.follow(10 * UNIT);
    assert!(reservation.reserved_bytes() <= 3 * UNIT);
    assert!(cache.usage_bytes() <= 3 * UNIT);
}
