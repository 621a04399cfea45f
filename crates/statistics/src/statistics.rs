//! What databases count, all threads together.

use crate::moment::{Moment, MomentClock};
use crate::own_counters;
use crate::recorder::Recorder;
use crate::totals::Totals;
use crate::{HistogramData, HistogramType, StatsLevel, Ticker};
use base::histogram::Histogram;
use parking_lot::Mutex;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// What databases count (`rocksdb::Statistics`). Any number of databases and threads may share one.
#[derive(Debug)]
pub struct Statistics {
    key: AtomicU64,
    /// Threads that count keep it for as long as it is here.
    totals: Arc<Mutex<Totals>>,
}

/// What tells threads all they need to know of statistics when it is as it was: their number, the
/// period of their histograms, and their level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// That of no statistics.
    pub(crate) const NONE: Self = Self(0);

    const LEVEL_BITS: u32 = 3;
    const PERIOD_BITS: u32 = 29;

    fn new(id: u32, level: StatsLevel) -> Self {
        Self(u64::from(id) << (Self::PERIOD_BITS + Self::LEVEL_BITS) | level as u64)
    }

    fn with_level(self, level: StatsLevel) -> Self {
        Self(self.0 & !((1 << Self::LEVEL_BITS) - 1) | level as u64)
    }

    fn with_next_period(self) -> Self {
        let mask = ((1 << Self::PERIOD_BITS) - 1) << Self::LEVEL_BITS;
        Self(self.0 & !mask | self.0.wrapping_add(1 << Self::LEVEL_BITS) & mask)
    }

    /// No other has it, also none that was dropped.
    pub(crate) fn id(self) -> u64 {
        self.0 >> (Self::PERIOD_BITS + Self::LEVEL_BITS)
    }

    /// Histograms have values of this period only; the next one begins when they are reset.
    pub(crate) fn period(self) -> u64 {
        (self.0 >> Self::LEVEL_BITS) & ((1 << Self::PERIOD_BITS) - 1)
    }

    #[inline]
    pub(crate) fn level_number(self) -> u8 {
        (self.0 & ((1 << Self::LEVEL_BITS) - 1)) as u8
    }
}

impl Default for Statistics {
    fn default() -> Self {
        static NEXT_ID: AtomicU32 = AtomicU32::new(1);
        let key = Key::new(NEXT_ID.fetch_add(1, Ordering::Relaxed), StatsLevel::default());
        // Now, rather than in the middle of the first operation that is timed.
        MomentClock::get();
        Self { key: AtomicU64::new(key.0), totals: Arc::default() }
    }
}

