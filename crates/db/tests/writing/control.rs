//! Pausing and cancelling background work: none of it waits for what may never come.

use crate::fixture::{Fixture, default_family, get, put};
use base::status::{Code, SubCode};
use base::{MergeOperator, Status};
use db::{
    BottommostLevelCompaction, CompactFilesOptions, CompactRangeOptions, Db, FlushOptions,
    WaitForCompactOptions, WriteOptions,
};
use env::file_system_wrapper::FileSystemWrapper;
use env::{FileSystem, MemFileSystem};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testing::wait;

/// Longest that what is cancelled may go on. A machine that is busy needs some of it.
const SOON: Duration = Duration::from_secs(5);

/// Takes its time with every key.
#[derive(Debug, Default)]
struct Slow {
    is_slow: AtomicBool,
    merges: AtomicUsize,
}

impl MergeOperator for Slow {
    fn name(&self) -> &str {
        "Slow"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        _existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> base::Result<Vec<u8>> {
        self.merges.fetch_add(1, Ordering::SeqCst);
        if self.is_slow.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(operands.concat())
    }
}

/// A database whose compaction takes minutes.
fn with_much_to_merge() -> (Fixture, Arc<Slow>, Arc<Db>) {
    let mut fixture = Fixture::new();
    let operator = Arc::new(Slow::default());
    fixture.family_options.merge_operator = Some(operator.clone());
    fixture.family_options.level0_file_num_compaction_trigger = 100;
    let db = fixture.open();
    let family = default_family(&db);
    for round in 0..2 {
        for key in 0..10_000 {
            let key = format!("key{key:05}");
            match round {
                0 => db.put(&WriteOptions::default(), &family, key.as_bytes(), b"1"),
                _ => db.merge(&WriteOptions::default(), &family, key.as_bytes(), b"2"),
            }
            .unwrap();
        }
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
    }
    operator.is_slow.store(true, Ordering::SeqCst);
    (fixture, operator, Arc::new(db))
}

/// Cancels a compaction of all keys that runs; says what came of it.
fn cancel_by(cancel: impl FnOnce(&Db, &AtomicBool)) -> Status {
    cancel_while(compact_all, cancel)
}

fn compact_all(db: &Db, canceled: Arc<AtomicBool>) -> base::Result<()> {
    let options = CompactRangeOptions { canceled: Some(canceled), ..Default::default() };
    db.compact_range(&options, &default_family(db), None, None)
}

fn compact_by_name(db: &Db, canceled: Arc<AtomicBool>) -> base::Result<()> {
    let options = CompactFilesOptions { canceled: Some(canceled), ..Default::default() };
    let numbers: Vec<u64> = db.live_files().iter().map(|file| file.number).collect();
    db.compact_files(&options, &default_family(db), &numbers, 6).map(drop)
}

fn cancel_while(
    compact: fn(&Db, Arc<AtomicBool>) -> base::Result<()>,
    cancel: impl FnOnce(&Db, &AtomicBool),
) -> Status {
    let (fixture, operator, db) = with_much_to_merge();
    let canceled = Arc::new(AtomicBool::new(false));
    let (user, flag) = (db.clone(), canceled.clone());
    let compaction = std::thread::spawn(move || compact(&user, flag));
    while operator.merges.load(Ordering::SeqCst) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    cancel(&db, &canceled);
    let status = compaction.join().unwrap().unwrap_err();
    assert!(start.elapsed() < SOON, "it took {:?}", start.elapsed());
    assert_eq!(fixture.files_with(".sst").len(), 2, "what was begun is gone");
    operator.is_slow.store(false, Ordering::SeqCst);
    assert_eq!(get(&db, "key00000").as_deref(), Some("2"));
    status
}

#[test]
fn a_compaction_stops_between_keys() {
    let status = cancel_by(|_, canceled| canceled.store(true, Ordering::SeqCst));
    assert_eq!(status.code(), Code::Incomplete, "{status}");
    let by_name = cancel_while(compact_by_name, |_, flag| flag.store(true, Ordering::SeqCst));
    assert_eq!(by_name.code(), Code::Incomplete, "{by_name}");
    assert_eq!(cancel_by(|db, _| db.disable_manual_compaction().unwrap()).code(), Code::Incomplete);
    let status = cancel_by(|db, _| db.cancel_all_background_work(true).unwrap());
    assert_eq!(status.code(), Code::ShutdownInProgress, "{status}");
}

fn number(db: &Db, property: &str) -> u64 {
    db.int_property(&default_family(db), property).unwrap()
}

#[test]
fn all_compactions_are_aborted_until_they_are_resumed() {
    let status = cancel_by(|db, _| {
        let protected = number(db, "rocksdb.min-obsolete-sst-number-to-keep");
        assert!((3..100).contains(&protected), "{protected}");
        db.abort_all_compactions().unwrap();
        assert_eq!(number(db, "rocksdb.num-running-compactions"), 0);
        assert_eq!(number(db, "rocksdb.compaction-abort-count"), 1);
        assert_eq!(number(db, "rocksdb.min-obsolete-sst-number-to-keep"), u64::MAX);
        let compacted = db.compact_range(&Default::default(), &default_family(db), None, None);
        assert_eq!(compacted.unwrap_err().subcode(), SubCode::CompactionAborted);
    });
    assert_eq!((status.code(), status.subcode()), (Code::Incomplete, SubCode::CompactionAborted));
    let (fixture, operator, db) = with_much_to_merge();
    operator.is_slow.store(false, Ordering::SeqCst);
    db.abort_all_compactions().unwrap();
    db.abort_all_compactions().unwrap();
    let options = [("level0_file_num_compaction_trigger", "2")];
    db.set_options(&default_family(&db), &options).unwrap();
    put(&db, "later", "1");
    db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    db.resume_all_compactions().unwrap();
    assert_eq!(number(&db, "rocksdb.compaction-abort-count"), 1);
    assert_eq!(number(&db, "rocksdb.compaction-pending"), 1);
    assert_eq!(fixture.files_with(".sst").len(), 3);
    db.resume_all_compactions().unwrap();
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert!(fixture.files_with(".sst").len() < 3, "nothing was compacted");
    assert_eq!(db.resume_all_compactions().unwrap_err().code(), Code::InvalidArgument);
}

/// An automatic compaction that is aborted is no error, and is done after all when they are resumed.
#[test]
fn an_automatic_compaction_is_aborted_too() {
    let (fixture, operator, db) = with_much_to_merge();
    let options = [("level0_file_num_compaction_trigger", "2")];
    db.set_options(&default_family(&db), &options).unwrap();
    while operator.merges.load(Ordering::SeqCst) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    db.abort_all_compactions().unwrap();
    assert_eq!(fixture.files_with(".sst").len(), 2, "what was begun is gone");
    assert_eq!(number(&db, "rocksdb.background-errors"), 0);
    put(&db, "writes", "go on");
    operator.is_slow.store(false, Ordering::SeqCst);
    db.resume_all_compactions().unwrap();
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(fixture.files_with(".sst").len(), 1);
    assert_eq!(get(&db, "key00000").as_deref(), Some("2"));
}

#[test]
fn files_are_kept_while_deletions_are_disabled() {
    let fixture = Fixture::new();
    let db = fixture.open();
    let counts = || (fixture.files_with(".sst").len(), fixture.files_with(".log").len());
    let fill = || {
        for round in 0..3 {
            put(&db, "a", &round.to_string());
            put(&db, "z", &round.to_string());
            db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
        }
        db.compact_range(&Default::default(), &default_family(&db), None, None).unwrap();
        // A flush ends a little after those who wait for it go on, and its files go after that.
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    };
    fill();
    assert_eq!(counts(), (1, 1));
    db.disable_file_deletions().unwrap();
    db.disable_file_deletions().unwrap();
    assert_eq!(number(&db, "rocksdb.is-file-deletions-enabled"), 0);
    fill();
    let kept = counts();
    assert!(kept.0 >= 4 && kept.1 == 4, "{kept:?}");
    assert!(number(&db, "rocksdb.obsolete-sst-files-size") > 0);
    db.enable_file_deletions().unwrap();
    assert_eq!(counts(), kept);
    db.enable_file_deletions().unwrap();
    assert_eq!(number(&db, "rocksdb.is-file-deletions-enabled"), 1);
    assert_eq!(counts(), (1, 1));
    db.enable_file_deletions().unwrap();
    assert_eq!(get(&db, "a").as_deref(), Some("2"));
}

/// Takes its time with every deletion.
#[derive(Debug)]
struct SlowDeletions(Arc<dyn FileSystem>);

impl FileSystemWrapper for SlowDeletions {
    fn target(&self) -> &dyn FileSystem {
        &*self.0
    }

