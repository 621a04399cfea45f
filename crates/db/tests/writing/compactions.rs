//! Compactions in the background and on request.

use crate::fixture::{Fixture, default_family, get, get_as_of, put, scan};
use db::{
    BottommostLevelCompaction, CompactFilesOptions, CompactRangeOptions, Db, FlushOptions,
    WaitForCompactOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, CompactionStyle};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// So small that a few thousand entries make a tree of several levels.
fn small_tree() -> ColumnFamilyOptions {
    let mut options = ColumnFamilyOptions::default();
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 32 << 10;
    options.max_bytes_for_level_base = 128 << 10;
    options
}

fn settle(db: &Db) {
    db.wait_for_compact(&WaitForCompactOptions { flush: true, ..Default::default() }).unwrap();
}

fn flush(db: &Db) {
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

/// How many files each level has, without empty levels at the end.
fn level_files(db: &Db) -> Vec<usize> {
    let version = default_family(db).version();
    let mut counts: Vec<usize> =
        (0..version.num_levels()).map(|level| version.level_files(level).len()).collect();
    while counts.last() == Some(&0) {
        counts.pop();
    }
    counts
}

fn key(number: u64) -> String {
    format!("key{:05}", number % 2_000)
}

#[test]
fn a_tree_settles_under_load_and_shows_what_was_written() {
    let mut fixture = Fixture::new();
    fixture.family_options = small_tree();
    fixture.options.max_background_jobs = 4;
    fixture.options.max_subcompactions = 2;
    let db = fixture.open();
    let is_done = AtomicBool::new(false);
    let mut expected = BTreeMap::new();
    std::thread::scope(|scope| {
        let reader = || {
            while !is_done.load(Ordering::Relaxed) {
                let snapshot = db.snapshot();
                let as_of = Some(snapshot.sequence());
                let before = get_as_of(&db, &key(7), as_of);
                let scanned = scan(&db).len();
                assert!(scanned <= 2_000);
                assert_eq!(get_as_of(&db, &key(7), as_of), before);
            }
        };
        scope.spawn(reader);
        scope.spawn(reader);
        for number in 0..12_000_u64 {
            let value = format!("{number}{}", "v".repeat(100));
            put(&db, &key(number * 7919), &value);
            expected.insert(key(number * 7919), value);
        }
        is_done.store(true, Ordering::Relaxed);
    });
    settle(&db);
    let levels = level_files(&db);
    assert!(levels[0] < 4, "{levels:?}");
    assert!(levels[1..].iter().sum::<usize>() > 0, "{levels:?}");
    let expected: Vec<_> = expected.into_iter().collect();
    assert!(scan(&db) == expected);
    let live: usize = levels.iter().sum();
    assert_eq!(fixture.files_with(".sst").len(), live);
    drop(db);
    assert!(scan(&fixture.open()) == expected);
}

#[test]
fn compact_range_leaves_one_version_of_each_key_at_the_bottom() {
    let fixture = Fixture::new();
    let db = fixture.open();
    for round in 0..3 {
        for number in 0..100 {
            put(&db, &key(number), &round.to_string());
        }
        flush(&db);
    }
    for number in 50..100 {
        db.delete(&WriteOptions::default(), &default_family(&db), key(number).as_bytes()).unwrap();
    }
    let family = default_family(&db);
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let levels = level_files(&db);
    assert_eq!((levels.len(), levels.iter().sum::<usize>()), (7, 1), "{levels:?}");
    let entries = db.property(&family, "rocksdb.estimate-num-keys").unwrap();
    assert_eq!(entries, "50");
    assert_eq!(scan(&db).len(), 50);
    assert_eq!((get(&db, &key(3)), get(&db, &key(70))), (Some("2".into()), None));
}

#[test]
fn a_range_outside_of_what_is_compacted_stays() {
    let fixture = Fixture::new();
    let db = fixture.open();
    for name in ["a", "m"] {
        put(&db, name, "1");
        flush(&db);
    }
    let family = default_family(&db);
    db.compact_range(&CompactRangeOptions::default(), &family, Some(b"a"), Some(b"c")).unwrap();
    let version = family.version();
    assert_eq!(version.level_files(0).len(), 1);
    assert_eq!(version.level_files(0)[0].smallest.user_key(), b"m");
    let backwards = db.compact_range(&Default::default(), &family, Some(b"z"), Some(b"c"));
    assert_eq!(backwards.unwrap_err().code(), base::status::Code::InvalidArgument);
}

#[test]
fn files_change_their_level_on_request() {
    let mut fixture = Fixture::new();
    // A level above the base is drained by itself, at any time after the request.
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    let family = default_family(&db);
    put(&db, "a", "1");
    put(&db, "b", "1");
    flush(&db);
    put(&db, "a", "2");
    put(&db, "b", "2");
    let options = CompactRangeOptions { change_level: true, target_level: 2, ..Default::default() };
    db.compact_range(&options, &family, None, None).unwrap();
    assert_eq!(level_files(&db), [0, 0, 1]);
    let number = family.version().level_files(2)[0].number;
    db.compact_files(&CompactFilesOptions::default(), &family, &[number], 4).unwrap();
    assert_eq!(level_files(&db), [0, 0, 0, 0, 1]);
    let missing = db.compact_files(&CompactFilesOptions::default(), &family, &[number], 4);
    assert_eq!(missing.unwrap_err().code(), base::status::Code::InvalidArgument);
    assert_eq!(get(&db, "a"), Some("2".into()));
}

#[test]
fn a_forced_bottommost_compaction_rewrites_what_is_there() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let family = default_family(&db);
    put(&db, "a", "1");
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let number = |db: &Db| default_family(db).version().files().next().unwrap().1.number;
    let before = number(&db);
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    assert_eq!(number(&db), before);
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        exclusive_manual_compaction: true,
        ..Default::default()
    };
    db.compact_range(&options, &family, None, None).unwrap();
    assert!(number(&db) > before);
}

