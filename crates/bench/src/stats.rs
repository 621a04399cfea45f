//! What one thread measured, what all together did, and the line that says so.

use crate::arrivals::Arrivals;
use crate::measure::read_amplification::PerfCounts;
use base::histogram::Histogram;
use record::{Latency, ReadAmplification};
use statistics::{Moment, MomentClock};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What an operation is, for the histogram's title.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationType {
    /// A point lookup or an entry of a scan.
    Read,
    /// A seek with its nexts.
    Seek,
    /// A batch of puts.
    Write,
    /// A batch of deletions.
    Delete,
    /// A merge operand.
    Merge,
    /// A read and the put that follows from it.
    Update,
    /// A block that is compressed.
    Compress,
    /// A block that is decompressed.
    Uncompress,
    /// A CRC of a block.
    Crc,
    /// Another hash of a block.
    Hash,
    /// Several ranges that are scanned.
    MultiScan,
    /// Anything else.
    Other,
}

impl OperationType {
    fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Seek => "seek",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Merge => "merge",
            Self::Update => "update",
            Self::Compress => "compress",
            Self::Uncompress => "uncompress",
            Self::Crc => "crc",
            Self::Hash => "hash",
            Self::MultiScan => "multiscan",
            Self::Other => "op",
        }
    }
}

/// How a thread reports while it runs.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Operations between interval lines (`stats_interval`); 0 for a running count instead.
    pub interval: u64,
    /// Least seconds between interval lines (`stats_interval_seconds`).
    pub interval_seconds: u64,
    /// Whether to report at all (`progress_reports`).
    pub enabled: bool,
    /// Whether there are histograms (`histogram`).
    pub with_histogram: bool,
    /// Microseconds from which an operation is called long (`slow_usecs`), where there are
    /// histograms and no interval lines.
    pub slow_micros: u64,
    /// Whether thread 0 prints what all threads do (`thread_status_per_interval`).
    pub thread_status: bool,
    /// When operations begin (`arrival_rate`); `None` where each begins when the one before it ended.
    pub arrivals: Option<Arrivals>,
    /// What the rows of the report file are counted from.
    pub report_count: Option<Arc<AtomicU64>>,
    /// What thread 0 prints after an interval line (`stats_per_interval`).
    pub details: Option<Details>,
}

/// Says how the databases are.
#[derive(Clone)]
pub struct Details(pub Arc<dyn Fn() -> String + Send + Sync>);

impl fmt::Debug for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Details")
    }
}

/// Measurements of one thread, or of several merged.
#[derive(Clone, Debug)]
pub struct Stats {
    thread_id: usize,
    start: Instant,
    finish: Instant,
    /// How many threads it is of.
    threads: u32,
    /// Sum of the threads' own running times.
    running: Duration,
    /// How long was waited for compactions after that.
    waited: Option<Duration>,
    operations: u64,
    /// Those of a thread that is not measured.
    background_operations: Option<u64>,
    bytes: u64,
    message: String,
    /// By what was done first.
    histograms: Vec<(OperationType, Histogram)>,
    /// Keys found, and keys looked for.
    lookups: Option<(u64, u64)>,
    perf_counts: Option<PerfCounts>,
    clock: &'static MomentClock,
    last_operation: Moment,
    /// How long before that the operation should have begun that goes on since.
    late_nanos: u64,
    progress: Progress,
    next_report: u64,
    last_report: (Instant, u64),
}

impl Stats {
    /// Starts measuring.
    pub fn start(thread_id: usize, progress: Progress) -> Self {
        let (clock, now) = (MomentClock::get(), Instant::now());
        let next_report = if progress.interval > 0 { progress.interval } else { 100 };
        Self {
            thread_id,
            start: now,
            finish: now,
            threads: 1,
            running: Duration::ZERO,
            waited: None,
            operations: 0,
            background_operations: None,
            bytes: 0,
            message: String::new(),
            histograms: Vec::new(),
            lookups: None,
            perf_counts: None,
            clock,
            last_operation: clock.now(),
            late_nanos: 0,
            progress,
            next_report,
            last_report: (now, 0),
        }
    }

