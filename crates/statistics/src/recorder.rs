//! What a thread adds to, reached once for several metrics.

use crate::moment::{Moment, MomentClock};
use crate::thread_counters::ThreadCounters;
use crate::{HistogramType, StatsLevel, Ticker};
use std::sync::atomic::{AtomicU64, Ordering};

/// What the thread adds to; see [`Statistics::record`](crate::Statistics::record).
#[derive(Debug)]
pub struct Recorder<'a> {
    pub(crate) counters: &'a ThreadCounters,
    pub(crate) period: &'a AtomicU64,
    pub(crate) clock: &'a MomentClock,
    pub(crate) level: StatsLevel,
}

impl Recorder<'_> {
    /// Adds to a ticker.
    #[inline]
    pub fn tick(&self, ticker: Ticker, count: u64) {
        self.counters.add(ticker, count);
    }

    /// Adds a value to a histogram, if the level has histograms.
    #[inline]
    pub fn value(&self, kind: HistogramType, value: u64) {
        if self.level > StatsLevel::ExceptHistogramOrTimers {
            self.counters.add_to_histogram(kind, self.period.load(Ordering::Relaxed), value);
        }
    }

    /// Adds a time to a histogram, if the level has times.
    #[inline]
    pub fn micros(&self, kind: HistogramType, micros: u64) {
        if self.level > StatsLevel::ExceptTimers {
            self.value(kind, micros);
        }
    }

    /// Nanoseconds since `start`; 0 if there was none.
    #[inline]
    pub fn elapsed_nanos(&self, start: Option<Moment>) -> u64 {
        start.map_or(0, |start| self.clock.nanos_since(start))
    }

    /// Microseconds since `start`; 0 if there was none.
    #[inline]
    pub fn elapsed_micros(&self, start: Option<Moment>) -> u64 {
        start.map_or(0, |start| self.clock.nanos_since(start) / 1000)
    }

    /// Adds the microseconds since `start` to a histogram, if there was a start.
    #[inline]
    pub fn micros_since(&self, kind: HistogramType, start: Option<Moment>) {
        if let Some(start) = start {
            self.value(kind, self.clock.nanos_since(start) / 1000);
        }
    }
}