#[test]
fn universal_and_fifo_keep_their_shape() {
    for style in [CompactionStyle::Universal, CompactionStyle::Fifo] {
        let mut fixture = Fixture::new();
        fixture.family_options = small_tree();
        fixture.family_options.compaction_style = style;
        fixture.family_options.compaction_options_fifo.max_table_files_size = 300 << 10;
        let db = fixture.open();
        for number in 0..12_000_u64 {
            let text: String = (0..20)
                .map(|part| format!("{:04x}", (number * 31 + part * 7919) % 65_521))
                .collect();
            put(&db, &format!("key{number:08}"), &text);
        }
        settle(&db);
        let version = default_family(&db).version();
        match style {
            CompactionStyle::Fifo => {
                let bytes: u64 = version.files().map(|(_, file)| file.file_size).sum();
                assert!(bytes <= 300 << 10 && bytes > 0, "{bytes}");
                assert_eq!(level_files(&db).len(), 1);
                let found = scan(&db);
                assert!(found.len() < 12_000 && found.last().unwrap().0 == "key00011999");
            }
            _ => {
                let runs = level_files(&db);
                let count = runs[0] + runs[1..].iter().filter(|files| **files > 0).count();
                assert!(count < 5, "{runs:?}");
                assert_eq!(scan(&db).len(), 12_000);
            }
        }
    }
}

#[test]
fn an_iterator_held_across_compactions_shows_the_same() {
    let mut fixture = Fixture::new();
    fixture.family_options = small_tree();
    let db = fixture.open();
    for number in 0..2_000 {
        put(&db, &key(number), "old");
    }
    let mut iterator = db.new_iterator(&Default::default(), &default_family(&db)).unwrap();
    for number in 0..8_000 {
        put(&db, &key(number), &"new".repeat(30));
    }
    settle(&db);
    db.compact_range(&CompactRangeOptions::default(), &default_family(&db), None, None).unwrap();
    iterator.seek_to_first();
    let mut found = 0;
    while iterator.valid() {
        assert_eq!(iterator.value(), b"old");
        found += 1;
        iterator.next();
    }
    iterator.status().unwrap();
    assert_eq!(found, 2_000);
}

