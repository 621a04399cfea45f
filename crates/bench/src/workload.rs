//! What a thread of a benchmark does. One file each; [`benchmarks`] lists them.

mod background_writer;
mod compact;
mod delete;
mod merge_random;
mod multi_read_random;
mod read_random;
mod read_random_merge_random;
mod read_sequential;
mod seek_random;
mod update_random;
mod write;

use crate::flags::Flags;
use crate::key_generator::{KeyChooser, KeyFormat};
use crate::random::Random64;
use crate::stats::Stats;
use crate::value_generator::ValueGenerator;
use base::Result;
use db::ReadOptions;
use engines::Engine;
use env::rate_limiter::{GenericRateLimiter, IoOperation, IoPriority, RateLimiter};
use std::marker::PhantomData;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

/// What a thread of a benchmark does.
pub type Run<E> = fn(&Workload<'_, E>, &mut Thread) -> Result<()>;

/// Whether a benchmark changes the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// It only reads.
    Nothing,
    /// It writes to what is there.
    Database,
    /// It begins with an empty database.
    AllOfIt,
}

/// A timed benchmark of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark<E: Engine> {
    /// Its name in `--benchmarks`.
    pub name: &'static str,
    /// Bytes added to `--key_size`, so that keys cannot exist.
    pub extra_key_bytes: usize,
    /// Whether it changes the database.
    pub changes: Changes,
    /// One key of this many is used.
    pub key_divisor: u64,
    /// Bytes of a value, where it is not `--value_size`.
    pub value_size: Option<usize>,
    /// Keys of a batch, where it is not `--batch_size`.
    pub batch_size: Option<u64>,
    /// Whether every write is synced, without `--sync`.
    pub syncs: bool,
    /// Whether it has one thread only.
    pub is_single_threaded: bool,
    /// What an additional thread does for as long as the others run. It is not measured.
    pub background: Option<Run<E>>,
    /// What one thread does.
    pub run: Run<E>,
}

impl<E: Engine> Benchmark<E> {
    const fn new(name: &'static str, changes: Changes, run: Run<E>) -> Self {
        Self {
            name,
            extra_key_bytes: 0,
            changes,
            key_divisor: 1,
            value_size: None,
            batch_size: None,
            syncs: false,
            is_single_threaded: false,
            background: None,
            run,
        }
    }

    const fn reads(name: &'static str, run: Run<E>) -> Self {
        Self::new(name, Changes::Nothing, run)
    }

    const fn writes(name: &'static str, run: Run<E>) -> Self {
        Self::new(name, Changes::Database, run)
    }

    const fn fills(name: &'static str, run: Run<E>) -> Self {
        Self::new(name, Changes::AllOfIt, run)
    }
}

/// The timed benchmarks of an engine, by name.
pub fn benchmarks<E: Engine>() -> &'static [Benchmark<E>] {
    Table::<E>::ROWS
}

/// Has a table for each engine.
struct Table<E>(PhantomData<E>);

impl<E: Engine> Table<E> {
    const ROWS: &'static [Benchmark<E>] = &[
        Benchmark::writes("appendrandom", update_random::run_appending),
        Benchmark::writes("compact", compact::run),
        Benchmark::writes("deleterandom", delete::run_random),
        Benchmark::writes("deleteseq", delete::run_sequential),
        Benchmark {
            key_divisor: 1000,
            value_size: Some(100_000),
            ..Benchmark::fills("fill100K", write::run_random)
        },
        Benchmark {
            batch_size: Some(1000),
            ..Benchmark::fills("fillbatch", write::run_sequential)
        },
        Benchmark::fills("fillrandom", write::run_random),
        Benchmark::fills("fillseq", write::run_sequential),
        Benchmark {
            key_divisor: 1000,
            syncs: true,
            ..Benchmark::fills("fillsync", write::run_random)
        },
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::fills("filluniquerandom", write::run_unique_random)
        },
        Benchmark::writes("mergerandom", merge_random::run),
        Benchmark::reads("multireadrandom", multi_read_random::run),
        Benchmark {
            background: Some(background_writer::run_putting),
            ..Benchmark::writes("multireadwhilewriting", multi_read_random::run)
        },
        Benchmark::writes("overwrite", write::run_random),
        Benchmark { extra_key_bytes: 1, ..Benchmark::reads("readmissing", read_random::run) },
        Benchmark::reads("readrandom", read_random::run),
        Benchmark::writes("readrandommergerandom", read_random_merge_random::run),
        Benchmark::reads("readreverse", read_sequential::run_backward),
        Benchmark::reads("readseq", read_sequential::run_forward),
        Benchmark {
            background: Some(background_writer::run_merging),
            ..Benchmark::writes("readwhilemerging", read_random::run)
        },
        Benchmark {
            background: Some(background_writer::run_putting),
            ..Benchmark::writes("readwhilewriting", read_random::run)
        },
        Benchmark::reads("seekrandom", seek_random::run),
        Benchmark {
            background: Some(background_writer::run_merging),
            ..Benchmark::writes("seekrandomwhilemerging", seek_random::run)
        },
        Benchmark {
            background: Some(background_writer::run_putting),
            ..Benchmark::writes("seekrandomwhilewriting", seek_random::run)
        },
        Benchmark::writes("updaterandom", update_random::run),
    ];
}

