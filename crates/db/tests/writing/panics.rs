//! What users bring along may panic in any thread: nobody waits for ever, all are told what
//! happened, and what was acknowledged is there after the next open.

use crate::fixture::{Fixture, default_family, get, put};
use base::status::{Code, Severity};
use base::{Comparator, MergeOperator};
use db::{
    BottommostLevelCompaction, CompactRangeOptions, Db, FlushOptions, WaitForCompactOptions,
    WriteOptions,
};
use std::cmp::Ordering as Order;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Joins operands, unless it is to panic.
#[derive(Debug, Default)]
struct Moody {
    mood: AtomicU8,
    /// A thread that helps has come to merge.
    has_help: AtomicBool,
}

const CALM: u8 = 0;
const PANICS: u8 = 1;
/// Only in threads that help with parts of compactions. Those of users wait for one.
const PANICS_IN_PARTS: u8 = 2;

impl Moody {
    fn set(&self, mood: u8) {
        self.mood.store(mood, Ordering::SeqCst);
    }

    fn panic_if_moody(&self) {
        let thread = std::thread::current();
        let (is_part, is_user) =
            (thread.name() == Some("tstone:part"), thread.name() == Some("user"));
        self.has_help.fetch_or(is_part, Ordering::SeqCst);
        let mood = self.mood.load(Ordering::SeqCst);
        while mood == PANICS_IN_PARTS && is_user && !self.has_help.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        assert!(mood == CALM || (mood == PANICS_IN_PARTS && !is_part), "no mood for merging");
    }
}

impl MergeOperator for Moody {
    fn name(&self) -> &str {
        "Moody"
    }

    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> base::Result<Vec<u8>> {
        self.panic_if_moody();
        Ok([existing.unwrap_or_default(), &operands.concat()].concat())
    }
}

/// Bytewise, but for one key that it cannot stand unless it is calm.
#[derive(Debug)]
struct Picky {
    is_calm: bool,
}

impl Comparator for Picky {
    fn name(&self) -> &str {
        "Picky"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Order {
        let is_fine = |key: &[u8]| self.is_calm || key != b"unbearable";
        assert!(is_fine(a) && is_fine(b), "an unbearable key");
        a.cmp(b)
    }
}

fn moody() -> (Fixture, Arc<Moody>) {
    let mut fixture = Fixture::new();
    let operator = Arc::new(Moody::default());
    fixture.family_options.merge_operator = Some(operator.clone());
    (fixture, operator)
}

fn merge(db: &Db, key: &str, operand: &str) {
    let family = default_family(db);
    db.merge(&WriteOptions::default(), &family, key.as_bytes(), operand.as_bytes()).unwrap();
}

fn flush(db: &Db) -> base::Result<()> {
    db.flush(&FlushOptions::default(), &[&default_family(db)])
}

/// What `run` gives; a hang fails the test.
fn soon<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new().name("user".to_owned()).spawn(move || sender.send(run())).unwrap();
    receiver.recv_timeout(Duration::from_secs(60)).expect("it hangs")
}

fn expect_told(result: base::Result<()>, job: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.code(), error.severity()), (Code::Aborted, Severity::Hard), "{error}");
    for word in [job, "default", "panicked: no mood for merging"] {
        assert!(error.message().contains(word), "{word}: {error}");
    }
}

/// Everybody is told until the database is resumed, which then does what was to be done, and has
/// everything when it is opened again.
fn expect_sound(fixture: &Fixture, operator: &Moody, db: Db, job: &'static str) {
    let fixture_files = fixture.files_with(".sst");
    let db = soon(move || {
        expect_told(flush(&db), job);
        expect_told(db.wait_for_compact(&WaitForCompactOptions::default()), job);
        let family = default_family(&db);
        expect_told(db.compact_range(&CompactRangeOptions::default(), &family, None, None), job);
        expect_told(db.put(&WriteOptions::default(), &family, b"b", b"2"), job);
        db.pause_background_work().unwrap();
        db.continue_background_work().unwrap();
        db
    });
    operator.set(CALM);
    assert_eq!(get(&db, "a").as_deref(), Some("12"));
    assert_eq!(fixture.files_with(".sst"), fixture_files, "nothing is done meanwhile");
    let db = soon(move || {
        db.resume().unwrap();
        put(&db, "c", "3");
        let family = default_family(&db);
        db.compact_range(&CompactRangeOptions::default(), &family, None, None).unwrap();
        db
    });
    assert_ne!(fixture.files_with(".sst"), fixture_files, "what was to be done is done");
    soon(move || db.close()).unwrap();
    let db = fixture.open();
    assert_eq!(get(&db, "a").as_deref(), Some("12"));
    assert_eq!(get(&db, "b"), None);
    assert_eq!(get(&db, "c").as_deref(), Some("3"));
    flush(&db).unwrap();
}

#[test]
fn in_a_flush() {
    let (fixture, operator) = moody();
    let db = fixture.open();
    put(&db, "a", "1");
    merge(&db, "a", "2");
    operator.set(PANICS);
    let db = soon(move || {
        expect_told(flush(&db), "a flush of");
        db
    });
    assert_eq!(fixture.files_with(".sst"), [""; 0], "the table that was begun is gone");
    expect_sound(&fixture, &operator, db, "a flush of");
}

