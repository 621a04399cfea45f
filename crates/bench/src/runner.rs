//! Runs the benchmarks of a command line, one after another.

use crate::arrivals::Arrivals;
use crate::combined_stats::CombinedStats;
use crate::flags::Flags;
use crate::key_generator::{KeyChooser, KeyFormat};
use crate::measure::read_amplification::PerfCounts;
use crate::measure::shape::{self, is_lacking};
use crate::random::Random64;
use crate::recorder::{Moment, Recorder, RunOf};
use crate::report;
use crate::report_file::{ReportFile, WallClockColumn};
use crate::shape::keeper::ShapeKeeper;
use crate::stats::{Details, Progress, Stats};
use crate::target;
use crate::tree_actions::actions;
use crate::value_generator::{ValueKind, ValueSizes};
use crate::workload::{
    BackgroundThread, Benchmark, Changes, FamilyChooser, Target, Thread, Workload, benchmarks,
    sine_rate,
};
use base::status::Code;
use base::{Result, Status};
use db::{ReadOptions, WriteOptions};
use engines::{Engine, NullEngine, Provider};
use env::rate_limiter::{GenericRateLimiter, IoPriority, RateLimiterMode, RateLimiterOptions};
use perf_context::PerfLevel;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Properties that a step prints, by the step's name.
const PROPERTY_STEPS: &[(&str, &str)] = &[
    ("block_cache_entry_stats", "rocksdb.block-cache-entry-stats"),
    ("levelstats", "rocksdb.levelstats"),
    ("shape", "touchstone.shape"),
    ("sstables", "rocksdb.sstables"),
    ("stats", "rocksdb.stats"),
];

/// Benchmarks of RocksDB's tool that are not there, and why.
const NOT_THERE: &[(&str, &str)] = &[
    ("approximatememtablestats", "memtables do not estimate ranges"),
    ("backup", "there are no backups"),
    ("cache_report_problems", "caches do not look for problems"),
    ("compressreject", "--benchmarks=compress with --compression_ratio=1 is close to it"),
    ("fillembeddedblob", "tables have no embedded blobs"),
    ("fillembeddedentity", "tables have no embedded blobs"),
    ("fillseqdeterministic", "levels cannot be filled one by one"),
    ("filluniquerandomdeterministic", "levels cannot be filled one by one"),
    ("ingestexternalfile", "files cannot be ingested"),
    ("multireadentity", "wide columns are not read here"),
    ("multireadrandomcoroutine", "there are no coroutines"),
    ("multiscan", "scans are made one by one"),
    ("multiscanrandom", "scans are made one by one"),
    ("openandcompact", "compactions are not made elsewhere"),
    ("randomtransaction", "there are no transactions"),
    ("readrandomcoroutine", "there are no coroutines"),
    ("readrandomentity", "wide columns are not read here"),
    ("readtorowcache", "there is no row cache"),
    ("replay", "operations are not traced"),
    ("resetstats", "databases go on counting"),
    ("restore", "there are no backups"),
    ("stats_history", "the history is not printed; see --persist_stats_to_disk"),
    ("verify", "databases are not compared"),
    ("verifychecksum", "checksums are verified as blocks are read: readseq does it"),
];

/// What `memstats` prints, a line each.
const MEMORY_PROPERTIES: &[&str] = &[
    "rocksdb.num-immutable-mem-table",
    "rocksdb.cur-size-active-mem-table",
    "rocksdb.cur-size-all-mem-tables",
    "rocksdb.size-all-mem-tables",
    "rocksdb.num-entries-active-mem-table",
    "rocksdb.num-entries-imm-mem-tables",
];

/// Operations a second with `--sine_mix_rate`, before the sine begins.
const SINE_RATE_FIRST: u64 = 1_000_000;

/// One entry of `--benchmarks`: `name[X5-W1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    name: String,
    repeats: usize,
    warmups: usize,
}

/// Checks what the command line asks for, before anything is done.
pub(crate) fn checked_steps(flags: &Flags) -> Result<Vec<Step>> {
    check(flags)?;
    perf_level(flags)?;
    for note in flags.notes() {
        eprintln!("note: {note}");
    }
    let steps = flags
        .text("benchmarks")
        .split(',')
        .filter(|name| !name.is_empty())
        .map(parse_step)
        .collect::<Result<Vec<_>>>()?;
    steps.iter().try_for_each(Step::check)?;
    check_writers(flags, &steps)?;
    ShapeKeeper::from_flags(flags)?;
    Ok(steps)
}

