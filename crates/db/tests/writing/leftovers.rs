//! What failed or was dropped leaves no files behind, and takes none along that is needed.

use crate::fixture::{Fixture, default_family, get, put, scan};
use base::filename::FileType;
use base::status::SubCode;
use db::{CompactRangeOptions, Db, FlushOptions, ReadOptions, WriteOptions};
use env::fault_injection_fs::{
    Effect, Fault, FaultError, FaultInjectionFileSystem, OperationKind, Operations, When,
};
use env::{FileSystem, MemFileSystem};
use options::DbPath;
use std::path::Path;
use std::sync::Arc;
use testing::wait::until;

/// A disk that can fail, and a database with tables and blob files.
fn faulty() -> (Fixture, Arc<FaultInjectionFileSystem>) {
    let mut fixture = Fixture::new();
    let disk = Arc::new(FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new())));
    fixture.context.file_system = disk.clone();
    fixture.options.max_bgerror_resume_count = 0;
    fixture.options.create_missing_column_families = true;
    fixture.family_options.enable_blob_files = true;
    fixture.family_options.level0_file_num_compaction_trigger = 100;
    (fixture, disk)
}

/// There is no space for the `nth` of these operations.
fn no_space(kind: OperationKind, file_type: FileType, nth: u64) -> Fault {
    Fault {
        operations: Operations::of(&[kind]).on_files(&[file_type]),
        when: When::Nth(nth),
        effect: Effect::Error(FaultError::NoSpace),
    }
}

/// Tables and blob files.
fn data_files(fixture: &Fixture) -> Vec<String> {
    [fixture.files_with(".sst"), fixture.files_with(".blob")].concat()
}

fn flush(db: &Db) -> base::Result<()> {
    db.flush(&FlushOptions::default(), &[&default_family(db)])
}

fn expect_no_space(result: base::Result<()>) {
    assert_eq!(result.unwrap_err().subcode(), SubCode::NoSpace);
}

#[test]
fn a_part_of_an_atomic_flush() {
    let (mut fixture, disk) = faulty();
    fixture.options.atomic_flush = true;
    fixture.families.extend(["one", "two"].map(str::to_owned));
    let db = fixture.open();
    for family in db.column_families() {
        db.put(&WriteOptions::default(), &family, b"a", b"1").unwrap();
    }
    disk.plan().add(no_space(OperationKind::OpenForWriting, FileType::Table, 2));
    expect_no_space(flush(&db));
    assert_eq!(data_files(&fixture), [""; 0]);
    db.resume().unwrap();
    assert_eq!(data_files(&fixture).len(), 6);
    drop(db);
    let db = fixture.open();
    for family in db.column_families() {
        let found = db.get(&ReadOptions::default(), &family, b"a").unwrap().unwrap();
        assert_eq!(&*found, b"1");
    }
}

#[test]
fn tables_that_a_manifest_might_have_had() {
    for kind in [OperationKind::Append, OperationKind::Sync] {
        let (fixture, disk) = faulty();
        let db = fixture.open();
        put(&db, "a", "1");
        disk.plan().add(no_space(kind, FileType::Descriptor, 0));
        expect_no_space(flush(&db));
        assert_eq!(data_files(&fixture).len(), 2, "the MANIFEST may have them");
        let doubtful = data_files(&fixture);
        db.resume().unwrap();
        assert_eq!(data_files(&fixture).len(), 2, "{kind:?}");
        assert!(doubtful.iter().all(|name| !data_files(&fixture).contains(name)));
        // A compaction and a file that only moves.
        put(&db, "b", "1");
        flush(&db).unwrap();
        for _ in 0..2 {
            disk.plan().add(no_space(kind, FileType::Descriptor, 0));
            let options = CompactRangeOptions::default();
            let compact = || db.compact_range(&options, &default_family(&db), None, None);
            expect_no_space(compact());
            db.resume().unwrap();
            put(&db, "a", "1");
            put(&db, "b", "1");
        }
        flush(&db).unwrap();
        disk.plan().clear();
        db.compact_range(&CompactRangeOptions::default(), &default_family(&db), None, None)
            .unwrap();
        let live: Vec<_> =
            default_family(&db).version().files().map(|(_, file)| file.number).collect();
        let tables: Vec<_> = fixture.files_with(".sst");
        assert_eq!(tables.len(), live.len(), "{kind:?}: {tables:?}, live {live:?}");
        drop(db);
        let before = data_files(&fixture);
        let db = fixture.open();
        assert_eq!(data_files(&fixture), before, "an open finds nothing to delete");
        assert_eq!(scan(&db), [("a".into(), "1".into()), ("b".into(), "1".into())]);
    }
}

#[test]
fn files_of_a_dropped_family_in_directories_of_its_own() {
    let (fixture, disk) = faulty();
    let db = fixture.open();
    let there = || disk.get_children(Path::new("/elsewhere")).unwrap();
    for round in 0..2 {
        let path = DbPath { path: "/elsewhere".to_owned(), target_size: 1 << 30 };
        let mut options = fixture.family_options.clone();
        options.cf_paths = vec![path];
        let family = db.create_column_family(&options, "far").unwrap();
        for key in [b"a", b"b"] {
            db.put(&WriteOptions::default(), &family, key, b"1").unwrap();
            db.flush(&FlushOptions::default(), &[&family]).unwrap();
        }
        assert_eq!(there().len(), 4);
        let mut iterator = db.new_iterator(&ReadOptions::default(), &family).unwrap();
        iterator.seek_to_first();
        if round == 0 {
            // While a job runs that makes one more.
            db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
        }
        db.drop_column_family(&family).unwrap();
        drop(family);
        assert!(!there().is_empty(), "the iterator reads them");
        iterator.next();
        assert_eq!((iterator.key(), iterator.value()), (&b"b"[..], &b"1"[..]));
        drop(iterator);
        put(&db, "a", "1");
        flush(&db).unwrap();
        until("the files are gone", || there().is_empty());
    }
    assert_eq!(get(&db, "a").as_deref(), Some("1"));
}
