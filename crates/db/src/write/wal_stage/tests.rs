use super::{WalOptions, WalStage};
use base::filename::{FileType, wal_file_name};
use env::fault_injection_fs::{
    Effect, Fault, FaultError, OperationKind, Operations, PowerLoss, When,
};
use env::{FaultInjectionFileSystem, FileOptions, FileSystem, MemFileSystem, create_dir_all};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wal::{LogCompression, LogEntry, LogReader, PredecessorWalInfo};

mod recycled;

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
        states_predecessor: false,
        file_options: FileOptions::default(),
    };
    WalStage::new(fs.clone(), options)
}

fn sync_finished(wals: &mut WalStage) -> base::Result<()> {
    let mut sync = wals.begin_sync();
    let result = sync.run();
    wals.end_sync(sync);
    result
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
    wals.append(&[b"first"], 1, &[]).unwrap();
    wals.start(7).unwrap();
    wals.append(&[b"second"], 1, &[]).unwrap();
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
    wals.append(&[b"finished"], 1, &[]).unwrap();
    wals.start(5).unwrap();
    sync_finished(&mut wals).unwrap();
    fs.crash(&PowerLoss::strict()).unwrap();
    fs.recover();
    assert_eq!(records(&fs, 3), [b"finished".to_vec()]);
}

#[test]
fn what_cannot_be_handed_over_stays_in_the_wal_it_is_in() {
    let fs = file_system();
    let mut wals = stage(&fs, true, 0);
    wals.start(3).unwrap();
    wals.append(&[b"record"], 1, &[]).unwrap();
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
        wals.append(&[b"record"], 1, &[]).unwrap();
    }
    sync_finished(&mut wals).unwrap();
    assert_eq!(wals.release(5), [3]);
    let synced: Vec<u64> = wals.take_synced().iter().map(|wal| wal.number).collect();
    assert_eq!(synced, [5]);
}

#[test]
fn bytes_of_all_wals_are_those_of_the_live_ones() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    wals.keep(2, 1_000);
    wals.start(3).unwrap();
    assert_eq!((wals.total_size_bytes(), wals.is_current_empty()), (1_000, true));
    wals.append(&[b"rec", b"ord"], 1, &[]).unwrap();
    let size = 7 + 6;
    assert_eq!((wals.total_size_bytes(), wals.is_current_empty()), (1_000 + size, false));
    wals.start(5).unwrap();
    wals.append(&[b"record"], 2, &[]).unwrap();
    assert_eq!(wals.total_size_bytes(), 1_000 + 2 * size);
    assert_eq!(wals.release(5), [2, 3]);
    assert_eq!(wals.total_size_bytes(), size);
    wals.start_after_failure(7).unwrap();
    assert_eq!((wals.total_size_bytes(), wals.current_number()), (size, 7));
    assert_eq!(wals.release(7), [5]);
    assert_eq!(wals.total_size_bytes(), 0);
}

#[test]
fn what_a_failed_sync_left_is_synced_the_next_time() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    for number in [3, 5, 7] {
        wals.start(number).unwrap();
        wals.append(&[b"record"], number, &[]).unwrap();
    }
    fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Sync]).on_files(&[FileType::Wal]),
        when: When::Nth(1),
        effect: Effect::Error(FaultError::Io),
    });
    sync_finished(&mut wals).unwrap_err();
    let number_of = |wal: &version::WalAddition| wal.number;
    assert_eq!(wals.take_synced().iter().map(number_of).collect::<Vec<_>>(), [3]);
    assert!(!wals.begin_sync().is_empty());
}

#[test]
fn a_sync_of_all_leaves_what_is_written_meanwhile_for_the_next() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    wals.start(3).unwrap();
    wals.append(&[b"before"], 1, &[]).unwrap();
    let mut sync = wals.begin_sync_of_all().unwrap();
    wals.append(&[b"meanwhile"], 2, &[]).unwrap();
    sync.run().unwrap();
    wals.end_sync(sync);
    assert!(!wals.begin_sync_of_all().unwrap().is_empty());
    fs.crash(&PowerLoss::strict()).unwrap();
    fs.recover();
    assert_eq!(records(&fs, 3)[0], b"before".to_vec());
}

#[test]
fn a_wal_states_how_the_one_before_it_ended() {
    let fs = file_system();
    for recycled_max in [0, 2] {
        let mut wals = stage(&fs, false, recycled_max);
        wals.options.states_predecessor = true;
        wals.start(3).unwrap();
        wals.append(&[b"record"], 17, &[]).unwrap();
        wals.append(&[b"record"], 18, &[]).unwrap();
        wals.start(5).unwrap();
        assert!(wals.is_current_empty(), "what is stated is no batch");
        let path = wal_file_name(Path::new(DIRECTORY), 5);
        let file = fs.new_sequential_file(&path, &FileOptions::default()).unwrap();
        let mut reader = LogReader::new(file, 5);
        let size_bytes = fs.get_file_size(&wal_file_name(Path::new(DIRECTORY), 3)).unwrap();
        assert_eq!(
            reader.read().unwrap(),
            Some(LogEntry::PredecessorWalInfo(PredecessorWalInfo {
                log_number: 3,
                size_bytes,
                last_sequence: 18
            }))
        );
    }
}

/// A WAL is mapped if the batches of the one before it were small, however they were grouped.
#[test]
fn the_next_wal_is_written_as_the_present_one_would_best_be() {
    let fs = file_system();
    let mut wals = stage(&fs, false, 0);
    wals.options.file_options.use_mapped_writes = true;
    wals.options.file_options.mapped_append_size_max = 768;
    let (header, small, large) = ([0; 12], [b's'; 500], [b'l'; 1000]);
    let groups: [(&[&[u8]], bool, bool); 4] = [
        (&[&large], false, false),
        (&[&small], true, true),
        (&[&header, &small, &small, &small], true, false),
        (&[&header, &small, &large, &large], false, true),
    ];
    wals.start(3).unwrap();
    assert!(wals.is_current_mapped(), "nothing is known before the first");
    for (number, (parts, is_next_mapped, is_synced)) in (5..).zip(groups) {
        for sequence in 1..100 {
            wals.append(parts, sequence, &[]).unwrap();
        }
        if is_synced {
            wals.sync_current().unwrap();
        }
        let next = wals.next_file_options();
        assert_eq!(next.is_synced_often, is_synced, "before {number}");
        assert_eq!(next.use_mapped_writes, is_next_mapped, "before {number}");
        wals.start(number).unwrap();
        assert_eq!(wals.is_current_mapped(), is_next_mapped, "{number}");
    }
}
