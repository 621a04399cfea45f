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
    queue_in(&mut Fixture::new())
}

fn queue_in(fixture: &mut Fixture) -> Db {
    set_perf_level(PerfLevel::EnableCount);
    fixture.family_options.disable_auto_compactions = true;
    // All is left to the seeks.
    fixture.family_options.deletion_pass_trigger = 0;
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

/// Whatever is flushed and compacted, what a seek has learned goes on.
#[test]
fn a_queue_in_tables_is_passed_once() {
    let db = queue();
    consume(&db, 0..CONSUMED / 2);
    let check = |consumed: u32, place: &str| {
        let (found, passed) = first(&db);
        assert_eq!(found, key(consumed), "{place}");
        assert!(passed < PASSED_MAX, "{place}: {passed} entries passed");
        let last_consumed = passed_by(&db, |iterator| {
            iterator.seek_for_prev(&key(consumed - 1));
            assert!(!iterator.valid(), "{place}");
        });
        assert!(last_consumed < PASSED_MAX, "{place}: {last_consumed} entries passed backward");
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
    // Another option is another state, with the same entries.
    db.set_options(&default_family(&db), &[("max_sequential_skip_in_iterations", "8")]).unwrap();
    check(CONSUMED + 500, "another option");
}

/// What was known is gone when a database is opened: the first seek passes each deletion and what it hides,
/// those that follow do not.
#[test]
fn a_queue_that_is_opened_anew_is_passed_once() {
    let mut fixture = Fixture::new();
    let db = queue_in(&mut fixture);
    consume(&db, 0..CONSUMED);
    drop(db);
    for (consumed, place) in (CONSUMED..).step_by(500).zip(["a WAL", "level 0", "level 1"]) {
        let db = fixture.open();
        let (found, passed) = first(&db);
        assert_eq!(found, key(consumed), "{place}");
        // Each deletion counts, and each entry that one hides.
        assert_eq!(passed, 2 * u64::from(consumed), "{place}");
        let passed = consume(&db, consumed..consumed + 500);
        assert!(passed < PASSED_MAX * 500, "{place}: {passed} entries passed");
        flush(&db);
        if place != "a WAL" {
            move_level0_to(&db, 1);
        }
    }
}

/// What a move of a new iterator passes.
fn passed_by(db: &Db, walk: impl FnOnce(&mut db::DbIterator)) -> u64 {
    let mut iterator = db.new_iterator(&ReadOptions::default(), &default_family(db)).unwrap();
    reset_perf_context();
    walk(&mut iterator);
    iterator.status().unwrap();
    let counted = perf_context();
    counted.get(PerfMetric::InternalDeleteSkippedCount)
        + counted.get(PerfMetric::InternalKeySkippedCount)
}

/// Entries that were written and deleted before a flush leave deletions alone, with nothing below.
#[test]
fn deletions_with_nothing_below_are_passed_by_tables_and_by_blocks() {
    set_perf_level(PerfLevel::EnableCount);
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let family = default_family(&db);
    let options = WriteOptions::default();
    for number in 0..CONSUMED {
        db.put(&options, &family, &key(number), b"job").unwrap();
        db.delete(&options, &family, &key(number)).unwrap();
    }
    flush(&db);
    for number in CONSUMED..KEYS {
        db.put(&options, &family, &key(number), b"job").unwrap();
    }
    flush(&db);
    let back = |iterator: &mut db::DbIterator| {
        iterator.seek_for_prev(&key(CONSUMED - 1));
        assert!(!iterator.valid());
    };
    let forth = |iterator: &mut db::DbIterator| {
        iterator.seek_to_first();
        assert_eq!(iterator.key(), key(CONSUMED));
    };
    // Some are looked at before it is tried, then the last of the table.
    for passed in [passed_by(&db, back), passed_by(&db, forth)] {
        assert!(passed < 20, "{passed} entries of a table of deletions");
    }
    move_level0_to(&db, 4);
    for number in 0..CONSUMED {
        db.put(&options, &family, &key(number), b"job").unwrap();
        db.delete(&options, &family, &key(number)).unwrap();
    }
    db.put(&options, &family, &key(KEYS), b"job").unwrap();
    flush(&db);
    // One table with deletions and entries. The last block has both, so that its deletions, some three
    // hundred that count twice, are looked at.
    for passed in [passed_by(&db, back), passed_by(&db, forth)] {
        assert!(passed < u64::from(CONSUMED / 5), "{passed} entries of blocks of deletions");
    }
}