/// Runs these steps.
///
/// # Errors
/// The first failure: a database that does not open, a failed read.
pub(crate) fn run<P: Provider>(flags: &Flags, steps: &[Step], provider: &P) -> Result<()> {
    let mut runner = Runner::open(flags, provider)?;
    report::print_header(flags, &provider.identity());
    let may_skip = provider.identity().kind.may_skip();
    for step in steps {
        match runner.run_step(step) {
            Err(status) if may_skip && status.code() == Code::NotSupported => {
                runner.skipped(step, status.message())?;
            }
            result => result?,
        }
    }
    if let Some(statistics) = provider.statistics_text() {
        println!("STATISTICS:\n{statistics}");
    }
    runner.close()
}

/// Checks what matters where something is written, before anything is.
fn check_writers(flags: &Flags, steps: &[Step]) -> Result<()> {
    let Some(writer) = steps.iter().find(|step| step.writes()) else {
        return match keeps_database(flags) {
            true => Ok(()),
            // `db_bench` would delete it.
            false => Err(Status::invalid_argument(
                "no benchmark here fills a database: give --use_existing_db=1 (or --readonly) and \
                 --db=DIR to read one that is there",
            )),
        };
    };
    if flags.bool("readonly") {
        return Err(Status::invalid_argument(format!(
            "benchmark '{}' writes, and --readonly was given",
            writer.name
        )));
    }
    let refused = |flag: &str, what: &str| {
        Err(Status::not_supported(format!("--{flag}: {what}, benchmark '{}' writes", writer.name)))
    };
    if flags.uint("num_column_families") > 1 && flags.uint("num_hot_column_families") > 0 {
        return refused("num_hot_column_families", "families are not made one after another");
    }
    let merges = |step: &&Step| step.name.contains("merge");
    match steps.iter().find(merges) {
        Some(step) if flags.text("merge_operator").is_empty() => {
            Err(Status::invalid_argument(format!("{:<12} : needs --merge_operator", step.name)))
        }
        _ => Ok(()),
    }
}

/// Whether what is at `--db` is used as it is.
fn keeps_database(flags: &Flags) -> bool {
    flags.bool("use_existing_db") || flags.bool("readonly")
}

fn check(flags: &Flags) -> Result<()> {
    if flags.int("num") <= 0 {
        return Err(Status::invalid_argument("--num must be at least 1"));
    }
    for name in ["key_size", "threads", "batch_size"] {
        if flags.int(name) <= 0 {
            return Err(Status::invalid_argument(format!("--{name} must be at least 1")));
        }
    }
    Ok(())
}

impl Step {
    /// Whether there is such a step.
    fn check(&self) -> Result<()> {
        let name = &self.name;
        if let Some((_, why)) = NOT_THERE.iter().find(|(known, _)| known == name) {
            return Err(Status::not_supported(format!("benchmark '{name}': {why}")));
        }
        match known_names().iter().any(|known| known == name) {
            true => Ok(()),
            false => Err(Status::invalid_argument(format!(
                "unknown benchmark '{name}'; known are {}",
                known_names().join(", ")
            ))),
        }
    }

    /// Whether it changes the database.
    fn writes(&self) -> bool {
        let benchmark = self.benchmark::<NullEngine>();
        benchmark.is_some_and(|benchmark| benchmark.changes != Changes::Nothing)
            || actions::<NullEngine>().iter().any(|(name, _)| *name == self.name)
    }

    fn benchmark<E: Engine>(&self) -> Option<&'static Benchmark<E>> {
        benchmarks().iter().find(|benchmark| benchmark.name == self.name)
    }
}

fn parse_step(text: &str) -> Result<Step> {
    let unknown = || Status::invalid_argument(format!("unknown benchmark arguments '{text}'"));
    let Some(inner) = text.strip_suffix(']') else {
        return Ok(Step { name: text.to_owned(), repeats: 1, warmups: 0 });
    };
    let (name, arguments) = inner.split_once('[').ok_or_else(unknown)?;
    let mut step = Step { name: name.to_owned(), repeats: 1, warmups: 0 };
    for argument in arguments.split('-').filter(|argument| !argument.is_empty()) {
        let (target, count) = match argument.split_at_checked(1) {
            Some(("X", count)) => (&mut step.repeats, count),
            Some(("W", count)) => (&mut step.warmups, count),
            _ => return Err(unknown()),
        };
        *target = count.parse().map_err(|_| unknown())?;
    }
    Ok(step)
}

