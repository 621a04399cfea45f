//! What compactions that would take all processors leave to those who read.

use crate::fixture::{Fixture, default_family, until};
use base::CompactionFilterFactory;
use base::compaction_filter::{CompactionFilter, CompactionFilterContext, Decision, FilterValue};
use db::{ColumnFamilyHandle, Db, FlushOptions, ReadOptions, WriteOptions};
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

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

/// A database in which compactions keep all processors busy twice over.
struct Crowd {
    busy: Busy,
    families: Vec<ColumnFamilyHandle>,
    db: Db,
    // Last: the directory goes after the database.
    _fixture: Fixture,
}

impl Crowd {
    fn new(niceness: i32) -> Self {
        let running = 2 * available_parallelism().unwrap().get();
        let (mut fixture, busy) = (Fixture::new(), Busy::default());
        // A quarter of the jobs is for flushes.
        fixture.options.max_background_jobs = 2 * running as i32;
        fixture.options.compaction_niceness = niceness;
        fixture.options.create_missing_column_families = true;
        fixture.families.extend((1..running).map(|number| number.to_string()));
        fixture.family_options.level0_file_num_compaction_trigger = 2;
        fixture.family_options.compaction_filter_factory = Some(Arc::new(busy.clone()));
        let db = fixture.open();
        let families: Vec<_> = db.column_families().collect();
        // So many files that compactions are in a hurry.
        for _ in 0..8 {
            for family in &families {
                for key in [b"key", b"yek"] {
                    db.put(&WriteOptions::default(), family, key, &[b'v'; 100]).unwrap();
                }
                db.flush(&FlushOptions::default(), &[family]).unwrap();
            }
        }
        let crowd = Self { busy, families, db, _fixture: fixture };
        until("compactions run", || crowd.running() >= running);
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

/// Threads that are all alike leave a third to a reader where there are two of them for each processor; as they are
/// by default, three fifths. Measured in turn: tests beside this one take some of both.
#[test]
fn compactions_leave_processors_to_those_who_read() {
    let default = options::DbOptions::default().compaction_niceness;
    let mut shares = [0, default, 19].map(|_| Vec::new());
    for _ in 0..5 {
        for (shares, niceness) in shares.iter_mut().zip([0, default, 19]) {
            let Some(share) = Crowd::new(niceness).share() else {
                println!("skipped: the system does not say how long threads wait");
                return;
            };
            shares.push(share);
        }
    }
    let [alike, by_default, nicest] = shares.map(|mut shares| {
        shares.sort_by(f64::total_cmp);
        shares[shares.len() / 2]
    });
    println!("shares of a reader: {alike:.2}, {by_default:.2} by default, {nicest:.2}");
    assert!(by_default > 1.15 * alike, "{by_default} by default, {alike} where all are alike");
    assert!(nicest > by_default && nicest > 0.7, "{nicest} beside the nicest");
}