    /// Counts operations that just ended.
    #[inline]
    pub fn finished_operations(&mut self, count: u64, operation: OperationType) {
        if let Some(total) = &self.progress.report_count {
            // Relaxed: nothing else depends on it.
            total.fetch_add(count, Ordering::Relaxed);
        }
        if self.progress.with_histogram {
            self.add_latency(operation);
        }
        self.operations += count;
        if self.operations >= self.next_report && self.progress.enabled {
            self.report();
        }
        if let Some(arrivals) = self.progress.arrivals {
            // Late or not, this is when the next operation should begin.
            let due = arrivals.due(self.start, self.thread_id, self.operations);
            Arrivals::wait_until(due);
            self.last_operation = self.clock.now();
            self.late_nanos = due.elapsed().as_nanos() as u64;
        }
    }

    fn add_latency(&mut self, operation: OperationType) {
        let now = self.clock.now();
        let nanos = self.late_nanos + self.clock.nanos_between(self.last_operation, now);
        let micros = nanos / 1000;
        self.last_operation = now;
        self.histogram(operation).add(micros);
        if micros >= self.progress.slow_micros && self.progress.interval == 0 {
            eprint!("long op: {micros} micros{:30}\r", "");
        }
    }

    fn histogram(&mut self, operation: OperationType) -> &mut Histogram {
        let known = self.histograms.iter().position(|(kind, _)| *kind == operation);
        let index = known.unwrap_or_else(|| {
            self.histograms.push((operation, Histogram::default()));
            self.histograms.len() - 1
        });
        &mut self.histograms[index].1
    }

    /// Leaves the time since the last operation out of the next one's, unless that should have begun
    /// already.
    #[inline]
    pub fn reset_last_operation_time(&mut self) {
        if self.progress.with_histogram && self.progress.arrivals.is_none() {
            self.last_operation = self.clock.now();
        }
    }

    /// Adds bytes to the throughput.
    #[inline]
    pub fn add_bytes(&mut self, count: u64) {
        self.bytes += count;
    }

    /// Adds words to the end of the result line.
    pub fn add_message(&mut self, message: &str) {
        if !self.message.is_empty() && !message.is_empty() {
            self.message.push(' ');
        }
        self.message.push_str(message);
    }

    /// Adds keys that were looked for, and how many of them were found.
    pub fn add_lookups(&mut self, found: u64, read: u64) {
        let (found_before, read_before) = self.lookups.unwrap_or_default();
        self.lookups = Some((found_before + found, read_before + read));
    }

    /// Adds what the thread's perf context counted.
    pub(crate) fn add_perf_counts(&mut self, counts: &PerfCounts) {
        self.perf_counts.get_or_insert_default().add(counts);
    }

    /// How many operations ended so far.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Sets what a thread did that is not measured; none if there was none.
    pub(crate) fn set_background_operations(&mut self, count: Option<u64>) {
        self.background_operations = count;
    }

    /// Operations of the thread in the background, which is not measured; none if there was none.
    pub fn background_operations(&self) -> Option<u64> {
        self.background_operations
    }

    /// Begins again, as if nothing had been done.
    pub fn restart(&mut self) {
        *self = Self::start(self.thread_id, self.progress.clone());
    }

    /// When measuring began.
    pub fn started(&self) -> Instant {
        self.start
    }

    /// Ends measuring.
    pub fn stop(&mut self) {
        self.progress.details = None;
        self.finish = Instant::now();
        self.running = self.finish - self.start;
    }

    /// What was measured is over only now: each thread waited since it stopped.
    pub(crate) fn waited(&mut self) {
        let now = Instant::now();
        let wait = now - self.finish;
        self.finish = now;
        self.running += wait * self.threads;
        self.waited = Some(wait);
    }

    /// Seconds that were waited for compactions; none if nobody did.
    pub fn wait_seconds(&self) -> Option<f64> {
        self.waited.map(|wait| wait.as_secs_f64())
    }

    #[cold]
    fn report(&mut self) {
        self.report_count();
        if self.progress.thread_status && self.thread_id == 0 {
            eprint!("{}", crate::report::thread_status_table(&env::thread_list()));
        }
    }

