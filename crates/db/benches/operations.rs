//! What operations cost, through the whole database and nothing else: no command line, no harness.
//!
//! - `cargo bench -p touchstone-db --bench operations` prints nanoseconds of the processor for each
//!   path, of 200,000 keys in memory: the median of rounds; also of flushes and compactions, for each
//!   key. `-- PATH KEYS` does one, of so many keys.
//!   With `--compare-statistics` two databases take turns, one of which counts, and what the one that
//!   counts takes more is printed beside: the median of what it takes more in each pair of turns, and
//!   between what the middle half of these is.
//! - `cargo xtask instructions` has Valgrind count the instructions of each, and compares them with
//!   `operations.tsv` beside this file; with `--statistics`, with and without statistics; with
//!   `--perf-levels`, at each level of the perf context.
//! - `--perf-level=NUMBER` sets that level, as RocksDB numbers them, for times and counts.

use base::PinnableSlice;
use db::{
    ColumnFamilyDescriptor, ColumnFamilyHandle, CompactRangeOptions, Db, DbIterator, FlushOptions,
    OpenContext, ReadOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use perf_context::{PerfLevel, set_perf_level};
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

/// As the benchmarks of RocksDB have them.
const VALUE_SIZE: usize = 100;
const FAMILY: &str = "write_buffer_size=256M;disable_auto_compactions=true;\
    target_file_size_base=256M;compression=kNoCompression;\
    table_factory.filter_policy=bloomfilter:10;table_factory.block_cache=2G";
const BATCH: usize = 10;
const READS_PER_WRITE: u64 = 60;

/// What stands in which part of the tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// All in the last level.
    Compacted,
    /// The last level, six files of level 0 and a memtable, each with one key in twenty.
    PreFlush,
}

/// A path: its name, the tree that it is measured in, and what an operation is.
struct OperationPath {
    name: &'static str,
    shape: Shape,
    run: fn(&mut Bench, u64),
}

const PATHS: [OperationPath; 18] = [
    OperationPath { name: "get", shape: Shape::Compacted, run: Bench::get },
    OperationPath { name: "get_into", shape: Shape::Compacted, run: Bench::get_into },
    OperationPath { name: "get_missing", shape: Shape::Compacted, run: Bench::get_missing },
    OperationPath { name: "get_pre_flush", shape: Shape::PreFlush, run: Bench::get },
    OperationPath { name: "multi_get", shape: Shape::Compacted, run: Bench::multi_get },
    OperationPath { name: "multi_get_pre_flush", shape: Shape::PreFlush, run: Bench::multi_get },
    OperationPath { name: "seek", shape: Shape::Compacted, run: Bench::seek },
    OperationPath { name: "next", shape: Shape::Compacted, run: Bench::next },
    OperationPath { name: "prev", shape: Shape::Compacted, run: Bench::prev },
    OperationPath { name: "seek_pre_flush", shape: Shape::PreFlush, run: Bench::seek },
    OperationPath { name: "seek_anew", shape: Shape::Compacted, run: Bench::seek_anew },
    OperationPath { name: "seek_anew_pre_flush", shape: Shape::PreFlush, run: Bench::seek_anew },
    OperationPath { name: "next_pre_flush", shape: Shape::PreFlush, run: Bench::next },
    OperationPath { name: "prev_pre_flush", shape: Shape::PreFlush, run: Bench::prev },
    OperationPath { name: "put_in_order", shape: Shape::Compacted, run: Bench::put_in_order },
    OperationPath { name: "put_scattered", shape: Shape::Compacted, run: Bench::put_scattered },
    OperationPath { name: "overwrite", shape: Shape::Compacted, run: Bench::overwrite },
    OperationPath {
        name: "get_while_writing",
        shape: Shape::PreFlush,
        run: Bench::get_while_writing,
    },
];

/// Work in the background: its name, what it finds in the directory and the memtable, and what it is.
/// What it takes is counted for each key.
struct Job {
    name: &'static str,
    prepare: fn(&Path, u64),
    fill: fn(&Db, &ColumnFamilyHandle, u64),
    run: fn(&Db, &ColumnFamilyHandle),
}

const JOBS: [Job; 2] = [
    Job { name: "flush", prepare: |_, _| (), fill: fill_scattered, run: flush },
    Job { name: "compact", prepare: prepare_runs, fill: |_, _, _| (), run: compact },
];

/// As `db_bench` makes them: a number, then zeros.
fn key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

/// A number that the one before does not predict.
fn scatter(number: u64, below: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((mixed >> 32) * below) >> 32
}