struct Runner<'a, P: Provider> {
    flags: &'a Flags,
    provider: &'a P,
    targets: Arc<Vec<Target<P::Engine>>>,
    existing_keys: Vec<Vec<u8>>,
    seed_base: u64,
    /// Threads started since the process began: each gets random numbers of its own.
    threads_started: u64,
    shape: Option<ShapeKeeper>,
    recorder: Option<Recorder>,
}

impl<'a, P: Provider> Runner<'a, P> {
    fn open(flags: &'a Flags, provider: &'a P) -> Result<Self> {
        let seed_base = match flags.int("seed") {
            0 => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let seed = now.map_or(1, |since| since.as_micros() as u64);
                println!("Set seed to {seed} because --seed was 0");
                seed
            }
            seed => seed as u64,
        };
        let recorder = Recorder::open(flags, &provider.identity(), seed_base)?;
        if !keeps_database(flags) {
            target::destroy_all(flags, provider)?;
        }
        let targets = Arc::new(open_targets(flags, provider)?);
        let existing_keys = match flags.bool("use_existing_keys") {
            true => target::all_keys(&targets)?,
            false => Vec::new(),
        };
        Ok(Self {
            flags,
            provider,
            targets,
            existing_keys,
            seed_base,
            threads_started: 0,
            shape: ShapeKeeper::from_flags(flags)?,
            recorder,
        })
    }

    /// Closes the databases. What was written without a WAL is flushed.
    fn close(&mut self) -> Result<()> {
        let targets = Arc::into_inner(std::mem::take(&mut self.targets));
        targets.unwrap_or_default().into_iter().try_for_each(|Target { db, families }| {
            drop(families);
            db.close()
        })
    }

    /// Deletes the databases and makes them again.
    fn start_afresh(&mut self) -> Result<()> {
        self.close()?;
        target::destroy_all(self.flags, self.provider)?;
        self.targets = Arc::new(open_targets(self.flags, self.provider)?);
        if let Some(shape) = &mut self.shape {
            shape.start_afresh();
        }
        Ok(())
    }

    /// Says that a step does not run, and why.
    fn skipped(&mut self, step: &Step, reason: &str) -> Result<()> {
        println!("{:<12} : skipped ({reason})", step.name);
        match &mut self.recorder {
            Some(recorder) if step.benchmark::<P::Engine>().is_some() => {
                recorder.skipped(&step.name, reason)
            }
            _ => Ok(()),
        }
    }

    fn run_step(&mut self, step: &Step) -> Result<()> {
        if let Some((_, act)) = actions().iter().find(|(name, _)| *name == step.name) {
            return act(self.flags, &self.targets);
        }
        if let Some((_, property)) = PROPERTY_STEPS.iter().find(|(name, _)| *name == step.name) {
            return self.print_property(property);
        }
        if step.name == "memstats" {
            return self.print_memory();
        }
        let Some(benchmark) = step.benchmark() else { return step.check() };
        if benchmark.changes == Changes::AllOfIt {
            if self.flags.bool("use_existing_db") {
                return self.skipped(step, "--use_existing_db is true");
            }
            self.start_afresh()?;
        }
        println!("DB path: [{}]", target::database_path(self.flags).display());
        if step.warmups > 0 {
            println!("Warming up benchmark by running {} times", step.warmups);
        }
        let run = RunOf { benchmark: benchmark.name, repeat: 1, is_warmup: true };
        for repeat in 1..=step.warmups {
            self.run_once(benchmark, RunOf { repeat, ..run })?;
        }
        if step.repeats > 1 {
            println!("Running benchmark for {} times", step.repeats);
        }
        if self.flags.bool("harness_cost") {
            let nanos = harness::nanos_per_operation(self.flags, step)?;
            println!("{:<12} : harness {nanos:.1} nanoseconds/op", step.name);
            if let Some(recorder) = &mut self.recorder {
                recorder.set_harness_cost(nanos);
            }
        }
        let mut combined = CombinedStats::default();
        for repeat in 1..=step.repeats {
            combined.add(&self.run_once(benchmark, RunOf { repeat, is_warmup: false, ..run })?);
            let only_bounds = self.flags.bool("confidence_interval_only");
            if let Some(line) = combined.line(benchmark.name, only_bounds) {
                println!("{line}");
            }
        }
        if let Some(lines) = combined.final_lines(benchmark.name) {
            println!("{lines}");
        }
        Ok(())
    }

    /// Prints a property of each database; of several with a line that says of which.
    fn print_property(&self, property: &str) -> Result<()> {
        for Target { db, families } in self.targets.iter() {
            self.print_database_line(db);
            let value = db.property(&families[0], property)?;
            println!("\n{}", value.as_deref().unwrap_or("(failed)"));
        }
        Ok(())
    }

    fn print_memory(&self) -> Result<()> {
        for Target { db, families } in self.targets.iter() {
            self.print_database_line(db);
            for property in MEMORY_PROPERTIES {
                let value = db.property(&families[0], property)?;
                println!("{property}: {}", value.as_deref().unwrap_or("(failed)"));
            }
        }
        Ok(())
    }

    fn print_database_line(&self, db: &P::Engine) {
        if self.flags.uint("num_multi_db") > 1 {
            println!("\n==== DB: {} ===", db.path().display());
        }
    }

    fn workload(
        &self,
        benchmark: &Benchmark<P::Engine>,
        running: usize,
    ) -> Result<Workload<'_, P::Engine>> {
        let flags = self.flags;
        let num = flags.uint("num");
        let key_count = match self.existing_keys.len() as u64 {
            0 => num,
            count => count,
        };
        let count = |name: &str| u64::try_from(flags.int(name)).unwrap_or(num);
        let reads_and_writes = match (flags.int("reads"), flags.int("writes")) {
            (..0, ..0) => num,
            (reads, writes) => reads.max(writes) as u64,
        };
        let has_sine = benchmark.name == "mixgraph" && flags.bool("sine_mix_rate");
        let write_rate = if has_sine { SINE_RATE_FIRST } else { write_rate(flags) };
        let write_limiter = match write_rate {
            0 => None,
            rate => Some(GenericRateLimiter::new(RateLimiterOptions::new(rate))?),
        };
        let db = &self.targets[0].db;
        let reading = read_options(flags);
        let writing = WriteOptions {
            sync: flags.bool("sync") || benchmark.syncs,
            disable_wal: flags.bool("disable_wal"),
            rate_limiter_priority: flags
                .bool("rate_limit_auto_wal_flush")
                .then_some(IoPriority::User),
            ..WriteOptions::default()
        };
        Ok(Workload {
            flags,
            targets: &self.targets,
            keys: KeyFormat {
                key_size: flags.uint("key_size") as usize + benchmark.extra_key_bytes,
                prefix_size: flags.uint("prefix_size") as usize,
                keys_per_prefix: flags.uint("keys_per_prefix"),
                key_count,
            },
            chooser: KeyChooser {
                key_count: key_count / benchmark.key_divisor,
                exp_range: flags.double("read_random_exp_range"),
            },
            existing_keys: &self.existing_keys,
            reads: match benchmark.reads_all {
                true => num,
                false => count("reads") / benchmark.read_divisor,
            },
            writes: count("writes"),
            reads_and_writes,
            batch_size: benchmark.batch_size.unwrap_or(flags.uint("batch_size")),
            value_kind: value_kind(flags, benchmark.value_size)?,
            seed_base: self.seed_base,
            read_options: db.read_options(&reading)?,
            reading,
            write_options: db.write_options(&writing)?,
            write_limiter,
            read_limiter: match has_sine {
                true => read_limiter(SINE_RATE_FIRST)?,
                false => read_limiter(flags.uint("benchmark_read_rate_limit"))?,
            },
            running: AtomicUsize::new(running),
            time: AtomicU64::new(0),
            background_ended: AtomicBool::new(false),
            family_chooser: family_chooser(flags)?,
        })
    }

    /// Runs a benchmark once, in the wanted shape, and records it.
    fn run_once(&mut self, benchmark: &Benchmark<P::Engine>, run: RunOf<'_>) -> Result<Stats> {
        if let Some(keeper) = &mut self.shape {
            keeper.prepare(self.flags, &self.targets, self.seed_base, benchmark.changes)?;
        }
        let shape = |runner: &Self| match runner.shape {
            Some(_) => shape::of_all(&runner.targets),
            None => Ok(None),
        };
        let moment = |runner: &Self| match runner.recorder {
            Some(_) => Moment::now(&runner.targets).map(Some),
            None => Ok(None),
        };
        let shape_before = shape(self)?;
        let before = moment(self)?;
        let stats = self.run_threads(benchmark)?;
        let after = moment(self)?;
        if let (Some(recorder), Some(before), Some(after)) = (&mut self.recorder, before, after) {
            recorder.ran(run, &stats, before, after)?;
        }
        if let Some(keeper) = &self.shape {
            keeper.prove(benchmark.changes, shape_before.as_ref(), shape(self)?.as_ref())?;
        }
        Ok(stats)
    }

    /// What thread 0 prints after its interval lines, if that is asked for.
    fn details(&self) -> Option<Details> {
        if self.flags.int("stats_per_interval") == 0 {
            return None;
        }
        let (flags, targets) = (self.flags.clone(), self.targets.clone());
        Some(Details(Arc::new(move || details_text(&flags, &targets))))
    }

    /// Runs all threads once.
    fn measure(&mut self, benchmark: &Benchmark<P::Engine>) -> Result<Stats> {
        let flags = self.flags;
        let asked_count = match benchmark.is_single_threaded {
            true => 1,
            false => flags.uint("threads") as usize,
        };
        let (thread_count, background_count) =
            match (benchmark.background, benchmark.background_thread) {
                (None, _) => (asked_count, 0),
                (_, BackgroundThread::Additional) => (asked_count + 1, 1),
                (_, BackgroundThread::AdditionalMeasured) => (asked_count + 1, 0),
                (_, BackgroundThread::First) => (asked_count, 1),
            };
        let running = thread_count - usize::from(benchmark.background.is_some());
        let workload = self.workload(benchmark, running)?;
        let report_file = report_file(flags)?;
        let mut progress = progress(flags, report_file.as_ref());
        progress.arrivals = match flags.uint("arrival_rate") {
            0 => None,
            rate => Some(Arrivals::new(rate, thread_count - background_count)),
        };
        progress.details = self.details();
        let first_seed = self.seed_base.wrapping_add(self.threads_started + 1);
        let barrier = Barrier::new(thread_count);
        let (workload, barrier) = (&workload, &barrier);
        let results: Vec<Result<Stats>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..thread_count)
                .map(|id| {
                    let seed = first_seed.wrapping_add(id as u64);
                    let progress = progress.clone();
                    scope
                        .spawn(move || run_thread(benchmark, workload, barrier, id, seed, progress))
                })
                .collect();
            threads.into_iter().map(|thread| join(thread.join())).collect()
        });
        drop(report_file);
        self.threads_started += thread_count as u64;
        let mut merged: Option<Stats> = None;
        for (id, stats) in results.into_iter().enumerate() {
            let stats = stats?;
            if id < background_count {
                continue;
            }
            match &mut merged {
                Some(merged) => merged.merge(&stats),
                None => merged = Some(stats),
            }
        }
        // With one thread, which is in the background, nothing is measured.
        Ok(merged.unwrap_or_else(|| Stats::start(0, Progress::default())))
    }

    /// Runs all threads once and prints what they measured.
    fn run_threads(&mut self, benchmark: &Benchmark<P::Engine>) -> Result<Stats> {
        if matches!(benchmark.name, "multireadrandom" | "approximatesizerandom") {
            eprintln!("entries_per_batch = {}", self.flags.int("batch_size"));
        }
        let merged = self.measure(benchmark)?;
        println!("{}", merged.result(benchmark.name).trim_end_matches('\n'));
        if merged.result(benchmark.name).ends_with("\n\n") {
            println!();
        }
        Ok(merged)
    }
}

