//! What happens when background work or the WAL fails, and how it ends.

use crate::blocking_fs::BlockingFileSystem;
use crate::fixture::{Fixture, default_family, get, put, scan};
use base::status::{Code, SubCode};
use db::{Db, FlushOptions, WriteOptions};
use env::MemFileSystem;
use std::sync::Arc;
use testing::wait::until;

/// With a disk that can be full.
fn on_small_disk() -> (Fixture, Arc<MemFileSystem>) {
    let mut fixture = Fixture::new();
    let disk = Arc::new(MemFileSystem::new());
    fixture.context.file_system = disk.clone();
    fixture.options.bgerror_resume_retry_interval = 20_000;
    (fixture, disk)
}

fn try_put(db: &Db, key: &str, value: &str) -> base::Result<()> {
    db.put(&WriteOptions::default(), &default_family(db), key.as_bytes(), value.as_bytes())
}

/// Writes until the disk is full; returns how many writes were acknowledged.
fn fill(db: &Db) -> usize {
    for index in 0.. {
        if let Err(status) = try_put(db, &format!("key{index:06}"), &"v".repeat(1_000)) {
            assert_eq!((status.code(), status.subcode()), (Code::IoError, SubCode::NoSpace));
            return index;
        }
    }
    unreachable!()
}

fn check_content(db: &Db, written: usize) {
    let found = scan(db);
    let keys: Vec<_> = found.iter().map(|(key, _)| key.clone()).collect();
    let mut expected: Vec<_> = (0..written).map(|index| format!("key{index:06}")).collect();
    expected.push("later".to_owned());
    assert_eq!(keys, expected);
    assert!(found.iter().all(|(_, value)| value == &"v".repeat(1_000) || value == "1"));
}

#[test]
fn a_full_disk_ends_by_itself_when_there_is_space_again() {
    let (fixture, disk) = on_small_disk();
    let db = fixture.open();
    disk.set_capacity(200_000);
    let written = fill(&db);
    assert!(written > 50);
    let stopped = try_put(&db, "stopped", "1").unwrap_err();
    assert_eq!(stopped.severity(), base::status::Severity::Hard);
    disk.set_capacity(u64::MAX);
    until("writes go on", || try_put(&db, "later", "1").is_ok());
    check_content(&db, written);
    drop(db);
    check_content(&fixture.open(), written);
}

#[test]
fn a_full_disk_that_fails_flushes_loses_nothing() {
    let (mut fixture, disk) = on_small_disk();
    fixture.family_options.write_buffer_size = 64 << 10;
    fixture.family_options.max_write_buffer_number = 6;
    fixture.family_options.compression = options::CompressionType::NoCompression;
    let db = fixture.open();
    disk.set_capacity(400_000);
    let written = fill(&db);
    assert!(written > 50);
    disk.set_capacity(u64::MAX);
    until("writes go on", || try_put(&db, "later", "1").is_ok());
    check_content(&db, written);
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    drop(db);
    check_content(&fixture.open(), written);
}

#[test]
fn resuming_is_refused_while_the_disk_is_full_and_done_afterwards() {
    let (mut fixture, disk) = on_small_disk();
    fixture.options.max_bgerror_resume_count = 0;
    let db = fixture.open();
    db.resume().unwrap();
    disk.set_capacity(100_000);
    let written = fill(&db);
    assert_eq!(db.resume().unwrap_err().subcode(), SubCode::NoSpace);
    assert!(try_put(&db, "later", "1").is_err());
    disk.set_capacity(u64::MAX);
    assert!(try_put(&db, "later", "1").is_err());
    db.resume().unwrap();
    put(&db, "later", "1");
    check_content(&db, written);
    drop(db);
    let db = fixture.open();
    check_content(&db, written);
    assert_eq!(get(&db, "stopped"), None);
}

#[test]
fn a_write_that_was_not_acknowledged_is_not_there_after_resuming() {
    let (mut fixture, disk) = on_small_disk();
    fixture.options.max_bgerror_resume_count = 0;
    fixture.families.push("other".to_owned());
    fixture.options.create_missing_column_families = true;
    let db = fixture.open();
    put(&db, "a", "1");
    let sequence = db.latest_sequence_number();
    disk.set_capacity(0);
    let mut batch = db::WriteBatch::new();
    let other = db.column_family("other").unwrap();
    batch.put(0, b"a", &vec![b'x'; 100_000]).unwrap();
    batch.put(other.id(), b"a", b"x").unwrap();
    assert!(db.write(&WriteOptions::default(), batch).is_err());
    assert_eq!((db.latest_sequence_number(), get(&db, "a")), (sequence, Some("1".into())));
    disk.set_capacity(u64::MAX);
    db.resume().unwrap();
    put(&db, "b", "2");
    drop((other, db));
    let db = fixture.open();
    assert_eq!(scan(&db), [("a".into(), "1".into()), ("b".into(), "2".into())]);
    let other = db.column_family("other").unwrap();
    assert_eq!(db.get(&db::ReadOptions::default(), &other, b"a").unwrap(), None);
}

#[test]
fn a_write_does_not_wait_behind_a_recovery_that_is_under_way() {
    let (mut fixture, disk) = on_small_disk();
    let fs = Arc::new(BlockingFileSystem::new(disk.clone()));
    fixture.context.file_system = fs.clone();
    fixture.options.max_bgerror_resume_count = 0;
    let db = fixture.open();
    disk.set_capacity(200_000);
    let written = fill(&db);
    disk.set_capacity(u64::MAX);
    fs.hold_syncs("sst");
    std::thread::scope(|scope| {
        let resuming = scope.spawn(|| db.resume());
        // It holds back writes while it flushes, and its flush waits.
        fs.wait_for_sync();
        for no_slowdown in [true, false] {
            let options = WriteOptions { no_slowdown, ..WriteOptions::default() };
            let refused = db.put(&options, &default_family(&db), b"meanwhile", b"1").unwrap_err();
            assert_eq!(refused.subcode(), SubCode::NoSpace, "{refused}");
        }
        fs.let_syncs_through();
        resuming.join().unwrap().unwrap();
    });
    put(&db, "later", "1");
    check_content(&db, written);
}
