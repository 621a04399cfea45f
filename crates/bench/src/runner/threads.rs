//! Runs the threads of a benchmark, and adds up what they measured.

use super::Runner;
use super::properties::details_text;
use crate::arrivals::Arrivals;
use crate::flags::Flags;
use crate::measure::read_amplification::PerfCounts;
use crate::measure::shape::is_lacking;
use crate::random::Random64;
use crate::report_file::{ReportFile, WallClockColumn};
use crate::stats::{Details, Progress, Stats};
use crate::tree_actions::wait_until_compacted;
use crate::workload::{BackgroundThread, Benchmark, Changes, Thread, Workload};
use base::{Result, Status};
use engines::{Engine, Provider};
use perf_context::PerfLevel;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

impl<P: Provider> Runner<'_, P> {
    /// What thread 0 prints after its interval lines, if that is asked for.
    fn details(&self) -> Option<Details> {
        if self.flags.int("stats_per_interval") == 0 {
            return None;
        }
        let (flags, targets) = (self.flags.clone(), self.targets.clone());
        Some(Details(Arc::new(move || details_text(&flags, &targets))))
    }

    /// Runs all threads once.
    pub(super) fn measure(&mut self, benchmark: &Benchmark<P::Engine>) -> Result<Stats> {
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
        let mut in_background = None;
        for (id, stats) in results.into_iter().enumerate() {
            let stats = stats?;
            if id < background_count {
                in_background = Some(in_background.unwrap_or(0) + stats.operations());
                continue;
            }
            match &mut merged {
                Some(merged) => merged.merge(&stats),
                None => merged = Some(stats),
            }
        }
        // With one thread, which is in the background, nothing is measured.
        let mut merged = merged.unwrap_or_else(|| Stats::start(0, Progress::default()));
        merged.set_background_operations(in_background);
        Ok(merged)
    }

    /// Runs all threads once and prints what they measured.
    pub(super) fn run_threads(&mut self, benchmark: &Benchmark<P::Engine>) -> Result<Stats> {
        if matches!(benchmark.name, "multireadrandom" | "multireadentity" | "approximatesizerandom")
        {
            eprintln!("entries_per_batch = {}", self.flags.int("batch_size"));
        }
        let mut merged = self.measure(benchmark)?;
        if self.flags.bool("wait_for_compactions") && benchmark.changes != Changes::Nothing {
            wait_until_compacted(&self.targets)?;
            merged.waited();
        }
        println!("{}", merged.result(benchmark.name).trim_end_matches('\n'));
        if merged.result(benchmark.name).ends_with("\n\n") {
            println!();
        }
        if let Some(files) = &self.files {
            print!("{}", files.take_text());
        }
        Ok(merged)
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

/// Whether there can be a file that the runs report to.
pub(super) fn check_report_file(flags: &Flags) -> Result<()> {
    report_file(flags).map(drop)
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
    // Levels of the tree are for what is printed: as in `db_bench`, where nothing else is counted.
    let by_level = perf_level > PerfLevel::Disable;
    db.start_perf(if is_counted { PerfLevel::EnableCount } else { perf_level }, by_level)?;
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

/// What `--perf_level` asks for; numbers are those of RocksDB 11.
pub(crate) fn perf_level(flags: &Flags) -> Result<PerfLevel> {
    let given = flags.int("perf_level");
    let level = PerfLevel::ALL.into_iter().find(|level| *level as i64 == given);
    level.ok_or_else(|| {
        Status::invalid_argument(format!("--perf_level={given}: it is a number from 1 to 6"))
    })
}
