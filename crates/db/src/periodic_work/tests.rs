use super::*;
use crate::{ColumnFamilyDescriptor, Db, FlushOptions, OpenContext, WaitForCompactOptions};
use env::{ManualClock, MemFileSystem, read_file_to_vec};
use std::path::Path;
use std::time::Instant;

/// Late enough for all ages to be positive.
const START_MICROS: u64 = 1_800_000_000 * SECOND_MICROS;

#[test]
fn each_task_is_due_after_its_period() {
    use PeriodicTask::{DumpStats, FlushInfoLog, TriggerCompaction};
    let mut tasks = PeriodicTasks::default();
    assert_eq!(tasks.next_due_micros(), None);
    tasks.set(DumpStats, 10, 0);
    tasks.set(FlushInfoLog, 3, 0);
    tasks.set(TriggerCompaction, 0, 0);
    let second = SECOND_MICROS;
    assert_eq!(tasks.next_due_micros(), Some(3 * second));
    assert_eq!(tasks.take_due(3 * second - 1), []);
    assert_eq!(tasks.take_due(3 * second), [FlushInfoLog]);
    assert_eq!(tasks.take_due(3 * second), []);
    // What was missed is done once.
    assert_eq!(tasks.take_due(12 * second), [DumpStats, FlushInfoLog]);
    assert_eq!(tasks.next_due_micros(), Some(15 * second));
    // The same period goes on, another one begins anew, none ends it.
    tasks.set(FlushInfoLog, 3, 13 * second);
    assert_eq!(tasks.next_due_micros(), Some(15 * second));
    tasks.set(FlushInfoLog, 4, 13 * second);
    assert_eq!(tasks.next_due_micros(), Some(17 * second));
    tasks.set(FlushInfoLog, 0, 13 * second);
    assert_eq!(tasks.next_due_micros(), Some(22 * second));
}

#[test]
fn compactions_are_looked_for_as_often_as_their_times_want() {
    let secs = |db: &str, families: &[&str]| {
        let db = DbOptions::from_string(db).unwrap();
        let families: Vec<_> =
            families.iter().map(|text| ColumnFamilyOptions::from_string(text).unwrap()).collect();
        trigger_compaction_secs(&db, families.iter())
    };
    assert_eq!(secs("", &[]), 600, "as statistics are dumped");
    assert_eq!(secs("stats_dump_period_sec=0", &["ttl=0"]), 43_200);
    let none = "stats_dump_period_sec=0;max_compaction_trigger_wakeup_seconds=90";
    assert_eq!(secs(none, &["ttl=0;periodic_compaction_seconds=0"]), 90);
    assert_eq!(secs(none, &["ttl=0", "ttl=100"]), 20);
    assert_eq!(secs(none, &["ttl=100;periodic_compaction_seconds=50"]), 10);
    assert_eq!(secs(none, &["ttl=3;periodic_compaction_seconds=0"]), 1);
    // Its default stands for whatever fits.
    assert_eq!(secs(none, &[""]), 90);
}

struct Setup {
    fs: Arc<MemFileSystem>,
    clock: Arc<ManualClock>,
    db: Db,
}

impl Setup {
    fn new(options: &str, family: &str) -> Self {
        let fs = Arc::new(MemFileSystem::new());
        let clock = Arc::new(ManualClock::new(START_MICROS));
        let context =
            OpenContext { file_system: fs.clone(), clock: clock.clone(), ..OpenContext::default() };
        let options = DbOptions::from_string(&format!("create_if_missing=true;{options}")).unwrap();
        let family = ColumnFamilyOptions::from_string(family).unwrap();
        let families = [ColumnFamilyDescriptor::new("default", family)];
        let db = Db::open(&options, Path::new("/db"), &families, &context).unwrap();
        Self { fs, clock, db }
    }

    /// Moves the clock and waits until the timer has done what is due then, and what came of it is
    /// over.
    fn advance_secs(&self, secs: u64) {
        self.clock.advance_micros(secs * SECOND_MICROS);
        self.db.inner.writing().unwrap().periodic_work.catch_up();
        self.db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }

    fn put_and_flush(&self) {
        let family = self.db.column_family("default").unwrap();
        self.db.put(&Default::default(), &family, b"key", b"value").unwrap();
        self.db.flush(&FlushOptions::default(), &[&family]).unwrap();
        self.db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    }

    fn tables(&self) -> Vec<(usize, u64)> {
        self.db.live_files().iter().map(|file| (file.level, file.number)).collect()
    }

    fn log(&self) -> String {
        log(&self.fs)
    }
}

fn log(fs: &MemFileSystem) -> String {
    let content = read_file_to_vec(fs, Path::new("/db/LOG"), 1 << 20).unwrap();
    String::from_utf8(content).unwrap()
}

#[test]
fn statistics_are_dumped_and_lines_reach_the_file() {
    let setup = Setup::new("stats_dump_period_sec=100", "");
    setup.put_and_flush();
    assert!(!setup.log().contains("flush_finished"), "it waits in memory");
    setup.advance_secs(10);
    assert!(setup.log().contains("flush_finished"));
    assert!(!setup.log().contains("DUMPING STATS"));
    setup.advance_secs(90);
    setup.advance_secs(10);
    let log = setup.log();
    assert_eq!(log.matches("------- DUMPING STATS -------").count(), 1, "{log}");
    for part in
        ["** DB Stats **", "** Compaction Stats [default] **", "Cumulative writes: 1 writes"]
    {
        assert!(log.contains(part), "{part}: {log}");
    }
    setup.advance_secs(100);
    setup.advance_secs(10);
    assert_eq!(setup.log().matches("DUMPING STATS").count(), 2);
}

