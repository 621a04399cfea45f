//! WALs that are appended to through a mapping (`wal_io`).

use crate::fixture::{Fixture, default_family, get, put, scan};
use base::filename::FileType;
use base::status::{Code, SubCode};
use db::{ColumnFamilyHandle, Db, FlushOptions, WaitForCompactOptions, WriteOptions};
use env::fault_injection_fs::{
    Effect, Fault, FaultError, OperationKind, Operations, PowerLoss, When,
};
use env::{FaultInjectionFileSystem, FileSystem, MemFileSystem};
use options::{WalIo, WalRecoveryMode};
use std::sync::Arc;

/// What a file system in memory prepares at once.
const WINDOW_BYTES: u64 = 64 << 10;

fn mapped() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.options.wal_io = WalIo::Mapped;
    fixture
}

/// The size of the newest WAL.
fn wal_size(fixture: &Fixture) -> u64 {
    let name = fixture.files_with(".log").pop().unwrap();
    fixture.context.file_system.get_file_size(&fixture.path.join(name)).unwrap()
}

#[test]
fn a_wal_that_is_mapped_ends_in_zeros_until_it_is_closed() {
    let sizes = |wal_io| {
        let mut fixture = Fixture::new();
        fixture.options.wal_io = wal_io;
        fixture.options.avoid_flush_during_recovery = true;
        let db = fixture.open();
        put(&db, "key", "value");
        let open = wal_size(&fixture);
        db.close().unwrap();
        let closed = wal_size(&fixture);
        assert_eq!(get(&fixture.open(), "key").as_deref(), Some("value"));
        (open, closed)
    };
    let (written, closed) = sizes(WalIo::Write);
    assert_eq!(written, closed);
    assert_eq!(sizes(WalIo::Mapped), (WINDOW_BYTES, closed));
    assert_eq!(sizes(WalIo::Auto), (WINDOW_BYTES, closed));
}

#[test]
fn auto_writes_where_an_end_must_be_told_from_damage() {
    let is_mapped = |change: fn(&mut Fixture)| {
        let mut fixture = Fixture::new();
        fixture.options.wal_io = WalIo::Auto;
        change(&mut fixture);
        let db = fixture.open();
        put(&db, "key", "value");
        let size = wal_size(&fixture);
        drop(db);
        size == WINDOW_BYTES
    };
    assert!(is_mapped(|_| {}));
    assert!(is_mapped(|fixture| {
        fixture.options.wal_recovery_mode = WalRecoveryMode::SkipAnyCorruptedRecords;
    }));
    assert!(!is_mapped(|fixture| {
        fixture.options.wal_recovery_mode = WalRecoveryMode::TolerateCorruptedTailRecords;
    }));
    assert!(!is_mapped(|fixture| {
        fixture.options.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
    }));
    assert!(!is_mapped(|fixture| fixture.options.track_and_verify_wals = true));
    assert!(!is_mapped(|fixture| fixture.options.manual_wal_flush = true));
}

#[test]
fn the_log_says_that_a_wal_which_was_to_be_mapped_is_written() {
    let log = |wal_io, mode| {
        let mut fixture = Fixture::new();
        fixture.options.wal_io = wal_io;
        fixture.options.wal_recovery_mode = mode;
        drop(fixture.open());
        fixture.text("/db/LOG")
    };
    let written = "is written by system calls in spite of wal_io=mapped";
    let (tells_ends, default) =
        (WalRecoveryMode::AbsoluteConsistency, WalRecoveryMode::PointInTimeRecovery);
    assert!(log(WalIo::Mapped, tells_ends).contains(written));
    assert!(!log(WalIo::Mapped, default).contains(written));
    assert!(!log(WalIo::Auto, tells_ends).contains(written));
}

#[test]
fn a_finished_wal_is_cut_before_the_next_begins() {
    let fixture = mapped();
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    put(&db, "key", "value");
    db.put(&WriteOptions::default(), &other, b"key", b"value").unwrap();
    db.flush(&FlushOptions::default(), &[&other]).unwrap();
    let wals = fixture.files_with(".log");
    assert_eq!(wals.len(), 2, "{wals:?}");
    let size = |name: &String| {
        fixture.context.file_system.get_file_size(&fixture.path.join(name)).unwrap()
    };
    assert!(size(&wals[0]) < 200, "{}", size(&wals[0]));
    assert_eq!(size(&wals[1]), WINDOW_BYTES);
}

