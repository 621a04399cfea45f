//! This engine as the primary.

use crate::place::{Place, assert_same, family, scan};
use crate::writer::{Change, next_change};
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions, WriteBatch, WriteOptions};
use options::WalIo;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use testing::random::Random;

fn apply(db: &Db, families: &[String], change: &Change) {
    let handle = |index: &usize| family(db, &families[*index]);
    let options = WriteOptions::default();
    match change {
        Change::Put(index, key, value) => db.put(&options, &handle(index), key, value).unwrap(),
        Change::Delete(index, key) => db.delete(&options, &handle(index), key).unwrap(),
        Change::DeleteRange(index, begin, end) => {
            db.delete_range(&options, &handle(index), begin, end).unwrap();
        }
        Change::Add(index, key, number) => {
            db.merge(&options, &handle(index), key, &number.to_le_bytes()).unwrap();
        }
        Change::Flush(index) => db.flush(&FlushOptions::default(), &[&handle(index)]).unwrap(),
        Change::Compact(index) => {
            let options = CompactRangeOptions::default();
            db.compact_range(&options, &handle(index), None, None).unwrap();
        }
    }
}

fn small_files(place: &mut Place) {
    place.options.max_manifest_file_size = 2000;
    place.family_options.write_buffer_size = 64 << 10;
    place.family_options.target_file_size_base = 32 << 10;
    place.family_options.max_bytes_for_level_base = 128 << 10;
    place.family_options.level0_file_num_compaction_trigger = 2;
}

/// Flushes, compactions, new WALs and new MANIFESTs come and go between catch-ups, and each of them
/// shows what the primary has.
fn follow_random_changes(place: &Place, seed: u64, changes: usize) {
    let primary = place.open_primary();
    let secondary = place.open_secondary();
    let mut random = Random::new(seed);
    let mut iterators = Vec::new();
    for step in 0..changes {
        apply(&primary, &place.families, &next_change(&mut random, place.families.len()));
        if random.one_in(40) {
            secondary.try_catch_up_with_primary().unwrap();
            assert_same(&primary, &secondary, &format!("seed {seed}, step {step}"));
        }
        if random.one_in(200) {
            let handle = family(&secondary, &place.families[0]);
            let iterator = secondary.new_iterator(&ReadOptions::default(), &handle).unwrap();
            iterators.push((iterator, scan(&secondary, &place.families[0])));
        }
    }
    secondary.try_catch_up_with_primary().unwrap();
    assert_same(&primary, &secondary, "at the end");
    for (mut iterator, expected) in iterators {
        let mut found = Vec::new();
        iterator.seek_to_first();
        while iterator.valid() {
            found.push((iterator.key().to_vec(), iterator.value().to_vec()));
            iterator.next();
        }
        iterator.status().unwrap();
        assert!(found == expected, "an iterator lost its state");
    }
    let progress = secondary.secondary_progress().unwrap();
    assert!(progress.activity.edits > 0 && progress.wal_bytes > 0, "{progress:?}");
    assert!(progress.activity.flushes > 0, "{progress:?}");
}

#[test]
fn each_catch_up_shows_what_the_primary_has() {
    for seed in 0..6 {
        let mut place = Place::new();
        small_files(&mut place);
        // Where the file system can; also over records of an earlier log.
        place.options.wal_io = if seed < 4 { WalIo::Write } else { WalIo::Mapped };
        place.families.extend(["one".to_owned(), "two".to_owned()]);
        place.options.atomic_flush = seed == 1;
        place.options.recycle_log_file_num = if matches!(seed, 2 | 5) { 2 } else { 0 };
        place.options.avoid_flush_during_recovery = seed == 3;
        follow_random_changes(&place, seed, 3000);
    }
}

#[test]
fn values_in_blob_files_are_followed() {
    let mut place = Place::new();
    small_files(&mut place);
    place.family_options.enable_blob_files = true;
    place.family_options.min_blob_size = 300;
    place.family_options.enable_blob_garbage_collection = true;
    place.family_options.blob_garbage_collection_age_cutoff = 1.0;
    follow_random_changes(&place, 9, 2000);
}

