//! Entries that are put to be deleted soon (`fillanddeleteuniquerandom`): batches of them are
//! inserted one after another; some time after each, as many others are put that stay, and those of
//! the batch are deleted.

use super::{Thread, Workload};
use crate::shuffle::shuffled;
use crate::stats::OperationType;
use crate::value_generator::Random31;
use base::{Result, Status};
use engines::{Batch, Engine};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many entries there are of each sort, how long their values are, and when they go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disposal {
    /// Entries of a batch that will be deleted.
    disposable: u64,
    /// Entries that are put in their place.
    persistent: u64,
    delay: Duration,
    disposable_size: usize,
    persistent_size: usize,
}

/// What is done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Put the key at this place, for some time.
    PutDisposable(u64),
    /// Put it for good.
    PutPersistent(u64),
    Delete(u64),
}

/// How far one database is.
#[derive(Debug, Default)]
struct Schedule {
    next_disposable: u64,
    /// Steps done of the batch that is being replaced.
    replaced: u64,
    /// Batches that wait: from when on, and where in the order of keys they begin.
    waiting: VecDeque<(Instant, u64)>,
}

impl Schedule {
    fn next(&mut self, disposal: &Disposal, now: Instant) -> Step {
        let all = disposal.disposable + disposal.persistent;
        if let Some((_, first)) = self.waiting.front().filter(|(due, _)| *due < now).copied() {
            let index = self.replaced;
            self.replaced += 1;
            if self.replaced == all {
                self.replaced = 0;
                self.waiting.pop_front();
            }
            return match index < disposal.persistent {
                true => Step::PutPersistent(first + disposal.disposable + index),
                false => Step::Delete(first + index - disposal.persistent),
            };
        }
        let place = self.next_disposable;
        self.next_disposable += 1;
        if self.next_disposable.is_multiple_of(disposal.disposable) {
            self.next_disposable += disposal.persistent;
        }
        if self.next_disposable.is_multiple_of(all) {
            self.waiting.push_back((now + disposal.delay, self.next_disposable - all));
        }
        Step::PutDisposable(place)
    }
}

impl Disposal {
    /// What the flags ask for, if they do.
    ///
    /// # Errors
    /// `InvalidArgument` for what does not go together.
    pub(super) fn of<E: Engine>(workload: &Workload<'_, E>) -> Result<Option<Self>> {
        let flags = workload.flags;
        let disposable = flags.uint("disposable_entries_batch_size");
        let persistent = flags.uint("persistent_entries_batch_size");
        if disposable == 0 && persistent == 0 {
            return Ok(None);
        }
        let refused = |what: &str| Err(Status::invalid_argument(what));
        if disposable == 0 {
            return refused(
                "--persistent_entries_batch_size needs --disposable_entries_batch_size",
            );
        }
        if flags.uint("writes_per_range_tombstone") > 0
            || flags.double("overwrite_probability") > 0.0
        {
            return refused(
                "--disposable_entries_batch_size goes neither with --overwrite_probability nor with \
                 --writes_per_range_tombstone",
            );
        }
        Ok(Some(Self {
            disposable,
            persistent,
            delay: Duration::from_micros(flags.uint("disposable_entries_delete_delay")),
            disposable_size: flags.uint("disposable_entries_value_size") as usize,
            persistent_size: flags.uint("persistent_entries_value_size") as usize,
        }))
    }
}

pub(super) fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    disposal: &Disposal,
) -> Result<()> {
    let key_count = workload.chooser.key_count;
    let numbers = shuffled(key_count, workload.seed_base as u32);
    let target_count = workload.targets.len() as u64;
    let mut limit = workload.limit_of(workload.writes_of_thread() * target_count, 0);
    let mut schedules: Vec<_> = workload.targets.iter().map(|_| Schedule::default()).collect();
    let mut random = Random31::new(workload.seed_base as u32);
    let Some(first) = workload.targets.first() else { return Ok(()) };
    let (mut batch, mut key, mut value) = (first.db.new_batch(), Vec::new(), Vec::new());
    let (mut put_count, mut delete_count, mut bytes) = (0u64, 0u64, 0);
    while !limit.is_done(workload.batch_size) {
        let index = (thread.random.next_u64() % target_count) as usize;
        let target = &workload.targets[index];
        batch.clear();
        let before = bytes;
        for _ in 0..workload.batch_size {
            let step = schedules[index].next(disposal, Instant::now());
            let (Step::PutDisposable(place) | Step::PutPersistent(place) | Step::Delete(place)) =
                step;
            // More writes than keys.
            let Some(number) = numbers.get(place as usize) else { break };
            workload.key(*number, &mut key);
            let family = workload.family(target, *number);
            bytes += key.len() as u64;
            let size = match step {
                Step::PutDisposable(_) => disposal.disposable_size,
                Step::PutPersistent(_) => disposal.persistent_size,
                Step::Delete(_) => {
                    batch.delete(family, &key)?;
                    delete_count += 1;
                    continue;
                }
            };
            value.clear();
            value.extend((0..size).map(|_| random.printable()));
            batch.put(family, &key, &value)?;
            bytes += value.len() as u64;
            put_count += 1;
        }
        workload.wait_for_batch(thread, bytes - before);
        target.db.write(&workload.write_options, &mut batch)?;
        thread.stats.finished_operations(workload.batch_size, OperationType::Write);
    }
    println!("Number of unique keys inserted (disposable+persistent): {put_count}.");
    println!("Number of 'disposable entry delete': {delete_count}");
    thread.stats.add_bytes(bytes);
    Ok(())
}

#[cfg(test)]
mod tests;