#[test]
fn what_only_a_released_snapshot_needed_goes_away() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "a", "1");
    let snapshot = db.snapshot();
    put(&db, "a", "2");
    let family = default_family(&db);
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    let entries = |db: &Db| {
        let version = default_family(db).version();
        version.files().map(|(_, file)| file.largest_seqno).collect::<Vec<_>>()
    };
    assert_eq!(entries(&db), [2]);
    put(&db, "b", "1");
    drop(snapshot);
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(entries(&db), [0]);
    assert_eq!(get(&db, "a"), Some("2".into()));
}

#[test]
fn a_database_closes_in_the_middle_of_its_compactions() {
    let mut fixture = Fixture::new();
    fixture.family_options = small_tree();
    for round in 0..5 {
        let db = fixture.open();
        for number in 0..3_000_u64 {
            put(&db, &key(number * 7919), &format!("{round}{}", "v".repeat(100)));
        }
        db.close().unwrap();
    }
    let db = fixture.open();
    settle(&db);
    let found = scan(&db);
    assert_eq!(found.len(), 2_000);
    assert!(found.iter().all(|(_, value)| value.starts_with('4')));
    let live = default_family(&db).version().files().count();
    assert_eq!(fixture.files_with(".sst").len(), live);
}

#[test]
fn without_automatic_compactions_there_are_none() {
    let mut fixture = Fixture::new();
    fixture.family_options.disable_auto_compactions = true;
    let db = fixture.open();
    for number in 0..8 {
        put(&db, "a", &number.to_string());
        put(&db, "b", &number.to_string());
        flush(&db);
    }
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(level_files(&db), [8]);
    db.disable_manual_compaction().unwrap();
    let family = default_family(&db);
    let refused = db.compact_range(&CompactRangeOptions::default(), &family, None, None);
    assert_eq!(refused.unwrap_err().code(), base::status::Code::Incomplete);
    db.enable_manual_compaction().unwrap();
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    assert_eq!(level_files(&db).iter().sum::<usize>(), 1);
}

#[test]
fn paused_work_waits_until_it_continues() {
    let fixture = Fixture::new();
    let db = fixture.open();
    db.pause_background_work().unwrap();
    put(&db, "a", "1");
    let no_wait = FlushOptions { wait: false, ..FlushOptions::default() };
    db.flush(&no_wait, &[&default_family(&db)]).unwrap();
    let options = WaitForCompactOptions { abort_on_pause: true, ..Default::default() };
    assert_eq!(db.wait_for_compact(&options).unwrap_err().code(), base::status::Code::Aborted);
    let timeout = Some(std::time::Duration::from_millis(20));
    let options = WaitForCompactOptions { timeout, ..Default::default() };
    assert_eq!(db.wait_for_compact(&options).unwrap_err().code(), base::status::Code::TimedOut);
    assert_eq!(fixture.files_with(".sst").len(), 0);
    db.continue_background_work().unwrap();
    assert!(db.continue_background_work().is_err());
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(fixture.files_with(".sst").len(), 1);
}

#[test]
fn versions_of_a_key_in_two_files_of_a_level_belong_together() {
    let mut fixture = Fixture::new();
    fixture.family_options.merge_operator = base::merge_operator::builtin("stringappend");
    let db = fixture.open();
    let family = default_family(&db);
    put(&db, "a", "1");
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    db.merge(&WriteOptions::default(), &family, b"a", b"2").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    // Both files are moved: in the order of internal keys they do not overlap.
    db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
    assert_eq!(family.version().level_files(6).len(), 2);
    assert_eq!(scan(&db), [("a".to_owned(), "1,2".to_owned())]);
    assert_eq!(get(&db, "a").as_deref(), Some("1,2"));
}