#[test]
fn what_a_primary_leaves_is_followed_when_it_is_opened_again() {
    let mut place = Place::new();
    place.options.avoid_flush_during_recovery = true;
    let primary = place.open_primary();
    let mut random = Random::new(3);
    let change = |random: &mut Random, db: &Db| {
        for _ in 0..50 {
            apply(db, &place.families, &next_change(random, 1));
        }
    };
    change(&mut random, &primary);
    let secondary = place.open_secondary();
    assert_same(&primary, &secondary, "at the open");
    primary.close().unwrap();
    for turn in 0..5 {
        let primary = place.open_primary();
        secondary.try_catch_up_with_primary().unwrap();
        assert_same(&primary, &secondary, &format!("opened {turn}"));
        change(&mut random, &primary);
        secondary.try_catch_up_with_primary().unwrap();
        assert_same(&primary, &secondary, &format!("written {turn}"));
        primary.close().unwrap();
    }
}

#[test]
fn writes_that_no_wal_has_show_when_they_are_in_a_table() {
    let place = Place::new();
    let primary = place.open_primary();
    let secondary = place.open_secondary();
    let handle = family(&primary, "default");
    let unlogged = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    primary.put(&unlogged, &handle, b"a", b"1").unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(scan(&secondary, "default"), []);
    primary.flush(&FlushOptions::default(), &[&handle]).unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert_eq!(scan(&secondary, "default"), [(b"a".to_vec(), b"1".to_vec())]);
}

/// While a thread writes pairs of keys in one batch, every read of the secondary finds both or none,
/// and never less than before.
#[test]
fn reads_see_whole_batches_while_the_primary_writes() {
    let mut place = Place::new();
    small_files(&mut place);
    let primary = place.open_primary();
    let secondary = place.open_secondary();
    let (written, done) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let handle = family(&primary, "default");
            for number in 1..=6000_u64 {
                let mut batch = WriteBatch::new();
                for key in [format!("left{}", number % 50), format!("right{}", number % 50)] {
                    let value = [&number.to_be_bytes()[..], &[7; 200]].concat();
                    batch.put(handle.id(), key.as_bytes(), &value).unwrap();
                }
                primary.write(&WriteOptions::default(), batch).unwrap();
                written.store(number, Ordering::Release);
            }
            done.store(true, Ordering::Release);
        });
        // Reads that go on while the other thread catches up.
        scope.spawn(|| {
            let mut newest = 0;
            while !done.load(Ordering::Acquire) {
                let pairs = scan(&secondary, "default");
                let (left, right) = pairs.split_at(pairs.len() / 2);
                let value = |pair: &(Vec<u8>, Vec<u8>)| pair.1.clone();
                assert!(left.iter().map(value).eq(right.iter().map(value)), "half a batch");
                let number = |value: &[u8]| u64::from_be_bytes(value[..8].try_into().unwrap());
                let seen = left.iter().map(|(_, value)| number(value)).max().unwrap_or(0);
                assert!(
                    seen >= newest && pairs.len() as u64 >= seen.min(50) * 2,
                    "{seen} {newest}"
                );
                newest = seen;
            }
        });
        while !done.load(Ordering::Acquire) {
            let before = written.load(Ordering::Acquire);
            secondary.try_catch_up_with_primary().unwrap();
            assert!(secondary.latest_sequence_number() >= 2 * before, "{before}");
        }
    });
    secondary.try_catch_up_with_primary().unwrap();
    assert_same(&primary, &secondary, "at the end");
}

#[test]
fn families_that_come_are_not_seen_and_those_that_go_stay_as_they_were() {
    let mut place = Place::new();
    place.families.push("old".to_owned());
    let primary = place.open_primary();
    let options = WriteOptions::default();
    primary.put(&options, &family(&primary, "old"), b"k", b"v").unwrap();
    let secondary = place.open_secondary();
    let new = primary.create_column_family(&place.family_options, "new");
    primary.put(&options, &new.unwrap(), b"k", b"v").unwrap();
    primary.drop_column_family(&family(&primary, "old")).unwrap();
    primary.put(&options, &family(&primary, "default"), b"d", b"d").unwrap();
    secondary.try_catch_up_with_primary().unwrap();
    assert!(secondary.column_family("new").is_none());
    assert_eq!(scan(&secondary, "old"), [(b"k".to_vec(), b"v".to_vec())]);
    assert_eq!(scan(&secondary, "default"), [(b"d".to_vec(), b"d".to_vec())]);
    place.families = vec!["default".to_owned(), "new".to_owned()];
    let opened_later = place.open_secondary();
    assert_eq!(scan(&opened_later, "new"), [(b"k".to_vec(), b"v".to_vec())]);
    let activity = secondary.secondary_progress().unwrap().activity;
    assert_eq!((activity.families_added, activity.families_dropped), (1, 1));
}
