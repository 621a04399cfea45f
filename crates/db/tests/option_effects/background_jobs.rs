//! How many flushes and compactions run at once, and how fast they write.

use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, CompactionJobInfo, Db,
    EventListener, FlushJobInfo, FlushOptions, OpenContext, WaitForCompactOptions, WriteOptions,
};
use env::{FileSystem, MemFileSystem};
use options::{ColumnFamilyOptions, DbOptions};
use rustix::process::getpriority_process;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

const FAMILIES: [&str; 4] = ["default", "a", "b", "c"];

/// So slow that jobs meet each other: bytes a second.
const SLOW: u64 = 3_000;

/// A database of several families, in memory.
struct Place {
    context: OpenContext,
}

impl Place {
    fn new() -> Self {
        let file_system: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
        Self { context: OpenContext { file_system, ..OpenContext::default() } }
    }

    fn open(&self, database: &str, family: &str) -> Db {
        let options = "create_if_missing=true;create_missing_column_families=true;";
        let options = DbOptions::from_string(&format!("{options}{database}")).unwrap();
        let family = ColumnFamilyOptions::from_string(family).unwrap();
        let descriptors = FAMILIES.map(|name| ColumnFamilyDescriptor::new(name, family.clone()));
        Db::open(&options, Path::new("/db"), &descriptors, &self.context).unwrap()
    }
}

fn put_in_all(db: &Db, value: &[u8]) {
    for family in db.column_families() {
        for key in [b"first", b"other"] {
            db.put(&WriteOptions::default(), &family, key, value).unwrap();
        }
    }
}

/// The largest value that a property takes until background work is done.
fn most(db: &Db, property: &str) -> u64 {
    let family = db.column_family("default").unwrap();
    let timeout = Some(Duration::from_millis(5));
    let options = WaitForCompactOptions { timeout, ..WaitForCompactOptions::default() };
    let mut most = 0;
    loop {
        most = most.max(db.int_property(&family, property).unwrap());
        if db.wait_for_compact(&options).is_ok() {
            return most;
        }
    }
}

fn flushes_at_once(options: &str) -> u64 {
    let place = Place::new();
    let db = place.open(&format!("rate_limiter_bytes_per_sec={SLOW};{options}"), "");
    put_in_all(&db, b"value");
    let families: Vec<_> = db.column_families().collect();
    for family in &families {
        let no_wait = FlushOptions { wait: false, ..FlushOptions::default() };
        db.flush(&no_wait, &[family]).unwrap();
    }
    most(&db, "rocksdb.num-running-flushes")
}

#[test]
fn so_many_flushes_run_at_once_as_may() {
    assert_eq!(flushes_at_once("max_background_jobs=2"), 1);
    assert_eq!(flushes_at_once("max_background_jobs=8"), 2);
    assert_eq!(flushes_at_once("max_background_flushes=3"), 3);
}

fn compactions_at_once(options: &str) -> u64 {
    let place = Place::new();
    let db = place.open("", "disable_auto_compactions=true");
    for round in 0..3 {
        put_in_all(&db, &[round; 100]);
        let families: Vec<_> = db.column_families().collect();
        for family in &families {
            db.flush(&FlushOptions::default(), &[family]).unwrap();
        }
    }
    drop(db);
    // That writes are slowed down makes compactions hurry.
    let family = "level0_file_num_compaction_trigger=2;level0_slowdown_writes_trigger=3";
    let db = place.open(&format!("rate_limiter_bytes_per_sec={SLOW};{options}"), family);
    most(&db, "rocksdb.num-running-compactions")
}

#[test]
fn so_many_compactions_run_at_once_as_may() {
    assert_eq!(compactions_at_once("max_background_jobs=2"), 1);
    assert_eq!(compactions_at_once("max_background_jobs=4"), 3);
    assert_eq!(compactions_at_once("max_background_compactions=2"), 2);
}