#[test]
fn without_a_period_nothing_is_dumped() {
    let setup = Setup::new("stats_dump_period_sec=0", "");
    setup.advance_secs(1_000_000);
    setup.advance_secs(10);
    assert!(!setup.log().contains("DUMPING STATS"));
}

#[test]
fn files_go_when_their_time_is_over_though_nothing_else_happens() {
    let setup = Setup::new("", "compaction_style=kCompactionStyleFIFO;ttl=1000");
    setup.put_and_flush();
    assert_eq!(setup.tables().len(), 1);
    setup.advance_secs(900);
    assert_eq!(setup.tables().len(), 1);
    setup.advance_secs(300);
    assert_eq!(setup.tables(), []);
    setup.advance_secs(10);
    assert!(setup.log().contains("(FIFOTtl)"), "{}", setup.log());
}

#[test]
fn files_are_rewritten_when_they_are_old_though_nothing_else_happens() {
    let setup = Setup::new("", "periodic_compaction_seconds=1000");
    setup.put_and_flush();
    let family = setup.db.column_family("default").unwrap();
    setup.db.compact_range(&Default::default(), &family, None, None).unwrap();
    let before = setup.tables();
    setup.advance_secs(900);
    assert_eq!(setup.tables(), before);
    setup.advance_secs(300);
    let after = setup.tables();
    assert_ne!(after, before);
    setup.advance_secs(10);
    assert!(setup.log().contains("\"PeriodicCompaction\""), "{}", setup.log());
    // It is new now.
    setup.advance_secs(900);
    assert_eq!(setup.tables(), after);
}

#[test]
fn closing_does_not_wait_for_what_is_due_later() {
    let Setup { fs, db, .. } = Setup::new("", "");
    let begun = Instant::now();
    db.close().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(log(&fs).contains("Shutdown complete"));
}

#[test]
fn a_family_that_comes_later_is_looked_at_as_often_as_it_wants() {
    let setup = Setup::new("", "");
    let family = ColumnFamilyOptions::from_string("compaction_style=kCompactionStyleFIFO;ttl=50");
    let handle = setup.db.create_column_family(&family.unwrap(), "short").unwrap();
    setup.db.put(&Default::default(), &handle, b"key", b"value").unwrap();
    setup.db.flush(&FlushOptions::default(), &[&handle]).unwrap();
    assert_eq!(setup.tables().len(), 1);
    setup.advance_secs(61);
    assert_eq!(setup.tables(), []);
}

impl Setup {
    fn put(&self, handle: &crate::ColumnFamilyHandle) {
        self.db.put(&Default::default(), handle, b"key", b"value").unwrap();
    }

    /// The samples: sequence numbers and seconds since the start.
    fn samples(&self) -> Vec<(u64, u64)> {
        let times = self.db.inner.writing().unwrap().sequence_times.lock().clone();
        let start = START_MICROS / SECOND_MICROS;
        times.pairs().iter().map(|(sequence, seconds)| (*sequence, seconds - start)).collect()
    }
}

#[test]
fn sequence_times_are_sampled_though_no_memtable_is_full() {
    let setup = Setup::new("", "preserve_internal_time_seconds=1000");
    let family = setup.db.column_family("default").unwrap();
    setup.put(&family);
    setup.advance_secs(9);
    assert_eq!(setup.samples(), []);
    setup.advance_secs(1);
    assert_eq!(setup.samples(), [(1, 10)]);
    // Nothing was written.
    setup.advance_secs(10);
    assert_eq!(setup.samples(), [(1, 10)]);
    setup.put(&family);
    setup.advance_secs(10);
    setup.put(&family);
    setup.db.flush(&FlushOptions::default(), &[&family]).unwrap();
    assert_eq!(setup.samples(), [(1, 10), (3, 30)], "the later number is the better bound");
}

#[test]
fn sequence_times_are_sampled_as_often_as_the_families_there_are_want() {
    let setup = Setup::new("", "");
    let default = setup.db.column_family("default").unwrap();
    setup.put(&default);
    setup.advance_secs(100);
    assert_eq!(setup.samples(), []);
    let create = |seconds: u64, name: &str| {
        let options = format!("preserve_internal_time_seconds={seconds}");
        let options = ColumnFamilyOptions::from_string(&options).unwrap();
        setup.db.create_column_family(&options, name).unwrap()
    };
    create(1_000, "long");
    assert_eq!(setup.samples(), [(1, 100)], "at once");
    let short = create(200, "short");
    setup.put(&short);
    setup.advance_secs(2);
    assert_eq!(setup.samples(), [(1, 100), (2, 102)]);
    setup.db.drop_column_family(&short).unwrap();
    setup.put(&default);
    setup.advance_secs(9);
    assert_eq!(setup.samples(), [(1, 100), (2, 102)]);
    setup.advance_secs(1);
    assert_eq!(setup.samples(), [(1, 100), (2, 102), (3, 112)]);
}
