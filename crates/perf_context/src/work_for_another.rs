//! Reads and writes of files that one thread does for another.

use crate::io_stats_context::{IoStatsContext, io_stats_context, reset_io_stats_context};
use crate::perf_level::{PerfLevel, perf_level, set_perf_level};

/// How work that a thread hands to another is measured: as if it did it itself. What the helper counts,
/// the thread adds to its own by [`add_io_stats`](crate::add_io_stats) when it learns of the end.
#[derive(Clone, Copy, Debug)]
pub struct WorkForAnother {
    level: PerfLevel,
}

impl WorkForAnother {
    /// For work of the thread that calls this.
    #[allow(clippy::new_without_default, reason = "it takes the level of the calling thread")]
    pub fn new() -> Self {
        Self { level: perf_level() }
    }

    /// Does the work in the helping thread. Returns what that counted and timed meanwhile too.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> (T, IoStatsContext) {
        set_perf_level(self.level);
        reset_io_stats_context();
        let result = work();
        (result, io_stats_context())
    }
}

#[cfg(test)]
mod tests;
