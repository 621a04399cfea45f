//! What each thread counts and times of its own operations, by RocksDB's names.
//!
//! Statistics tell what a database did; these tell what one operation cost: reset them, look a key
//! up, read them, all in one thread. [`set_perf_level`] says how much is measured: counting is on
//! from the start, times are not.
//!
//! ```
//! use perf_context::{PerfLevel, PerfMetric, perf_context, reset_perf_context, set_perf_level};
//!
//! set_perf_level(PerfLevel::EnableTimeExceptForMutex);
//! reset_perf_context();
//! // … an operation of this thread …
//! assert_eq!(perf_context().get(PerfMetric::BlockReadCount), 0);
//! ```
//!
//! This crate knows nothing of what is counted; whoever does something counts it by [`count`] or a
//! [`Timer`].

#![forbid(unsafe_code)]

pub mod docs;
mod idle_reasons;
mod io_metric;
mod io_stats_context;
mod level_metric;
mod measure;
#[allow(clippy::module_inception, reason = "the crate is named after its main noun")]
mod perf_context;
mod perf_level;
mod perf_metric;
mod timed_metric;
mod timer;
mod work_for_another;

pub use io_metric::IoMetric;
pub use io_stats_context::{
    IoStatsContext, add_io_stats, count_io, disable_io_stats, io_stats_context,
    reset_io_stats_context, set_thread_pool_id,
};
pub use level_metric::LevelMetric;
pub use measure::Measure;
pub use perf_context::{
    PerfContext, count, count_at_level, counts, disable_per_level_perf_context,
    enable_per_level_perf_context, perf_context, reset_perf_context,
};
pub use perf_level::{PerfLevel, perf_level, set_perf_level};
pub use perf_metric::PerfMetric;
pub use timed_metric::{AtLevel, TimedMetric};
pub use timer::Timer;
pub use work_for_another::WorkForAnother;

/// What is known of a metric; the detail is what it measures.
pub type MetricInfo = metric::MetricInfo<Measure>;
