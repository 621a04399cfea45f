use super::*;
use crate::table_options::TableOptions;
use crate::test_files::{open, tables_of};
use base::Status;
use cache::LruCache;
use cache::LruCacheOptions;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing::fixtures;

fn table() -> Arc<BlockBasedTable> {
    let fixture = fixtures::one("7.9.2", "a07");
    assert!(tables_of(&fixture).is_empty());
    let (_, bytes) = tables_of(&fixtures::one("7.9.2", "a01")).remove(0);
    open(bytes, &TableOptions::default()).unwrap()
}

#[test]
fn threads_that_want_a_table_at_once_open_it_once() {
    let (cache, table, opens, barrier) =
        (TableCache::new(10), table(), AtomicUsize::new(0), Barrier::new(4));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                let found = cache.get_or_open(7, || {
                    opens.fetch_add(1, Ordering::Relaxed);
                    std::thread::yield_now();
                    Ok(Arc::clone(&table))
                });
                assert!(Arc::ptr_eq(&found.unwrap(), &table));
            });
        }
    });
    assert_eq!(opens.into_inner(), 1);
}

#[test]
fn the_table_used_longest_ago_is_closed_first() {
    let (cache, table) = (TableCache::new(2), table());
    let is_open = |number| {
        let mut was_open = true;
        let open = || {
            was_open = false;
            Ok(Arc::clone(&table))
        };
        cache.get_or_open(number, open).unwrap();
        was_open
    };
    assert!(!is_open(1));
    assert!(!is_open(2));
    assert!(is_open(1));
    assert!(!is_open(3));
    assert!(is_open(1));
    assert!(!is_open(2));
    assert_eq!(cache.len(), 2);
    cache.evict(2);
    assert!(!is_open(2));
}

#[test]
fn a_failed_open_is_tried_again() {
    let (cache, table) = (TableCache::new(2), table());
    let status = cache.get_or_open(1, || Err(Status::io_error("gone"))).unwrap_err();
    assert_eq!(status.message(), "gone");
    cache.get_or_open(1, || Ok(Arc::clone(&table))).unwrap();
}

#[test]
fn names_in_the_block_cache_outlive_the_tables() {
    let tables = TableCache::new(1);
    let new_cache =
        || -> Arc<dyn Cache> { Arc::new(LruCache::new(&LruCacheOptions::default()).unwrap()) };
    let blocks = new_cache();
    let first = tables.cache_id(1, &blocks);
    assert_ne!(tables.cache_id(2, &blocks), first);
    assert_eq!(tables.cache_id(1, &blocks), first);
    tables.evict(1);
    assert_ne!(tables.cache_id(1, &blocks), first);
    // Another cache names its files by itself.
    let others = new_cache();
    let names = [tables.cache_id(1, &others), tables.cache_id(2, &others), others.new_id()];
    assert!(names[0] != names[1] && names[1] != names[2] && names[0] != names[2]);
}

#[test]
fn a_smaller_cache_closes_what_was_used_longest_ago() {
    let (cache, table) = (TableCache::new(4), table());
    for number in [1, 2, 3, 1] {
        cache.get_or_open(number, || Ok(Arc::clone(&table))).unwrap();
    }
    cache.set_capacity(2);
    assert_eq!((cache.len(), cache.capacity()), (2, 2));
    assert!(cache.get(2).is_none() && cache.get(1).is_some() && cache.get(3).is_some());
    drop(cache.take(3));
    assert!(cache.get(3).is_none());
}

#[test]
fn asking_for_an_open_table_opens_none_and_counts_as_no_use() {
    let (cache, table) = (TableCache::new(2), table());
    assert!(cache.get(1).is_none());
    assert!(cache.is_empty());
    for number in [1, 2] {
        cache.get_or_open(number, || Ok(Arc::clone(&table))).unwrap();
    }
    assert!(Arc::ptr_eq(&cache.get(1).unwrap(), &table));
    cache.get_or_open(3, || Ok(Arc::clone(&table))).unwrap();
    assert!(cache.get(1).is_none());
}

#[test]
fn files_that_others_keep_open_count() {
    let (others, table) = (Arc::new(AtomicUsize::new(0)), table());
    let cache = TableCache::beside(4, others.clone());
    let open = |number| cache.get_or_open(number, || Ok(Arc::clone(&table))).map(drop).unwrap();
    (1..=6).for_each(open);
    assert_eq!(cache.len(), 4);
    others.store(2, Ordering::Relaxed);
    open(7);
    assert_eq!(cache.len(), 2);
    others.store(9, Ordering::Relaxed);
    open(8);
    assert_eq!(cache.len(), 1);
    assert!(cache.get(8).is_some());
}
