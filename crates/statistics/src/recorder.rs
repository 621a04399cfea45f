//! What a thread adds to, reached once for several metrics.

use crate::moment::MomentClock;
use crate::operation_timer::OperationTimer;
use crate::thread_counters::ThreadCounters;
use crate::{GetOutcome, HistogramType, Moment, Statistics, StatsLevel, Ticker};
use std::marker::PhantomData;

/// What the thread adds to; see [`Statistics::recorder`]. Whoever counts several things, or at the
/// beginning and at the end of something, gets it once and hands it on: reaching it costs more than
/// adding does, and it is no more than a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Recorder<'s> {
    pub(crate) counters: &'static ThreadCounters,
    /// Once they are gone, the counters may be somebody else's.
    pub(crate) statistics: PhantomData<&'s Statistics>,
    /// No other thread may add to them.
    pub(crate) not_send: PhantomData<*const ()>,
}

impl Recorder<'_> {
    /// Adds to a ticker.
    #[inline]
    pub fn tick(&self, ticker: Ticker, count: u64) {
        self.counters.add(ticker, count);
    }

    /// A lookup of one key ended, with a value of so many bytes; 0 if there is no value, which counts
    /// among the sizes too.
    #[inline]
    pub fn end_get(&self, outcome: GetOutcome, value_bytes: u64) {
        self.counters.gets.add(outcome, value_bytes);
    }

    /// Whether the level is this one, or a higher one.
    #[inline]
    fn has_level(&self, level: StatsLevel) -> bool {
        self.counters.level_number() >= level as u8
    }

    /// Adds a value to a histogram, if the level has histograms.
    #[inline]
    pub fn value(&self, kind: HistogramType, value: u64) {
        self.counters.add_to_histogram(kind, value);
    }

    /// Adds a time to a histogram, if the level has times.
    #[inline]
    pub fn micros(&self, kind: HistogramType, micros: u64) {
        if self.has_level(StatsLevel::ExceptDetailedTimers) {
            self.value(kind, micros);
        }
    }

    /// Whether what happens often and is short is timed in detail.
    #[inline]
    pub fn has_detailed_timers(&self) -> bool {
        self.has_level(StatsLevel::ExceptTimeForMutex)
    }

    /// Nanoseconds since `start`; 0 if there was none.
    #[inline]
    pub fn elapsed_nanos(&self, start: Option<Moment>) -> u64 {
        start.map_or(0, |start| MomentClock::get().nanos_since(start))
    }

    /// Microseconds since `start`; 0 if there was none.
    #[inline]
    pub fn elapsed_micros(&self, start: Option<Moment>) -> u64 {
        self.elapsed_nanos(start) / 1000
    }

    /// Adds the microseconds since `start` to a histogram, if there was a start.
    #[inline]
    pub fn micros_since(&self, kind: HistogramType, start: Option<Moment>) {
        if start.is_some() {
            self.value(kind, self.elapsed_micros(start));
        }
    }

    /// An operation begins that is short and happens often. If the level has times, its histogram
    /// gets a value more, at the latest by [`Self::end_operation`]; at the default level some are
    /// timed for the others, see docs/statistics.md.
    #[inline]
    pub fn start_operation(&self, kind: HistogramType) -> OperationTimer {
        // What is pending is of this level: none is where all operations are timed, or none is.
        let has_value = self.counters.histogram(kind).takes_pending();
        OperationTimer { start: if has_value { None } else { self.start_timed() } }
    }

    /// By value, as [`Self::end_timed`]: then callers need not put the pointer into memory.
    #[cold]
    fn start_timed(self) -> Option<Moment> {
        let is_timed = self.has_level(StatsLevel::ExceptDetailedTimers);
        is_timed.then(|| MomentClock::get().now())
    }

    /// An operation is over that began as one of this kind. One that never began, the default, does not
    /// count.
    #[inline]
    pub fn end_operation(&self, kind: HistogramType, operation: OperationTimer) {
        if let Some(start) = operation.start {
            self.end_timed(kind, start);
        }
    }

    #[cold]
    fn end_timed(self, kind: HistogramType, start: Moment) {
        let micros = MomentClock::get().nanos_since(start) / 1000;
        self.counters.histogram(kind).add_timed(micros, self.has_detailed_timers());
    }
}
