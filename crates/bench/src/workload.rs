//! What a thread of a benchmark does. One file each; [`benchmarks`] lists them.

mod acquire_load;
mod approximate_sizes;
mod background_scan;
mod background_writer;
mod codecs;
mod compact;
mod delete;
mod fill_seek_seq;
mod get_merge_operands;
mod hashes;
mod ingest;
mod merge_random;
mod mix_graph;
mod multi_read_random;
mod multi_scan;
mod new_iterator;
mod random_lookups;
mod random_replace_keys;
mod random_transaction;
mod random_with_verify;
mod read_entity;
mod read_random;
mod read_random_fast;
mod read_random_merge_random;
mod read_random_write_random;
mod read_sequential;
mod seek_random;
mod time_series;
mod update_random;
mod verify_checksums;
mod write;

use crate::flags::Flags;
use crate::key_generator::{KeyChooser, KeyFormat};
use crate::random::Random64;
use crate::stats::Stats;
use crate::value_generator::{ValueGenerator, ValueKind};
use base::Result;
use db::ReadOptions;
use engines::Engine;
use env::rate_limiter::{GenericRateLimiter, IoOperation, IoPriority, RateLimiter};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use write::fixed_levels;

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

/// What the thread in the background of a benchmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundThread {
    /// One more than `--threads`, which is not measured.
    Additional,
    /// One more, which is measured with the others.
    AdditionalMeasured,
    /// The first of `--threads`, which is not measured.
    First,
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
    /// What a thread in the background does, while the others do what is measured.
    pub background: Option<Run<E>>,
    /// What that thread is.
    pub background_thread: BackgroundThread,
    /// Whether a thread reads as much as there is, whatever `--reads` says.
    pub reads_all: bool,
    /// Reads of a thread are divided by this.
    pub read_divisor: u64,
    /// Whether it has anything to do with a database.
    pub uses_database: bool,
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
            background_thread: BackgroundThread::Additional,
            reads_all: false,
            read_divisor: 1,
            uses_database: true,
            run,
        }
    }

    const fn reads(name: &'static str, run: Run<E>) -> Self {
        Self::new(name, Changes::Nothing, run)
    }

    const fn computes(name: &'static str, run: Run<E>) -> Self {
        Self { uses_database: false, ..Self::reads(name, run) }
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
        Benchmark::computes("acquireload", acquire_load::run),
        Benchmark::writes("appendrandom", update_random::run_appending),
        Benchmark::reads("approximatememtablestats", approximate_sizes::run_memtables),
        Benchmark::reads("approximatesizerandom", approximate_sizes::run),
        Benchmark::writes("compact", compact::run),
        Benchmark::computes("compress", codecs::run_compress),
        Benchmark::computes("compressreject", codecs::run_compress_reject),
        Benchmark::computes("crc32c", hashes::run_crc32c),
        Benchmark::writes("deleterandom", delete::run_random),
        Benchmark::writes("deleteseq", delete::run_sequential),
        Benchmark {
            key_divisor: 1000,
            value_size: Some(100_000),
            ..Benchmark::fills("fill100K", write::run_random)
        },
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::fills("fillanddeleteuniquerandom", write::run_unique_random)
        },
        Benchmark {
            batch_size: Some(1000),
            ..Benchmark::fills("fillbatch", write::run_sequential)
        },
        Benchmark::fills("fillrandom", write::run_random),
        Benchmark::fills("fillseekseq", fill_seek_seq::run),
        Benchmark::fills("fillseq", write::run_sequential),
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::fills("fillseqdeterministic", fixed_levels::run_sequential)
        },
        Benchmark {
            key_divisor: 1000,
            syncs: true,
            ..Benchmark::fills("fillsync", write::run_random)
        },
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::fills("filluniquerandom", write::run_unique_random)
        },
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::fills("filluniquerandomdeterministic", fixed_levels::run_unique_random)
        },
        Benchmark::writes("getmergeoperands", get_merge_operands::run),
        Benchmark {
            is_single_threaded: true,
            ..Benchmark::writes("ingestexternalfile", ingest::run)
        },
        Benchmark::writes("mergerandom", merge_random::run),
        Benchmark::writes("mixgraph", mix_graph::run),
        Benchmark::reads("multireadentity", read_entity::run_batches),
        Benchmark::reads("multireadrandom", multi_read_random::run),
        Benchmark {
            background: Some(background_writer::run_putting),
            ..Benchmark::writes("multireadwhilewriting", multi_read_random::run)
        },
        Benchmark::reads("multiscan", multi_scan::run),
        Benchmark::reads("multiscanrandom", multi_scan::run_random),
        Benchmark::reads("newiterator", new_iterator::run),
        Benchmark {
            background: Some(background_writer::run_putting),
            ..Benchmark::writes("newiteratorwhilewriting", new_iterator::run)
        },
        Benchmark::writes("overwrite", write::run_random),
        Benchmark::fills("randomreplacekeys", random_replace_keys::run),
        Benchmark::writes("randomtransaction", random_transaction::run),
        Benchmark::writes("randomwithverify", random_with_verify::run),
        Benchmark { extra_key_bytes: 1, ..Benchmark::reads("readmissing", read_random::run) },
        Benchmark::reads("readrandom", read_random::run),
        Benchmark::reads("readrandomentity", read_entity::run),
        Benchmark::reads("readrandomfast", read_random_fast::run),
        Benchmark::writes("readrandommergerandom", read_random_merge_random::run),
        Benchmark::reads("readrandomoperands", get_merge_operands::run_random),
        Benchmark { read_divisor: 1000, ..Benchmark::reads("readrandomsmall", read_random::run) },
        Benchmark::writes("readrandomwriterandom", read_random_write_random::run),
        Benchmark::reads("readreverse", read_sequential::run_backward),
        Benchmark::reads("readseq", read_sequential::run_forward),
        Benchmark {
            is_single_threaded: true,
            reads_all: true,
            ..Benchmark::reads("readtocache", read_sequential::run_forward)
        },
        Benchmark {
            background: Some(background_writer::run_merging),
            ..Benchmark::writes("readwhilemerging", read_random::run)
        },
        Benchmark {
            background: Some(background_scan::run),
            background_thread: BackgroundThread::AdditionalMeasured,
            ..Benchmark::reads("readwhilescanning", read_random::run)
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
        Benchmark {
            background: Some(time_series::run_writing),
            background_thread: BackgroundThread::First,
            ..Benchmark::fills("timeseries", time_series::run_reading)
        },
        Benchmark::computes("uncompress", codecs::run_uncompress),
        Benchmark::writes("updaterandom", update_random::run),
        Benchmark::reads("verifychecksum", verify_checksums::run_blocks),
        Benchmark::reads("verifyfilechecksums", verify_checksums::run_files),
        Benchmark::writes("xorupdaterandom", update_random::run_xor),
        Benchmark::computes("xxh3", hashes::run_xxh3),
        Benchmark::computes("xxhash", hashes::run_xxhash),
        Benchmark::computes("xxhash64", hashes::run_xxhash64),
    ];
}