/// What is said of how the databases are: of all families where there are several.
fn details_text<E: Engine>(flags: &Flags, targets: &[Target<E>]) -> String {
    let mut text = String::new();
    for Target { db, families } in targets {
        let mut add = |family: &E::Family, before: &str, property: &str, after: &str| {
            if let Ok(Some(value)) = db.property(family, property) {
                text += &format!("{before}{value}{after}");
            }
        };
        if families.len() > 1 {
            families.iter().for_each(|family| add(family, "", "rocksdb.cfstats", "\n"));
        } else {
            let family = &families[0];
            add(family, "", "rocksdb.stats", "");
            add(family, "num-running-compactions: ", "rocksdb.num-running-compactions", "\n");
            add(family, "num-running-flushes: ", "rocksdb.num-running-flushes", "\n\n");
        }
        if !flags.bool("show_table_properties") {
            continue;
        }
        for family in families {
            for level in 0..flags.int("num_levels") {
                let property = format!("rocksdb.aggregated-table-properties-at-level{level}");
                match db.property(family, &property) {
                    Ok(Some(value)) if !value.contains("# entries=0") => {
                        text += &format!("Level[{level}]: {value}\n");
                    }
                    _ => {}
                }
            }
        }
    }
    text
}

/// What values are like that are written.
pub(crate) fn value_kind(flags: &Flags, fixed_size: Option<usize>) -> Result<ValueKind> {
    let (low, high) = (flags.uint("value_size_min"), flags.uint("value_size_max"));
    let (low, high) = (low as usize, high as usize);
    let name = flags.text("value_size_distribution_type");
    let sizes = match (name, fixed_size) {
        (_, Some(size)) => ValueSizes::Fixed(size),
        ("fixed", None) => ValueSizes::Fixed(flags.uint("value_size") as usize),
        ("uniform" | "normal", None) if low > high => {
            return Err(Status::invalid_argument(format!(
                "--value_size_min={low} is more than --value_size_max={high}"
            )));
        }
        ("uniform", None) => ValueSizes::Uniform(low, high),
        ("normal", None) => ValueSizes::Normal(low, high),
        (other, None) => {
            return Err(Status::invalid_argument(format!(
                "--value_size_distribution_type={other}: expected fixed, uniform or normal"
            )));
        }
    };
    let compression_ratio = flags.double("compression_ratio");
    Ok(ValueKind { sizes, compression_ratio, same_percent: flags.uint("same_value_percentage") })
}

