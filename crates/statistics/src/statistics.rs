//! What databases count, all threads together.

use crate::thread_counters::ThreadCounters;
use crate::{HistogramData, HistogramType, StatsLevel, Ticker};
use base::histogram::Histogram;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

/// What databases count (`rocksdb::Statistics`). Any number of databases and threads may share one.
#[derive(Debug)]
pub struct Statistics {
    /// No other has it, also none that was dropped.
    id: u64,
    level: AtomicU8,
    /// Histograms have values of this period only; the next one begins when they are reset.
    period: AtomicU64,
    totals: Mutex<Totals>,
}

#[derive(Debug)]
struct Totals {
    /// Of threads that may still count.
    threads: Vec<Arc<ThreadCounters>>,
    /// What threads that are gone have counted, less what was there at the last reset.
    tickers: Vec<u64>,
    /// What threads that are gone have counted in this period.
    histograms: Vec<Histogram>,
}

struct OwnCounters {
    statistics: u64,
    counters: Arc<ThreadCounters>,
}

thread_local! {
    /// What this thread counts to, the one used last in front.
    static OWN: RefCell<Vec<OwnCounters>> = const { RefCell::new(Vec::new()) };
}

impl Default for Statistics {
    fn default() -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            level: AtomicU8::new(StatsLevel::default() as u8),
            period: AtomicU64::new(0),
            totals: Mutex::new(Totals {
                threads: Vec::new(),
                tickers: vec![0; Ticker::ALL.len()],
                histograms: vec![Histogram::default(); HistogramType::ALL.len()],
            }),
        }
    }
}

impl Statistics {
    /// With nothing counted, at the default level.
    pub fn new() -> Self {
        Self::default()
    }

    /// How much is counted.
    pub fn stats_level(&self) -> StatsLevel {
        StatsLevel::from_number(self.level.load(Ordering::Relaxed))
    }

    /// Changes how much is counted from now on.
    pub fn set_stats_level(&self, level: StatsLevel) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    /// Adds to a ticker.
    #[inline]
    pub fn record_tick(&self, ticker: Ticker, count: u64) {
        if self.stats_level() > StatsLevel::DisableAll {
            self.with_own(|counters| counters.add(ticker, count));
        }
    }

    /// Adds to several tickers, for little more than to one.
    #[inline]
    pub fn record_ticks(&self, ticks: &[(Ticker, u64)]) {
        if self.stats_level() > StatsLevel::DisableAll {
            self.with_own(|counters| {
                for &(ticker, count) in ticks {
                    counters.add(ticker, count);
                }
            });
        }
    }

    /// Adds a value to a histogram.
    #[inline]
    pub fn record_in_histogram(&self, kind: HistogramType, value: u64) {
        if self.stats_level() > StatsLevel::ExceptHistogramOrTimers {
            let period = self.period.load(Ordering::Relaxed);
            self.with_own(|counters| counters.add_to_histogram(kind, period, value));
        }
    }

    /// When something begins that is timed; none if times are not counted.
    #[inline]
    pub fn start_timer(&self) -> Option<Instant> {
        (self.stats_level() > StatsLevel::ExceptTimers).then(Instant::now)
    }

    /// Adds the microseconds since `start` to a histogram.
    #[inline]
    pub fn stop_timer(&self, kind: HistogramType, start: Option<Instant>) {
        if let Some(start) = start {
            let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.record_in_histogram(kind, micros);
        }
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

    /// All values of a histogram.
    pub fn histogram(&self, kind: HistogramType) -> Histogram {
        let period = self.period.load(Ordering::Relaxed);
        self.totals.lock().histogram(kind, period)
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
        totals.histograms.fill(Histogram::default());
        self.period.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs `add` with what this thread counts to.
    #[inline]
    fn with_own(&self, add: impl FnOnce(&ThreadCounters)) {
        // A thread that is ending has none any more.
        let _ = OWN.try_with(|own| {
            if let Some(first) = own.borrow().first()
                && first.statistics == self.id
            {
                return add(&first.counters);
            }
            let counters = self.find_own(own);
            add(&counters);
        });
    }

    /// Brings what this thread counts to to the front; makes it the first time.
    #[cold]
    fn find_own(&self, own: &RefCell<Vec<OwnCounters>>) -> Arc<ThreadCounters> {
        let mut own = own.borrow_mut();
        if let Some(index) = own.iter().position(|each| each.statistics == self.id) {
            own.swap(0, index);
            return own[0].counters.clone();
        }
        // Those that nobody else has any more are of statistics that are gone.
        own.retain(|each| Arc::strong_count(&each.counters) > 1);
        let counters = Arc::new(ThreadCounters::default());
        let mut totals = self.totals.lock();
        totals.retire_threads(self.period.load(Ordering::Relaxed));
        totals.threads.push(counters.clone());
        own.insert(0, OwnCounters { statistics: self.id, counters: counters.clone() });
        counters
    }
}

impl Totals {
    fn count(&self, ticker: Ticker) -> u64 {
        let retired = self.tickers[ticker.number()];
        let counts = self.threads.iter().map(|thread| thread.count(ticker));
        counts.fold(retired, u64::wrapping_add)
    }

    fn set(&mut self, ticker: Ticker, count: u64) {
        let difference = count.wrapping_sub(self.count(ticker));
        let total = &mut self.tickers[ticker.number()];
        *total = total.wrapping_add(difference);
    }

    fn histogram(&self, kind: HistogramType, period: u64) -> Histogram {
        let mut sum = self.histograms[kind.number()].clone();
        for thread in &self.threads {
            thread.add_histogram_to(kind, period, &mut sum);
        }
        sum
    }

    /// Takes over what threads have counted that are gone.
    fn retire_threads(&mut self, period: u64) {
        let Self { threads, tickers, histograms } = self;
        threads.retain_mut(|thread| {
            // Nobody can come to it any more, so that it stays as it is.
            let Some(gone) = Arc::get_mut(thread) else { return true };
            for &ticker in Ticker::ALL {
                let total = &mut tickers[ticker.number()];
                *total = total.wrapping_add(gone.count(ticker));
            }
            for &kind in HistogramType::ALL {
                gone.add_histogram_to(kind, period, &mut histograms[kind.number()]);
            }
            false
        });
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