/// An open database and the families keys are spread over.
pub struct Target<E: Engine> {
    /// The database.
    pub db: E,
    /// Its families; the first is `default`.
    pub families: Vec<E::Family>,
}

impl<E: Engine> Target<E> {
    /// The family of the key made from `number`.
    #[inline]
    pub fn family(&self, number: u64, hot_families: usize) -> &E::Family {
        match self.families.len() {
            1 => &self.families[0],
            count => &self.families[number as usize % hot_families.clamp(1, count)],
        }
    }
}

/// What all threads of a run share.
pub struct Workload<'a, E: Engine> {
    /// The command line.
    pub flags: &'a Flags,
    /// The databases; more than one with `--num_multi_db`.
    pub targets: &'a [Target<E>],
    /// The shape of keys.
    pub keys: KeyFormat,
    /// Which keys are asked for.
    pub chooser: KeyChooser,
    /// All keys there are, with `--use_existing_keys`.
    pub existing_keys: &'a [Vec<u8>],
    /// Operations of a thread (`--reads`).
    pub reads: u64,
    /// Operations of a thread that writes (`--writes`).
    pub writes: u64,
    /// Operations of a thread that reads and writes.
    pub reads_and_writes: u64,
    /// Keys of a batch that is written.
    pub batch_size: u64,
    /// Bytes of a value that is written.
    pub value_size: usize,
    /// The seed of the first thread, less one.
    pub seed_base: u64,
    /// How reads are done, as the flags say it.
    pub reading: ReadOptions,
    /// How reads are done, as the engine wants it.
    pub read_options: E::ReadOptions,
    /// How writes are done.
    pub write_options: E::WriteOptions,
    /// What holds writers to `--benchmark_write_rate_limit`.
    pub write_limiter: Option<GenericRateLimiter>,
    /// Threads that have not ended, but for one in the background.
    pub running: AtomicUsize,
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

impl<E: Engine> Workload<'_, E> {
    /// The database of the next operation. Draws a number even where there is only one, as
    /// `db_bench` does.
    #[inline]
    pub fn select_target(&self, random: &mut Random64) -> &Target<E> {
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

    /// The values that a thread writes, one after another.
    pub fn values(&self) -> ValueGenerator {
        ValueGenerator::new(self.value_size, self.flags.double("compression_ratio"))
    }

    /// The keys of the benchmarks that merge.
    pub fn merge_keys(&self) -> KeyFormat {
        let key_count = match self.flags.int("merge_keys") {
            count if count >= 0 => count as u64,
            _ => self.flags.uint("num"),
        };
        KeyFormat { key_count: key_count.max(1), ..self.keys }
    }

    /// A number below `--num`.
    #[inline]
    pub fn random_number(&self, random: &mut Random64) -> u64 {
        random.next_u64() % self.flags.uint("num").max(1)
    }

    /// When a thread that reads ends.
    pub fn limit(&self) -> Limit {
        self.limit_of(self.reads, self.flags.uint("duration"))
    }

    /// When a thread ends: after so many operations, or, unless that is 0, after so many seconds.
    pub fn limit_of(&self, operations_max: u64, seconds: u64) -> Limit {
        Limit {
            deadline: (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds)),
            operations_max,
            check_every: self.flags.uint("ops_between_duration_checks").max(1),
            operations: 0,
        }
    }
}

/// Waits until `bytes` may be written.
pub(crate) fn wait_for_grant(limiter: &GenericRateLimiter, bytes: u64) {
    let mut left = bytes;
    while left > 0 {
        left -= limiter.request_token(left, 0, IoPriority::High, IoOperation::Write);
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
