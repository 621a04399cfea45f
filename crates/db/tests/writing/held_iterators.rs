//! Iterators that stay open while everything below them changes.

use crate::fixture::{Fixture, default_family, put};
use db::{
    BottommostLevelCompaction, ColumnFamilyHandle, CompactRangeOptions, Db, DbIterator,
    FlushOptions, ReadOptions, WriteOptions,
};

const KEYS: usize = 400;

fn key(index: usize) -> String {
    format!("key{index:04}")
}

fn fill(db: &Db, family: &ColumnFamilyHandle, text: &str) {
    for index in 0..KEYS {
        let value = format!("{text}{index}{}", "-".repeat(100));
        db.put(&WriteOptions::default(), family, key(index).as_bytes(), value.as_bytes()).unwrap();
        if index == KEYS / 2 {
            db.flush(&FlushOptions::default(), &[family]).unwrap();
        }
    }
}

fn rewrite(db: &Db, family: &ColumnFamilyHandle) {
    fill(db, family, "new");
    db.flush(&FlushOptions::default(), &[family]).unwrap();
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::Force,
        ..CompactRangeOptions::default()
    };
    db.compact_range(&options, family, None, None).unwrap();
}

/// Goes on up to `end`; every value is an old one.
fn go_on(iterator: &mut DbIterator, next: &mut usize, end: usize) {
    while *next < end {
        assert!(iterator.valid(), "at {next}: {:?}", iterator.status());
        assert_eq!(iterator.key(), key(*next).as_bytes());
        assert!(iterator.value().starts_with(format!("old{next}-").as_bytes()));
        iterator.next();
        *next += 1;
    }
}

#[test]
fn an_iterator_shows_what_was_there_when_it_was_opened() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    let default = default_family(&db);
    fill(&db, &default, "old");
    fill(&db, &other, "old");
    let open = |family| {
        let mut iterator = db.new_iterator(&ReadOptions::default(), family).unwrap();
        iterator.seek_to_first();
        (iterator, 0)
    };
    let (mut held, mut next) = open(&default);
    let (mut dropped, mut dropped_next) = open(&other);
    go_on(&mut held, &mut next, 50);
    rewrite(&db, &default);
    go_on(&mut held, &mut next, 150);
    go_on(&mut dropped, &mut dropped_next, 50);
    rewrite(&db, &other);
    go_on(&mut dropped, &mut dropped_next, 150);
    db.drop_column_family(&other).unwrap();
    drop(other);
    put(&db, "another", "file");
    rewrite(&db, &default);
    go_on(&mut dropped, &mut dropped_next, KEYS);
    go_on(&mut held, &mut next, 250);
    assert!(!dropped.valid());
    dropped.status().unwrap();
    // Backwards too, over what was read long ago.
    held.seek_to_last();
    assert_eq!(held.key(), key(KEYS - 1).as_bytes());
    assert!(held.value().starts_with(b"old"));
}

/// RocksDB forbids it; here an iterator keeps what it needs, also while the directory is written to
/// by another database.
#[test]
fn an_iterator_outlives_its_database() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let default = default_family(&db);
    fill(&db, &default, "old");
    let mut held = db.new_iterator(&ReadOptions::default(), &default).unwrap();
    held.seek_to_first();
    let mut next = 0;
    go_on(&mut held, &mut next, 50);
    db.close().unwrap();
    go_on(&mut held, &mut next, 150);
    let db = fixture.open();
    rewrite(&db, &default_family(&db));
    // Its tables may be gone: then it says so.
    while held.valid() {
        assert_eq!(held.key(), key(next).as_bytes());
        assert!(held.value().starts_with(format!("old{next}-").as_bytes()));
        held.next();
        next += 1;
    }
    assert!(next == KEYS || held.status().is_err(), "it ends silently at {next}");
    db.close().unwrap();
}
