use super::{WalOptions, WalStage};
use base::filename::{FileType, wal_file_name};
use env::fault_injection_fs::{
    Effect, Fault, FaultError, OperationKind, Operations, PowerLoss, When,
};
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wal::{LogCompression, LogEntry, LogReader};

const DIRECTORY: &str = "/wals";

fn file_system() -> Arc<FaultInjectionFileSystem> {
    let base = MemFileSystem::new();
    create_dir_all(&base, Path::new(DIRECTORY)).unwrap();
    Arc::new(FaultInjectionFileSystem::new(Arc::new(base)))
}

fn stage(fs: &Arc<FaultInjectionFileSystem>, manual_flush: bool, recycled_max: usize) -> WalStage {
    let options = WalOptions {
        directory: PathBuf::from(DIRECTORY),
        manual_flush,
        use_fsync: false,
        compression: LogCompression::None,
        recycled_max,
        file_options: FileOptions::default(),
    };
    WalStage::new(fs.clone(), options)
}

/// The records of a WAL.
fn records(fs: &FaultInjectionFileSystem, number: u64) -> Vec<Vec<u8>> {
    let path = wal_file_name(Path::new(DIRECTORY), number);
    let file = fs.new_sequential_file(&path, &FileOptions::default()).unwrap();
    let mut reader = LogReader::new(file, number);
    let mut records = Vec::new();
    while let Some(LogEntry::Record(record)) = reader.read().unwrap() {
        records.push(record.payload.to_vec());
    }
    records
}

#[test]
fn a_wal_that_was_there_before_is_not_written_over() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 4);
    wals.keep(3, 100);
    wals.start(5).unwrap();
    wals.append(b"first", &[]).unwrap();
    wals.start(7).unwrap();
    wals.append(b"second", &[]).unwrap();
    assert_eq!(wals.release(7), [3]);
    wals.start(9).unwrap();
    let five = wal_file_name(Path::new(DIRECTORY), 5);
    assert!(!fs.file_exists(&five).unwrap(), "one of this opening became the next");
    assert_eq!(records(&fs, 9), Vec::<Vec<u8>>::new());
}

#[test]
fn finished_wals_survive_a_power_loss_with_their_names() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    wals.start(3).unwrap();
    wals.append(b"finished", &[]).unwrap();
    wals.start(5).unwrap();
    wals.sync_finished().unwrap();
    fs.crash(&PowerLoss::strict()).unwrap();
    fs.recover();
    assert_eq!(records(&fs, 3), [b"finished".to_vec()]);
}

#[test]
fn what_cannot_be_handed_over_stays_in_the_wal_it_is_in() {
    let fs = file_system();
    let mut wals = stage(&fs, true, 0);
    wals.start(3).unwrap();
    wals.append(b"record", &[]).unwrap();
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Flush]).on_files(&[FileType::Wal]),
        when: When::Nth(0),
        effect: Effect::Error(FaultError::Io),
    });
    wals.start(5).unwrap_err();
    assert_eq!(wals.current_number(), 3);
    assert_eq!(wals.live_numbers().collect::<Vec<_>>(), [3]);
}

#[test]
fn a_wal_that_was_let_go_is_not_told_as_synced() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    for number in [3, 5, 7] {
        wals.start(number).unwrap();
        wals.append(b"record", &[]).unwrap();
    }
    wals.sync().unwrap();
    assert_eq!(wals.release(5), [3]);
    let synced: Vec<u64> = wals.take_synced().iter().map(|wal| wal.number).collect();
    assert_eq!(synced, [5]);
}
