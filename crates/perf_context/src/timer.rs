//! Times, from here to the end of a scope.

use crate::measure::Measure;
use crate::timed_metric::TimedMetric;
use std::num::NonZeroU64;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Adds the time it lives to a metric, if this thread measures that. Where it does not, it is a
/// comparison at its start and one at its end.
#[derive(Debug)]
#[must_use = "it measures until it is dropped"]
pub struct Timer<M: TimedMetric> {
    metric: M,
    /// Nanoseconds on the clock of the metric; none if it is not measured.
    start: Option<NonZeroU64>,
}

impl<M: TimedMetric> Timer<M> {
    /// Starts, if the level of this thread has the metric.
    #[inline]
    pub fn start(metric: M) -> Self {
        let start = if metric.is_measured() { now(metric.measure()) } else { None };
        Self { metric, start }
    }

    /// What is timed from here on is `metric`, of the same measure; the one before ends. For what
    /// happens one after the other: the level is looked at once.
    #[inline]
    pub fn switch_to(&mut self, metric: M) {
        debug_assert_eq!(metric.measure(), self.metric.measure());
        if let Some(start) = self.start {
            self.start = stop(self.metric, start);
        }
        self.metric = metric;
    }
}

impl<M: TimedMetric> Drop for Timer<M> {
    #[inline]
    fn drop(&mut self) {
        if let Some(start) = self.start {
            stop(self.metric, start);
        }
    }
}

/// Adds what has passed since `start`; the clock now.
#[cold]
#[inline(never)]
fn stop<M: TimedMetric>(metric: M, start: NonZeroU64) -> Option<NonZeroU64> {
    let end = now(metric.measure());
    metric.add_nanos(end.map_or(0, NonZeroU64::get).saturating_sub(start.get()));
    end
}

/// What the clock for this measure says, in nanoseconds since some moment.
#[cold]
#[inline(never)]
fn now(measure: Measure) -> Option<NonZeroU64> {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    let nanos = match measure {
        Measure::CpuTime => {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
            Duration::try_from(time).ok()?.as_nanos()
        }
        // The standard library's clock also works where the program runs under Valgrind.
        _ => FIRST.get_or_init(Instant::now).elapsed().as_nanos() + 1,
    };
    NonZeroU64::new(u64::try_from(nanos).ok()?)
}
