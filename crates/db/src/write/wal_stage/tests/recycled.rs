//! WALs that are written over older ones, and what a power loss makes of them.

use super::{DIRECTORY, file_system, records, stage, sync_finished};
use crate::write::wal_stage::WalStage;
use base::filename::wal_file_name;
use env::fault_injection_fs::{
    DataSurvival, DirectorySurvival, Effect, Fault, FaultError, OperationKind, Operations,
    PowerLoss, When,
};
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wal::{LogEntry, LogReader};

/// The number of the WAL that is written over the first.
const REUSED: u64 = 7;

fn path_of(number: u64) -> PathBuf {
    wal_file_name(Path::new(DIRECTORY), number)
}

/// A WAL whose file held `old_records`, all of them safe, as the WAL 3 before.
fn written_over(
    fs: &Arc<FaultInjectionFileSystem>,
    is_mapped: bool,
    old_records: &[Vec<u8>],
) -> WalStage {
    let mut wals = stage(fs, false, 2);
    wals.options.file_options.use_mapped_writes = is_mapped;
    wals.start(3).unwrap();
    for (index, record) in old_records.iter().enumerate() {
        wals.append(&[record], index as u64, &[]).unwrap();
    }
    wals.start(5).unwrap();
    sync_finished(&mut wals).unwrap();
    assert!(wals.release(5).is_empty(), "it is kept to be written over");
    wals.start(REUSED).unwrap();
    assert!(!fs.file_exists(&path_of(3)).unwrap());
    assert_eq!(wals.is_current_mapped(), is_mapped);
    wals
}

fn numbered(what: &str, count: usize, length: usize) -> Vec<Vec<u8>> {
    let record = |number| {
        let mut record = format!("{what} {number:04} ").into_bytes();
        record.resize(length, b'.');
        record
    };
    (0..count).map(record).collect()
}

/// The records of a WAL, also those behind damage.
fn records_behind_damage_too(fs: &FaultInjectionFileSystem, number: u64) -> Vec<Vec<u8>> {
    let file = fs.new_sequential_file(&path_of(number), &FileOptions::default()).unwrap();
    let mut reader = LogReader::new(file, number);
    let mut records = Vec::new();
    while let Some(entry) = reader.read().unwrap() {
        if let LogEntry::Record(record) = entry {
            records.push(record.payload.to_vec());
        }
    }
    records
}

/// Whatever pages of the file are still those of the WAL that it was, its records are not among
/// those of the new one, whose own are there up to some point, which is not before the last sync.
#[test]
fn no_power_loss_brings_back_what_a_file_held_as_an_earlier_wal() {
    // The same places as before, other places, and more than there was before.
    for (length, count) in [(500, 80), (211, 120), (3000, 40)] {
        let (old, new) = (numbered("old", 80, 500), numbered("new", count, length));
        let mut counts = std::collections::BTreeSet::new();
        for seed in 0..120_u64 {
            for is_mapped in [false, true] {
                let fs = file_system();
                let mut wals = written_over(&fs, is_mapped, &old);
                let synced = seed as usize % count;
                for (index, record) in new.iter().enumerate() {
                    wals.append(&[record], 100 + index as u64, &[]).unwrap();
                    if index + 1 == synced {
                        let mut sync = wals.begin_sync_of_all().unwrap();
                        sync.run().unwrap();
                        wals.end_sync(sync);
                    }
                }
                fs.crash(&PowerLoss::subset(seed)).unwrap();
                fs.recover();
                let context = format!("{length} bytes, seed {seed}, mapped: {is_mapped}");
                if !fs.file_exists(&path_of(REUSED)).unwrap() {
                    assert_eq!(synced, 0, "{context}");
                    continue;
                }
                let found = records(&fs, REUSED);
                assert!(new.starts_with(&found), "{context}");
                assert!(found.len() >= synced, "{context}: {} of {synced}", found.len());
                counts.insert(found.len() - synced);
                let all = records_behind_damage_too(&fs, REUSED);
                assert!(all.iter().all(|record| new.contains(record)), "{context}");
            }
        }
        assert!(counts.len() > 10, "{counts:?}");
    }
}