    fn report_count(&mut self) {
        if self.progress.interval == 0 {
            let step = match self.next_report {
                ..1_000 => 100,
                1_000..5_000 => 500,
                5_000..10_000 => 1_000,
                10_000..50_000 => 5_000,
                50_000..100_000 => 10_000,
                100_000..500_000 => 50_000,
                _ => 100_000,
            };
            self.next_report += step;
            eprint!("... finished {} ops{:30}\r", self.operations, "");
            return;
        }
        let now = Instant::now();
        let seconds = now.duration_since(self.last_report.0).as_secs_f64();
        if self.progress.interval_seconds > 0 && seconds < self.progress.interval_seconds as f64 {
            self.next_report += self.progress.interval;
            return;
        }
        let total_seconds = now.duration_since(self.start).as_secs_f64();
        let interval_operations = self.operations - self.last_report.1;
        eprintln!(
            "{}  ... thread {}: ({interval_operations},{}) ops and ({:.1},{:.1}) ops/second in \
             ({seconds:.6},{total_seconds:.6}) seconds",
            crate::report::timestamp(),
            self.thread_id,
            self.operations,
            interval_operations as f64 / seconds,
            self.operations as f64 / total_seconds,
        );
        if let (0, Some(Details(details))) = (self.thread_id, &self.progress.details) {
            eprint!("{}", details());
        }
        self.last_report = (now, self.operations);
        self.next_report += self.progress.interval;
    }

    /// Adds another thread's measurements. The first message that is not empty stays.
    pub fn merge(&mut self, other: &Self) {
        self.start = self.start.min(other.start);
        self.finish = self.finish.max(other.finish);
        self.threads += other.threads;
        self.running += other.running;
        self.operations += other.operations;
        self.bytes += other.bytes;
        if self.message.is_empty() {
            self.message.clone_from(&other.message);
        }
        if let Some((found, read)) = other.lookups {
            self.add_lookups(found, read);
        }
        if let Some(counts) = &other.perf_counts {
            self.add_perf_counts(counts);
        }
        for (operation, histogram) in &other.histograms {
            self.histogram(*operation).merge(histogram);
        }
    }

    /// Operations a second, from the first thread's start to the last one's end.
    pub fn operations_per_second(&self) -> f64 {
        self.operations.max(1) as f64 / self.elapsed_seconds()
    }

    /// Mebibytes a second; none if no bytes were counted.
    pub fn megabytes_per_second(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.bytes as f64 / 1_048_576.0 / self.elapsed_seconds())
    }

    /// From the first thread's start to the last one's end; more than 0.
    pub fn elapsed_seconds(&self) -> f64 {
        (self.finish - self.start).as_secs_f64().max(1e-9)
    }

    /// Time of an operation as one thread sees it.
    pub fn micros_per_operation(&self) -> f64 {
        self.running.as_secs_f64() * 1e6 / self.operations.max(1) as f64
    }

    /// Bytes of keys and values; none where they are not counted.
    pub fn bytes(&self) -> Option<u64> {
        Some(self.bytes).filter(|bytes| *bytes > 0)
    }

    /// The end of the result line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Keys found, and keys looked for; none unless keys were looked up.
    pub fn lookups(&self) -> Option<(u64, u64)> {
        self.lookups
    }

    /// What an average lookup had to do; none where that was not counted.
    pub fn read_amplification(&self) -> Option<ReadAmplification> {
        let (_, queries) = self.lookups?;
        self.perf_counts.as_ref()?.per_query(queries)
    }

    /// How long operations took, by type; empty without a histogram.
    pub fn latencies(&self) -> BTreeMap<String, Latency> {
        let named = self.histograms.iter().map(|(kind, histogram)| {
            let percentile = |percent| histogram.percentile(percent);
            let latency = Latency {
                count: histogram.count(),
                mean: histogram.average(),
                stddev: histogram.standard_deviation(),
                min: histogram.min() as f64,
                max: histogram.max() as f64,
                p50: percentile(50.0),
                p95: percentile(95.0),
                p99: percentile(99.0),
                p999: percentile(99.9),
                p9999: percentile(99.99),
            };
            (kind.name().to_owned(), latency)
        });
        named.collect()
    }

    /// The result line, and the histogram under it.
    pub fn result(&self, name: &str) -> String {
        let operations = self.operations.max(1);
        let mut extra = String::new();
        if let Some(rate) = self.megabytes_per_second() {
            extra = format!(" {rate:6.1} MB/s");
        }
        if !self.message.is_empty() {
            extra = format!("{extra} {}", self.message);
        }
        let mut text = format!(
            "{name:<12} : {:11.3} micros/op {} ops/sec {:.3} seconds {operations} operations;{extra}\n",
            self.micros_per_operation(),
            self.operations_per_second() as u64,
            self.elapsed_seconds(),
        );
        for (operation, histogram) in &self.histograms {
            text += &format!("Microseconds per {}:\n{histogram}\n", operation.name());
        }
        text
    }
}

#[cfg(test)]
mod tests;
