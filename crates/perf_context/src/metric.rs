//! What all metrics of a thread have: a row in a table.
//!
//! ```text
//! /// What it counts, for people.
//! Variant = "rocksdb_name", Count, counted;
//! Other = "rocksdb_other", Time, idle(NO_TRANSACTIONS);
//! ```
//!
//! The second word says what is measured, and so from which level on.

use crate::perf_level::PerfLevel;

/// What a metric measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Counted whatever the level is.
    Always,
    /// Things, or bytes.
    Count,
    /// Nanoseconds that a write waits for others.
    Wait,
    /// Nanoseconds.
    Time,
    /// Nanoseconds of the processor.
    CpuTime,
    /// Nanoseconds that a lock is waited for.
    MutexTime,
}

impl Measure {
    /// The least level at which it is measured.
    pub const fn level(self) -> PerfLevel {
        match self {
            Self::Always => PerfLevel::Disable,
            Self::Count => PerfLevel::EnableCount,
            Self::Wait => PerfLevel::EnableWait,
            Self::Time => PerfLevel::EnableTimeExceptForMutex,
            Self::CpuTime => PerfLevel::EnableTimeAndCpuTimeExceptForMutex,
            Self::MutexTime => PerfLevel::EnableTime,
        }
    }
}

/// What is known of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricInfo {
    /// RocksDB's name of it.
    pub name: &'static str,
    /// What it counts.
    pub doc: &'static str,
    /// What it measures.
    pub measure: Measure,
    /// Why this engine never adds to it; none where it does.
    pub idle: Option<&'static str>,
}

/// Makes an enumeration of metrics from its rows.
macro_rules! perf_metrics {
    (
        $(#[$attribute:meta])*
        pub enum $kind:ident;
        rows { $(#[doc = $doc:literal] $variant:ident = $name:literal, $measure:ident, $state:ident $(($reason:ident))?;)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $(#[doc = $doc] $variant,)*
        }

        impl $kind {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub(crate) const COUNT: usize = Self::ALL.len();

            const INFO: [$crate::metric::MetricInfo; Self::COUNT] = [$($crate::metric::MetricInfo {
                name: $name,
                doc: $doc,
                measure: $crate::metric::Measure::$measure,
                idle: $crate::metric::idle!($state $(($reason))?),
            }),*];

            /// What is known of it.
            pub const fn info(self) -> &'static $crate::metric::MetricInfo {
                &Self::INFO[self as usize]
            }

            /// RocksDB's name of it.
            pub const fn name(self) -> &'static str {
                self.info().name
            }
        }
    };
}

macro_rules! idle {
    (counted) => {
        None
    };
    (idle ($reason:ident)) => {
        Some($reason)
    };
}

pub(crate) use {idle, perf_metrics};
