//! What many range tombstones take of reads: comparisons and entries passed are counted, not timed.

use crate::fixture::{Fixture, default_family};
use db::{CompactFilesOptions, Db, DbIterator, FlushOptions, ReadOptions, WriteOptions};
use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};
use std::collections::BTreeSet;

const KEYS: u32 = 40_000;
const READS: u32 = 400;

/// Where range tombstones are, above keys in the last level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    MemTable,
    /// One file of level 0.
    Level0,
    /// One file of a level.
    Level,
    /// Files of a level.
    Files,
}

impl Place {
    const ALL: [Self; 4] = [Self::MemTable, Self::Level0, Self::Level, Self::Files];
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// Into files of about `file_size`.
fn move_level0_to(db: &Db, level: usize, file_size: u64) {
    let files = db.live_files();
    let numbers: Vec<_> =
        files.iter().filter(|file| file.level == 0).map(|file| file.number).collect();
    assert!(!numbers.is_empty());
    let options = CompactFilesOptions { output_file_size_limit: file_size, ..Default::default() };
    db.compact_files(&options, &default_family(db), &numbers, level).unwrap();
}

fn open() -> Db {
    set_perf_level(PerfLevel::EnableCount);
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    fixture.open()
}

/// All keys in the last level, and every eighth again in the memtable.
fn fill(db: &Db) {
    for number in 0..KEYS {
        db.put(&WriteOptions::default(), &default_family(db), &key(number), b"value").unwrap();
    }
    flush(db);
    move_level0_to(db, 6, u64::MAX);
    for number in (0..KEYS).step_by(8) {
        db.put(&WriteOptions::default(), &default_family(db), &key(number), b"newer").unwrap();
    }
}

fn delete(db: &Db, range: std::ops::Range<u32>) {
    let (start, end) = (key(range.start), key(range.end));
    db.delete_range(&WriteOptions::default(), &default_family(db), &start, &end).unwrap();
}

/// Moves what is in the memtable where it is wanted.
fn settle(db: &Db, place: Place) {
    if place == Place::MemTable {
        return;
    }
    flush(db);
    if place != Place::Level0 {
        let file_size = if place == Place::Files { 1024 } else { u64::MAX };
        move_level0_to(db, 5, file_size);
        let files = db.live_files();
        let count = files.iter().filter(|file| file.level == 5).count();
        assert!(if place == Place::Files { count > 10 } else { count == 1 }, "{count} files");
    }
}

/// Each range tombstone hides one key.
fn with_tombstones(place: Place, count: u32) -> Db {
    let db = open();
    fill(&db);
    for number in 0..count {
        let start = number * (KEYS / count) + 1;
        delete(&db, start..start + 1);
    }
    settle(&db, place);
    db
}

fn scattered(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761) % KEYS
}

fn new_iterator(db: &Db) -> DbIterator {
    db.new_iterator(&ReadOptions::default(), &default_family(db)).unwrap()
}

/// Comparisons of user keys that a read takes on the average: by one iterator, by one for each, by a get.
fn comparisons(db: &Db) -> [u64; 3] {
    let counted = |read: &mut dyn FnMut(u32)| {
        (0..READS).for_each(&mut *read);
        reset_perf_context();
        (0..READS).for_each(&mut *read);
        perf_context().get(PerfMetric::UserKeyComparisonCount) / u64::from(READS)
    };
    let mut iterator = new_iterator(db);
    let one = counted(&mut |number| iterator.seek(&key(scattered(number))));
    let anew = counted(&mut |number| new_iterator(db).seek(&key(scattered(number))));
    let family = default_family(db);
    let get = counted(&mut |number| {
        db.get(&ReadOptions::default(), &family, &key(scattered(number))).unwrap();
    });
    [one, anew, get]
}

/// Halving ten times as many bounds takes four comparisons more. There may be some lists to halve: a
/// memtable keeps its tombstones in parts, and of files that were left some are still looked at.
const COMPARISONS_MORE_MAX: u64 = 12;

#[test]
fn reads_halve_among_range_tombstones() {
    for place in Place::ALL {
        let few = comparisons(&with_tombstones(place, 100));
        for count in [1_000, 10_000] {
            let many = comparisons(&with_tombstones(place, count));
            for (read, (few, many)) in few.into_iter().zip(many).enumerate() {
                let more = COMPARISONS_MORE_MAX * u64::from((count / 100).ilog10());
                assert!(
                    many <= few + more && many < 64,
                    "{place:?}, read {read}: {many} comparisons among {count}, {few} among 100"
                );
            }
        }
    }
}

/// Seeks leave files and come back to them, steps go on to keys that only the tombstone of a file reaches.
#[test]
fn keys_are_hidden_however_a_scan_comes_to_them() {
    for place in Place::ALL {
        check_hidden_keys(place);
    }
}

fn check_hidden_keys(place: Place) {
    let db = open();
    fill(&db);
    let mut shown: BTreeSet<u32> = (0..KEYS).collect();
    for number in 0..KEYS / 100 {
        let start = number * 100 + scattered(number) % 50;
        let range = start..start + 1 + scattered(number + 7) % 60;
        shown.retain(|key| !range.contains(key));
        delete(&db, range);
    }
    settle(&db, place);
    let mut iterator = new_iterator(&db);
    reset_perf_context();
    for number in 0..1_500 {
        let at = scattered(number * 31 + 5);
        let there = |iterator: &DbIterator| {
            iterator.status().unwrap();
            let key = iterator.valid().then(|| iterator.key().try_into().unwrap());
            key.map(u32::from_be_bytes)
        };
        let (mut found, is_forward) = if number % 3 == 0 {
            iterator.seek_for_prev(&key(at));
            (shown.range(..=at).next_back().copied(), false)
        } else {
            iterator.seek(&key(at));
            (shown.range(at..).next().copied(), true)
        };
        assert_eq!(there(&iterator), found, "{place:?}, {number}: {at}");
        // Steps in one direction, then back.
        for step in 0..number % 120 {
            let Some(here) = found else { break };
            if is_forward == (step < 90) {
                iterator.next();
                found = shown.range(here + 1..).next().copied();
            } else {
                iterator.prev();
                found = shown.range(..here).next_back().copied();
            }
            assert_eq!(there(&iterator), found, "{place:?}, {number}: {at}, step {step}");
        }
    }
    assert!(perf_context().get(PerfMetric::InternalRangeDelReseekCount) > 0, "{place:?}");
}
