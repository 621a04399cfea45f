//! One limit for the memtables of several databases.

use crate::fixture::{Fixture, content, family, files, put};
use base::status::Code;
use cache::{Cache, LruCache, LruCacheOptions};
use db::{Db, ReadOptions, WriteBufferManager, WriteOptions};
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;
use testing::wait::until;

/// Memtables grow by small blocks.
fn fixture() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.family.arena_block_size = 64 << 10;
    fixture
}

fn shared(manager: &Arc<WriteBufferManager>) -> Db {
    let mut fixture = Fixture::new();
    fixture.context.write_buffer_manager = Some(manager.clone());
    fixture.open()
}

const KB: &str = "0123456789abcdef";

fn fill(db: &Db, kilobytes: usize) {
    (0..kilobytes).for_each(|n| put(db, &format!("{n:06}"), &KB.repeat(64)));
}

#[test]
fn the_database_that_holds_most_flushes() {
    let manager = Arc::new(WriteBufferManager::new(4 << 20));
    let (idle, busy) = (shared(&manager), shared(&manager));
    fill(&idle, 2500);
    assert_eq!(files(&idle).len(), 0);
    assert!(manager.memory_usage() > 2 << 20);
    assert_eq!(manager.memory_usage(), manager.mutable_memtable_memory_usage());
    for n in 0.. {
        put(&busy, &format!("{n:06}"), &KB.repeat(64));
        if manager.should_flush() {
            break;
        }
        assert!(n < 3000, "the limit was not noticed");
    }
    put(&busy, "last", "1");
    until("the idle database flushes", || !files(&idle).is_empty());
    assert_eq!(files(&busy).len(), 0, "it holds less");
    until("memory is free", || manager.memory_usage() < 3 << 20);
    drop((idle, busy));
    assert_eq!(manager.memory_usage(), 0);
}

#[test]
fn memory_is_charged_to_a_cache() {
    let options = LruCacheOptions::with_capacity(64 << 20);
    let cache = Arc::new(LruCache::new(&options).unwrap());
    let manager = Arc::new(WriteBufferManager::new(0).with_cache(cache.clone()));
    assert!(manager.cost_to_cache() && !manager.enabled());
    let db = shared(&manager);
    let before = cache.usage_bytes();
    fill(&db, 3000);
    let charged = manager.dummy_entries_in_cache_usage();
    assert!(charged >= manager.memory_usage() && charged > 3 << 20);
    assert!(cache.usage_bytes() >= before + charged);
    drop(db);
    assert_eq!(manager.dummy_entries_in_cache_usage(), 0);
}

#[test]
fn writers_of_all_databases_wait_until_memory_is_free() {
    let manager = Arc::new(WriteBufferManager::new(1 << 20).with_allow_stall(true));
    let (one, two) = (shared(&manager), shared(&manager));
    let done = std::thread::scope(|scope| {
        let writers = [scope.spawn(|| fill(&one, 6000)), scope.spawn(|| fill(&two, 6000))];
        let mut most = 0;
        while !writers.iter().all(ScopedJoinHandle::is_finished) {
            most = most.max(manager.memory_usage());
            std::thread::sleep(Duration::from_millis(1));
        }
        most
    });
    // A memtable grows by blocks, and each database has one write under way.
    assert!(done < 3 << 20, "{done} bytes");
    for db in [&one, &two] {
        assert_eq!(content(db).split(' ').count(), 6000);
    }
    assert!(!manager.is_stall_active());
}

/// What an iterator holds no flush can free: nobody waits for ever.
#[test]
fn nobody_waits_for_what_cannot_be_freed() {
    let manager = Arc::new(WriteBufferManager::new(1 << 20).with_allow_stall(true));
    let db = shared(&manager);
    fill(&db, 900);
    let held = db.new_iterator(&ReadOptions::default(), &family(&db)).unwrap();
    fill(&db, 3000);
    assert_eq!(content(&db).split(' ').count(), 3000);
    drop(held);
}

/// Files after an open that finds 3000 KB in the WAL, with and without `enforced`.
fn files_after_recovery(manager: Option<&Arc<WriteBufferManager>>, limit: u64) -> [usize; 2] {
    [true, false].map(|enforced| {
        let mut fixture = fixture();
        fixture.options.avoid_flush_during_recovery = true;
        let db = fixture.open();
        fill(&db, 3000);
        drop(db);
        fixture.context.write_buffer_manager = manager.cloned();
        fixture.options.db_write_buffer_size = limit;
        fixture.options.enforce_write_buffer_manager_during_recovery = enforced;
        let db = fixture.open();
        assert_eq!(content(&db).split(' ').count(), 3000);
        files(&db).len()
    })
}

#[test]
fn a_recovery_keeps_to_the_limit() {
    let manager = Arc::new(WriteBufferManager::new(1 << 20));
    let [enforced, free] = files_after_recovery(Some(&manager), 0);
    assert!((3..8).contains(&enforced), "{enforced}");
    assert_eq!(free, 0, "all stayed in memory");
    let [enforced, free] = files_after_recovery(None, 1 << 20);
    assert!((3..8).contains(&enforced), "{enforced}");
    assert_eq!(free, 0, "all stayed in memory");
}

#[test]
fn a_recovery_has_the_database_flush_that_holds_more() {
    let manager = Arc::new(WriteBufferManager::new(8 << 20));
    let mut fixture = fixture();
    fixture.context.write_buffer_manager = Some(manager.clone());
    let busy = fixture.open();
    fill(&busy, 5500);
    let recovered = files_after_recovery(Some(&manager), 0);
    assert!(recovered[0] <= 1, "{recovered:?}");
    until("the busy database flushes", || !files(&busy).is_empty());
}

#[test]
fn who_must_not_wait_is_told() {
    let manager = Arc::new(WriteBufferManager::new(1 << 20).with_allow_stall(true));
    let db = shared(&manager);
    fill(&db, 100);
    manager.set_buffer_size(1);
    assert!(manager.should_stall());
    let options = WriteOptions { no_slowdown: true, ..WriteOptions::default() };
    let status = db.put(&options, &family(&db), b"k", b"v").unwrap_err();
    assert_eq!(status.code(), Code::Incomplete, "{status}");
    manager.set_buffer_size(64 << 20);
    db.put(&options, &family(&db), b"k", b"v").unwrap();
    manager.set_buffer_size(1);
    manager.set_allow_stall(false);
    db.put(&options, &family(&db), b"k", b"v").unwrap();
}
