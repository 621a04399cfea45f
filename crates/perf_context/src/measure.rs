//! What a metric measures, and so from which level on.

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