/// An open database and the families keys are spread over.
pub struct Target<E: Engine> {
    /// The database.
    pub db: E,
    /// Its families; the first is `default`.
    pub families: Vec<E::Family>,
}

/// Which family a key belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyChooser {
    /// Keys are spread over so many families (`--num_hot_column_families`), or all.
    pub hot: usize,
    /// Of a hundred keys so many belong to each (`--column_family_distribution`); empty for all
    /// alike.
    pub percents: Vec<u64>,
}

impl FamilyChooser {
    /// The family of the key made from `number`, of `count` there are.
    #[inline]
    pub fn index(&self, number: u64, count: usize) -> usize {
        if count == 1 {
            return 0;
        }
        if self.percents.is_empty() {
            return number as usize % self.hot.clamp(1, count);
        }
        let mut sum = 0;
        let index = self.percents.iter().position(|percent| {
            sum += percent;
            sum >= number % 100
        });
        index.unwrap_or(0)
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
    /// What values are like that are written.
    pub value_kind: ValueKind,
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
    /// What holds readers to `--benchmark_read_rate_limit`.
    pub read_limiter: Option<GenericRateLimiter>,
    /// Threads that have not ended, but for one in the background.
    pub running: AtomicUsize,
    /// The time that `timeseries` counts.
    pub time: Arc<AtomicU64>,
    /// Whether the one in the background has ended.
    pub background_ended: AtomicBool,
    /// Which family a key belongs to, of those that are written to now.
    pub family_chooser: FamilyChooser,
    /// The first family that is written to now; with `--num_hot_column_families` filling goes on to
    /// later ones.
    pub first_hot_family: Arc<AtomicUsize>,
}

/// What a thread has of its own.
pub struct Thread {
    /// Its number; the one in the background is 0.
    pub id: usize,
    /// What its random numbers start from.
    pub seed: u64,
    /// Its random numbers.
    pub random: Random64,
    /// Its measurements.
    pub stats: Stats,
    /// When it last changed a rate that goes up and down.
    pub last_sine: Instant,
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

