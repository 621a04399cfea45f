//! What one thread has counted for one [`Statistics`](crate::Statistics).

use crate::atomic_histogram::AtomicHistogram;
use crate::get_counters::GetCounters;
use crate::{HistogramType, StatsLevel, Ticker};
use base::histogram::Histogram;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What one thread has counted. Only that thread adds, so that adding is a load and a store.
///
/// They are never freed, so that a thread gets to them without asking whether they are still there.
/// Those of threads and statistics that are gone others take over: there are as many as threads have
/// counted at the same time.
#[derive(Debug)]
pub(crate) struct ThreadCounters {
    tickers: [AtomicU64; Ticker::ALL.len()],
    /// Of lookups of one key.
    pub(crate) gets: GetCounters,
    /// The level of the statistics, as the thread last knew it. Of use to the thread alone.
    level: AtomicU8,
    /// What the histograms have values of. A new one begins when they are reset; who reads passes
    /// over those that are of an old one.
    period: AtomicU64,
    histograms: [AtomicHistogram; HistogramType::ALL.len()],
}

/// What a thread seems to count to that counts nothing. Nobody adds to it.
pub(crate) static NOBODYS: ThreadCounters = ThreadCounters::new();

/// All at zero, and of nobody.
static UNUSED: Mutex<Vec<&'static ThreadCounters>> = Mutex::new(Vec::new());

impl ThreadCounters {
    const fn new() -> Self {
        Self {
            tickers: [const { AtomicU64::new(0) }; Ticker::ALL.len()],
            gets: GetCounters::new(),
            level: AtomicU8::new(0),
            period: AtomicU64::new(0),
            histograms: [const { AtomicHistogram::new() }; HistogramType::ALL.len()],
        }
    }

    /// Counters at zero that nobody else has.
    pub(crate) fn take() -> &'static Self {
        let unused = UNUSED.lock().pop();
        unused.unwrap_or_else(|| Box::leak(Box::new(Self::new())))
    }

    /// Gives them up. Nobody may add to them any more, nor read them.
    pub(crate) fn give_up(&'static self) {
        for ticker in &self.tickers {
            ticker.store(0, Ordering::Relaxed);
        }
        self.gets.clear();
        self.clear_histograms();
        UNUSED.lock().push(self);
    }

    /// The level is this one from here on, and histograms have values of this period only.
    pub(crate) fn begin(&self, level: u8, period: u64) {
        self.gets.begin(level, self.period.load(Ordering::Relaxed) != period);
        if self.level.swap(level, Ordering::Relaxed) != level {
            self.begin_level();
        }
        if self.period.load(Ordering::Relaxed) != period {
            self.clear_histograms();
            self.period.store(period, Ordering::Release);
        }
    }

    /// Nothing is pending any more: at another level operations count in another way. And what was
    /// added lately is not, so that the next values ask for the level.
    fn begin_level(&self) {
        for histogram in &self.histograms {
            histogram.take_back_pending();
            histogram.end_runs();
        }
    }

    /// The number of the level.
    #[inline]
    pub(crate) fn level_number(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    fn clear_histograms(&self) {
        self.histograms.iter().for_each(AtomicHistogram::clear);
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let sums = self.histograms.iter().map(AtomicHistogram::sums_bytes);
        size_of::<Self>() + sums.sum::<usize>() + self.gets.sizes_bytes()
    }

    #[inline]
    pub(crate) fn add(&self, ticker: Ticker, count: u64) {
        debug_assert!(ticker.parts().is_empty(), "{} is a sum", ticker.name());
        let counter = &self.tickers[ticker.number()];
        let sum = counter.load(Ordering::Relaxed).wrapping_add(count);
        counter.store(sum, Ordering::Relaxed);
    }

    /// Adds a value, if the level has histograms: only at such a level was any added lately.
    #[inline]
    pub(crate) fn add_to_histogram(&self, kind: HistogramType, value: u64) {
        if !self.histogram(kind).add_to_run(value) {
            self.begin_run(kind, value);
        }
    }

    #[inline(never)]
    fn begin_run(&self, kind: HistogramType, value: u64) {
        if self.level_number() >= StatsLevel::ExceptTimers as u8 {
            self.histogram(kind).begin_run(value);
        }
    }

    #[inline]
    pub(crate) fn histogram(&self, kind: HistogramType) -> &AtomicHistogram {
        &self.histograms[kind.number()]
    }

    pub(crate) fn count(&self, ticker: Ticker) -> u64 {
        let ticked = self.tickers[ticker.number()].load(Ordering::Relaxed);
        ticked.wrapping_add(self.gets.count(ticker))
    }

    /// Adds what it has of this period to `sum`.
    pub(crate) fn add_histogram_to(&self, kind: HistogramType, period: u64, sum: &mut Histogram) {
        if self.period.load(Ordering::Acquire) == period {
            self.histogram(kind).add_to(sum);
            if matches!(kind, HistogramType::BytesPerRead) {
                self.gets.add_sizes_to(sum);
            }
        }
    }
}
