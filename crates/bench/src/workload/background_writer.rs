//! What writes while other threads read (`readwhilewriting` and the like).

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
    let mut values = workload.values();
    let mut key = Vec::new();
    // It does not share one with anybody.
    let limiter = match workload.flags.uint("benchmark_write_rate_limit") {
        0 => None,
        rate => Some(GenericRateLimiter::new(RateLimiterOptions::new(rate))?),
    };
    loop {
        let target = workload.select_target(&mut thread.random);
        // Relaxed: nothing is read that the others wrote before they ended.
        if workload.running.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        workload.key(workload.random_number(&mut thread.random), &mut key);
        let (value, family) = (values.next_value(), &target.families[0]);
        match puts {
            true => target.db.put(&workload.write_options, family, &key, value)?,
            false => target.db.merge(&workload.write_options, family, &key, value)?,
        }
        thread.stats.finished_operations(1, OperationType::Write);
        if let Some(limiter) = &limiter {
            wait_for_grant(limiter, (key.len() + value.len()) as u64);
        }
    }
}
