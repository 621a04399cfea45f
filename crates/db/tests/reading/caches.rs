//! Caches of tables and blocks, and how files are read.

use crate::{Opened, Pairs, backward, default_family, forward, scan, total_order, unpack};
use base::status::{Code, SubCode};
use cache::{
    Cache, CacheKey, CacheOptions, CompressedSecondaryCache, HyperClockCache,
    HyperClockCacheOptions, LruCache, LruCacheOptions, SecondaryCache, SecondaryLookup,
};
use db::{ColumnFamilyDescriptor, Db, FlushOptions, OpenContext, ReadOptions, WriteOptions};
use options::{BlockBasedTableOptions, ColumnFamilyOptions, ConfigOptions, DbOptions};
use perf_context::{PerfLevel, PerfMetric, perf_context, set_perf_level};
use statistics::{Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn expected(opened: &Opened) -> Pairs {
    let db = opened.db();
    scan(&db, &total_order(), &default_family(&db))
}

fn check_reads(db: &Db, expected: &Pairs) {
    let family = default_family(db);
    assert_eq!(scan(db, &total_order(), &family), *expected);
    let iterator = db.new_iterator(&total_order(), &family).unwrap();
    assert_eq!(backward(iterator), (expected.clone(), Ok(())));
    for (key, value) in expected {
        let found = db.get(&ReadOptions::default(), &family, key).unwrap();
        assert_eq!(found.as_deref(), Some(&value[..]));
    }
}

#[test]
fn few_open_files_are_enough() {
    for case in ["a01", "a02", "c05", "f03", "g01", "p04"] {
        let release = if case == "a02" || case == "p04" { "10.10.1" } else { "11.8.1" };
        let mut opened = unpack(release, case);
        let expected = expected(&opened);
        for max_open_files in [0, 1, 10] {
            opened.options.db.max_open_files = max_open_files;
            let db = opened.db();
            let family = default_family(&db);
            // Iterators keep their tables open whatever others need.
            let mut iterators: Vec<_> = (0..3)
                .map(|_| {
                    let mut iterator = db.new_iterator(&total_order(), &family).unwrap();
                    iterator.seek_to_first();
                    iterator
                })
                .collect();
            check_reads(&db, &expected);
            for (key, value) in &expected {
                for iterator in &mut iterators {
                    assert_eq!((iterator.key(), iterator.value()), (&key[..], &value[..]));
                    iterator.next();
                }
            }
        }
    }
}

fn lru(capacity: usize, strict_capacity_limit: bool) -> Arc<LruCache> {
    let options = LruCacheOptions {
        num_shard_bits: 0,
        strict_capacity_limit,
        ..LruCacheOptions::with_capacity(capacity)
    };
    Arc::new(LruCache::new(&options).unwrap())
}

#[test]
fn the_block_cache_keeps_to_its_capacity() {
    for cache_index in [false, true] {
        let mut opened = unpack("11.8.1", "a01");
        let expected = expected(&opened);
        opened.options.families[0].options.table.cache_index_and_filter_blocks = cache_index;
        for capacity in [0, 3000, 1 << 20] {
            let cache = lru(capacity, false);
            opened.options.context.block_cache = Some(cache.clone());
            check_reads(&opened.db(), &expected);
            assert!(cache.usage_bytes() <= capacity, "{} bytes", cache.usage_bytes());
            assert_eq!(cache.usage_bytes() > 0, capacity > 0);
        }
    }
}

#[test]
fn without_a_block_cache() {
    let mut opened = unpack("11.8.1", "a01");
    let expected = expected(&opened);
    let cache = lru(1 << 20, false);
    opened.options.context.block_cache = Some(cache.clone());
    let table = &mut opened.options.families[0].options.table;
    table.no_block_cache = true;
    table.cache_index_and_filter_blocks = true;
    check_reads(&opened.db(), &expected);
    assert_eq!(cache.usage_bytes(), 0);
}

/// As RocksDB: a block that a strict cache has no room for fails the read, unless it need not be
/// kept.
#[test]
fn a_strict_cache_that_is_full_fails_reads() {
    let mut opened = unpack("11.8.1", "a01");
    let expected = expected(&opened);
    opened.options.context.block_cache = Some(lru(100, true));
    let db = opened.db();
    let family = default_family(&db);
    let error = db.get(&ReadOptions::default(), &family, &expected[0].0).unwrap_err();
    assert_eq!((error.code(), error.subcode()), (Code::Aborted, SubCode::MemoryLimit));
    let (_, status) = forward(db.new_iterator(&total_order(), &family).unwrap());
    assert_eq!(status.unwrap_err().subcode(), SubCode::MemoryLimit);
    let uncached = ReadOptions { fill_cache: false, ..total_order() };
    assert_eq!(scan(&db, &uncached, &family), expected);
}

#[test]
fn table_options_change_no_answer() {
    let texts = [
        "cache_index_and_filter_blocks=true",
        "cache_index_and_filter_blocks=true;cache_index_and_filter_blocks_with_high_priority=false",
        "cache_index_and_filter_blocks=true;pin_l0_filter_and_index_blocks_in_cache=true",
        "cache_index_and_filter_blocks=true;pin_top_level_index_and_filter=false",
        "cache_index_and_filter_blocks=true;block_cache={capacity=2K;num_shard_bits=0}",
        "whole_key_filtering=false",
        "max_auto_readahead_size=0",
        "initial_auto_readahead_size=1M;max_auto_readahead_size=4K",
        "num_file_reads_for_auto_readahead=0",
    ];
    for case in ["c02", "c05", "c06", "c07", "l03"] {
        let mut opened = unpack("11.8.1", case);
        let expected = expected(&opened);
        for text in texts {
            let options = &mut opened.options.families[0].options;
            options.table = BlockBasedTableOptions::default();
            options.table.apply_string(text, &ConfigOptions::default()).unwrap();
            assert!(options.table.unhonoured().is_empty(), "{text}");
            check_reads(&opened.db(), &expected);
        }
    }
}

#[test]
fn readahead_of_any_size() {
    let opened = unpack("11.8.1", "a01");
    let expected = expected(&opened);
    for readahead_size in [1, 700, 1 << 20, u64::MAX] {
        let db = opened.db();
        let options = ReadOptions { readahead_size, ..total_order() };
        let family = default_family(&db);
        assert_eq!(scan(&db, &options, &family), expected);
        let iterator = db.new_iterator(&options, &family).unwrap();
        assert_eq!(backward(iterator), (expected.clone(), Ok(())));
    }
}

#[test]
fn scans_in_both_directions_read_ahead() {
    const KEYS: u32 = 10_000;
    let directory = tempfile::tempdir().unwrap();
    let statistics = Arc::new(Statistics::new());
    let context =
        OpenContext { statistics: Some(Arc::clone(&statistics)), ..OpenContext::default() };
    let text = "compression=kNoCompression;block_based_table_factory={no_block_cache=true}";
    let options = ColumnFamilyOptions::from_string(text).unwrap();
    let db_options =
        DbOptions { create_if_missing: true, use_direct_reads: true, ..DbOptions::default() };
    let family = ColumnFamilyDescriptor::new("default", options);
    let db = Db::open(&db_options, directory.path(), &[family], &context).unwrap();
    let family = default_family(&db);
    for key in 0..KEYS {
        let (key, value) = (format!("key{key:013}"), format!("{key:0100}"));
        db.put(&WriteOptions::default(), &family, key.as_bytes(), value.as_bytes()).unwrap();
    }
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    let reads = || {
        let tickers = [Ticker::LastLevelReadCount, Ticker::NonLastLevelReadCount];
        tickers.map(|ticker| statistics.ticker_count(ticker)).iter().sum::<u64>()
    };
    // 300 blocks of 4 KiB.
    for readahead_size in [0, 64 << 10] {
        let options = ReadOptions { readahead_size, ..total_order() };
        let before = reads();
        assert_eq!(scan(&db, &options, &family).len(), KEYS as usize);
        let forward = reads() - before;
        let (pairs, result) = backward(db.new_iterator(&options, &family).unwrap());
        assert_eq!((pairs.len(), result), (KEYS as usize, Ok(())));
        let backward = reads() - before - forward;
        assert!(forward < 40 && backward < 40, "{readahead_size}: {forward}, {backward} reads");
    }
}

#[test]
fn direct_reads() {
    for case in ["a01", "g01"] {
        let mut opened = unpack("11.8.1", case);
        let expected = expected(&opened);
        opened.options.db.use_direct_reads = true;
        check_reads(&opened.db(), &expected);
    }
}

/// A database of many small blocks, indexed and filtered in partitions that the cache holds.
fn paged(cache: Arc<dyn Cache>, keys: u32) -> Db {
    let mut options = ColumnFamilyOptions::default();
    options.table = BlockBasedTableOptions::default();
    let text = "cache_index_and_filter_blocks=true;pin_top_level_index_and_filter=false;\
                index_type=kTwoLevelIndexSearch;partition_filters=true;block_size=512;\
                metadata_block_size=512;filter_policy=bloomfilter:10:false";
    options.table.apply_string(text, &ConfigOptions::default()).unwrap();
    let context = OpenContext {
        file_system: Arc::new(env::MemFileSystem::new()),
        block_cache: Some(cache),
        ..OpenContext::default()
    };
    let db_options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let family = ColumnFamilyDescriptor::new("default", options);
    let db = Db::open(&db_options, Path::new("/db"), &[family], &context).unwrap();
    let family = default_family(&db);
    for key in 0..keys {
        let (key, value) = (format!("key{key:013}"), format!("{key:0100}"));
        db.put(&WriteOptions::default(), &family, key.as_bytes(), value.as_bytes()).unwrap();
    }
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    db
}

#[test]
fn metadata_larger_than_the_cache_is_paged_and_keeps_to_the_capacity() {
    const KEYS: u32 = 6000;
    const CAPACITY: usize = 16 << 10;
    let clock = |estimated_entry_charge| {
        HyperClockCache::new(&HyperClockCacheOptions {
            estimated_entry_charge,
            num_shard_bits: 0,
            ..HyperClockCacheOptions::with_capacity(CAPACITY)
        })
    };
    let caches: [Arc<dyn Cache>; 3] =
        [lru(CAPACITY, false), Arc::new(clock(0).unwrap()), Arc::new(clock(600).unwrap())];
    for cache in caches {
        let db = paged(cache.clone(), KEYS);
        let family = default_family(&db);
        let (_, table) = db.properties_of_all_tables(&family).unwrap().pop_first().unwrap();
        assert!(table.index_size + table.filter_size > 2 * CAPACITY as u64, "{table:?}");
        for step in 0..KEYS {
            let number = step.wrapping_mul(2_654_435_761) % KEYS;
            let key = format!("key{number:013}");
            let found = db.get(&ReadOptions::default(), &family, key.as_bytes()).unwrap();
            assert_eq!(found.as_deref(), Some(format!("{number:0100}").as_bytes()));
            assert!(cache.usage_bytes() <= CAPACITY, "{cache:?}: {}", cache.usage_bytes());
        }
        assert!(cache.counters().evictions > u64::from(KEYS) / 2, "{cache:?}");
        assert_eq!(cache.pinned_usage_bytes(), 0, "{cache:?}");
    }
}

/// A tier of a user: gives back what it is told to.
#[derive(Debug, Default)]
struct Forgetful {
    offered: AtomicUsize,
    /// In place of what it was given.
    gives: Option<Vec<u8>>,
}

impl SecondaryCache for Forgetful {
    fn name(&self) -> &'static str {
        "Forgetful"
    }

    fn insert(&self, _key: &CacheKey, _bytes: &[u8], _must_keep: bool) {
        self.offered.fetch_add(1, Ordering::Relaxed);
    }

    fn lookup(&self, _key: &CacheKey, _moves: bool) -> SecondaryLookup {
        self.gives.clone().map_or(SecondaryLookup::Missing, SecondaryLookup::Found)
    }

    fn erase(&self, _key: &CacheKey) {}

    fn capacity_bytes(&self) -> usize {
        0
    }

    fn usage_bytes(&self) -> usize {
        0
    }
}

