//! What a timer can add to.

use crate::io_metric::IoMetric;
use crate::io_stats_context::{add_io, measures_io};
use crate::level_metric::LevelMetric;
use crate::measure::Measure;
use crate::perf_context::{add, add_at_level, counts_by_level};
use crate::perf_level::perf_level;
use crate::perf_metric::PerfMetric;

/// What a [`Timer`](crate::Timer) can add to: a metric of the perf context, of one of its levels, or
/// of the I/O statistics.
pub trait TimedMetric: Copy {
    /// What it measures.
    fn measure(self) -> Measure;

    /// Whether this thread measures it.
    fn is_measured(self) -> bool;

    /// Adds a time.
    fn add_nanos(self, nanos: u64);
}

impl TimedMetric for PerfMetric {
    #[inline]
    fn measure(self) -> Measure {
        self.info().detail
    }

    #[inline]
    fn is_measured(self) -> bool {
        perf_level() >= self.measure().level()
    }

    fn add_nanos(self, nanos: u64) {
        add(self, nanos);
    }
}

impl TimedMetric for IoMetric {
    #[inline]
    fn measure(self) -> Measure {
        self.info().detail
    }

    #[inline]
    fn is_measured(self) -> bool {
        measures_io(self.measure())
    }

    fn add_nanos(self, nanos: u64) {
        add_io(self, nanos);
    }
}

/// A metric of one level of the tree; [`LevelMetric::at`].
#[derive(Clone, Copy, Debug)]
pub struct AtLevel {
    metric: LevelMetric,
    level: usize,
}

impl LevelMetric {
    /// That of this level of the tree.
    #[inline]
    pub fn at(self, level: usize) -> AtLevel {
        AtLevel { metric: self, level }
    }
}

impl TimedMetric for AtLevel {
    #[inline]
    fn measure(self) -> Measure {
        self.metric.info().detail
    }

    #[inline]
    fn is_measured(self) -> bool {
        perf_level() >= self.measure().level() && counts_by_level()
    }

    fn add_nanos(self, nanos: u64) {
        add_at_level(self.metric, self.level, nanos);
    }
}
