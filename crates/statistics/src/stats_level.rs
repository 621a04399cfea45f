//! How much is counted.

/// How much is counted (`StatsLevel`). Each level has what the ones before it have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum StatsLevel {
    /// Nothing (`kDisableAll`, also called `kExceptTickers`).
    DisableAll = 0,
    /// Tickers (`kExceptHistogramOrTimers`).
    ExceptHistogramOrTimers = 1,
    /// Histograms of sizes and counts (`kExceptTimers`).
    ExceptTimers = 2,
    /// Times, without those of compression and of single reads of files
    /// (`kExceptDetailedTimers`).
    #[default]
    ExceptDetailedTimers = 3,
    /// Those too (`kExceptTimeForMutex`).
    ExceptTimeForMutex = 4,
    /// Times spent waiting for locks (`kAll`).
    All = 5,
}

impl StatsLevel {
    /// The level of this number; the highest for higher numbers.
    #[inline]
    pub fn from_number(number: u8) -> Self {
        match number {
            0 => Self::DisableAll,
            1 => Self::ExceptHistogramOrTimers,
            2 => Self::ExceptTimers,
            3 => Self::ExceptDetailedTimers,
            4 => Self::ExceptTimeForMutex,
            _ => Self::All,
        }
    }
}