#[test]
fn in_an_atomic_flush() {
    let (mut fixture, operator) = moody();
    fixture.options.atomic_flush = true;
    fixture.options.create_missing_column_families = true;
    fixture.families.insert(0, "first".to_owned());
    let db = fixture.open();
    let first = db.column_family("first").unwrap();
    put(&db, "a", "1");
    merge(&db, "a", "2");
    db.put(&WriteOptions::default(), &first, b"a", b"1").unwrap();
    drop(first);
    operator.set(PANICS);
    let db = soon(move || {
        expect_told(flush(&db), "a flush of");
        db
    });
    expect_sound(&fixture, &operator, db, "a flush of");
}

/// Two tables in L0 whose entries have to be merged.
fn with_two_tables(trigger: i32) -> (Fixture, Arc<Moody>, Db) {
    let (mut fixture, operator) = moody();
    fixture.family_options.level0_file_num_compaction_trigger = trigger;
    let db = fixture.open();
    put(&db, "a", "1");
    put(&db, "z", "1");
    flush(&db).unwrap();
    // So that they cannot just be moved.
    put(&db, "z", "2");
    (fixture, operator, db)
}

#[test]
fn in_an_automatic_compaction() {
    let (fixture, operator, db) = with_two_tables(2);
    merge(&db, "a", "2");
    operator.set(PANICS);
    flush(&db).unwrap();
    let db = soon(move || {
        let job = "a compaction of";
        expect_told(db.wait_for_compact(&WaitForCompactOptions::default()), job);
        db
    });
    assert_eq!(fixture.files_with(".sst").len(), 2, "what was begun is gone");
    expect_sound(&fixture, &operator, db, "a compaction of");
}

#[test]
fn in_a_manual_compaction() {
    let (fixture, operator, db) = with_two_tables(100);
    merge(&db, "a", "2");
    operator.set(PANICS_IN_PARTS);
    flush(&db).unwrap();
    operator.set(PANICS);
    let db = soon(move || {
        let options =
            CompactRangeOptions { exclusive_manual_compaction: true, ..Default::default() };
        let result = db.compact_range(&options, &default_family(&db), None, None);
        expect_told(result, "a compaction of");
        db
    });
    assert_eq!(fixture.files_with(".sst").len(), 2, "what was begun is gone");
    expect_sound(&fixture, &operator, db, "a compaction of");
}

#[test]
fn in_one_part_of_a_compaction() {
    let (mut fixture, operator) = moody();
    fixture.options.max_background_jobs = 8;
    fixture.family_options.level0_file_num_compaction_trigger = 100;
    fixture.family_options.target_file_size_base = 64 << 10;
    fixture.family_options.compression = options::CompressionType::NoCompression;
    let db = fixture.open();
    put(&db, "a", "12");
    for round in 0..4 {
        for key in 0..400 {
            match round {
                0 => put(&db, &format!("key{key:04}"), &"v".repeat(1000)),
                _ => merge(&db, &format!("key{key:04}"), &"o".repeat(200)),
            }
        }
        flush(&db).unwrap();
    }
    operator.set(PANICS_IN_PARTS);
    let db = soon(move || {
        let options = CompactRangeOptions {
            max_subcompactions: 4,
            bottommost_level_compaction: BottommostLevelCompaction::Force,
            ..CompactRangeOptions::default()
        };
        let result = db.compact_range(&options, &default_family(&db), None, None);
        expect_told(result, "a compaction of");
        db
    });
    assert_eq!(fixture.files_with(".sst").len(), 4, "what was begun is gone");
    expect_sound(&fixture, &operator, db, "a compaction of");
}

#[test]
fn in_a_write_that_others_follow() {
    let mut fixture = Fixture::new();
    fixture.family_options.comparator = Arc::new(Picky { is_calm: false });
    let db = Arc::new(fixture.open());
    put(&db, "a", "12");
    let writers: Vec<_> = (0..8)
        .map(|index| {
            let db = db.clone();
            std::thread::spawn(move || {
                let key = if index == 4 { "unbearable".to_owned() } else { format!("w{index}") };
                let family = default_family(&db);
                let mut acknowledged = false;
                for _ in 0..100 {
                    let put = || db.put(&WriteOptions::default(), &family, key.as_bytes(), b"1");
                    match put() {
                        Ok(()) => acknowledged = true,
                        Err(status) => {
                            let text = status.message();
                            assert!(text.contains("a write panicked: an unbearable key"), "{text}");
                            assert_eq!(status.severity(), Severity::Fatal);
                        }
                    }
                }
                (key, acknowledged)
            })
        })
        .collect();
    let ends =
        soon(move || writers.into_iter().map(|writer| writer.join().unwrap()).collect::<Vec<_>>());
    assert!(!ends.contains(&("unbearable".to_owned(), true)));
    for (key, acknowledged) in &ends {
        assert!(!acknowledged || get(&db, key).is_some(), "{key}");
    }
    let db = Arc::into_inner(db).unwrap();
    soon(move || {
        assert!(flush(&db).is_err());
        db.close()
    })
    .unwrap();
    // The batch that was not acknowledged is in the WAL.
    fixture.family_options.comparator = Arc::new(Picky { is_calm: true });
    let db = fixture.open();
    assert_eq!(get(&db, "a").as_deref(), Some("12"));
    for (key, acknowledged) in &ends {
        assert!(!acknowledged || get(&db, key).is_some(), "{key}");
    }
}