const SECONDARY_METRICS: [PerfMetric; 5] = [
    PerfMetric::SecondaryCacheHitCount,
    PerfMetric::CompressedSecCacheInsertRealCount,
    PerfMetric::CompressedSecCacheInsertDummyCount,
    PerfMetric::CompressedSecCacheUncompressedBytes,
    PerfMetric::CompressedSecCacheCompressedBytes,
];

fn tiered(capacity: usize, secondary: Arc<dyn SecondaryCache>) -> Arc<dyn Cache> {
    let options = LruCacheOptions { num_shard_bits: 0, ..LruCacheOptions::with_capacity(capacity) };
    CacheOptions::Lru(options).make_with_secondary_cache(Some(secondary)).unwrap()
}

#[test]
fn blocks_come_back_from_a_secondary_cache_as_they_were() {
    // The last has sequence numbers of a whole file, which blocks in memory have in them already.
    for case in ["a01", "c05", "f03", "g01"] {
        let mut opened = unpack("11.8.1", case);
        let expected = expected(&opened);
        let statistics = Arc::new(Statistics::new());
        opened.options.context.statistics = Some(statistics.clone());
        let secondary = Arc::new(CompressedSecondaryCache::from_uri("capacity=8M").unwrap());
        opened.options.context.block_cache = Some(tiered(2000, secondary.clone()));
        let db = opened.db();
        set_perf_level(PerfLevel::EnableCount);
        let before = SECONDARY_METRICS.map(|metric| perf_context().get(metric));
        for _ in 0..4 {
            check_reads(&db, &expected);
        }
        for (metric, before) in SECONDARY_METRICS.into_iter().zip(before) {
            assert!(perf_context().get(metric) > before, "{case}: {metric:?}");
        }
        let count = |ticker| statistics.ticker_count(ticker);
        let hits = count(Ticker::SecondaryCacheHits);
        assert!(hits > 0 && secondary.usage_bytes() > 0, "{case}");
        assert_eq!(count(Ticker::SecondaryCacheDataHits), hits, "{case}");
        assert_eq!(count(Ticker::CompressedSecondaryCacheHits), hits, "{case}");
        assert_eq!(count(Ticker::CompressedSecondaryCachePromotions), hits, "{case}");
        assert!(count(Ticker::CompressedSecondaryCacheDummyHits) > 0, "{case}");
        let looking = ReadOptions { fill_cache: false, ..total_order() };
        assert_eq!(scan(&db, &looking, &default_family(&db)), expected, "{case}");
    }
}

#[test]
fn a_secondary_cache_that_has_no_blocks_changes_no_answers() {
    for gives in
        [None, Some(Vec::new()), Some(b"this is no block".to_vec()), Some(vec![0xff; 4096])]
    {
        let mut opened = unpack("11.8.1", "a01");
        let expected = expected(&opened);
        let secondary = Arc::new(Forgetful { gives, ..Forgetful::default() });
        opened.options.context.block_cache = Some(tiered(3000, secondary.clone()));
        check_reads(&opened.db(), &expected);
        assert!(secondary.offered.load(Ordering::Relaxed) > 0);
    }
}
