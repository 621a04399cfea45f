//! How much a thread measures.

use std::cell::Cell;

/// How much a thread measures (`rocksdb::PerfLevel`); each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PerfLevel {
    /// Nothing.
    Disable = 1,
    /// Counts. This is the level of a thread that sets none.
    #[default]
    EnableCount = 2,
    /// And how long writes wait for others.
    EnableWait = 3,
    /// And times, but for waits for locks.
    EnableTimeExceptForMutex = 4,
    /// And times of the processor.
    EnableTimeAndCpuTimeExceptForMutex = 5,
    /// And waits for locks.
    EnableTime = 6,
}

impl PerfLevel {
    /// All there are, the least first.
    pub const ALL: [Self; 6] = [
        Self::Disable,
        Self::EnableCount,
        Self::EnableWait,
        Self::EnableTimeExceptForMutex,
        Self::EnableTimeAndCpuTimeExceptForMutex,
        Self::EnableTime,
    ];
}

thread_local! {
    static LEVEL: Cell<PerfLevel> = const { Cell::new(PerfLevel::EnableCount) };
}

/// How much this thread measures.
#[inline]
pub fn perf_level() -> PerfLevel {
    LEVEL.get()
}

/// Says how much this thread is to measure.
pub fn set_perf_level(level: PerfLevel) {
    LEVEL.set(level);
}
