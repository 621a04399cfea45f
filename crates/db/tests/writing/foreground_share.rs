//! What compactions that would take a whole processor leave to those who read.

use crate::fixture::{Fixture, default_family};
use base::CompactionFilterFactory;
use base::compaction_filter::{CompactionFilter, CompactionFilterContext, Decision, FilterValue};
use db::{ColumnFamilyHandle, Db, FlushOptions, ReadOptions, WriteOptions};
use options::DbOptions;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use testing::wait::until;

/// Filters of compactions that have no end before they are told.
#[derive(Clone, Debug, Default)]
struct Busy {
    is_over: Arc<AtomicBool>,
}

impl CompactionFilterFactory for Busy {
    fn name(&self) -> &str {
        "Busy"
    }

    fn create(&self, _context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        Some(Box::new(self.clone()))
    }
}

impl CompactionFilter for Busy {
    fn name(&self) -> &str {
        "Busy"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        while !self.is_over.load(Ordering::Relaxed) {
            spin_loop();
        }
        Decision::Keep
    }
}

/// Compactions that run at the same time.
const RUNNING: usize = 2;

/// A database in which compactions keep one processor busy twice over.
struct Crowd {
    busy: Busy,
    families: Vec<ColumnFamilyHandle>,
    db: Db,
    // Last: the directory goes after the database.
    _fixture: Fixture,
}

impl Crowd {
    fn new(niceness: i32) -> Self {
        let (mut fixture, busy) = (Fixture::new(), Busy::default());
        // A quarter of the jobs is for flushes.
        fixture.options.max_background_jobs = 2 * RUNNING as i32;
        fixture.options.compaction_niceness = niceness;
        fixture.options.create_missing_column_families = true;
        fixture.families.extend((1..RUNNING).map(|number| number.to_string()));
        fixture.family_options.level0_file_num_compaction_trigger = 2;
        fixture.family_options.compaction_filter_factory = Some(Arc::new(busy.clone()));
        let db = fixture.open();
        let families = db.column_families().collect();
        let crowd = Self { busy, families, db, _fixture: fixture };
        // So many files that compactions are in a hurry.
        for _ in 0..8 {
            for family in &crowd.families {
                for key in [b"key", b"yek"] {
                    crowd.db.put(&WriteOptions::default(), family, key, &[b'v'; 100]).unwrap();
                }
                crowd.db.flush(&FlushOptions::default(), &[family]).unwrap();
            }
        }
        until("compactions run", || crowd.running() >= RUNNING);
        crowd
    }

    fn running(&self) -> usize {
        let text = self.db.property(&self.families[0], "rocksdb.num-running-compactions");
        text.unwrap().parse().unwrap()
    }

    /// Which part of the time in which this thread could read it had a processor. None where the system does not
    /// say.
    fn share(&self) -> Option<f64> {
        let family = default_family(&self.db);
        let (before, start) = (times()?, Instant::now());
        while start.elapsed() < Duration::from_millis(300) {
            self.db.get(&ReadOptions::default(), &family, b"key").unwrap();
        }
        let after = times()?;
        let [ran, waited] = [after[0] - before[0], after[1] - before[1]];
        Some(ran as f64 / (ran + waited) as f64)
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        self.busy.is_over.store(true, Ordering::Relaxed);
        self.families.clear();
    }
}

/// Nanoseconds for which this thread ran, and for which it waited for a processor.
fn times() -> Option<[u64; 2]> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut fields = text.split_whitespace().map(|field| field.parse().unwrap());
    Some([fields.next()?, fields.next()?])
}

/// Has this thread, and those that it starts from now on, run on one processor: beside tests that have others.
fn stay_on_one_processor() {
    let allowed = sched_getaffinity(None).unwrap();
    let mut one = CpuSet::new();
    one.set((0..CpuSet::MAX_CPU).find(|&number| allowed.is_set(number)).unwrap());
    sched_setaffinity(None, &one).unwrap();
}

/// Shares of a reader beside compactions that are as nice as given, medians of five turns.
fn shares<const N: usize>(niceness: [i32; N]) -> Option<[f64; N]> {
    stay_on_one_processor();
    let mut shares = niceness.map(|_| Vec::new());
    for _ in 0..5 {
        for (shares, niceness) in shares.iter_mut().zip(niceness) {
            shares.push(Crowd::new(niceness).share()?);
        }
    }
    Some(shares.map(|mut shares| {
        shares.sort_by(f64::total_cmp);
        shares[shares.len() / 2]
    }))
}

/// Two threads that are like it leave a reader a third of a processor; as they are by default, three fifths.
#[test]
fn compactions_leave_processors_to_those_who_read() {
    let default = DbOptions::default().compaction_niceness;
    let measured = thread::spawn(move || shares([0, default, 19])).join().unwrap();
    let Some([alike, by_default, nicest]) = measured else {
        println!("skipped: the system does not say how long threads wait");
        return;
    };
    println!("shares of a reader: {alike:.2}, {by_default:.2} by default, {nicest:.2}");
    assert!(by_default > 1.15 * alike, "{by_default} by default, {alike} where all are alike");
    assert!(nicest > by_default, "{nicest} beside the nicest, {by_default} by default");
}
