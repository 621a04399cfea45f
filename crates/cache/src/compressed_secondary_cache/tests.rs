use super::*;
use crate::{CacheOptions, HyperClockCacheOptions, Insertion, LinkedValue};

/// A value that can be made again of its bytes.
#[derive(Debug)]
struct Block(Vec<u8>);

impl LinkedValue for Block {
    fn link_count(&self) -> usize {
        0
    }

    fn take_use(&self) -> bool {
        false
    }

    fn left_cache(&self) {}

    fn saved(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

fn key(number: u64) -> CacheKey {
    CacheKey::new(3, number)
}

fn bytes(number: u64) -> Vec<u8> {
    number.to_le_bytes().repeat(128)
}

fn secondary(capacity: usize) -> Arc<CompressedSecondaryCache> {
    let options = CompressedSecondaryCacheOptions::default().capacity(capacity).num_shard_bits(0);
    Arc::new(CompressedSecondaryCache::new(&options).unwrap())
}

fn found(number: u64) -> SecondaryLookup {
    SecondaryLookup::Found(bytes(number))
}

#[test]
fn what_is_offered_twice_is_kept_and_what_moves_away_leaves_a_mark() {
    let cache = secondary(1 << 20);
    assert_eq!(cache.lookup(&key(1), true), SecondaryLookup::Missing);
    cache.insert(&key(1), &bytes(1), false);
    assert_eq!(cache.lookup(&key(1), true), SecondaryLookup::Dummy);
    cache.insert(&key(1), &bytes(1), false);
    assert_eq!(cache.lookup(&key(1), false), found(1));
    assert_eq!(cache.lookup(&key(1), true), found(1));
    assert_eq!(cache.lookup(&key(1), true), SecondaryLookup::Dummy);
    cache.insert(&key(1), &bytes(1), false);
    assert_eq!(cache.lookup(&key(1), false), found(1));
    cache.erase(&key(1));
    assert_eq!(cache.lookup(&key(1), false), SecondaryLookup::Missing);
    cache.insert(&key(2), &bytes(2), true);
    assert_eq!(cache.lookup(&key(2), false), found(2));
}

#[test]
fn every_codec_gives_back_what_it_was_given_and_counts_what_it_takes() {
    for compression in [CompressionType::None, CompressionType::Lz4, CompressionType::Zstd] {
        let options = CompressedSecondaryCacheOptions::default()
            .capacity(1 << 20)
            .compression_type(compression);
        let cache = CompressedSecondaryCache::new(&options).unwrap();
        // The second is too short to be worth compressing.
        for (number, given) in [bytes(7), vec![9], Vec::new()].into_iter().enumerate() {
            let at = key(number as u64);
            cache.insert(&at, &given, true);
            assert_eq!(cache.lookup(&at, false), SecondaryLookup::Found(given), "{compression:?}");
        }
        let is_smaller = cache.usage_bytes() < 1024;
        assert_eq!(is_smaller, compression != CompressionType::None, "{compression:?}");
    }
}

#[test]
fn the_capacity_is_kept_to_and_what_does_not_fit_is_not_there() {
    let cache = secondary(4 << 10);
    for number in 0..200 {
        cache.insert(&key(number), &bytes(number), true);
        assert!(cache.usage_bytes() <= 4 << 10);
    }
    let kept = (0..200).filter(|&number| cache.lookup(&key(number), false) == found(number));
    assert!((1..200).contains(&kept.count()));
    let noise: Vec<u8> = (0..8u64 << 10).map(|i| (i * i % 251) as u8 ^ (i >> 3) as u8).collect();
    let small = secondary(100);
    small.insert(&key(1), &noise, true);
    assert_eq!(small.lookup(&key(1), false), SecondaryLookup::Missing);
}

#[test]
fn what_a_cache_drops_for_room_goes_on_and_what_it_erases_does_not() {
    let kinds = [
        CacheOptions::Lru(LruCacheOptions {
            num_shard_bits: 0,
            ..LruCacheOptions::with_capacity(8192)
        }),
        CacheOptions::HyperClock(HyperClockCacheOptions::with_capacity(8192).num_shard_bits(0)),
    ];
    for kind in kinds {
        let secondary = secondary(1 << 20);
        let cache = kind.make_with_secondary_cache(Some(secondary.clone())).unwrap();
        let put = |number| {
            let value = CacheValue::Linked(Arc::new(Block(bytes(number))));
            let inserted = cache.insert(key(number), value, 1024, Priority::Low).unwrap();
            assert_ne!(inserted, Insertion::NotKept);
        };
        for number in (0..100).chain(0..100) {
            put(number);
        }
        let is_in_cache = |number| cache.lookup(&key(number)).is_some();
        let gone: Vec<u64> = (0..100).filter(|&number| !is_in_cache(number)).collect();
        assert!(gone.len() >= 90);
        for &number in &gone {
            assert_eq!(secondary.lookup(&key(number), false), found(number), "{kind:?} {number}");
        }
        cache.erase(&key(gone[0]));
        assert_eq!(secondary.lookup(&key(gone[0]), false), SecondaryLookup::Missing);
        let (there, before) = ((0..100).find(|&number| is_in_cache(number)).unwrap(), gone[1]);
        cache.erase(&key(there));
        assert_eq!(secondary.lookup(&key(there), false), SecondaryLookup::Missing);
        cache.set_capacity(0);
        assert_eq!(secondary.lookup(&key(before), false), found(before));
        assert_eq!(cache.occupancy_count(), 0);
    }
}

#[test]
fn values_that_cannot_be_saved_go_nowhere() {
    let secondary = secondary(1 << 20);
    let options = LruCacheOptions { num_shard_bits: 0, ..LruCacheOptions::with_capacity(4096) };
    let cache = LruCache::new(&options).unwrap().with_secondary_cache(secondary.clone());
    for number in (0..50u64).chain(0..50) {
        cache.insert(key(number), Arc::new(number).into(), 1024, Priority::Low).unwrap();
    }
    assert_eq!((cache.counters().evictions > 80, secondary.usage_bytes()), (true, 0));
}

#[test]
fn a_text_makes_one_and_what_it_has_wrong_is_named() {
    let uri = "compressed_secondary_cache://capacity=8M;num_shard_bits=2;compression_type=kZSTD";
    let expected = CompressedSecondaryCacheOptions::default()
        .capacity(8 << 20)
        .num_shard_bits(2)
        .compression_type(CompressionType::Zstd);
    assert_eq!(CompressedSecondaryCacheOptions::from_uri(uri).unwrap(), expected);
    let cache =
        CompressedSecondaryCache::from_uri("capacity=65536; compress_format_version=2;").unwrap();
    assert_eq!((cache.capacity_bytes(), cache.name()), (65536, "CompressedSecondaryCache"));
    for (uri, named) in [
        ("other://capacity=1", "its kind"),
        ("capacity=1x", "capacity=1x"),
        ("capacity=99999999999T", "capacity=99999999999T"),
        ("compress_format_version=1", "compress_format_version=1"),
        ("colour=red", "colour=red"),
        ("compression_type=kBest", "compression_type=kBest"),
        ("capacity", "\"capacity\""),
    ] {
        let error = CompressedSecondaryCacheOptions::from_uri(uri).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    assert!(CompressedSecondaryCache::from_uri("num_shard_bits=20").is_err());
    assert!(CompressedSecondaryCache::from_uri("compression_type=kXpressCompression").is_err());
}
