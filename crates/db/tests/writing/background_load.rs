//! How many threads flush and compact at a time, whatever there is to do.

use crate::fixture::Fixture;
use base::CompactionFilterFactory;
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, Decision, FilterValue, TableFileCreationReason,
};
use db::event_listener::EventListener;
use db::{ColumnFamilyHandle, Db, FlushOptions, WaitForCompactOptions, WriteOptions};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Which threads make tables now, each with how many filters it has: of a job that went aside for another one
/// thread has two. And how many there were at most.
#[derive(Debug, Default)]
struct Load {
    threads: Mutex<BTreeMap<String, usize>>,
    most: Mutex<usize>,
    is_over: AtomicBool,
}

impl Load {
    fn most(&self) -> usize {
        *self.most.lock()
    }

    fn begin(&self, thread: &str) {
        let mut threads = self.threads.lock();
        *threads.entry(thread.to_owned()).or_default() += 1;
        let mut most = self.most.lock();
        *most = threads.len().max(*most);
    }

    fn end(&self, thread: &str) {
        let mut threads = self.threads.lock();
        let filters = threads.get_mut(thread).expect("a thread that has begun");
        *filters -= 1;
        if *filters == 0 {
            threads.remove(thread);
        }
    }
}

#[derive(Debug)]
struct Listener;

impl EventListener for Listener {}

#[derive(Debug)]
struct Factory(Arc<Load>);

/// Takes long, in compactions more than in flushes, so that there is always more to do.
#[derive(Debug)]
struct Slow {
    load: Arc<Load>,
    takes: Duration,
    thread: String,
}

impl CompactionFilterFactory for Factory {
    fn name(&self) -> &str {
        "Factory"
    }

    fn should_filter_table_file_creation(&self, _reason: TableFileCreationReason) -> bool {
        true
    }

    fn create(&self, context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        let (load, thread) = (self.0.clone(), format!("{:?}", thread::current().id()));
        load.begin(&thread);
        let is_flush = context.reason == TableFileCreationReason::Flush;
        let takes = Duration::from_micros(if is_flush { 50 } else { 500 });
        Some(Box::new(Slow { load, takes, thread }))
    }
}

impl CompactionFilter for Slow {
    fn name(&self) -> &str {
        "Slow"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        if !self.load.is_over.load(Ordering::Relaxed) {
            thread::sleep(self.takes);
        }
        Decision::Keep
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.load.end(&self.thread);
    }
}

fn fixture(jobs: i32, parts: u32) -> (Fixture, Arc<Load>) {
    let (mut fixture, load) = (Fixture::new(), Arc::<Load>::default());
    fixture.options.max_background_jobs = jobs;
    fixture.options.max_subcompactions = parts;
    fixture.options.create_missing_column_families = true;
    fixture.families.extend(["a", "b", "c", "d"].map(str::to_owned));
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.level0_slowdown_writes_trigger = 1_000;
    fixture.family_options.level0_stop_writes_trigger = 1_000;
    fixture.family_options.max_write_buffer_number = 100;
    fixture.family_options.target_file_size_base = 5_000;
    fixture.family_options.compaction_filter_factory = Some(Arc::new(Factory(load.clone())));
    (fixture, load)
}

/// More to flush, and from that to compact, in every column family.
fn write(db: &Db, families: &[ColumnFamilyHandle], round: usize) {
    for family in families {
        for key in 0..40 {
            let (key, value) = (format!("{key:03}-{}", round % 3), [b'v'; 500]);
            db.put(&WriteOptions::default(), family, key.as_bytes(), &value).unwrap();
        }
        let options =
            FlushOptions { wait: false, allow_write_stall: true, ..FlushOptions::default() };
        db.flush(&options, &[family]).unwrap();
    }
}

fn running(db: &Db, families: &[ColumnFamilyHandle]) -> usize {
    let number = |name| db.property(&families[0], name).unwrap().parse::<usize>().unwrap();
    number("rocksdb.num-running-flushes") + number("rocksdb.num-running-compactions")
}

/// As many as may work soon do, and never one more. Where nothing goes aside, as with listeners, each job has a
/// thread of its own.
fn check(jobs: i32, parts: u32, goes_aside: bool) {
    let what = format!("{jobs} jobs of {parts} parts, {goes_aside}");
    let (mut fixture, load) = fixture(jobs, parts);
    if !goes_aside {
        fixture.context.listeners.push(Arc::new(Listener));
    }
    let db = fixture.open();
    let families: Vec<_> = db.column_families().collect();
    let (jobs, start) = (jobs as usize, Instant::now());
    let mut rounds_left = 5;
    for round in 0.. {
        write(&db, &families, round);
        assert!(goes_aside || running(&db, &families) <= jobs, "{what}");
        thread::sleep(Duration::from_millis(5));
        rounds_left -= usize::from(load.most() >= jobs);
        if rounds_left == 0 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{what}: {} work", load.most());
    }
    load.is_over.store(true, Ordering::Relaxed);
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
    assert_eq!(load.most(), jobs, "{what}");
}

#[test]
fn no_more_threads_work_than_there_may_be_background_jobs() {
    for (jobs, parts) in [(2, 1), (2, 4), (4, 1), (4, 4)] {
        check(jobs, parts, true);
        check(jobs, parts, false);
    }
}
