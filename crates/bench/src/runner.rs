//! Runs the benchmarks of a command line, one after another.

use crate::combined_stats::CombinedStats;
use crate::compaction_filters::ExpiredTimeFilter;
use crate::counted_files::FileCounters;
use crate::flags::Flags;
use crate::measure::peak_space::PeakSpace;
use crate::measure::shape;
use crate::recorder::{Measured, Moment, Recorder, RunOf};
use crate::report;
use crate::shape::keeper::ShapeKeeper;
use crate::stats::Stats;
use crate::step::{Step, keeps_database};
use crate::target::{self, directories};
use crate::tree_actions::actions;
use crate::workload::{Benchmark, Changes, Target};
use base::Result;
use base::compaction_filter::SharedCompactionFilter;
use base::status::Code;
use engines::{Engine, Provider};
use properties::PROPERTY_STEPS;
use secondary::CatchingUp;
use statistics::MomentClock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Runs these steps, and tells after each what `files` counted.
///
/// # Errors
/// The first failure: a database that does not open, a failed read.
pub(crate) fn run<P: Provider>(
    flags: &Flags,
    steps: &[Step],
    provider: &P,
    files: Option<Arc<FileCounters>>,
) -> Result<()> {
    // Finds out how fast the clock runs, which is not to count as a benchmark's.
    MomentClock::get();
    let mut runner = Runner { files, ..Runner::open(flags, steps, provider)? };
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
    let updates = runner.secondary.take().map(CatchingUp::finish);
    if let Some(statistics) = provider.statistics_text() {
        println!("STATISTICS:\n{statistics}");
    }
    if flags.bool("use_secondary_db") {
        println!("Secondary instance updated  {} times.", updates.unwrap_or(0));
    }
    runner.close()
}

struct Runner<'a, P: Provider> {
    flags: &'a Flags,
    provider: &'a P,
    targets: Arc<Vec<Target<P::Engine>>>,
    existing_keys: Vec<Vec<u8>>,
    seed_base: u64,
    /// Threads started since the process began: each gets random numbers of its own.
    threads_started: u64,
    /// The time that `timeseries` counts.
    time: Arc<AtomicU64>,
    /// See [`Workload::first_hot_family`](crate::workload::Workload::first_hot_family).
    first_hot_family: Arc<AtomicUsize>,
    secondary: Option<CatchingUp>,
    shape: Option<ShapeKeeper>,
    recorder: Option<Recorder>,
    files: Option<Arc<FileCounters>>,
}

impl<'a, P: Provider> Runner<'a, P> {
    /// Opens the databases; those that are there are deleted before if one of `steps` writes.
    fn open(flags: &'a Flags, steps: &[Step], provider: &'a P) -> Result<Self> {
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
        // Nothing is deleted for options that make no sense, nor for a report that nobody will get.
        target::checked_options(flags, provider, None)?;
        threads::check_report_file(flags)?;
        if !keeps_database(flags) && steps.iter().any(Step::writes) {
            target::destroy_all(flags, provider)?;
        }
        let targets = Arc::new(open_targets(flags, provider, None)?);
        let existing_keys = match flags.bool("use_existing_keys") {
            true => target::all_keys(&targets)?,
            false => Vec::new(),
        };
        Ok(Self {
            flags,
            provider,
            targets: Arc::clone(&targets),
            existing_keys,
            seed_base,
            threads_started: 0,
            time: Arc::default(),
            first_hot_family: Arc::default(),
            secondary: CatchingUp::from_flags(flags, &targets),
            shape: ShapeKeeper::from_flags(flags)?,
            recorder,
            files: None,
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
    fn start_afresh(&mut self, benchmark: &Benchmark<P::Engine>) -> Result<()> {
        self.close()?;
        target::destroy_all(self.flags, self.provider)?;
        let is_expiring = self.flags.text("expire_style") == "compaction_filter";
        let filter = (benchmark.name == "timeseries" && is_expiring).then(|| {
            // There is no end of the line in `db_bench` either.
            print!("Compaction filter is used to remove expired data");
            let age_max = self.flags.uint("time_range");
            Arc::new(ExpiredTimeFilter { now: Arc::clone(&self.time), age_max }) as _
        });
        self.targets = Arc::new(open_targets(self.flags, self.provider, filter)?);
        // Relaxed: no thread runs.
        self.first_hot_family.store(0, Ordering::Relaxed);
        self.time.store(0, Ordering::Relaxed);
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
            return properties::print_property(&self.targets, property);
        }
        match step.name.as_str() {
            "cache_report_problems" => return cache_problems::print(&self.targets),
            "memstats" => return properties::print_memory(&self.targets),
            "resetstats" => return self.targets.iter().try_for_each(|it| it.db.reset_stats()),
            "stats_history" => return properties::print_history(&self.targets),
            "verify" => return verify::run(self.flags, self.provider, &self.targets),
            _ => {}
        }
        let Some(benchmark) = step.benchmark() else { return step.check() };
        if benchmark.changes == Changes::AllOfIt {
            if self.flags.bool("use_existing_db") {
                return self.skipped(step, "--use_existing_db is true");
            }
            self.start_afresh(benchmark)?;
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
        let space = self.recorder.is_some().then(|| PeakSpace::watch(directories(self.flags)));
        let before = moment(self)?;
        let stats = self.run_threads(benchmark)?;
        let after = moment(self)?;
        if let (Some(recorder), Some(before), Some(after), Some(space)) =
            (&mut self.recorder, before, after, space)
        {
            let space_peak_bytes = space.finish();
            recorder.ran(run, &stats, Measured { before, after, space_peak_bytes })?;
        }
        if let Some(keeper) = &self.shape {
            keeper.prove(benchmark.changes, shape_before.as_ref(), shape(self)?.as_ref())?;
        }
        Ok(stats)
    }
}

/// Opens the databases, and says so as `db_bench` does.
fn open_targets<P: Provider>(
    flags: &Flags,
    provider: &P,
    filter: Option<SharedCompactionFilter>,
) -> Result<Vec<Target<P::Engine>>> {
    println!("Initializing RocksDB Options from the specified file");
    if flags.text("options_file").is_empty() {
        println!("Initializing RocksDB Options from command-line flags");
        println!("{}", report::blob_cache_line(flags));
    }
    let started = Instant::now();
    let targets = target::open_all(flags, provider, filter)?;
    if flags.bool("report_open_timing") {
        println!("OpenDb:     {:.3} milliseconds", started.elapsed().as_secs_f64() * 1e3);
    }
    if flags.bool("use_keep_filter") {
        println!("A noop compaction filter is used");
    }
    Ok(targets)
}

mod cache_problems;
pub(crate) mod harness;
pub(crate) mod properties;
mod secondary;
pub(crate) mod shared;
#[cfg(test)]
mod tests;
pub(crate) mod threads;
mod verify;
