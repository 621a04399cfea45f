//! What a read leaves out by the user's word: files that it is too late for, tables that a filter knows.

use crate::fixture::{Fixture, content, family, flush, put};
use base::status::Code;
use db::{Db, DbIterator, ReadOptions, TableFilter, WriteOptions};
use env::{ManualClock, SystemClock};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A clock at a second, and an open database in which tables are read from files.
fn timed() -> (Db, Arc<ManualClock>) {
    let mut fixture = Fixture::new();
    let clock = Arc::new(ManualClock::new(1_000_000));
    fixture.context.clock = Arc::clone(&clock) as Arc<dyn SystemClock>;
    fixture.family.enable_blob_files = true;
    fixture.family.min_blob_size = 100;
    let db = fixture.open();
    for index in 0..100 {
        put(&db, &format!("key{index:03}"), "value");
    }
    put(&db, "large", &"v".repeat(200));
    flush(&db);
    put(&db, "new", "value");
    (db, clock)
}

fn until(micros: u64) -> ReadOptions {
    ReadOptions::default().deadline(micros).fill_cache(false)
}

fn shown(mut iterator: DbIterator) -> (usize, base::Result<()>) {
    let mut count = 0;
    iterator.seek_to_first();
    while iterator.valid() {
        count += 1;
        iterator.next();
    }
    (count, iterator.status())
}

#[test]
fn after_its_deadline_a_read_goes_to_no_file() {
    let (db, clock) = timed();
    let family = family(&db);
    let get = |options: &ReadOptions, key: &str| db.get(options, &family, key.as_bytes());
    for key in ["key001", "large", "new"] {
        assert!(get(&until(1_000_001), key).unwrap().is_some());
    }
    assert_eq!(shown(db.new_iterator(&until(1_000_001), &family).unwrap()), (102, Ok(())));
    clock.advance_micros(1);
    for key in ["key001", "large"] {
        let error = get(&until(1_000_001), key).unwrap_err();
        assert_eq!(error.code(), Code::TimedOut);
        assert!(error.message().contains("the deadline passed before "), "{error}");
    }
    assert!(get(&until(1_000_001), "new").unwrap().is_some(), "no file has to be read");
    let (count, status) = shown(db.new_iterator(&until(1_000_001), &family).unwrap());
    assert_eq!((count, status.unwrap_err().code()), (0, Code::TimedOut));
    // What the cache has is no file either.
    get(&ReadOptions::default(), "key001").unwrap();
    assert!(get(&until(1), "key001").unwrap().is_some());
    assert!(get(&ReadOptions::default().io_timeout(1), "key001").unwrap().is_some());
    assert_eq!(
        db.call_warnings(),
        ["io_timeout of ReadOptions is not 0: accepted, not honoured yet"]
    );
}

#[test]
fn of_several_keys_those_are_given_up_whose_turn_comes_too_late() {
    let (db, _clock) = timed();
    let family = family(&db);
    let keys: Vec<String> = (0..80).map(|index| format!("key{index:03}")).collect();
    assert!(db.multi_get(&until(1_000_001), &family, &keys).iter().all(Result::is_ok));
    for (options, in_time) in
        [(until(1).fill_cache(true), 32), (until(1).value_size_soft_limit(1_000_000), 1)]
    {
        db.multi_get(&ReadOptions::default(), &family, &keys);
        let found = db.multi_get(&options, &family, &keys);
        let (first, later) = found.split_at(in_time);
        assert!(first.iter().all(|one| matches!(one, Ok(Some(value)) if &**value == b"value")));
        for one in later {
            let error = one.as_ref().unwrap_err();
            assert_eq!(error.code(), Code::TimedOut);
            assert_eq!(error.message(), "the deadline passed before the key's turn came");
        }
    }
}

#[test]
fn an_iterator_leaves_out_tables_that_the_filter_does_not_want() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let family = family(&db);
    put(&db, "a", "old");
    put(&db, "b", "old");
    put(&db, "c", "old");
    flush(&db);
    put(&db, "b", "new");
    put(&db, "d", "new");
    db.delete_range(&WriteOptions::default(), &family, b"c", b"cc").unwrap();
    flush(&db);
    put(&db, "e", "memtable");
    assert_eq!(content(&db), "a=old b=new d=new e=memtable");
    let asked = Arc::new(AtomicUsize::new(0));
    let with_entries = |count: u64| {
        let asked = Arc::clone(&asked);
        let filter = TableFilter::new(move |properties| {
            asked.fetch_add(1, Ordering::Relaxed);
            properties.num_entries == count && properties.num_range_deletions < 2
        });
        let options = ReadOptions::default().table_filter(Some(filter));
        db.new_iterator(&options, &family).unwrap()
    };
    let text = |iterator: &DbIterator| {
        let [key, value] = [iterator.key(), iterator.value()];
        format!("{}={}", String::from_utf8_lossy(key), String::from_utf8_lossy(value))
    };
    // Both tables have three entries; the second one's tombstone is one of them or not, as it may be.
    for (count, expected) in [(3, "a=old b=new d=new e=memtable"), (9, "e=memtable")] {
        let mut iterator = with_entries(count);
        let (mut forward, mut backward) = (Vec::new(), Vec::new());
        iterator.seek_to_first();
        while iterator.valid() {
            forward.push(text(&iterator));
            iterator.next();
        }
        iterator.seek_to_last();
        while iterator.valid() {
            backward.push(text(&iterator));
            iterator.prev();
        }
        iterator.status().unwrap();
        backward.reverse();
        assert_eq!(forward.join(" "), expected);
        assert_eq!(backward, forward);
        iterator.seek(b"b");
        assert_eq!(text(&iterator), expected.split(' ').nth(1).unwrap_or("e=memtable"));
        iterator.seek_for_prev(b"bb");
        assert_eq!(iterator.valid(), count == 3);
    }
    assert!(asked.load(Ordering::Relaxed) >= 4);
}

#[test]
fn range_tombstones_of_tables_that_are_left_out_still_count() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let family = family(&db);
    for key in ["a", "c"] {
        put(&db, key, "old");
    }
    flush(&db);
    put(&db, "b", "new");
    db.delete_range(&WriteOptions::default(), &family, b"c", b"cc").unwrap();
    flush(&db);
    let without_tombstones = TableFilter::new(|properties| properties.num_range_deletions == 0);
    let options = ReadOptions::default().table_filter(Some(without_tombstones));
    let (count, status) = shown(db.new_iterator(&options, &family).unwrap());
    status.unwrap();
    assert_eq!(count, 1, "the first one's a; its c is deleted");
    // Lookups have nothing to do with it.
    assert!(db.get(&options, &family, b"b").unwrap().is_some());
}
