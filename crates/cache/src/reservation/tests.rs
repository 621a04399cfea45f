use super::*;
use crate::{LruCache, LruCacheOptions};
use base::status::SubCode;

const UNIT: usize = RESERVATION_UNIT_BYTES;

#[test]
fn a_cache_is_charged_for_memory_elsewhere() {
    let options =
        LruCacheOptions { num_shard_bits: 0, ..LruCacheOptions::with_capacity(64 * UNIT) };
    let cache = Arc::new(LruCache::new(&options).unwrap());
    let mut reservation = CacheReservation::new(cache.clone(), Arc::new("elsewhere").into());
    reservation.follow(1).unwrap();
    assert_eq!(reservation.reserved_bytes(), UNIT);
    reservation.follow(8 * UNIT).unwrap();
    assert_eq!(reservation.reserved_bytes(), 8 * UNIT);
    assert!(cache.usage_bytes() >= 8 * UNIT && cache.pinned_usage_bytes() >= 8 * UNIT);
    reservation.follow(6 * UNIT).unwrap();
    assert_eq!(reservation.reserved_bytes(), 8 * UNIT, "a little less changes nothing");
    reservation.follow(5 * UNIT).unwrap();
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
    assert_eq!(reservation.follow(10 * UNIT).unwrap_err().subcode(), SubCode::MemoryLimit);
    assert!(reservation.reserved_bytes() <= 3 * UNIT);
    assert!(cache.usage_bytes() <= 3 * UNIT);
}

#[test]
fn parts_are_charged_together_and_given_back() {
    let options = LruCacheOptions {
        num_shard_bits: 0,
        strict_capacity_limit: true,
        ..LruCacheOptions::with_capacity(5 * UNIT)
    };
    let cache = Arc::new(LruCache::new(&options).unwrap());
    let memory = Arc::new(ChargedMemory::new(cache.clone(), Arc::new("elsewhere").into()));
    let mut parts: Vec<_> = (0..8).map(|_| memory.charge(UNIT / 8).unwrap()).collect();
    assert_eq!(memory.reserved_bytes(), UNIT, "eight small ones are one unit");
    parts[0].grow(2 * UNIT).unwrap();
    assert_eq!(memory.reserved_bytes(), 3 * UNIT);

    assert_eq!(memory.charge(3 * UNIT).unwrap_err().subcode(), SubCode::MemoryLimit);
    assert_eq!(parts[1].grow(3 * UNIT).unwrap_err().subcode(), SubCode::MemoryLimit);
    let last = memory.charge(UNIT).unwrap();
    assert_eq!(memory.reserved_bytes(), 4 * UNIT, "what failed is not charged");
    drop(last);
    drop(parts);
    assert_eq!((memory.reserved_bytes(), cache.usage_bytes()), (0, 0));
}
