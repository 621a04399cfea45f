//! A table that is consumed from the front, as queues are: its deletions gather before the first key,
//! and what a seek has to pass of them is counted, not timed.

use crate::fixture::{Fixture, default_family};
use db::{CompactFilesOptions, Db, FlushOptions, ReadOptions, WriteOptions};
use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};

const KEYS: u32 = 6_000;
const CONSUMED: u32 = 4_000;

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// The first key, as a new iterator finds it, and how many entries it passed before.
fn first(db: &Db) -> (Vec<u8>, u64) {
    reset_perf_context();
    let mut iterator = db.new_iterator(&ReadOptions::default(), &default_family(db)).unwrap();
    iterator.seek_to_first();
    assert!(iterator.valid(), "{:?}", iterator.status());
    let passed =
        [PerfMetric::InternalDeleteSkippedCount, PerfMetric::InternalKeySkippedCount].into_iter();
    (iterator.key().to_vec(), passed.map(|metric| perf_context().get(metric)).sum())
}

/// A queue whose entries are in the last level, with nothing consumed.
fn queue() -> Db {
    set_perf_level(PerfLevel::EnableCount);
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for number in 0..KEYS {
        db.put(&WriteOptions::default(), &default_family(&db), &key(number), b"job").unwrap();
    }
    flush(&db);
    move_level0_to(&db, 6);
    db
}

fn move_level0_to(db: &Db, level: usize) {
    let files = db.live_files();
    let numbers: Vec<_> =
        files.iter().filter(|file| file.level == 0).map(|file| file.number).collect();
    assert!(!numbers.is_empty());
    db.compact_files(&CompactFilesOptions::default(), &default_family(db), &numbers, level)
        .unwrap();
}

fn consume(db: &Db, numbers: std::ops::Range<u32>) -> u64 {
    let mut passed = 0;
    for number in numbers {
        let (found, passed_now) = first(db);
        assert_eq!(found, key(number));
        passed += passed_now;
        db.delete(&WriteOptions::default(), &default_family(db), &found).unwrap();
    }
    passed
}

/// Entries that a seek passes on the average where runs of deletions are remembered: up to 16 behind a
/// known run, and 256 before the first is worth remembering.
const PASSED_MAX: u64 = 40;

#[test]
fn a_queue_in_a_memtable_is_sought_past_what_was_consumed() {
    let db = queue();
    let passed = consume(&db, 0..CONSUMED);
    assert!(passed < PASSED_MAX * u64::from(CONSUMED), "{passed} entries passed");
}

/// Where tables have the deletions, the first seek in a new state passes all of them, and no other.
#[test]
fn a_queue_in_tables_is_passed_once_in_each_state() {
    let db = queue();
    consume(&db, 0..CONSUMED / 2);
    let check = |consumed: u32, place: &str| {
        let (found, passed_first) = first(&db);
        assert_eq!(found, key(consumed), "{place}");
        assert!(passed_first >= u64::from(consumed), "{place}: {passed_first}, nothing to spare");
        let (found, passed) = first(&db);
        assert_eq!(found, key(consumed), "{place}");
        assert!(passed < PASSED_MAX, "{place}: {passed} entries passed by the second seek");
    };
    flush(&db);
    check(CONSUMED / 2, "a file of level 0");
    let passed = consume(&db, CONSUMED / 2..CONSUMED);
    assert!(passed < PASSED_MAX * u64::from(CONSUMED / 2), "{passed} entries passed");
    flush(&db);
    check(CONSUMED, "two files of level 0");
    move_level0_to(&db, 1);
    check(CONSUMED, "level 1");
    let passed = consume(&db, CONSUMED..CONSUMED + 500);
    assert!(passed < PASSED_MAX * 500, "{passed} entries passed");
}