#[test]
fn a_full_disk_is_an_error_of_the_write_that_finds_no_room() {
    let mut fixture = mapped();
    let disk = Arc::new(MemFileSystem::new());
    fixture.context.file_system = disk.clone();
    let db = fixture.open();
    disk.set_capacity(400_000);
    let value = "v".repeat(1000);
    let mut written = 0;
    let status = loop {
        let key = format!("key{written:06}");
        let family = default_family(&db);
        match db.put(&WriteOptions::default(), &family, key.as_bytes(), value.as_bytes()) {
            Ok(()) => written += 1,
            Err(status) => break status,
        }
    };
    assert_eq!((status.code(), status.subcode()), (Code::IoError, SubCode::NoSpace), "{status}");
    // The room that was prepared and not used was given back, and taken by records.
    assert!(written > 300, "{written}");
    drop(db);
    disk.set_capacity(u64::MAX);
    assert_eq!(scan(&fixture.open()).len(), written);
}

fn with_faults(fixture: &mut Fixture) -> Arc<FaultInjectionFileSystem> {
    let faults = Arc::new(FaultInjectionFileSystem::new(fixture.context.file_system.clone()));
    fixture.context.file_system = faults.clone();
    faults
}

fn synced() -> WriteOptions {
    WriteOptions { sync: true, ..WriteOptions::default() }
}

#[test]
fn a_failed_sync_is_the_error_of_the_write_that_asked_for_it() {
    let mut fixture = mapped();
    let faults = with_faults(&mut fixture);
    let db = fixture.open();
    put(&db, "before", "1");
    faults.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Sync]).on_files(&[FileType::Wal]),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::Io),
    });
    let put = |db: &Db, key: &[u8]| db.put(&synced(), &default_family(db), key, b"1");
    assert_eq!(put(&db, b"synced").unwrap_err().code(), Code::IoError);
    assert!(put(&db, b"after").is_err(), "nothing is written after what may be lost");
}

/// The bytes that are left of a finished WAL if the power is lost when the MANIFEST is to say that
/// one of the two families needs it no more.
fn finished_wal_size(wal_io: WalIo, recycled: u64) -> u64 {
    let mut fixture = Fixture::new();
    fixture.options.wal_io = wal_io;
    fixture.options.recycle_log_file_num = recycled;
    // A compaction would meet the fault first, and the flush then never begin.
    fixture.family_options.disable_auto_compactions = true;
    let faults = with_faults(&mut fixture);
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    // The directory itself is not what this is about.
    faults.new_directory(fixture.path.parent().unwrap()).unwrap().fsync().unwrap();
    let fill = |value: &str| {
        put(&db, "key", value);
        db.put(&WriteOptions::default(), &other, b"key", value.as_bytes()).unwrap();
    };
    let flush = |family: &ColumnFamilyHandle| db.flush(&FlushOptions::default(), &[family]);
    for _ in 0..4 {
        fill(&"old".repeat(50_000));
        flush(&default_family(&db)).unwrap();
        flush(&other).unwrap();
    }
    fill("value");
    let finished = fixture.files_with(".log").pop().unwrap();
    faults.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Append]).on_files(&[FileType::Descriptor]),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::Io),
    });
    flush(&other).unwrap_err();
    faults.crash(&PowerLoss::strict()).unwrap();
    drop(other);
    drop(db);
    faults.recover();
    faults.get_file_size(&fixture.path.join(finished)).unwrap()
}

#[test]
fn a_finished_wal_is_cut_and_safe_before_the_manifest_counts_on_it() {
    let written = finished_wal_size(WalIo::Write, 0);
    assert!((50..200).contains(&written), "{written}");
    assert_eq!(finished_wal_size(WalIo::Mapped, 0), written);
    // The number of the log in both headers.
    assert_eq!(finished_wal_size(WalIo::Write, 2), written + 2 * 4);
    assert_eq!(finished_wal_size(WalIo::Mapped, 2), written + 2 * 4);
}

/// The file that is written over is as long as it was; what does not fit into it finds no room.
#[test]
fn a_full_disk_is_an_error_in_a_wal_that_is_written_over_another() {
    let mut fixture = mapped();
    fixture.options.recycle_log_file_num = 1;
    let disk = Arc::new(MemFileSystem::new());
    fixture.context.file_system = disk.clone();
    let db = fixture.open();
    for round in 0..3 {
        put(&db, &format!("round{round}"), &"old".repeat(30_000));
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    }
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(fixture.files_with(".log").len(), 2, "one is kept");
    let used: u64 = fixture
        .files()
        .iter()
        .map(|name| disk.get_file_size(&fixture.path.join(name)).unwrap())
        .sum();
    disk.set_capacity(used + 150_000);
    let mut written = 3;
    let status = loop {
        let (key, value) = (format!("key{written:06}"), vec![b'v'; 1000]);
        match db.put(&WriteOptions::default(), &default_family(&db), key.as_bytes(), &value) {
            Ok(()) => written += 1,
            Err(status) => break status,
        }
    };
    assert_eq!((status.code(), status.subcode()), (Code::IoError, SubCode::NoSpace), "{status}");
    assert!(written > 100, "{written}");
    drop(db);
    disk.set_capacity(u64::MAX);
    assert_eq!(scan(&fixture.open()).len(), written);
}
