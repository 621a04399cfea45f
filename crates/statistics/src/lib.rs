//! What an engine counts and times, by RocksDB's names.
//!
//! Tickers are counters, histograms are distributions of values; each has the name and number that
//! it has in RocksDB 11.9, so that what reads those elsewhere reads them here. The two tables say of
//! each whether this engine counts it.
//!
//! Each thread counts for itself: adding is a load and a store in memory that no other thread writes
//! to, and what was counted is summed up when somebody asks. Operations that are short and happen
//! often are not all timed at the default level. This crate knows nothing of what is counted.

#![forbid(unsafe_code)]

pub mod activity;
mod atomic_histogram;
mod change_count;
pub mod docs;
mod get_counters;
mod get_outcome;
mod gone_metrics;
mod histogram_data;
mod histogram_sums;
mod histogram_type;
mod idle_reasons;
mod moment;
mod operation_timer;
mod own_counters;
mod recent_values;
mod recorder;
mod statistics;
mod stats_level;
mod sync_primitives;
mod thread_counters;
mod ticker;
mod totals;

pub use activity::{Activity, CompactionCause};
pub use get_outcome::GetOutcome;
pub use gone_metrics::{GONE_HISTOGRAMS, GONE_TICKERS, GoneMetric};
pub use histogram_data::HistogramData;
pub use histogram_type::HistogramType;
pub use moment::{Moment, MomentClock};
pub use operation_timer::OperationTimer;
pub use recorder::Recorder;
pub use statistics::Statistics;
pub use stats_level::StatsLevel;
pub use ticker::Ticker;

/// What is known of a ticker or histogram; the detail is its number in RocksDB 11.9.
pub type MetricInfo = metric::MetricInfo<u16>;
