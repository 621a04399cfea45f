//! `deleteseq` and `deleterandom`: batches of deletions.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use db::WriteBatch;

pub(super) fn run_sequential(workload: &Workload<'_>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, 0, |index, _| index)
}

pub(super) fn run_random(workload: &Workload<'_>, thread: &mut Thread) -> Result<()> {
    let seconds = workload.flags.uint("duration");
    run(workload, thread, seconds, |_, thread| workload.random_number(&mut thread.random))
}

fn run(
    workload: &Workload<'_>,
    thread: &mut Thread,
    seconds: u64,
    choose: impl Fn(u64, &mut Thread) -> u64,
) -> Result<()> {
    let deletes = match workload.flags.int("deletes") {
        deletes if deletes >= 0 => deletes as u64,
        _ => workload.flags.uint("num"),
    };
    let (mut batch, mut key) = (WriteBatch::new(), Vec::new());
    let mut limit = workload.limit_of(deletes, seconds);
    let mut done = 0;
    while !limit.is_done(workload.batch_size) {
        let target = workload.select_target(&mut thread.random);
        batch.clear();
        for index in done..done + workload.batch_size {
            workload.key(choose(index, thread), &mut key);
            batch.delete(target.families[0].id(), &key)?;
        }
        target.db.write_reused(&workload.write_options, &mut batch)?;
        thread.stats.finished_operations(workload.batch_size, OperationType::Delete);
        done += workload.batch_size;
    }
    Ok(())
}
