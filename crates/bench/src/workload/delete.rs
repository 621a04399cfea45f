//! `deleteseq` and `deleterandom`: batches of deletions.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::{Batch, Engine};

pub(super) fn run_sequential<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, 0, |index, _| index)
}

pub(super) fn run_random<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let seconds = workload.flags.uint("duration");
    run(workload, thread, seconds, |_, thread| workload.random_number(&mut thread.random))
}

fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    seconds: u64,
    choose: impl Fn(u64, &mut Thread) -> u64,
) -> Result<()> {
    let deletes = match workload.flags.int("deletes") {
        deletes if deletes >= 0 => deletes as u64,
        _ => workload.flags.uint("num"),
    };
    let Some(first) = workload.targets.first() else { return Ok(()) };
    let (mut batch, mut key) = (first.db.new_batch(), Vec::new());
    let mut limit = workload.limit_of(deletes, seconds);
    let mut done = 0;
    while !limit.is_done(workload.batch_size) {
        let target = workload.select_target(&mut thread.random);
        batch.clear();
        for index in done..done + workload.batch_size {
            workload.key(choose(index, thread), &mut key);
            batch.delete(&target.families[0], &key)?;
        }
        target.db.write(&workload.write_options, &mut batch)?;
        thread.stats.finished_operations(workload.batch_size, OperationType::Delete);
        done += workload.batch_size;
    }
    Ok(())
}
