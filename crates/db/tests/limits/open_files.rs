//! More files than the process may open: a status that names the file, and no file that cannot be
//! opened is taken for one that is missing or damaged.

use crate::child::in_child;
use crate::descriptors::{DescriptorLimit, open_with, take_all_but};
use crate::place::{Place, expect_error};
use base::status::{Code, Severity};
use db::{
    BottommostLevelCompaction, ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions,
    ReadOptions, WriteOptions,
};
use tempfile::TempDir;
use testing::wait::until;

const TOO_MANY: &str = "Too many open files";

/// Tables of `families` column families, `each` of each, that no compaction takes away.
fn with_tables(directory: &TempDir, families: usize, each: usize) -> Place {
    let mut place = Place::new(&directory.path().join("db"));
    place.family_options.disable_auto_compactions = true;
    place.family_options.level0_slowdown_writes_trigger = 1_000;
    place.family_options.level0_stop_writes_trigger = 1_000;
    place.families.extend((1..families).map(|index| format!("family{index}")));
    let db = place.open();
    let handles: Vec<_> = db.column_families().collect();
    for table in 0..each {
        for family in &handles {
            let key = format!("key{table:03}");
            place.try_put(&db, family, key.as_bytes(), &[b'v'; 100]).unwrap();
        }
        db.flush(&FlushOptions::default(), &handles.iter().collect::<Vec<_>>()).unwrap();
    }
    drop(handles);
    db.close().unwrap();
    place
}

fn tables(place: &Place) -> Vec<String> {
    place.files().into_keys().filter(|name| name.ends_with(".sst")).collect()
}

#[test]
fn more_tables_than_descriptors() {
    in_child("open_files::more_tables_than_descriptors", || {
        let directory = TempDir::new().unwrap();
        let mut place = with_tables(&directory, 20, 10);
        let before = tables(&place);
        assert_eq!(before.len(), 200);
        let limit = DescriptorLimit::set(64);
        // All are to stay open, and cannot.
        place.options.max_open_files = -1;
        let path = place.path.display().to_string();
        expect_error(place.try_open(), Code::IoError, &[&path, ".sst: ", TOO_MANY]);
        let db = place.try_open_for_reading().unwrap();
        let read = |family| {
            let mut iterator = db.new_iterator(&ReadOptions::default(), &family).unwrap();
            iterator.seek_to_first();
            iterator.status()
        };
        let error = db.column_families().find_map(|family| read(family).err()).unwrap();
        assert_eq!(error.code(), Code::IoError);
        assert!(
            error.message().contains(".sst: ") && error.message().contains(TOO_MANY),
            "{error}"
        );
        drop(db);
        assert_eq!(tables(&place), before);
        // Few are to stay open.
        place.options.max_open_files = 20;
        place.check(&place.try_open_for_reading().unwrap());
        let db = place.open();
        place.check(&db);
        assert!((1..=20).contains(&open_with(".sst")), "{} tables are open", open_with(".sst"));
        let family = db.column_family("family7").unwrap();
        place.try_put(&db, &family, b"later", b"1").unwrap();
        db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
        place.check(&db);
        drop(family);
        db.close().unwrap();
        drop(limit);
        place.options.max_open_files = -1;
        place.check(&place.open());
    });
}

/// Opens with ever more descriptors free: wherever the open fails for want of one it says so, and is
/// as if it had not been.
fn open_with_ever_more(place: &Place, open: impl Fn() -> base::Result<Db>) {
    let _limit = DescriptorLimit::set(64);
    let mut failures = 0;
    for free in 0.. {
        let taken = take_all_but(free);
        let opened = open();
        let is_open = opened.is_ok();
        if let Err(error) = &opened {
            assert_eq!(error.code(), Code::IoError, "{free} free: {error}");
            assert!(error.message().contains(TOO_MANY), "{free} free: {error}");
            assert!(error.message().contains("/db"), "{free} free: {error}");
            failures += 1;
        }
        drop(taken);
        drop(opened);
        place.check(&place.try_open_for_reading().unwrap());
        if is_open {
            break;
        }
    }
    assert!(failures > 0);
}

#[test]
fn an_open_that_runs_out_of_descriptors_changes_nothing() {
    in_child("open_files::an_open_that_runs_out_of_descriptors_changes_nothing", || {
        let directory = TempDir::new().unwrap();
        let mut place = with_tables(&directory, 3, 3);
        for best_efforts in [false, true] {
            if best_efforts {
                place.open().close().unwrap();
                place.options.best_efforts_recovery = true;
            }
            open_with_ever_more(&place, || place.try_open_for_reading());
            if !best_efforts {
                // Something to recover.
                let db = place.open();
                for family in db.column_families().collect::<Vec<_>>() {
                    place.try_put(&db, &family, b"in the WAL", b"1").unwrap();
                }
            }
            open_with_ever_more(&place, || place.try_open());
            place.check(&place.open());
        }
    });
}