fn fill(db: &Db, family: &ColumnFamilyHandle, keys: impl Iterator<Item = u64>) {
    let options = WriteOptions { disable_wal: true, ..WriteOptions::default() };
    let mut value = [b'v'; VALUE_SIZE];
    for number in keys {
        value[..8].copy_from_slice(&number.to_le_bytes());
        db.put(&options, family, &key(number), &value).expect("a write");
    }
}

fn flush(db: &Db, family: &ColumnFamilyHandle) {
    db.flush(&FlushOptions::default(), &[family]).expect("a flush");
}

fn compact(db: &Db, family: &ColumnFamilyHandle) {
    db.compact_range(&CompactRangeOptions::default(), family, None, None).expect("a compaction");
}

fn fill_scattered(db: &Db, family: &ColumnFamilyHandle, keys: u64) {
    fill(db, family, (0..keys).map(|number| scatter(number, u64::from(u32::MAX))));
}

/// The last level, with half of the keys, and four files of level 0 with the others: keys between each
/// other, and each once.
fn prepare_runs(directory: &Path, keys: u64) {
    let (db, family) = open(directory, false);
    fill(&db, &family, (0..keys).step_by(2));
    flush(&db, &family);
    compact(&db, &family);
    let mut odd: Vec<u64> = (0..keys).skip(1).step_by(2).collect();
    odd.sort_by_key(|&number| scatter(number, u64::MAX >> 32));
    for run in odd.chunks(odd.len().div_ceil(4)) {
        fill(&db, &family, run.iter().copied());
        flush(&db, &family);
    }
    db.close().expect("closed");
}

/// Builds what is in files, and closes the database.
fn prepare(directory: &Path, shape: Shape, keys: u64) {
    let (db, family) = open(directory, false);
    fill(&db, &family, 0..keys);
    flush(&db, &family);
    compact(&db, &family);
    if shape == Shape::PreFlush {
        for part in 0..6 {
            fill(&db, &family, (part..keys).step_by(20));
            flush(&db, &family);
        }
    }
    db.close().expect("closed");
}

fn open(directory: &Path, has_statistics: bool) -> (Db, ColumnFamilyHandle) {
    let options = DbOptions { create_if_missing: true, ..DbOptions::default() };
    let family_options = ColumnFamilyOptions::from_string(FAMILY).expect("options");
    let families = [ColumnFamilyDescriptor::new("default", family_options)];
    let statistics = has_statistics.then(Arc::default);
    let context = OpenContext { statistics, ..OpenContext::default() };
    let db = Db::open(&options, directory, &families, &context).expect("open");
    let family = db.column_family("default").expect("a family");
    (db, family)
}

/// An open database.
struct Bench {
    db: Db,
    family: ColumnFamilyHandle,
    iterator: DbIterator,
    options: ReadOptions,
    write_options: WriteOptions,
    keys: u64,
    buffer: Vec<u8>,
    found: usize,
}

impl Bench {
    fn count(&mut self, value: Option<&PinnableSlice>) {
        self.found += value.map_or(0, |value| usize::from(value[VALUE_SIZE - 1]));
    }

    fn get(&mut self, number: u64) {
        let key = key(scatter(number, self.keys));
        let value = self.db.get(&self.options, &self.family, &key).expect("a read");
        self.count(value.as_ref());
    }

    fn get_into(&mut self, number: u64) {
        let key = key(scatter(number, self.keys));
        let found = self.db.get_into(&self.options, &self.family, &key, &mut self.buffer);
        self.found += usize::from(found.expect("a read"));
    }

    fn get_missing(&mut self, number: u64) {
        let mut missing = [b'.'; 17];
        missing[..16].copy_from_slice(&key(scatter(number, self.keys)));
        let value = self.db.get(&self.options, &self.family, &missing).expect("a read");
        self.count(value.as_ref());
    }

    /// One of [`BATCH`] numbers has all of them read.
    fn multi_get(&mut self, number: u64) {
        if !number.is_multiple_of(BATCH as u64) {
            return;
        }
        let wanted: [_; BATCH] =
            std::array::from_fn(|index| key(scatter(number + index as u64, self.keys)));
        for value in self.db.multi_get(&self.options, &self.family, &wanted) {
            self.count(value.expect("a read").as_ref());
        }
    }

    fn seek(&mut self, number: u64) {
        self.iterator.seek(&key(scatter(number, self.keys)));
        self.found += self.iterator.value().len();
    }