/// Bytes a second that may be written, to begin with; 0 for any number.
pub(crate) fn write_rate(flags: &Flags) -> u64 {
    match flags.bool("sine_write_rate") {
        true => sine_rate(flags, 0.0) as u64,
        false => flags.uint("benchmark_write_rate_limit"),
    }
}

/// Which families keys belong to.
fn family_chooser(flags: &Flags) -> Result<FamilyChooser> {
    let families = flags.uint("num_column_families").max(1) as usize;
    let hot = match flags.uint("num_hot_column_families") as usize {
        0 => families,
        count => count.min(families),
    };
    let text = flags.text("column_family_distribution");
    if text.is_empty() || families == 1 {
        return Ok(FamilyChooser { hot, percents: Vec::new() });
    }
    let percents: Vec<u64> = text.split(',').flat_map(str::parse).collect();
    if percents.len() != hot || percents.iter().sum::<u64>() != 100 {
        return Err(Status::invalid_argument(format!(
            "--column_family_distribution={text}: expected {hot} numbers that sum to 100"
        )));
    }
    Ok(FamilyChooser { hot, percents })
}

/// What holds readers to a rate; 0 for none.
fn read_limiter(rate: u64) -> Result<Option<GenericRateLimiter>> {
    match rate {
        0 => Ok(None),
        rate => {
            let mode = RateLimiterMode::ReadsOnly;
            let options = RateLimiterOptions { mode, ..RateLimiterOptions::new(rate) };
            GenericRateLimiter::new(options).map(Some)
        }
    }
}

