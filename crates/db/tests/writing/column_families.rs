//! Column families that come and go while the database is open, and what they share: WALs.

use crate::fixture::{Fixture, default_family, get, put};
use db::{FlushOptions, ReadOptions, WriteOptions};
use options::{ColumnFamilyOptions, DbPath, LruCacheOptions};
use std::path::{Path, PathBuf};
use testing::wait;

#[test]
fn directories_of_a_new_column_family_are_made() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let path = DbPath { path: "/elsewhere/tables".to_owned(), target_size: 1 << 30 };
    let mut options = ColumnFamilyOptions::default();
    options.cf_paths = vec![path];
    let family = db.create_column_family(&options, "far").unwrap();
    db.put(&WriteOptions::default(), &family, b"key", b"value").unwrap();
    db.flush(&FlushOptions::default(), &[&family]).unwrap();
    let tables = fixture.context.file_system.get_children(Path::new("/elsewhere/tables")).unwrap();
    assert_eq!(tables.len(), 1, "{tables:?}");
}

#[test]
fn a_column_family_that_cannot_be_opened_is_not_created() {
    let mut fixture = Fixture::new();
    let db = fixture.open();
    let mut options = ColumnFamilyOptions::default();
    options.table.block_cache =
        Some(LruCacheOptions { num_shard_bits: 99, ..LruCacheOptions::default() });
    let error = db.create_column_family(&options, "late").unwrap_err();
    assert!(error.to_string().contains("num_shard_bits"), "{error}");
    put(&db, "key", "value");
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    db.create_column_family(&ColumnFamilyOptions::default(), "late").unwrap();
    drop(db);
    fixture.families.push("late".to_owned());
    assert_eq!(get(&fixture.open(), "key").as_deref(), Some("value"));
}

#[test]
fn wals_of_a_lost_database_are_not_replayed_into_a_new_one() {
    let fixture = Fixture::new();
    let db = fixture.open();
    put(&db, "key", "value");
    drop(db);
    let fs = &fixture.context.file_system;
    fs.delete_file(&PathBuf::from("/db/CURRENT")).unwrap();
    let before = fixture.files();
    let error = fixture.try_open().unwrap_err();
    assert!(error.to_string().contains("contains existing log file"), "{error}");
    let deleted = before.iter().filter(|name| !fixture.files().contains(name)).count();
    assert_eq!(deleted, 0, "nothing was deleted");
}

#[test]
fn a_small_memtable_does_not_keep_old_wals_for_ever() {
    let mut fixture = Fixture::new();
    fixture.options.create_missing_column_families = true;
    fixture.options.max_total_wal_size = 64 << 10;
    fixture.family_options.min_write_buffer_number_to_merge = 2;
    fixture.family_options.max_write_buffer_number = 4;
    fixture.families.push("busy".to_owned());
    let db = fixture.open();
    put(&db, "small", "value");
    let oldest = fixture.files_with(".log");
    let busy = db.column_family("busy").unwrap();
    wait::until("the oldest log goes", || {
        db.put(&WriteOptions::default(), &busy, b"key", &[7; 8 << 10]).unwrap();
        !fixture.files_with(".log").iter().any(|name| oldest.contains(name))
    });
    assert_eq!(get(&db, "small").as_deref(), Some("value"));
    assert!(db.get(&ReadOptions::default(), &busy, b"key").unwrap().is_some());
}