    /// By an iterator that is made for this and dropped.
    fn seek_anew(&mut self, number: u64) {
        let iterator = self.db.new_iterator(&self.options, &self.family).expect("an iterator");
        self.iterator = iterator;
        self.seek(number);
    }

    fn put(&mut self, key: u64) {
        let value = [b'v'; VALUE_SIZE];
        self.db.put(&self.write_options, &self.family, &self::key(key), &value).expect("a write");
    }

    /// Keys behind all others.
    fn put_in_order(&mut self, number: u64) {
        self.put(self.keys + number);
    }

    /// New keys behind all others, in no order.
    fn put_scattered(&mut self, number: u64) {
        self.put(self.keys + scatter(number, u64::from(u32::MAX)));
    }

    fn overwrite(&mut self, number: u64) {
        self.put(scatter(number, self.keys));
    }

    /// Some two megabytes are written in a second that has a million reads.
    fn get_while_writing(&mut self, number: u64) {
        if number.is_multiple_of(READS_PER_WRITE) {
            self.overwrite(number);
        }
        self.get(number);
    }

    fn next(&mut self, _: u64) {
        match self.iterator.valid() {
            true => self.iterator.next(),
            false => self.iterator.seek_to_first(),
        }
        self.found += usize::from(self.iterator.valid());
    }

    fn prev(&mut self, _: u64) {
        match self.iterator.valid() {
            true => self.iterator.prev(),
            false => self.iterator.seek_to_last(),
        }
        self.found += usize::from(self.iterator.valid());
    }
}

/// Instructions of this function, and of what it calls, are counted by its name.
#[inline(never)]
fn measured_operations(bench: &mut Bench, run: fn(&mut Bench, u64), first: u64, count: u64) {
    for number in first..first + count {
        run(bench, number);
    }
}

/// Time of the processor alone, so that others who work on the machine show less.
fn processor_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) >> 10
}

/// Operations of one round.
const OPERATIONS: u64 = 20_000;
const ROUNDS: u64 = 25;
const COUNTED_OPERATIONS: u64 = 2000;
const JOB_ROUNDS: u64 = 9;

/// Opens what was prepared, fills its memtable, and brings every block into the cache.
fn warm_up(directory: &Path, shape: Shape, keys: u64, has_statistics: bool) -> Bench {
    let (db, family) = open(directory, has_statistics);
    if shape == Shape::PreFlush {
        fill(&db, &family, (6..keys).step_by(20));
    }
    let options = ReadOptions::default();
    for number in 0..keys {
        db.get(&options, &family, &key(number)).expect("a read");
    }
    let iterator = db.new_iterator(&options, &family).expect("an iterator");
    let (write_options, buffer) = Default::default();
    Bench { db, family, iterator, options, write_options, keys, buffer, found: 0 }
}

/// Does a path once so that what is made only once is there, then what is counted. Writes are left to
/// [`prepare`], in a process of its own: Valgrind would take long for them.
fn count(directory: &Path, path: &OperationPath, keys: u64, has_statistics: bool) {
    let mut bench = warm_up(directory, path.shape, keys, has_statistics);
    warm_up_path(&mut bench, path.run);
    measured_operations(&mut bench, path.run, 0, COUNTED_OPERATIONS);
    println!("operations {COUNTED_OPERATIONS} found {}", bench.found);
    // What is in the memtable is not to be flushed.
    std::process::exit(0);
}

/// Does a job once. Instructions are counted by the name of the function that does it in its thread.
fn count_job(directory: &Path, job: &Job, keys: u64, has_statistics: bool) {
    let (db, family) = open(directory, has_statistics);
    (job.fill)(&db, &family, keys);
    (job.run)(&db, &family);
    println!("operations {keys}");
    std::process::exit(0);
}

/// Prints what a job takes of the processors, all threads together, for each key.
fn time_job(job: &Job, keys: u64) {
    let process_nanos = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
    };
    let mut times = Times::new();
    for _ in 0..JOB_ROUNDS {
        let directory = tempfile::tempdir().expect("a directory");
        (job.prepare)(directory.path(), keys);
        let (db, family) = open(directory.path(), false);
        (job.fill)(&db, &family, keys);
        let start = process_nanos();
        (job.run)(&db, &family);
        times.push((process_nanos() - start) / keys as f64);
        db.close().expect("closed");
    }
    times.sort_by(f64::total_cmp);
    println!("{:<22} {:>8.1} ns a key, least {:>8.1}", job.name, median(&times), times[0]);
}

#[inline(never)]
fn warm_up_path(bench: &mut Bench, run: fn(&mut Bench, u64)) {
    for number in 0..10 {
        run(bench, number);
    }
}

