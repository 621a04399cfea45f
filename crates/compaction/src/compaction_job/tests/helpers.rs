//! Parts and the threads that do them.

use super::errors::{job, two_files};
use super::*;
use crate::compaction_job::Helpers;
use parking_lot::Mutex;
use std::sync::Arc;

/// So many may help at a time.
#[derive(Debug)]
pub(in crate::compaction_job) struct Crew {
    helpers_max: usize,
    tally: Arc<Mutex<Tally>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    engaged: usize,
    most: usize,
    asked: usize,
}

struct Engagement(Arc<Mutex<Tally>>);

impl Drop for Engagement {
    fn drop(&mut self) {
        self.0.lock().engaged -= 1;
    }
}

impl Crew {
    pub(in crate::compaction_job) fn of(helpers_max: usize) -> Self {
        Self { helpers_max, tally: Arc::default() }
    }
}

impl Helpers for Crew {
    fn engage(&self) -> Option<Box<dyn Send>> {
        let mut tally = self.tally.lock();
        tally.asked += 1;
        if tally.engaged == self.helpers_max {
            return None;
        }
        tally.engaged += 1;
        tally.most = tally.most.max(tally.engaged);
        Some(Box::new(Engagement(self.tally.clone())))
    }
}

fn boundaries() -> Vec<Vec<u8>> {
    (1..6).map(|part| format!("key{:06}", part * 250).into_bytes()).collect()
}

/// Smallest and largest keys, entries and sizes of the outputs of a job with these helpers, and what
/// these were asked.
fn run_with(helpers_max: usize) -> (Vec<(InternalKey, InternalKey, u64, u64)>, Tally) {
    let (environment, compaction) = two_files();
    let mut job = job(&environment, compaction);
    let crew = Arc::new(Crew::of(helpers_max));
    job.options.helpers = crew.clone();
    let outcome = job.run(&boundaries()).unwrap();
    assert_eq!((outcome.stats.num_parts, outcome.stats.num_output_records), (6, 1500));
    let outputs = outcome.files.iter().map(|output| {
        let file = &output.metadata;
        let entries = output.properties.num_entries;
        (file.smallest.clone(), file.largest.clone(), entries, file.file_size)
    });
    let tally = *crew.tally.lock();
    assert_eq!(tally.engaged, 0, "all helpers are free again");
    (outputs.collect(), tally)
}

#[test]
fn parts_are_the_same_however_many_threads_do_them() {
    let (alone, tally) = run_with(0);
    assert_eq!(alone.len(), 6);
    assert_eq!(tally, Tally { asked: 5, ..Tally::default() }, "asked before each but the last");
    for helpers_max in [1, 2, 9] {
        let (outputs, tally) = run_with(helpers_max);
        assert_eq!(outputs, alone);
        assert!((1..=helpers_max.min(5)).contains(&tally.most), "{tally:?}");
    }
}

#[test]
fn after_a_part_that_failed_none_begins() {
    let (environment, compaction) = two_files();
    let path = environment.directory.join("000010.sst");
    let file_system = &environment.file_system;
    let mut bytes = env::read_file_to_vec(&**file_system, &path, 1 << 20).unwrap();
    bytes[300] ^= 1;
    let mut file = file_system.new_writable_file(&path, &env::FileOptions::default()).unwrap();
    file.append(&bytes).unwrap();
    file.close().unwrap();
    let mut job = job(&environment, compaction);
    let crew = Arc::new(Crew::of(0));
    job.options.helpers = crew.clone();
    assert!(job.run(&boundaries()).unwrap_err().is_corruption());
    assert_eq!(crew.tally.lock().asked, 1, "by the first part alone");
}