/// The file that the run reports to, if one is asked for.
fn report_file(flags: &Flags) -> Result<Option<ReportFile>> {
    let seconds = flags.uint("report_interval_seconds");
    if seconds == 0 {
        return Ok(None);
    }
    let column = match flags.bool("report_wallclock") {
        true => WallClockColumn::Present,
        false => WallClockColumn::Absent,
    };
    let path = Path::new(flags.text("report_file"));
    ReportFile::start(path, Duration::from_secs(seconds), column).map(Some)
}

/// How threads report while they run.
fn progress(flags: &Flags, report_file: Option<&ReportFile>) -> Progress {
    let interval_seconds = flags.uint("stats_interval_seconds");
    Progress {
        interval: match flags.uint("stats_interval") {
            // After so many operations the clock is looked at.
            _ if interval_seconds > 0 => 1000,
            interval => interval,
        },
        interval_seconds,
        enabled: flags.bool("progress_reports"),
        with_histogram: flags.bool("histogram"),
        slow_micros: flags.uint("slow_usecs"),
        thread_status: flags.int("thread_status_per_interval") != 0,
        arrivals: None,
        report_count: report_file.map(ReportFile::operations),
        details: None,
    }
}

fn join(result: thread::Result<Result<Stats>>) -> Result<Stats> {
    result.unwrap_or_else(|_| Err(Status::aborted("a benchmark thread panicked")))
}