/// What flushes and compactions write takes as long as the rate says; what users write does not.
#[test]
fn background_work_writes_no_faster_than_it_may() {
    let took = |options: &str| {
        let place = Place::new();
        let db = place.open(options, "compression=kNoCompression");
        let family = db.column_family("default").unwrap();
        let start = Instant::now();
        for number in 0..200_u64 {
            db.put(&WriteOptions::default(), &family, &number.to_be_bytes(), &[b'v'; 1000])
                .unwrap();
        }
        let written = start.elapsed();
        db.flush(&FlushOptions::default(), &[&family]).unwrap();
        let flushed = start.elapsed();
        let options = CompactRangeOptions {
            bottommost_level_compaction: db::BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        db.compact_range(&options, &family, None, None).unwrap();
        (written, flushed - written, start.elapsed() - flushed)
    };
    // 200 KB at 400 KB a second, of which the first tenth of a second may be taken at once.
    let (written, flushed, compacted) = took("rate_limiter_bytes_per_sec=400000");
    let least = Duration::from_millis(350);
    assert!(flushed >= least && compacted >= least, "{flushed:?}, {compacted:?}");
    let (_, flushed_freely, compacted_freely) = took("");
    assert!(flushed_freely + compacted_freely < flushed + compacted, "{written:?}");
}

/// The niceness of the threads that last flushed and compacted.
#[derive(Debug, Default)]
struct Niceness {
    flush: AtomicI32,
    compaction: AtomicI32,
}

impl EventListener for Niceness {
    fn on_flush_begin(&self, _: &Db, _: &FlushJobInfo) {
        self.flush.store(getpriority_process(None).unwrap(), Ordering::Relaxed);
    }

    fn on_compaction_begin(&self, _: &Db, _: &CompactionJobInfo) {
        self.compaction.store(getpriority_process(None).unwrap(), Ordering::Relaxed);
    }
}

#[test]
fn compactions_are_as_nice_as_asked_and_flushes_are_not() {
    let own = getpriority_process(None).unwrap();
    for added in [0, 3, 19] {
        let niceness = Arc::new(Niceness::default());
        let mut place = Place::new();
        place.context.listeners.push(niceness.clone());
        let database = format!("compaction_niceness={added}");
        let db = place.open(&database, "level0_file_num_compaction_trigger=2");
        for round in 0..2 {
            put_in_all(&db, &[round; 100]);
            let families: Vec<_> = db.column_families().collect();
            for family in &families {
                db.flush(&FlushOptions::default(), &[family]).unwrap();
            }
        }
        db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
        assert_eq!(niceness.flush.load(Ordering::Relaxed), own, "{added}");
        let compaction = niceness.compaction.load(Ordering::Relaxed);
        assert_eq!(compaction, (own + added).min(19), "{added}");
    }
}

/// How many threads there are now that compress blocks of a table for another.
fn compressing_threads() -> usize {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return 0 };
    let names = tasks.flatten().map(|task| std::fs::read_to_string(task.path().join("comm")));
    // Those that have ended meanwhile have no name.
    names.flatten().filter(|name| name.trim() == "tstone:compress").count()
}

/// The most of them at a time while a flush compresses what takes a while.
fn most_compressing_threads(db: &Db, family: &ColumnFamilyHandle) -> usize {
    let mut state = 1_u64;
    for number in 0..20_000_u64 {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let value = format!("{state:x}").repeat(8);
        db.put(&WriteOptions::default(), family, &number.to_be_bytes(), value.as_bytes()).unwrap();
    }
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let sampler = scope.spawn(|| {
            let mut most = 0;
            while !has_ended.load(Ordering::Relaxed) {
                most = most.max(compressing_threads());
                std::thread::sleep(Duration::from_millis(1));
            }
            most
        });
        db.flush(&FlushOptions::default(), &[family]).unwrap();
        has_ended.store(true, Ordering::Relaxed);
        sampler.join().unwrap()
    })
}

#[test]
fn so_many_threads_compress_a_table() {
    let place = Place::new();
    let compression = "compression=kZSTD;compression_opts={level=19;parallel_threads=1}";
    let db = place.open("", &format!("disable_auto_compactions=true;{compression}"));
    let family = db.column_family("default").unwrap();
    assert_eq!(most_compressing_threads(&db, &family), 0);
    for (threads, helpers) in [("3", 2), ("1", 0)] {
        db.set_options(
            &family,
            &[("compression_opts", &format!("{{parallel_threads={threads}}}"))],
        )
        .unwrap();
        assert_eq!(most_compressing_threads(&db, &family), helpers);
    }
}