/// Its name must not be that of the WAL that it was: there it would be passed over as obsolete, or
/// as one of other records.
#[test]
fn the_first_sync_makes_the_new_name_safe() {
    for is_mapped in [false, true] {
        for by_leader in [false, true] {
            let fs = file_system();
            let mut wals = written_over(&fs, is_mapped, &numbered("old", 10, 100));
            wals.append(&[b"acknowledged"], 100, &[]).unwrap();
            // The two ways in which a write is synced.
            let mut sync = match by_leader {
                true => wals.begin_sync(),
                false => wals.begin_sync_of_all().unwrap(),
            };
            sync.run().unwrap();
            wals.end_sync(sync);
            if by_leader {
                wals.sync_current().unwrap();
            }
            assert!(fs.pending_directory_operations().is_empty(), "the directory was synced");
            fs.crash(&PowerLoss::strict()).unwrap();
            fs.recover();
            assert!(!fs.file_exists(&path_of(3)).unwrap());
            assert_eq!(records(&fs, REUSED), [b"acknowledged"]);
        }
    }
}

/// A directory that could not be synced is synced by the next that asks.
#[test]
fn a_new_name_that_was_not_made_safe_still_has_to_be() {
    let fs = file_system();
    let mut wals = written_over(&fs, true, &numbered("old", 10, 100));
    wals.append(&[b"record"], 100, &[]).unwrap();
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::SyncDirectory]),
        when: When::Nth(0),
        effect: Effect::Error(FaultError::Io),
    });
    let mut sync = wals.begin_sync_of_all().unwrap();
    sync.run().unwrap_err();
    wals.end_sync(sync);
    let mut sync = wals.begin_sync_of_all().unwrap();
    assert!(!sync.is_empty());
    sync.run().unwrap();
    wals.end_sync(sync);
    fs.crash(&PowerLoss::strict()).unwrap();
    fs.recover();
    assert_eq!(records(&fs, REUSED), [b"record"]);
}

/// What comes after the sync of a finished WAL, as the MANIFEST's edit does, finds it exactly as
/// long as what was appended, whatever was longer: its windows, or the WAL that it was.
#[test]
fn the_sync_of_a_finished_wal_makes_its_cut_safe() {
    for is_mapped in [false, true] {
        for seed in 0..40 {
            let fs = file_system();
            let mut wals = written_over(&fs, is_mapped, &numbered("old", 300, 1000));
            let new = numbered("new", 30, 700);
            for record in &new {
                wals.append(&[record], 1000, &[]).unwrap();
            }
            wals.start(9).unwrap();
            sync_finished(&mut wals).unwrap();
            let synced: Vec<_> = wals.take_synced();
            let size = synced.iter().find(|wal| wal.number == REUSED).unwrap().synced_size_bytes;
            fs.crash(&PowerLoss {
                data: DataSurvival::Subset(seed),
                directories: DirectorySurvival::None,
            })
            .unwrap();
            fs.recover();
            assert_eq!(fs.get_file_size(&path_of(REUSED)).ok(), size);
            assert_eq!(size, Some(30 * (11 + 700)));
            assert_eq!(records(&fs, REUSED), new);
        }
    }
}

/// Where not even the first window can be had, the file is written to; records fit into what the
/// older WAL leaves them.
#[test]
fn a_full_disk_is_found_when_a_wal_is_prepared() {
    let disk = Arc::new(MemFileSystem::new());
    create_dir_all(&*disk, Path::new(DIRECTORY)).unwrap();
    let fs = Arc::new(FaultInjectionFileSystem::new(disk.clone()));
    let mut wals = stage(&fs, false, 2);
    wals.options.file_options.use_mapped_writes = true;
    wals.start(3).unwrap();
    let old = numbered("old", 30, 1000);
    for record in &old {
        wals.append(&[record], 1, &[]).unwrap();
    }
    wals.start(5).unwrap();
    wals.append(&[b"record"], 2, &[]).unwrap();
    sync_finished(&mut wals).unwrap();
    wals.release(5);
    // What there is, once the file 5 is cut too, and no window more.
    disk.set_capacity(31 * 1100);
    wals.start(REUSED).unwrap();
    assert!(!wals.is_current_mapped());
    let new = numbered("new", 20, 1000);
    for record in &new {
        wals.append(&[record], 3, &[]).unwrap();
    }
    assert_eq!(records(&fs, REUSED), new);
    let error = (0..40).find_map(|_| wals.append(&[&new[0]], 4, &[]).err()).unwrap();
    assert_eq!(error.subcode(), base::status::SubCode::NoSpace, "{error}");
    // As the database does before it goes on: everything is in tables.
    disk.set_capacity(u64::MAX);
    wals.start_after_failure(9).unwrap();
    wals.append(&[b"after"], 5, &[]).unwrap();
    assert!(wals.is_current_mapped());
    assert_eq!(records(&fs, 9), [b"after"]);
}