fn run_thread<E: Engine>(
    benchmark: &Benchmark<E>,
    workload: &Workload<'_, E>,
    barrier: &Barrier,
    id: usize,
    seed: u64,
    mut progress: Progress,
) -> Result<Stats> {
    let flags = workload.flags;
    if benchmark.background.is_some() && id == 0 {
        // It is not measured, and goes on as fast as it may.
        progress.arrivals = None;
    }
    let random = Random64::new(seed);
    let perf_level = perf_level(flags)?;
    let db = &workload.targets[0].db;
    // Where it is not printed it is counted for the record, unless it was switched off by name.
    let is_counted = !flags.text("json").is_empty() && !flags.is_given("perf_level");
    db.start_perf(if is_counted { PerfLevel::EnableCount } else { perf_level })?;
    barrier.wait();
    let stats = Stats::start(id, progress);
    let mut thread = Thread { id, seed, random, stats, last_sine: Instant::now() };
    let result = match benchmark.background {
        Some(background) if id == 0 => {
            let result = background(workload, &mut thread);
            // Relaxed: the others only want to know that it has ended.
            workload.background_ended.store(true, Ordering::Relaxed);
            result
        }
        _ => {
            let result = (benchmark.run)(workload, &mut thread);
            // Relaxed: what is in the background only wants to know that we have ended.
            workload.running.fetch_sub(1, Ordering::Relaxed);
            result
        }
    };
    if perf_level > PerfLevel::Disable {
        thread.stats.add_message(&format!("PERF_CONTEXT:\n{}", db.perf_report()?));
    }
    thread.stats.stop();
    if is_counted || perf_level > PerfLevel::Disable {
        match db.perf_report() {
            Ok(report) => thread.stats.add_perf_counts(&PerfCounts::parse(&report)),
            Err(status) if is_lacking(&status) => {}
            Err(status) => return Err(status),
        }
    }
    result.map(|()| thread.stats)
}

fn read_options(flags: &Flags) -> ReadOptions {
    ReadOptions {
        verify_checksums: flags.bool("verify_checksum"),
        total_order_seek: flags.bool("total_order_seek"),
        prefix_same_as_start: flags.bool("prefix_same_as_start"),
        tailing: flags.bool("use_tailing_iterator"),
        auto_prefix_mode: flags.bool("auto_prefix_mode"),
        readahead_size: flags.uint("readahead_size"),
        rate_limiter_priority: flags.bool("rate_limit_user_ops").then_some(IoPriority::User),
        ..ReadOptions::default()
    }
}

/// What `--perf_level` asks for; numbers are those of RocksDB 11.
fn perf_level(flags: &Flags) -> Result<PerfLevel> {
    let given = flags.int("perf_level");
    let level = PerfLevel::ALL.into_iter().find(|level| *level as i64 == given);
    level.ok_or_else(|| {
        Status::invalid_argument(format!("--perf_level={given}: it is a number from 1 to 6"))
    })
}

/// Opens the databases, and says so as `db_bench` does.
fn open_targets<P: Provider>(flags: &Flags, provider: &P) -> Result<Vec<Target<P::Engine>>> {
    println!("Initializing RocksDB Options from the specified file");
    println!("Initializing RocksDB Options from command-line flags");
    println!("{}", report::blob_cache_line(flags));
    let started = Instant::now();
    let targets = target::open_all(flags, provider)?;
    if flags.bool("report_open_timing") {
        println!("OpenDb:     {:.3} milliseconds", started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(targets)
}

fn known_names() -> Vec<&'static str> {
    let timed = benchmarks::<NullEngine>().iter().map(|benchmark| benchmark.name);
    let actions = actions::<NullEngine>().into_iter().map(|(name, _)| name);
    let properties = PROPERTY_STEPS.iter().map(|(name, _)| *name);
    timed.chain(actions).chain(properties).chain(["memstats"]).collect()
}

pub(crate) mod harness;
#[cfg(test)]
mod tests;