/// Nanoseconds of an operation in each round, ascending.
type Times = Vec<f64>;

fn time_round(bench: &mut Bench, path: &OperationPath, round: u64, times: &mut Times) {
    let start = processor_nanos();
    measured_operations(bench, path.run, round * OPERATIONS, OPERATIONS);
    times.push((processor_nanos() - start) / OPERATIONS as f64);
    times.sort_by(f64::total_cmp);
}

fn median(times: &Times) -> f64 {
    times[times.len() / 2]
}

fn time(path: &OperationPath, keys: u64) {
    let directory = tempfile::tempdir().expect("a directory");
    prepare(directory.path(), path.shape, keys);
    let mut bench = warm_up(directory.path(), path.shape, keys, false);
    let mut times = Times::new();
    for round in 0..ROUNDS {
        time_round(&mut bench, path, round, &mut times);
    }
    let (least, median, resident) = (times[0], median(&times), resident_megabytes());
    println!("{:<22} {median:>8.1} ns, least {least:>8.1}; resident {resident} MB", path.name);
    black_box(bench.found);
}

/// Turns are short, so that who else works on the machine does so in both turns of a pair.
const PAIRS: u64 = 200;
const OPERATIONS_OF_TURN: u64 = 2500;

/// Without statistics, with, without, with, and so on.
fn compare_statistics(path: &OperationPath, keys: u64) {
    let directories = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let mut turns = [false, true].map(|has_statistics| {
        let directory = directories[usize::from(has_statistics)].path();
        prepare(directory, path.shape, keys);
        warm_up(directory, path.shape, keys, has_statistics)
    });
    let (mut times, mut percents) = ([Times::new(), Times::new()], Times::new());
    for pair in 0..PAIRS {
        let mut pair_times = [0.0; 2];
        // Who comes second finds the processor as the first one left it, so they take turns in that too.
        for turn in if pair.is_multiple_of(2) { [0, 1] } else { [1, 0] } {
            let start = processor_nanos();
            let first = pair * OPERATIONS_OF_TURN;
            measured_operations(&mut turns[turn], path.run, first, OPERATIONS_OF_TURN);
            pair_times[turn] = (processor_nanos() - start) / OPERATIONS_OF_TURN as f64;
        }
        percents.push(100.0 * (pair_times[1] / pair_times[0] - 1.0));
        times.iter_mut().zip(pair_times).for_each(|(all, time)| all.push(time));
    }
    times.iter_mut().chain([&mut percents]).for_each(|all| all.sort_by(f64::total_cmp));
    let [without, with] = times.each_ref().map(median);
    let [low, high] = [1, 3].map(|quarter| percents[percents.len() * quarter / 4]);
    println!(
        "{:<22} {without:>8.1} ns, with statistics {with:>8.1}: {:+.1} % ({low:+.1} to {high:+.1})",
        path.name,
        median(&percents)
    );
    black_box(turns[0].found);
}

/// The level of this number.
fn perf_level(number: &str) -> PerfLevel {
    let level = PerfLevel::ALL.into_iter().find(|&level| (level as u8).to_string() == number);
    level.unwrap_or_else(|| panic!("--perf-level={number} is not 1 to 6"))
}

/// `[PATH [KEYS]]` times; `--prepare=DIRECTORY` and `--count=DIRECTORY [--statistics]` do one part.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    if let Some(number) = flag("--perf-level=") {
        set_perf_level(perf_level(number));
    }
    let mut words = arguments.iter().filter(|argument| !argument.starts_with("--"));
    let wanted = words.next();
    let keys = words.next().map_or(200_000, |text| text.parse().expect("a number of keys"));
    for job in JOBS.iter().filter(|job| wanted.is_none_or(|wanted| wanted == job.name)) {
        if let Some(directory) = flag("--prepare=") {
            (job.prepare)(Path::new(directory), keys);
        } else if let Some(directory) = flag("--count=") {
            count_job(Path::new(directory), job, keys, flag("--statistics").is_some());
        } else if flag("--compare-statistics").is_none() {
            time_job(job, keys);
        }
    }
    for path in PATHS.iter().filter(|path| wanted.is_none_or(|wanted| wanted == path.name)) {
        if let Some(directory) = flag("--prepare=") {
            prepare(Path::new(directory), path.shape, keys);
        } else if let Some(directory) = flag("--count=") {
            count(Path::new(directory), path, keys, flag("--statistics").is_some());
        } else if flag("--compare-statistics").is_some() {
            compare_statistics(path, keys);
        } else {
            time(path, keys);
        }
    }
}
