//! What writes while other threads read (`readwhilewriting` and the like).

use super::write::{RangeTombstones, delete_range};
use super::{Thread, Workload, wait_for_grant};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;
use env::rate_limiter::{GenericRateLimiter, RateLimiterOptions};
use std::sync::atomic::Ordering;

pub(super) fn run_putting<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, true)
}

pub(super) fn run_merging<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, false)
}

fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread, puts: bool) -> Result<()> {
    let flags = workload.flags;
    let mut values = workload.values(thread);
    let mut key = Vec::new();
    // It does not share one with anybody.
    let limiter = match flags.uint("benchmark_write_rate_limit") {
        0 => None,
        rate => Some(GenericRateLimiter::new(RateLimiterOptions::new(rate))?),
    };
    let tombstones = RangeTombstones::new(flags);
    let key_count = match flags.uint("bgwriter_num") {
        0 => flags.uint("num"),
        count => count,
    };
    let finishes_writes = flags.bool("finish_after_writes");
    let (mut written, mut range_count) = (0, 0);
    loop {
        let target = workload.select_target(&mut thread.random);
        if has_ended(workload, finishes_writes, written) {
            break;
        }
        workload.key(thread.random.next_u64() % key_count, &mut key);
        let (value, family) = (values.next_value(), &target.families[0]);
        match puts {
            true => target.db.put(&workload.write_options, family, &key, value)?,
            false => target.db.merge(&workload.write_options, family, &key, value)?,
        }
        written += 1;
        thread.stats.finished_operations(1, OperationType::Write);
        if let Some(limiter) = &limiter {
            wait_for_grant(limiter, (key.len() + value.len()) as u64);
        }
        if tombstones.is_due(written) {
            range_count += 1;
            let begin = thread.random.next_u64() % flags.uint("num");
            let mut batch = target.db.new_batch();
            delete_range(workload, &tombstones, &mut batch, family, begin)?;
            target.db.write(&workload.write_options, &mut batch)?;
            thread.stats.finished_operations(1, OperationType::Write);
        }
    }
    if range_count > 0 {
        println!("Number of range deletions: {range_count}");
    }
    Ok(())
}

/// With the readers, or after as many writes as there are to be (`--finish_after_writes`).
fn has_ended<E: Engine>(workload: &Workload<'_, E>, finishes_writes: bool, written: u64) -> bool {
    if finishes_writes {
        return written == workload.writes;
    }
    // Relaxed: nothing is read that the others wrote before they ended.
    workload.running.load(Ordering::Relaxed) == 0
}
