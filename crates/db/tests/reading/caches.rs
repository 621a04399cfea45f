//! Caches of tables and blocks, and how files are read.

use crate::{Opened, Pairs, backward, default_family, forward, scan, total_order, unpack};
use base::status::{Code, SubCode};
use cache::{Cache, LruCache, LruCacheOptions};
use db::{Db, ReadOptions};
use options::ConfigOptions;
use std::sync::Arc;

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
            options.table = options::BlockBasedTableOptions::default();
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
        assert_eq!(scan(&db, &options, &default_family(&db)), expected);
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
