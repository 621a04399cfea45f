//! What a thread of a benchmark does. One file each; [`BENCHMARKS`] lists them.

mod multi_read_random;
mod read_random;
mod read_sequential;
mod seek_random;

use crate::flags::Flags;
use crate::key_generator::{KeyChooser, KeyFormat};
use crate::random::Random64;
use crate::stats::Stats;
use base::Result;
use db::{ColumnFamilyHandle, Db};
use std::time::{Duration, Instant};
use table::ReadOptions;

/// A timed benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// Its name in `--benchmarks`.
    pub name: &'static str,
    /// Bytes added to `--key_size`, so that keys cannot exist.
    pub extra_key_bytes: usize,
    /// What one thread does.
    pub run: fn(&Workload<'_>, &mut Thread) -> Result<()>,
}

/// The timed benchmarks, by name.
pub static BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "multireadrandom", extra_key_bytes: 0, run: multi_read_random::run },
    Benchmark { name: "readmissing", extra_key_bytes: 1, run: read_random::run },
    Benchmark { name: "readrandom", extra_key_bytes: 0, run: read_random::run },
    Benchmark { name: "readreverse", extra_key_bytes: 0, run: read_sequential::run_backward },
    Benchmark { name: "readseq", extra_key_bytes: 0, run: read_sequential::run_forward },
    Benchmark { name: "seekrandom", extra_key_bytes: 0, run: seek_random::run },
];

/// An open database and the families keys are spread over.
#[derive(Debug)]
pub struct Target {
    /// The database.
    pub db: Db,
    /// Its families; the first is `default`.
    pub families: Vec<ColumnFamilyHandle>,
}

impl Target {
    /// The family of the key made from `number`.
    #[inline]
    pub fn family(&self, number: u64, hot_families: usize) -> &ColumnFamilyHandle {
        match self.families.len() {
            1 => &self.families[0],
            count => &self.families[number as usize % hot_families.clamp(1, count)],
        }
    }
}

/// What all threads of a run share.
#[derive(Debug)]
pub struct Workload<'a> {
    /// The command line.
    pub flags: &'a Flags,
    /// The databases; more than one with `--num_multi_db`.
    pub targets: &'a [Target],
    /// The shape of keys.
    pub keys: KeyFormat,
    /// Which keys are asked for.
    pub chooser: KeyChooser,
    /// All keys there are, with `--use_existing_keys`.
    pub existing_keys: &'a [Vec<u8>],
    /// Operations of a thread (`--reads`).
    pub reads: u64,
    /// How reads are done.
    pub read_options: ReadOptions,
    /// `--num_hot_column_families`, or all.
    pub hot_families: usize,
}

/// What a thread has of its own.
pub struct Thread {
    /// Its random numbers.
    pub random: Random64,
    /// Its measurements.
    pub stats: Stats,
}

impl Workload<'_> {
    /// The database of the next operation. Draws a number even where there is only one, as
    /// `db_bench` does.
    #[inline]
    pub fn select_target(&self, random: &mut Random64) -> &Target {
        let draw = random.next_u64();
        match self.targets {
            [only] => only,
            several => &several[draw as usize % several.len()],
        }
    }

    /// Writes the key of `number` over `key`.
    #[inline]
    pub fn key(&self, number: u64, key: &mut Vec<u8>) {
        if self.existing_keys.is_empty() {
            self.keys.write(number, key);
        } else {
            key.clone_from(&self.existing_keys[number as usize % self.existing_keys.len()]);
        }
    }

    /// When this thread ends.
    pub fn limit(&self) -> Limit {
        let seconds = self.flags.uint("duration");
        Limit {
            deadline: (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds)),
            operations_max: self.reads,
            check_every: self.flags.uint("ops_between_duration_checks").max(1),
            operations: 0,
        }
    }
}

/// Decides when a thread has done enough: after a number of operations, or after `--duration`
/// seconds, looked at only now and then because the clock costs more than an operation.
#[derive(Debug)]
pub struct Limit {
    deadline: Option<Instant>,
    operations_max: u64,
    check_every: u64,
    operations: u64,
}

impl Limit {
    /// Counts `increment` more operations; true if they are too many.
    #[inline]
    pub fn is_done(&mut self, increment: u64) -> bool {
        let before = self.operations;
        self.operations += increment.max(1);
        match self.deadline {
            None => self.operations > self.operations_max,
            Some(deadline) => {
                self.operations / self.check_every != before / self.check_every
                    && Instant::now() >= deadline
            }
        }
    }
}

#[cfg(test)]
mod tests;