/// A database whose writes soon need a new WAL and a flush.
fn with_small_memtables(directory: &TempDir) -> Place {
    let mut place = Place::new(&directory.path().join("db"));
    place.family_options.write_buffer_size = 64 << 10;
    place
}

/// Writes until that fails for want of descriptors, or `count` values.
fn write_until_failure(place: &mut Place, db: &Db, round: usize, count: usize) -> bool {
    let family = db.column_family("default").unwrap();
    for index in 0..count {
        let key = format!("{round:02}.{index:04}");
        if let Err(error) = place.try_put(db, &family, key.as_bytes(), &[b'v'; 1_000]) {
            assert_eq!(error.code(), Code::IoError, "{error}");
            assert!(error.message().contains(TOO_MANY), "{error}");
            assert!(error.message().contains(&*place.path.to_string_lossy()), "{error}");
            assert!(error.severity() < Severity::Fatal, "{error}");
            return true;
        }
    }
    false
}

fn running_jobs(db: &Db, family: &ColumnFamilyHandle) -> u64 {
    let properties = ["rocksdb.num-running-flushes", "rocksdb.num-running-compactions"];
    properties.map(|property| db.int_property(family, property).unwrap()).iter().sum()
}

fn writes_without_descriptors(resumes_itself: bool) {
    let directory = TempDir::new().unwrap();
    let mut place = with_small_memtables(&directory);
    match resumes_itself {
        true => place.options.bgerror_resume_retry_interval = 20_000,
        false => place.options.max_bgerror_resume_count = 0,
    }
    let _limit = DescriptorLimit::set(64);
    let mut failures = 0;
    for free in 0..8 {
        let db = place.open();
        let family = db.column_family("default").unwrap();
        let taken = take_all_but(free);
        let failed = write_until_failure(&mut place, &db, free, 400);
        failures += usize::from(failed);
        drop(taken);
        if failed && !resumes_itself {
            let refused = db.put(&WriteOptions::default(), &family, b"refused", b"1").unwrap_err();
            assert!(refused.message().contains(TOO_MANY), "{refused}");
        }
        if !resumes_itself {
            // A job may still be about to fail for want of those that were taken.
            until("jobs have ended", || running_jobs(&db, &family) == 0);
            db.resume().unwrap();
        }
        until("writes go on", || db.put(&WriteOptions::default(), &family, b"later", b"1").is_ok());
        place.try_put(&db, &family, b"later", b"2").unwrap();
        place.check(&db);
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        drop(family);
        db.close().unwrap();
        place.check(&place.open());
    }
    assert!(failures >= 2, "{failures}");
}

#[test]
fn writes_that_run_out_of_descriptors_go_on_after_resuming() {
    in_child("open_files::writes_that_run_out_of_descriptors_go_on_after_resuming", || {
        writes_without_descriptors(false);
    });
}

#[test]
fn writes_that_run_out_of_descriptors_go_on_by_themselves() {
    in_child("open_files::writes_that_run_out_of_descriptors_go_on_by_themselves", || {
        writes_without_descriptors(true);
    });
}

#[test]
fn a_blob_file_that_is_deleted_is_closed() {
    in_child("open_files::a_blob_file_that_is_deleted_is_closed", || {
        let directory = TempDir::new().unwrap();
        let mut place = Place::new(&directory.path().join("db"));
        place.family_options.enable_blob_files = true;
        // One that began by itself would move the tables to the next level and leave their values.
        place.family_options.disable_auto_compactions = true;
        let all = CompactRangeOptions {
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        let db = place.open();
        let family = db.column_family("default").unwrap();
        for _ in 0..5 {
            place.try_put(&db, &family, b"key", &[b'v'; 10_000]).unwrap();
            db.flush(&FlushOptions::default(), &[&family]).unwrap();
            place.check(&db);
        }
        assert!(open_with(".blob") > 1);
        db.compact_range(&all, &family, None, None).unwrap();
        place.check(&db);
        // A thread deletes what jobs in the background leave.
        until("old files are closed", || open_with(".blob") == 1);
        // Those of a column family that is dropped as well.
        let other = db.create_column_family(&place.family_options, "other").unwrap();
        db.put(&WriteOptions::default(), &other, b"key", &[b'v'; 10_000]).unwrap();
        db.flush(&FlushOptions::default(), &[&other]).unwrap();
        assert!(db.get(&ReadOptions::default(), &other, b"key").unwrap().is_some());
        assert_eq!((open_with(".blob"), open_with(".sst")), (2, 2));
        db.drop_column_family(&other).unwrap();
        drop(other);
        // The next job deletes them.
        place.try_put(&db, &family, b"key", &[b'v'; 10_000]).unwrap();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        db.compact_range(&all, &family, None, None).unwrap();
        place.check(&db);
        until("its files are closed", || (open_with(".blob"), open_with(".sst")) == (1, 1));
    });
}
