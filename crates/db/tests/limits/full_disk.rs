//! A disk that is really full: what was acknowledged is there, and writes go on as soon as there is
//! space again.

use crate::machine::SmallDisk;
use crate::mapped_places::{can_map, maps_its_wal};
use crate::place::Place;
use base::Status;
use base::status::{Code, Severity, SubCode};
use db::{Db, ReadOptions, WriteOptions};
use options::WalIo;
use tempfile::TempDir;
use testing::random::Random;
use testing::wait::until;

/// Writes to column families in turn until the disk is full; returns how many values it took.
fn fill(place: &mut Place, db: &Db, random: &mut Random) -> usize {
    let families: Vec<_> = db.column_families().collect();
    for index in 0..100_000 {
        let key = format!("key{index:06}");
        let value: Vec<u8> = (0..1_000).map(|_| random.below(256) as u8).collect();
        let family = &families[index % families.len()];
        if let Err(error) = place.try_put(db, family, key.as_bytes(), &value) {
            let kind = (error.code(), error.subcode());
            assert_eq!(kind, (Code::IoError, SubCode::NoSpace), "{error}");
            assert!(error.message().contains("No space left on device"), "{error}");
            return index;
        }
    }
    panic!("the disk does not become full");
}

/// Fills a disk of 8 MiB, with 5 of them taken by something else, that goes away then. What is in
/// memory, and how far a compaction has come, is at most what it leaves.
fn check_full_disk(adapt: impl FnOnce(&mut Place, &SmallDisk)) {
    if let Some(disk) = SmallDisk::mount(8) {
        check_full(&disk, adapt);
    }
}

fn check_full(disk: &SmallDisk, adapt: impl FnOnce(&mut Place, &SmallDisk)) {
    let ballast = disk.put_ballast(5);
    let mut place = Place::new(&disk.path().join("db"));
    place.options.bgerror_resume_retry_interval = 20_000;
    adapt(&mut place, disk);
    let mut random = Random::new(1);
    let db = place.open();
    let count = fill(&mut place, &db, &mut random);
    assert!(count > 500, "{count}");
    place.check(&db);
    let family = db.column_family("default").unwrap();
    // Unless what was deleted meanwhile has let it go on already.
    if let Err(stopped) = place.try_put(&db, &family, b"stopped", b"1") {
        assert_eq!((stopped.subcode(), stopped.severity()), (SubCode::NoSpace, Severity::Hard));
    }
    std::fs::remove_file(ballast).unwrap();
    until("writes go on", || db.put(&WriteOptions::default(), &family, b"later", b"1").is_ok());
    place.try_put(&db, &family, b"later", b"1").unwrap();
    for index in 0..200 {
        let key = format!("more{index:03}");
        place.try_put(&db, &family, key.as_bytes(), &[b'm'; 1_000]).unwrap();
    }
    place.check(&db);
    drop(family);
    db.close().unwrap();
    for _ in 0..2 {
        place.check(&place.open());
    }
}

/// Writes, each of which is synced, until one is refused, of which `after_write` hears how many there were: those
/// before are there. Returns what it was refused by.
fn check_failing_disk(disk: &SmallDisk, wal_io: WalIo, after_write: impl Fn(usize)) -> Status {
    let mut place = Place::new(&disk.path().join("db"));
    place.options.wal_io = wal_io;
    let db = place.open();
    let family = db.column_family("default").unwrap();
    let synced = WriteOptions { sync: true, ..WriteOptions::default() };
    let mut random = Random::new(1);
    let mut values = Vec::new();
    let refusal = loop {
        let value: Vec<u8> = (0..4_000).map(|_| random.below(256) as u8).collect();
        let key = (values.len() as u32).to_be_bytes();
        match db.put(&synced, &family, &key, &value) {
            Ok(()) => values.push(value),
            Err(refusal) => break refusal,
        }
        if values.len() == 1 {
            assert_eq!(maps_its_wal(&place), wal_io == WalIo::Mapped);
        }
        after_write(values.len());
        assert!(values.len() < 10_000, "the disk does not fail");
    };
    assert_eq!(refusal.code(), Code::IoError, "{refusal}");
    assert!(refusal.message().contains("sync") && refusal.message().contains(".log"), "{refusal}");
    assert!(values.len() > 200, "{}", values.len());
    let again = db.put(&synced, &family, b"again", b"1").unwrap_err();
    assert!(again.severity() >= Severity::Hard, "{again}");
    let check = |db: &Db| {
        let family = db.column_family("default").unwrap();
        for (number, value) in values.iter().enumerate() {
            let key = (number as u32).to_be_bytes();
            let read = db.get(&ReadOptions::default(), &family, &key).unwrap();
            assert_eq!(read.as_deref(), Some(&value[..]), "{number}");
        }
    };
    check(&db);
    drop(family);
    // What could not be written is told once more.
    let _ = db.close();
    check(&place.try_open_for_reading().unwrap());
    refusal
}

#[test]
fn a_disk_that_fails_takes_nothing_that_was_synced() {
    for wal_io in [WalIo::Mapped, WalIo::Write] {
        let Some(disk) = SmallDisk::mount_failing_ext4(8) else { return };
        // By EIO or ENOSPC, as the kernel has it from what is below.
        check_failing_disk(&disk, wal_io, |_| {});
    }
}

#[test]
fn a_disk_that_breaks_takes_nothing_that_was_synced() {
    for wal_io in [WalIo::Mapped, WalIo::Write] {
        let Some(disk) = SmallDisk::mount_breakable_ext4(64) else { return };
        let breaks_after = |count| {
            if count == 300 {
                disk.break_it();
            }
        };
        let refusal = check_failing_disk(&disk, wal_io, breaks_after);
        assert!(refusal.message().contains("Input/output error"), "{refusal}");
    }
}

#[test]
fn the_database_goes_on_when_there_is_space_again() {
    check_full_disk(|place, _| place.family_options.write_buffer_size = 256 << 10);
}

#[test]
fn a_single_large_memtable() {
    check_full_disk(|place, _| place.family_options.write_buffer_size = 64 << 20);
}

#[test]
fn many_small_wals() {
    check_full_disk(|place, _| {
        place.options.max_total_wal_size = 64 << 10;
        place.families.extend(["one", "two"].map(str::to_owned));
    });
}

#[test]
fn the_wal_alone_is_on_the_full_disk() {
    let directory = TempDir::new().unwrap();
    check_full_disk(|place, disk| {
        place.options.wal_dir = disk.path().join("wals").display().to_string();
        place.path = directory.path().join("db");
        place.family_options.write_buffer_size = 64 << 20;
    });
}

#[test]
fn the_tables_alone_are_on_the_full_disk() {
    let directory = TempDir::new().unwrap();
    check_full_disk(|place, _| {
        place.options.wal_dir = directory.path().join("wals").display().to_string();
        place.family_options.write_buffer_size = 256 << 10;
    });
}

/// No store into a mapping finds that there is no room, which would end this process: that the disk is full is
/// found when a window is prepared, and the write says so that finds no room after that.
#[test]
fn a_disk_on_which_wals_are_mapped() {
    for write_buffer_size in [256 << 10, 64 << 20] {
        let Some(disk) = SmallDisk::mount_ext4(12) else { return };
        check_full(&disk, |place, disk| {
            place.options.wal_io = WalIo::Mapped;
            place.family_options.write_buffer_size = write_buffer_size;
            assert!(can_map(disk.path()));
        });
    }
}
