//! `fillseq`, `fillrandom`, `filluniquerandom`, `overwrite` and the like: batches of puts.

use super::{Thread, Workload, wait_for_grant};
use crate::shuffle::shuffled;
use crate::stats::OperationType;
use base::Result;
use engines::{Batch, Engine};

pub(super) fn run_sequential<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, &Order::Sequential)
}

pub(super) fn run_random<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, &Order::Random)
}

pub(super) fn run_unique_random<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let numbers = shuffled(workload.chooser.key_count, workload.seed_base as u32);
    run(workload, thread, &Order::Unique(numbers))
}

/// Which keys are written one after another, in each database.
enum Order {
    Sequential,
    Random,
    /// As they stand there.
    Unique(Vec<u64>),
}

fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread, order: &Order) -> Result<()> {
    let key_count = workload.chooser.key_count;
    if key_count != workload.flags.uint("num") {
        thread.stats.add_message(&format!("({key_count} ops)"));
    }
    let per_database = if workload.writes == 0 { key_count } else { workload.writes };
    let seconds = match order {
        Order::Random => workload.flags.uint("duration"),
        Order::Sequential | Order::Unique(_) => 0,
    };
    let mut limit = workload.limit_of(per_database * workload.targets.len() as u64, seconds);
    let mut written_to = vec![0u64; workload.targets.len()];
    let mut values = workload.values();
    let Some(first) = workload.targets.first() else { return Ok(()) };
    let (mut batch, mut key) = (first.db.new_batch(), Vec::new());
    let (mut written, mut bytes) = (0, 0);
    while key_count > 0 && !limit.is_done(workload.batch_size) {
        // Ascending keys go into one database after another, others into any.
        let index = match order {
            Order::Sequential => written / per_database,
            _ => thread.random.next_u64() % workload.targets.len() as u64,
        } as usize;
        let target = &workload.targets[index];
        batch.clear();
        let before = bytes;
        for _ in 0..workload.batch_size {
            let at = written_to[index];
            let number = match order {
                Order::Sequential => at,
                Order::Random => thread.random.next_u64() % key_count,
                Order::Unique(numbers) => match numbers.get(at as usize) {
                    Some(number) => *number,
                    // More writes than keys.
                    None => return write(workload, thread, &mut batch, index, bytes),
                },
            };
            written_to[index] += 1;
            workload.key(number, &mut key);
            let value = values.next_value();
            let family = target.family(number, workload.hot_families);
            batch.put(family, &key, value)?;
            bytes += (key.len() + value.len()) as u64;
            written += 1;
        }
        if let Some(limiter) = &workload.write_limiter {
            wait_for_grant(limiter, bytes - before);
            thread.stats.reset_last_operation_time();
        }
        target.db.write(&workload.write_options, &mut batch)?;
        thread.stats.finished_operations(workload.batch_size, OperationType::Write);
    }
    thread.stats.add_bytes(bytes);
    Ok(())
}

/// Writes a last batch, that need not be full.
fn write<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    batch: &mut E::Batch,
    index: usize,
    bytes: u64,
) -> Result<()> {
    let count = batch.count();
    if count > 0 {
        workload.targets[index].db.write(&workload.write_options, batch)?;
        thread.stats.finished_operations(count, OperationType::Write);
    }
    thread.stats.add_bytes(bytes);
    Ok(())
}