    /// The family of the key made from `number`.
    #[inline]
    pub fn family<'t>(&self, target: &'t Target<E>, number: u64) -> &'t E::Family {
        // Relaxed: a thread may notice later that another has gone on.
        let first = self.first_hot_family.load(Ordering::Relaxed);
        &target.families[first + self.family_chooser.index(number, target.families.len())]
    }

    /// Goes on to the families of the part of a fill that is reached.
    pub fn follow_families(&self, fill: &Limit) {
        let (done, all) = (fill.operations, fill.operations_max);
        let (hot, count) = (self.family_chooser.hot, self.targets[0].families.len());
        if hot >= count || all == 0 {
            return;
        }
        let per_part = (all - 1) / (count / hot) as u64 + 1;
        let part = (done.min(all - 1) / per_part) as usize;
        // Relaxed: see `family`. There is no way back, which another thread may be behind.
        self.first_hot_family.fetch_max((part * hot).min(count - hot), Ordering::Relaxed);
    }

    /// How many entries a thread that fills a database puts into it.
    pub fn writes_of_thread(&self) -> u64 {
        if self.writes == 0 { self.chooser.key_count } else { self.writes }
    }

    /// Waits until a batch of so many bytes may be written, and leaves that out of its latency.
    pub fn wait_for_batch(&self, thread: &mut Thread, bytes: u64) {
        if let Some(limiter) = &self.write_limiter {
            wait_for_grant(limiter, bytes);
            thread.stats.reset_last_operation_time();
        }
    }

    /// Sets the rate of writes anew where it goes up and down (`--sine_write_rate`).
    pub fn follow_sine(&self, thread: &mut Thread) {
        let Some(limiter) = &self.write_limiter else { return };
        if !self.flags.bool("sine_write_rate") {
            return;
        }
        let interval = self.flags.uint("sine_write_rate_interval_milliseconds");
        if thread.last_sine.elapsed() > Duration::from_millis(interval) {
            thread.last_sine = Instant::now();
            let seconds = thread.stats.started().elapsed().as_secs_f64();
            limiter.set_bytes_per_second((sine_rate(self.flags, seconds) as u64).max(1));
        }
    }

    /// The values that a thread writes, one after another.
    pub fn values(&self, thread: &Thread) -> ValueGenerator {
        ValueGenerator::new(self.value_kind, thread.seed)
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
        random.next_u64() % self.keys.key_count
    }

    /// Waits, every so often, until as many reads as there were since may go on: `done` are done.
    #[inline]
    pub fn wait_for_reads(&self, done: u64, every: u64) {
        if let Some(limiter) = &self.read_limiter
            && done % every == every - 1
        {
            grant(limiter, every, IoOperation::Read);
        }
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

/// A rate that goes up and down, so many seconds after the start (`--sine_a` to `--sine_d`).
pub(crate) fn sine_rate(flags: &Flags, seconds: f64) -> f64 {
    let [a, b, c, d] = ["sine_a", "sine_b", "sine_c", "sine_d"].map(|name| flags.double(name));
    a * (b * seconds + c).sin() + d
}

/// Waits until `bytes` may be written.
pub(crate) fn wait_for_grant(limiter: &GenericRateLimiter, bytes: u64) {
    grant(limiter, bytes, IoOperation::Write);
}

fn grant(limiter: &GenericRateLimiter, amount: u64, operation: IoOperation) {
    let mut left = amount;
    while left > 0 {
        left -= limiter.request_token(left, 0, IoPriority::High, operation);
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