    fn delete_file(&self, path: &Path) -> base::Result<()> {
        std::thread::sleep(Duration::from_millis(30));
        self.0.delete_file(path)
    }
}

#[test]
fn files_are_gone_when_that_was_waited_for() {
    let mut fixture = Fixture::new();
    fixture.context.file_system = Arc::new(SlowDeletions(fixture.context.file_system));
    fixture.family_options.level0_file_num_compaction_trigger = 3;
    let db = fixture.open();
    for round in 0..3 {
        for key in ["a", "z"] {
            put(&db, key, &round.to_string());
        }
        db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
    }
    let waiting = WaitForCompactOptions { wait_for_purge: true, ..Default::default() };
    db.wait_for_compact(&waiting).unwrap();
    assert_eq!((fixture.files_with(".sst").len(), fixture.files_with(".log").len()), (1, 1));
}

#[test]
fn a_compaction_that_waits_is_cancelled_as_well() {
    let fixture = Fixture::new();
    let db = Arc::new(fixture.open());
    put(&db, "a", "1");
    // First its flush, then its turn.
    for is_flushed in [false, true] {
        if is_flushed {
            db.flush(&FlushOptions::default(), &[&default_family(&db)]).unwrap();
        }
        for by_flag in [true, false] {
            db.pause_background_work().unwrap();
            let canceled = Arc::new(AtomicBool::new(false));
            let options = CompactRangeOptions {
                canceled: by_flag.then(|| canceled.clone()),
                exclusive_manual_compaction: true,
                bottommost_level_compaction: BottommostLevelCompaction::Force,
                ..CompactRangeOptions::default()
            };
            let user = db.clone();
            let compaction = std::thread::spawn(move || {
                user.compact_range(&options, &default_family(&user), None, None)
            });
            std::thread::sleep(Duration::from_millis(100));
            assert!(!compaction.is_finished());
            let start = Instant::now();
            match by_flag {
                true => canceled.store(true, Ordering::SeqCst),
                false => db.disable_manual_compaction().unwrap(),
            }
            let status = compaction.join().unwrap().unwrap_err();
            assert_eq!(status.code(), Code::Incomplete, "{status}");
            assert!(start.elapsed() < SOON, "it took {:?}", start.elapsed());
            if !by_flag {
                db.enable_manual_compaction().unwrap();
            }
            db.continue_background_work().unwrap();
        }
    }
}

#[test]
fn pausing_does_not_wait_for_space() {
    let mut fixture = Fixture::new();
    let disk = Arc::new(MemFileSystem::new());
    fixture.context.file_system = disk.clone();
    fixture.options.bgerror_resume_retry_interval = 20_000;
    let db = fixture.open();
    disk.set_capacity(100_000);
    let family = default_family(&db);
    let mut written = 0_u32;
    let full = loop {
        let key = written.to_be_bytes();
        match db.put(&WriteOptions::default(), &family, &key, &[7; 1_000]) {
            Ok(()) => written += 1,
            Err(status) => break status,
        }
    };
    assert_eq!(full.subcode(), SubCode::NoSpace);
    let start = Instant::now();
    db.pause_background_work().unwrap();
    assert!(start.elapsed() < SOON, "it took {:?}", start.elapsed());
    assert_eq!(db.resume().unwrap_err().code(), Code::Busy);
    disk.set_capacity(u64::MAX);
    std::thread::sleep(Duration::from_millis(200));
    let refused = db.put(&WriteOptions::default(), &family, b"a", b"1").unwrap_err();
    assert_eq!(refused.subcode(), SubCode::NoSpace, "nothing is done while work is paused");
    db.continue_background_work().unwrap();
    let write = || db.put(&WriteOptions::default(), &family, b"a", b"1");
    wait::until("the database resumes", || write().is_ok());
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    for index in 0..written {
        let found = db.get(&db::ReadOptions::default(), &family, &index.to_be_bytes()).unwrap();
        assert!(found.is_some(), "{index}");
    }
}
