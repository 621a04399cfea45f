//! What is promised of WALs: none is missing unnoticed, and writes that need not be safe from a power
//! loss do not wait for those that must.

use crate::blocking_fs::BlockingFileSystem;
use crate::fixture::{Fixture, default_family, get, put, scan};
use base::status::Code;
use db::{Db, FlushOptions, WriteOptions};
use env::fault_injection_fs::{Operations, PowerLoss};
use env::{FaultInjectionFileSystem, NullLogger};
use options::WalRecoveryMode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use testing::judges;
use testing::judges::protocol::{FamilyOpening, Mode, Opening};

/// Three WALs, all of them needed by the default column family; the other one has tables that hold
/// what the first two have for it. Their names.
fn with_three_wals(fixture: &mut Fixture) -> Vec<String> {
    fixture.options.track_and_verify_wals = true;
    let db = fixture.open();
    let other = db.create_column_family(&fixture.family_options, "other").unwrap();
    fixture.families.push("other".to_owned());
    for round in 0..3 {
        put(&db, &format!("key{round}"), "value");
        db.put(&WriteOptions::default(), &other, b"key", b"value").unwrap();
        if round < 2 {
            db.flush(&FlushOptions::default(), &[&other]).unwrap();
        }
    }
    drop(other);
    db.close().unwrap();
    let wals = fixture.files_with(".log");
    assert_eq!(wals.len(), 3, "{wals:?}");
    wals
}

fn expect_corruption(fixture: &Fixture, words: &str) {
    let error = fixture.try_open().map(drop).unwrap_err();
    assert_eq!(error.code(), Code::Corruption, "{error}");
    assert!(error.message().contains(words), "{words}: {error}");
}

#[test]
fn a_wal_that_is_missing_is_noticed_by_the_one_after_it() {
    let mut fixture = Fixture::new();
    let wals = with_three_wals(&mut fixture);
    let bytes = fixture.read(&wals[1]);
    for mode in
        [WalRecoveryMode::AbsoluteConsistency, WalRecoveryMode::TolerateCorruptedTailRecords]
    {
        fixture.options.wal_recovery_mode = mode;
        fixture.delete(&wals[1]);
        expect_corruption(&fixture, "Mismatched predecessor log number. Recorded");
        fixture.write(&wals[1], &bytes);
    }
    // Replay would end where the WAL is missing, and the tables of the other are ahead of that.
    fixture.options.wal_recovery_mode = WalRecoveryMode::PointInTimeRecovery;
    fixture.delete(&wals[1]);
    expect_corruption(&fixture, "hold data newer than the point where replay stopped");
    fixture.write(&wals[1], &bytes);
    let first = fixture.read(&wals[0]);
    fixture.delete(&wals[0]);
    expect_corruption(&fixture, "Missing WAL of log number");
    fixture.write(&wals[0], &first);
    assert_eq!(scan(&fixture.open()).len(), 3);
}

#[test]
fn a_wal_that_was_cut_off_between_two_records_is_noticed() {
    let mut fixture = Fixture::new();
    let wals = with_three_wals(&mut fixture);
    fixture.options.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
    let bytes = fixture.read(&wals[1]);
    let first_record = |from: usize| {
        let length = usize::from(base::coding::decode_fixed16(&bytes[from..], 4));
        from + 7 + length
    };
    // What it says of the one before it, then a batch.
    let cut = first_record(first_record(0));
    assert!(cut < bytes.len());
    fixture.write(&wals[1], &bytes[..cut]);
    expect_corruption(&fixture, "Mismatched last sequence number recorded in the WAL");
    // Longer than it was: zeros are no records.
    fixture.write(&wals[1], &[&bytes[..], &[0; 10]].concat());
    expect_corruption(&fixture, "Mismatched size of the WAL");
    // Who does not ask is not told.
    fixture.options.track_and_verify_wals = false;
    fixture.write(&wals[1], &bytes[..cut]);
    assert_eq!(scan(&fixture.open()).len(), 3);
}

#[test]
fn a_database_that_lost_all_its_wals_is_not_opened() {
    let mut fixture = Fixture::new();
    fixture.options.track_and_verify_wals = true;
    for round in 0..3 {
        let db = fixture.open();
        put(&db, &round.to_string(), "value");
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
        db.close().unwrap();
    }
    fixture.files_with(".log").iter().for_each(|wal| fixture.delete(wal));
    expect_corruption(&fixture, "Opening an existing DB with no WAL files");
    fixture.options.track_and_verify_wals = false;
    assert_eq!(scan(&fixture.open()).len(), 3);
}

