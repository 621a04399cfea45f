use super::*;
use crate::read::db_iter::tests::passed;
use crate::set_options::tests::Setup;
use crate::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, Db, DbIterator, FlushOptions, OpenContext,
    WriteOptions,
};
use base::MergeOperator;
use base::filename::FileType;
use env::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use env::{FaultInjectionFileSystem, read_file_to_vec};
use options::DbOptions;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn wait_for_passes(db: &Db) {
    let writing = db.inner.writing().unwrap();
    while writing.state.lock().scheduled.has_deletion_passes {
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn key(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

struct Queue {
    setup: Setup,
    family: ColumnFamilyHandle,
}

impl Queue {
    /// Of so many keys, all in a table.
    fn new(options: &str, keys: u32) -> Self {
        let setup = Setup::new("", &[("default", options)]);
        let family = setup.family("default");
        let queue = Self { setup, family };
        queue.produce(0..keys);
        queue.flush();
        queue
    }

    fn db(&self) -> &Db {
        &self.setup.db
    }

    fn produce(&self, keys: std::ops::Range<u32>) {
        for number in keys {
            self.db().put(&WriteOptions::default(), &self.family, &key(number), b"v").unwrap();
        }
    }

    fn consume(&self, keys: impl Iterator<Item = u32>) {
        for number in keys {
            self.db().delete(&WriteOptions::default(), &self.family, &key(number)).unwrap();
        }
    }

    fn flush(&self) {
        self.db().flush(&FlushOptions::default(), &[&self.family]).unwrap();
    }

    /// Its files, when it is closed.
    fn close(self) -> Arc<FaultInjectionFileSystem> {
        let Self { setup, family } = self;
        drop(family);
        setup.db.close().unwrap();
        setup.fs
    }

    /// What is known of the first key that there ever was.
    fn known(&self) -> Option<Arc<HiddenRange>> {
        let db = &self.db().inner;
        let passes = Passes { db, writing: db.writing().unwrap(), family: &self.family.0 };
        passes.known(|slot, comparator| slot.at(Some(&key(0)), comparator))
    }

    /// What a seek goes over when the background has done what it may.
    fn passed_by(&self, seek: impl FnOnce(&mut DbIterator)) -> u64 {
        wait_for_passes(self.db());
        passed(self.db(), &self.family, seek)
    }

    /// As [`Self::passed_by`], to the front.
    fn passed(&self) -> u64 {
        self.passed_by(DbIterator::seek_to_first)
    }
}

/// Joins operands as soon as it is told to, and panics before.
#[derive(Debug, Default)]
struct Moody {
    is_calm: AtomicBool,
}

impl Moody {
    fn panic_if_moody(&self) {
        assert!(self.is_calm.load(Ordering::SeqCst), "no mood for merging");
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
    ) -> Result<Vec<u8>> {
        self.panic_if_moody();
        Ok([existing.unwrap_or_default(), &operands.concat()].concat())
    }
}

/// The database of a queue once more, when it has made the passes that it begins with.
fn open_anew(
    fs: &Arc<FaultInjectionFileSystem>,
    family: &str,
    avoid_flush_during_recovery: bool,
) -> Db {
    let family_options = ColumnFamilyOptions::from_string(family).unwrap();
    open_anew_with(fs, family_options, avoid_flush_during_recovery)
}

fn open_anew_with(
    fs: &Arc<FaultInjectionFileSystem>,
    family_options: ColumnFamilyOptions,
    avoid_flush_during_recovery: bool,
) -> Db {
    let options = DbOptions { avoid_flush_during_recovery, ..DbOptions::default() };
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    let context = OpenContext { file_system: fs.clone(), ..OpenContext::default() };
    let db = Db::open(&options, Path::new("/db"), &families, &context).unwrap();
    wait_for_passes(&db);
    db
}

#[test]
fn no_scan_has_to_pass_what_the_background_has_passed() {
    let queue = Queue::new("deletion_pass_trigger=10", 200);
    queue.consume(0..100);
    assert_eq!(queue.passed(), 0);
    // Fewer than ask for a pass are left to the scan.
    queue.consume(100..105);
    assert_eq!(queue.passed(), 2 * 5);
    queue.consume(105..110);
    assert_eq!(queue.passed(), 0);
    // In the next memtable it goes on where the range that is known ends.
    queue.consume(110..118);
    queue.flush();
    queue.consume(118..128);
    assert_eq!(queue.passed(), 0);
    queue.produce(50..51);
    let mut iterator = queue.db().new_iterator(&ReadOptions::default(), &queue.family).unwrap();
    iterator.seek_to_first();
    assert_eq!(iterator.key(), key(50));
}

#[test]
fn a_stack_is_passed_from_the_key_deleted_last() {
    let queue = Queue::new("deletion_pass_trigger=10", 200);
    queue.consume((100..200).rev());
    assert_eq!(queue.passed_by(|iterator| iterator.seek(&key(100))), 0);
}

#[test]
fn each_of_many_queues_has_its_passes() {
    let queue = Queue::new("deletion_pass_trigger=7", 1000);
    for number in 0..60 {
        queue.consume((0..10).map(|part| 100 * part + number));
        wait_for_passes(queue.db());
    }
    for part in 0..10 {
        let first = queue.passed_by(|iterator| iterator.seek(&key(100 * part)));
        assert!(first <= 2 * 10, "part {part} passes {first}");
    }
    for part in 0..10 {
        let seek = |iterator: &mut DbIterator| {
            iterator.seek(&key(100 * part));
            assert_eq!(iterator.key(), key(100 * part + 60));
        };
        assert_eq!(queue.passed_by(seek), 0, "part {part}");
    }
}

#[test]
fn deletions_here_and_there_are_not_remembered() {
    let queue = Queue::new("deletion_pass_trigger=10", 200);
    queue.consume((0..200).step_by(2));
    wait_for_passes(queue.db());
    assert!(queue.known().is_none(), "one in a row is not worth it");
}

#[test]
fn the_option_says_when() {
    let queue = Queue::new("deletion_pass_trigger=0", 200);
    queue.consume(0..50);
    assert_eq!(queue.passed(), 2 * 50);
    queue.db().set_options(&queue.family, &[("deletion_pass_trigger", "20")]).unwrap();
    queue.consume(50..70);
    assert_eq!(queue.passed(), 0);
    queue.db().set_options(&queue.family, &[("deletion_pass_trigger", "0")]).unwrap();
    queue.consume(70..100);
    assert_eq!(queue.passed(), 2 * 30);
}

#[test]
fn a_long_run_is_passed_in_parts() {
    const KEYS: u32 = 150_000;
    let queue = Queue::new("deletion_pass_trigger=0", KEYS);
    queue.consume(0..KEYS - 1);
    queue.db().set_options(&queue.family, &[("deletion_pass_trigger", "1")]).unwrap();
    queue.consume(0..1);
    assert_eq!(queue.passed(), 0);
    // The key deleted twice has two.
    assert_eq!(queue.known().unwrap().entries, 2 * u64::from(KEYS - 1) + 1);
}

#[test]
fn a_pass_stops_after_so_many_entries() {
    let queue = Queue::new("deletion_pass_trigger=0", 100);
    // In two runs by turns, so that no two are passed together.
    queue.consume((0..50).step_by(2));
    queue.flush();
    queue.consume((1..50).step_by(2));
    let db = &queue.db().inner;
    let passes = Passes { db, writing: db.writing().unwrap(), family: &queue.family.0 };
    let mut rounds = 0;
    while passes.with_scan(0, |scan| scan.pass_hidden(PassStart::First, 3)).unwrap() {
        rounds += 1;
        assert!(queue.known().unwrap().entries < 3 * 50, "it is not over");
        assert!(rounds < 50, "each goes on where the one before has stopped");
    }
    assert!(rounds > 0);
    assert_eq!(queue.known().unwrap().end.as_deref(), Some(&key(50)[..]));
    assert_eq!(queue.passed(), 0);
}

#[test]
fn who_opens_files_full_of_deletions_has_them_passed() {
    let queue = Queue::new("deletion_pass_trigger=0", 200);
    queue.consume(20..100);
    queue.flush();
    queue.consume(120..150);
    queue.flush();
    let fs = queue.close();
    for (trigger, first, second) in [(0, 2 * 80, 2 * 30), (31, 0, 2 * 30), (20, 0, 0)] {
        let db = open_anew(&fs, &format!("deletion_pass_trigger={trigger}"), true);
        let family = db.column_family("default").unwrap();
        for (start, expected) in [(20, first), (120, second)] {
            let found = passed(&db, &family, |iterator| iterator.seek(&key(start)));
            assert_eq!(found, expected, "from {start}, trigger {trigger}");
        }
        drop(family);
        db.close().unwrap();
    }
}

#[test]
fn what_a_wal_has_is_passed_after_an_open() {
    let queue = Queue::new("deletion_pass_trigger=0", 200);
    queue.consume(20..100);
    let fs = queue.close();
    for avoids_flush in [true, false] {
        let db = open_anew(&fs, "deletion_pass_trigger=20", avoids_flush);
        let family = db.column_family("default").unwrap();
        let to_queue = |iterator: &mut DbIterator| iterator.seek(&key(20));
        assert_eq!(passed(&db, &family, to_queue), 0, "kept in memory: {avoids_flush}");
        drop(family);
        db.close().unwrap();
    }
}

#[test]
fn passes_wait_for_the_end_of_a_pause() {
    let queue = Queue::new("deletion_pass_trigger=10", 200);
    queue.db().pause_background_work().unwrap();
    queue.consume(0..100);
    wait_for_passes(queue.db());
    assert!(queue.known().is_none());
    queue.db().continue_background_work().unwrap();
    assert_eq!(queue.passed(), 0);
}

#[test]
fn a_pass_that_cannot_read_harms_nobody() {
    let queue = Queue::new("deletion_pass_trigger=0;table_factory.no_block_cache=true", 200);
    queue.consume(0..100);
    queue.db().set_options(&queue.family, &[("deletion_pass_trigger", "1")]).unwrap();
    queue.setup.fs.plan().add(Fault {
        operations: Operations::of(&[OperationKind::Read]).on_files(&[FileType::Table]),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::Io),
    });
    queue.consume(0..1);
    wait_for_passes(queue.db());
    assert!(queue.setup.fs.plan().injected_count() > 0, "a pass was made");
    queue.setup.fs.plan().clear();
    assert!(queue.known().is_none());
    assert_eq!(queue.passed(), 2 * 100 + 1, "the next scan does what was not done");
}

#[test]
fn a_pass_that_panics_is_told_and_the_next_one_is_made() {
    let fs = Queue::new("deletion_pass_trigger=0", 200).close();
    let operator = Arc::new(Moody::default());
    let mut options = ColumnFamilyOptions::from_string("deletion_pass_trigger=10").unwrap();
    options.merge_operator = Some(operator.clone());
    let db = open_anew_with(&fs, options, false);
    let family = db.column_family("default").unwrap();
    let delete = |number| db.delete(&WriteOptions::default(), &family, &key(number)).unwrap();
    // The first key that shows.
    db.merge(&WriteOptions::default(), &family, &key(50), b"w").unwrap();
    (0..50).for_each(delete);
    wait_for_passes(&db);
    let log = read_file_to_vec(&*fs, Path::new("/db/LOG"), 1 << 20).unwrap();
    let told = "[default] Keys deleted in a row were not passed in the background: \
        Operation aborted: a pass over deletions panicked: no mood for merging";
    let log = String::from_utf8(log).unwrap();
    assert!(log.contains(told), "{log}");
    operator.is_calm.store(true, Ordering::SeqCst);
    (51..61).for_each(delete);
    wait_for_passes(&db);
    assert_eq!(passed(&db, &family, DbIterator::seek_to_first), 0);
}

#[test]
fn only_what_scans_remember_is_passed() {
    let plain = "leveldb.BytewiseComparator";
    let timed = "leveldb.BytewiseComparator.u64ts";
    let trigger = |text: &str, comparator: &str| {
        let text = format!("comparator={comparator};{text}");
        let options = ColumnFamilyOptions::from_string(&text).unwrap();
        pass_trigger(&options, &InternalKeyComparator::new(options.comparator.clone()))
    };
    assert_eq!(trigger("", plain), Some(4096));
    assert_eq!(trigger("deletion_pass_trigger=7", plain), Some(7));
    assert_eq!(trigger("deletion_pass_trigger=0", plain), None);
    assert_eq!(trigger("", timed), None);
    assert_eq!(trigger("min_tombstones_for_range_conversion=5", plain), None);
}

#[test]
fn not_too_many_passes_are_due() {
    let mut due = DuePasses::default();
    (0..80_u8).for_each(|number| due.add(vec![number / 2]));
    let taken: Vec<_> = std::iter::from_fn(|| due.take()).collect();
    let expected: Vec<u8> = (0..31).chain([39]).collect();
    assert_eq!(taken.concat(), expected, "each once, and the last one stays");
}
