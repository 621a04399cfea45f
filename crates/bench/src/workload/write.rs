//! `fillseq`, `fillrandom`, `filluniquerandom`, `overwrite` and the like: batches of puts.

mod disposable;
pub(super) mod fixed_levels;
mod overwrite_window;
mod range_tombstones;

use super::{Thread, Workload};
use crate::random::Random64;
use crate::shuffle::shuffled;
use crate::stats::OperationType;
use base::{Result, Status};
use disposable::Disposal;
use engines::{Batch, Engine};
use overwrite_window::OverwriteWindow;
pub(super) use range_tombstones::RangeTombstones;

pub(super) fn run_sequential<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run(workload, thread, &mut Order::Sequential)
}

/// Puts every key of `--num`, whatever `--writes` says.
pub(super) fn run_sequential_all<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    run_of(workload, thread, &mut Order::Sequential, workload.flags.uint("num"))
}

pub(super) fn run_random<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    run(workload, thread, &mut Order::Random)
}

pub(super) fn run_unique_random<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    if let Some(disposal) = Disposal::of(workload)? {
        return disposable::run(workload, thread, &disposal);
    }
    let tombstones = RangeTombstones::new(workload.flags);
    let numbers =
        shuffled(workload.chooser.key_count + tombstones.count_max, workload.seed_base as u32);
    let window = overwrite_window(workload)?;
    let mut order = Order::Unique(numbers, window);
    run(workload, thread, &mut order)?;
    if let Order::Unique(_, Some(window)) = order {
        println!("Number of unique keys inserted: {}.", window.unique_count);
        println!("Number of overwrites: {}", window.overwrite_count);
    }
    Ok(())
}

fn overwrite_window<E: Engine>(workload: &Workload<'_, E>) -> Result<Option<Box<OverwriteWindow>>> {
    let flags = workload.flags;
    let probability = flags.double("overwrite_probability");
    if probability <= 0.0 {
        return Ok(None);
    }
    match flags.uint("overwrite_window_size") as usize {
        0 => Err(Status::invalid_argument("--overwrite_window_size must be at least 1")),
        size => Ok(Some(Box::new(OverwriteWindow::new(probability, size, workload.seed_base)))),
    }
}

/// Which keys are written one after another, in each database.
enum Order {
    Sequential,
    Random,
    /// As they stand there, some of the last ones again.
    Unique(Vec<u64>, Option<Box<OverwriteWindow>>),
}

impl Order {
    /// The next key of a database of which the first `at` were written; none if there are no more.
    fn next(&mut self, at: &mut u64, key_count: u64, random: &mut Random64) -> Option<u64> {
        let mut next_place = || {
            *at += 1;
            *at - 1
        };
        match self {
            Self::Sequential => Some(next_place()),
            Self::Random => Some(random.next_u64() % key_count),
            Self::Unique(numbers, None) => numbers.get(next_place() as usize).copied(),
            Self::Unique(numbers, Some(window)) => {
                window.next(|| numbers.get(next_place() as usize).copied())
            }
        }
    }
}

fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    order: &mut Order,
) -> Result<()> {
    run_of(workload, thread, order, workload.writes_of_thread())
}

/// Puts so many entries into each database.
fn run_of<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    order: &mut Order,
    per_database: u64,
) -> Result<()> {
    let tombstones = RangeTombstones::new(workload.flags);
    // As many keys more as there will be ranges.
    let key_count = workload.chooser.key_count + tombstones.count_max;
    if workload.chooser.key_count != workload.flags.uint("num") {
        thread.stats.add_message(&format!("({} ops)", workload.chooser.key_count));
    }
    let seconds = match order {
        Order::Random => workload.flags.uint("duration"),
        Order::Sequential | Order::Unique(..) => 0,
    };
    let mut limit = workload.limit_of(per_database * workload.targets.len() as u64, seconds);
    let mut written_to = vec![0u64; workload.targets.len()];
    let mut values = workload.values(thread);
    let Some(first) = workload.targets.first() else { return Ok(()) };
    let (mut batch, mut key) = (first.db.new_batch(), Vec::new());
    let (mut written, mut range_count, mut bytes) = (0, 0, 0);
    let mut is_exhausted = false;
    while key_count > 0 && !is_exhausted && !limit.is_done(workload.batch_size) {
        workload.follow_families(&limit);
        // Ascending keys go into one database after another, others into any.
        let index = match order {
            Order::Sequential => written / per_database,
            _ => thread.random.next_u64() % workload.targets.len() as u64,
        } as usize;
        let target = &workload.targets[index];
        batch.clear();
        let (before, entries_before) = (bytes, written + range_count);
        for _ in 0..workload.batch_size {
            let at = &mut written_to[index];
            let Some(number) = order.next(at, key_count, &mut thread.random) else {
                // More writes than keys.
                is_exhausted = true;
                break;
            };
            workload.key(number, &mut key);
            let value = values.next_value();
            let family = workload.family(target, number);
            batch.put(family, &key, value)?;
            bytes += (key.len() + value.len()) as u64;
            written += 1;
            if tombstones.is_due(written)
                && let Some(begin) = order.next(at, key_count, &mut thread.random)
            {
                range_count += 1;
                delete_range(workload, &tombstones, &mut batch, family, begin)?;
            }
        }
        let count = match is_exhausted {
            true => written + range_count - entries_before,
            false => workload.batch_size,
        };
        if count > 0 {
            workload.wait_for_batch(thread, bytes - before);
            target.db.write(&workload.write_options, &mut batch)?;
            thread.stats.finished_operations(count, OperationType::Write);
        }
        workload.follow_sine(thread);
    }
    if range_count > 0 {
        println!("Number of range deletions: {range_count}");
    }
    thread.stats.add_bytes(bytes);
    Ok(())
}

/// Deletes the keys from that of `begin` on: as one range, or each.
pub(super) fn delete_range<E: Engine>(
    workload: &Workload<'_, E>,
    tombstones: &RangeTombstones,
    batch: &mut E::Batch,
    family: &E::Family,
    begin: u64,
) -> Result<()> {
    let (mut key, mut end) = (Vec::new(), Vec::new());
    if tombstones.is_expanded {
        return (begin..begin + tombstones.width).try_for_each(|number| {
            workload.key(number, &mut key);
            batch.delete(family, &key)
        });
    }
    workload.key(begin, &mut key);
    workload.key(begin + tombstones.width, &mut end);
    batch.delete_range(family, &key, &end)
}