/// A database that was being made when the power was lost can be opened.
#[test]
fn a_database_that_never_had_a_wal_is_opened() {
    for last in 0..2_000 {
        let mut fixture = Fixture::new();
        fixture.options.track_and_verify_wals = true;
        // Its lines would be most of the operations, and no open depends on them.
        fixture.context.info_log = Some(Arc::new(NullLogger));
        let memory = fixture.context.file_system.clone();
        memory.create_dir(&fixture.path).unwrap();
        let faults = Arc::new(FaultInjectionFileSystem::new(memory));
        fixture.context.file_system = faults.clone();
        faults.plan().power_off_at(last, Operations::all());
        let is_made = fixture.try_open().is_ok();
        faults.crash(&PowerLoss::strict()).unwrap();
        faults.recover();
        put(&fixture.open(), "key", "value");
        if is_made {
            return;
        }
    }
    unreachable!("it takes fewer operations to make a database");
}

#[test]
fn rocksdb_verifies_our_wals_and_we_verify_its() {
    let Some(judge) = judges::library("11.8.1") else { return };
    let place = tempfile::TempDir::new().unwrap();
    let mut fixture = Fixture::new();
    fixture.context.file_system = env::default_file_system();
    fixture.path = place.path().join("db");
    let wals = with_three_wals(&mut fixture);
    let opening = |mode: Mode| Opening {
        directory: fixture.path.clone(),
        mode,
        options: "track_and_verify_wals=true;wal_recovery_mode=kAbsoluteConsistency;\
                  avoid_flush_during_recovery=true"
            .to_owned(),
        families: vec![FamilyOpening::new(b"default", ""), FamilyOpening::new(b"other", "")],
        ..Opening::default()
    };
    let bytes = fixture.read(&wals[1]);
    fixture.delete(&wals[1]);
    let failure = judge.session().open(&opening(Mode::ReadOnly)).unwrap_err();
    assert!(format!("{failure:?}").contains("Mismatched predecessor log number"), "{failure:?}");
    fixture.write(&wals[1], &bytes);
    let mut session = judge.session();
    session.open(&opening(Mode::ReadOnly)).unwrap();
    session.close().unwrap();
    // It goes on with records of its own, which we verify.
    session.open(&opening(Mode::ReadWrite)).unwrap();
    let contents = session.dump().unwrap();
    assert_eq!(contents.values().map(|content| content.count).sum::<u64>(), 4);
    session.close().unwrap();
    fixture.options.wal_recovery_mode = WalRecoveryMode::AbsoluteConsistency;
    let db = fixture.open();
    assert_eq!(scan(&db).len(), 3);
}

/// A database whose syncs of WALs can be held, with a WAL that is finished and not synced, and its
/// thread that is about to sync it.
fn blocking() -> (Arc<BlockingFileSystem>, Db) {
    let mut fixture = Fixture::new();
    let fs = Arc::new(BlockingFileSystem::new(fixture.context.file_system.clone()));
    fixture.context.file_system = fs.clone();
    (fs, fixture.open())
}

#[test]
fn an_unsynced_write_does_not_wait_for_the_sync_of_a_finished_wal() {
    let (fs, db) = blocking();
    let other = db.create_column_family(&Fixture::new().family_options, "other").unwrap();
    put(&db, "before", "1");
    db.put(&WriteOptions::default(), &other, b"key", b"value").unwrap();
    fs.hold_syncs("log");
    let begun = FlushOptions::default().wait(false).allow_write_stall(true);
    db.flush(&begun, &[&other]).unwrap();
    // The flush syncs the WAL that it finished, since there is more than one column family.
    fs.wait_for_sync();
    put(&db, "meanwhile", "1");
    assert_eq!(get(&db, "meanwhile").as_deref(), Some("1"));
    // A write that must be safe is not done before the WALs before its own are.
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let options = WriteOptions { sync: true, ..WriteOptions::default() };
            db.put(&options, &default_family(&db), b"synced", b"1").unwrap();
            is_done.store(true, Ordering::Release);
        });
        thread::sleep(std::time::Duration::from_millis(50));
        assert!(!is_done.load(Ordering::Acquire));
        fs.let_syncs_through();
    });
    assert_eq!(get(&db, "synced").as_deref(), Some("1"));
    db.flush(&FlushOptions::default(), &[&other]).unwrap();
}

#[test]
fn an_unsynced_write_does_not_wait_for_a_sync_of_all_that_was_written() {
    let (fs, db) = blocking();
    put(&db, "before", "1");
    fs.hold_syncs("log");
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            db.sync_wal().unwrap();
            is_done.store(true, Ordering::Release);
        });
        fs.wait_for_sync();
        put(&db, "meanwhile", "1");
        // A new WAL too may begin.
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).ok();
        put(&db, "after", "1");
        assert!(!is_done.load(Ordering::Acquire));
        fs.let_syncs_through();
    });
    assert_eq!(scan(&db).len(), 3);
}
