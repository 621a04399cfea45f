//! How many threads flush and compact, and what waits for them.

use crate::fixture::{Fixture, default_family, put};
use base::compaction_filter::{CompactionFilter, Decision, FilterValue};
use db::{Db, FlushOptions, WaitForCompactOptions};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;
use testing::wait::until;

/// A filter in which threads that compact wait until they are let through.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    is_open: bool,
    waiting: BTreeSet<String>,
}

impl Gate {
    fn waiting(&self) -> usize {
        self.state.lock().waiting.len()
    }

    fn open(&self) {
        self.state.lock().is_open = true;
        self.changed.notify_all();
    }
}

fn name(id: ThreadId) -> String {
    format!("{id:?}")
}

impl CompactionFilter for Gate {
    fn name(&self) -> &str {
        "Gate"
    }

    fn filter(&self, _level: usize, _user_key: &[u8], _value: FilterValue<'_>) -> Decision {
        let mut state = self.state.lock();
        if !state.is_open {
            let own = name(thread::current().id());
            state.waiting.insert(own.clone());
            while !state.is_open {
                self.changed.wait(&mut state);
            }
            state.waiting.remove(&own);
        }
        Decision::Keep
    }
}

fn gated(jobs: i32, parts: u32) -> (Fixture, Arc<Gate>) {
    let (mut fixture, gate) = (Fixture::new(), Arc::<Gate>::default());
    fixture.options.max_background_jobs = jobs;
    fixture.options.max_subcompactions = parts;
    fixture.family_options.level0_file_num_compaction_trigger = 2;
    fixture.family_options.target_file_size_base = 20_000;
    fixture.family_options.compression = options::CompressionType::NoCompression;
    fixture.family_options.compaction_filter = Some(gate.clone());
    (fixture, gate)
}

/// A file of level 0. No two have a key in common.
fn flush(db: &Db, number: u32) {
    for key in 0..100 {
        put(db, &format!("{key:02}-{number}"), &"value".repeat(200));
    }
    db.flush(&FlushOptions::default(), &[&default_family(db)]).unwrap();
}

fn settle(db: &Db) {
    db.wait_for_compact(&WaitForCompactOptions::default()).unwrap();
}

fn stall(db: &Db, name: &str) -> f64 {
    let map = db.map_property(&default_family(db), "touchstone.stall").unwrap();
    map[name].parse().unwrap()
}

#[test]
fn flushes_wait_for_no_compaction() {
    let (mut fixture, gate) = gated(2, 1);
    // More files than a compaction that waits should have to do with.
    fixture.family_options.level0_slowdown_writes_trigger = 100;
    fixture.family_options.level0_stop_writes_trigger = 100;
    let db = fixture.open();
    (0..2).for_each(|number| flush(&db, number));
    until("all threads that may compact do", || gate.waiting() == 1);
    (2..30).for_each(|number| flush(&db, number));
    assert_eq!(gate.waiting(), 1);
    assert_eq!(stall(&db, "flushes"), 30.0);
    let mean = stall(&db, "flush-wait-seconds") / 30.0;
    assert!(mean > 0.0 && mean < 0.01, "{mean} s");
    assert!(stall(&db, "flush-wait-seconds-max") >= mean);
    gate.open();
    settle(&db);
}

#[test]
fn parts_of_compactions_are_background_jobs() {
    // One of the jobs is a flush.
    for (jobs, threads) in [(2, 1), (3, 2), (4, 3)] {
        let (fixture, gate) = gated(jobs, 8);
        let db = fixture.open();
        (0..2).for_each(|number| flush(&db, number));
        until("as many parts as may run do", || gate.waiting() == threads);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(gate.waiting(), threads, "with {jobs} jobs");
        gate.open();
        settle(&db);
        let family = default_family(&db);
        assert_eq!(db.property(&family, "rocksdb.num-files-at-level0").unwrap(), "0");
    }
}