impl Statistics {
    /// With nothing counted, at the default level.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes of memory, of all threads that count.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.totals.lock().memory_bytes()
    }

    /// How much is counted.
    #[inline]
    pub fn stats_level(&self) -> StatsLevel {
        StatsLevel::from_number(self.key().level_number())
    }

    /// Whether this level, or a higher one, is set.
    #[inline]
    fn has_level(&self, level: StatsLevel) -> bool {
        self.key().level_number() >= level as u8
    }

    #[inline]
    fn key(&self) -> Key {
        Key(self.key.load(Ordering::Relaxed))
    }

    fn update_key(&self, update: impl Fn(Key) -> Key) {
        let update = |key| Some(update(Key(key)).0);
        // It always has a next value.
        let _ = self.key.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
    }

    /// Changes how much is counted from now on.
    pub fn set_stats_level(&self, level: StatsLevel) {
        self.update_key(|key| key.with_level(level));
    }

    /// Adds to a ticker.
    #[inline]
    pub fn record_tick(&self, ticker: Ticker, count: u64) {
        self.record(|recorder| recorder.tick(ticker, count));
    }

    /// Adds to several tickers, for little more than to one.
    #[inline]
    pub fn record_ticks(&self, ticks: &[(Ticker, u64)]) {
        self.record(|recorder| {
            for &(ticker, count) in ticks {
                recorder.tick(ticker, count);
            }
        });
    }

    /// Adds a value to a histogram.
    #[inline]
    pub fn record_in_histogram(&self, kind: HistogramType, value: u64) {
        self.record(|recorder| recorder.value(kind, value));
    }

    /// Runs `add` with what this thread counts to, unless nothing is counted.
    #[inline]
    pub fn record(&self, add: impl FnOnce(&Recorder<'_>)) {
        if let Some(recorder) = self.recorder() {
            add(&recorder);
        }
    }

    /// What this thread counts to, unless nothing is counted.
    #[inline]
    pub fn recorder(&self) -> Option<Recorder<'_>> {
        let counters = own_counters::find(self.key(), &self.totals)?;
        Some(Recorder { counters, statistics: PhantomData, not_send: PhantomData })
    }

    /// When something begins that is timed; none if times are not counted.
    #[inline]
    pub fn start_timer(&self) -> Option<Moment> {
        self.has_level(StatsLevel::ExceptDetailedTimers).then(|| MomentClock::get().now())
    }

    /// As [`Self::start_timer`], of what is timed only at detailed levels: blocks compressed and
    /// uncompressed.
    #[inline]
    pub fn start_detailed_timer(&self) -> Option<Moment> {
        self.has_detailed_timers().then(|| MomentClock::get().now())
    }

    /// As [`Self::start_timer`], of waits for locks, which are timed at the highest level only.
    #[inline]
    pub fn start_lock_timer(&self) -> Option<Moment> {
        self.has_level(StatsLevel::All).then(|| MomentClock::get().now())
    }

    /// Whether what happens often and is short is timed.
    #[inline]
    pub fn has_detailed_timers(&self) -> bool {
        self.has_level(StatsLevel::ExceptTimeForMutex)
    }

    /// Adds the microseconds since `start` to a histogram.
    #[inline]
    pub fn stop_timer(&self, kind: HistogramType, start: Option<Moment>) {
        if start.is_some() {
            self.record(|recorder| recorder.micros_since(kind, start));
        }
    }

    /// Adds the nanoseconds since `start` to a histogram.
    #[inline]
    pub fn stop_nanos_timer(&self, kind: HistogramType, start: Option<Moment>) {
        if let Some(start) = start {
            self.record_in_histogram(kind, MomentClock::get().nanos_since(start));
        }
    }

    /// Nanoseconds since `start`; none if that is none.
    #[inline]
    pub fn nanos_since(&self, start: Option<Moment>) -> Option<u64> {
        start.map(|start| MomentClock::get().nanos_since(start))
    }

    /// What a ticker has counted.
    pub fn ticker_count(&self, ticker: Ticker) -> u64 {
        self.totals.lock().count(ticker)
    }

    /// Makes a ticker go on from `count`.
    pub fn set_ticker_count(&self, ticker: Ticker, count: u64) {
        let mut totals = self.totals.lock();
        totals.set(ticker, count);
    }

    /// What a ticker has counted; it goes on from zero.
    pub fn take_ticker_count(&self, ticker: Ticker) -> u64 {
        let mut totals = self.totals.lock();
        let count = totals.count(ticker);
        totals.set(ticker, 0);
        count
    }

    /// All tickers, by number, as of one time.
    pub fn ticker_counts(&self) -> Vec<u64> {
        let totals = self.totals.lock();
        Ticker::ALL.iter().map(|&ticker| totals.count(ticker)).collect()
    }

    /// All values of a histogram.
    pub fn histogram(&self, kind: HistogramType) -> Histogram {
        self.totals.lock().histogram(kind, self.key().period())
    }

    /// What a histogram says in a few numbers.
    pub fn histogram_data(&self, kind: HistogramType) -> HistogramData {
        HistogramData::from(&self.histogram(kind))
    }

    /// Forgets all that was counted.
    pub fn reset(&self) {
        let mut totals = self.totals.lock();
        for &ticker in Ticker::ALL {
            totals.set(ticker, 0);
        }
        self.update_key(Key::with_next_period);
    }
}

/// As RocksDB prints it: a line for each ticker, then one for each histogram.
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &ticker in Ticker::ALL {
            writeln!(f, "{} COUNT : {}", ticker.name(), self.ticker_count(ticker))?;
        }
        for &kind in HistogramType::ALL {
            let data = self.histogram_data(kind);
            let HistogramData { median, percentile95, percentile99, max, count, sum, .. } = data;
            writeln!(
                f,
                "{} P50 : {median:.6} P95 : {percentile95:.6} P99 : {percentile99:.6} \
                 P100 : {max:.6} COUNT : {count} SUM : {sum}",
                kind.name()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
