//! Times, from here to the end of a scope.

use crate::io_metric::IoMetric;
use crate::io_stats_context::{add_io, measures_io};
use crate::level_metric::LevelMetric;
use crate::metric::Measure;
use crate::perf_context::{add, add_at_level, counts_by_level};
use crate::perf_level::perf_level;
use crate::perf_metric::PerfMetric;
use std::time::{Duration, Instant};

/// A time that runs: on the clock, or of this thread's processor.
#[derive(Clone, Copy, Debug)]
enum Running {
    Clock(Instant),
    Processor(Duration),
}

impl Running {
    fn start(measure: Measure) -> Self {
        match measure {
            Measure::CpuTime => Self::Processor(processor_time()),
            _ => Self::Clock(Instant::now()),
        }
    }

    fn nanos(self) -> u64 {
        let passed = match self {
            Self::Clock(start) => start.elapsed(),
            Self::Processor(start) => processor_time().saturating_sub(start),
        };
        u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
    }
}

/// How long the processor has worked for this thread.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Adds the time it lives to a metric, if this thread's level has that.
#[derive(Debug)]
#[must_use = "it measures until it is dropped"]
pub struct Timer {
    metric: PerfMetric,
    running: Option<Running>,
}

impl Timer {
    /// Starts, if the level of this thread has the metric.
    #[inline]
    pub fn start(metric: PerfMetric) -> Self {
        let measure = metric.info().measure;
        let is_on = perf_level() >= measure.level();
        Self { metric, running: is_on.then(|| Running::start(measure)) }
    }
}

impl Drop for Timer {
    #[inline]
    fn drop(&mut self) {
        if let Some(running) = self.running {
            add(self.metric, running.nanos());
        }
    }
}

/// Adds the time it lives to a metric of a level of the tree, if this thread measures that.
#[derive(Debug)]
#[must_use = "it measures until it is dropped"]
pub struct LevelTimer {
    metric: LevelMetric,
    level: usize,
    running: Option<Running>,
}

impl LevelTimer {
    /// Starts, if this thread counts by level and its own level has the metric.
    #[inline]
    pub fn start(metric: LevelMetric, level: usize) -> Self {
        let measure = metric.info().measure;
        let is_on = counts_by_level() && perf_level() >= measure.level();
        Self { metric, level, running: is_on.then(|| Running::start(measure)) }
    }
}

impl Drop for LevelTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some(running) = self.running {
            add_at_level(self.metric, self.level, running.nanos());
        }
    }
}

/// Adds the time it lives to a metric of reads and writes, if this thread's level has that.
#[derive(Debug)]
#[must_use = "it measures until it is dropped"]
pub struct IoTimer {
    metric: IoMetric,
    running: Option<Running>,
}

impl IoTimer {
    /// Starts, if the level of this thread has the metric.
    #[inline]
    pub fn start(metric: IoMetric) -> Self {
        let measure = metric.info().measure;
        Self { metric, running: measures_io(measure).then(|| Running::start(measure)) }
    }
}

impl Drop for IoTimer {
    #[inline]
    fn drop(&mut self) {
        if let Some(running) = self.running {
            add_io(self.metric, running.nanos());
        }
    }
}
