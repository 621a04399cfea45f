//! What one thread has counted for one [`Statistics`](crate::Statistics).

use crate::atomic_histogram::AtomicHistogram;
use crate::operation_timer::{ALL_TIMED, random_gap};
use crate::{HistogramType, Ticker};
use base::histogram::Histogram;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// What one thread has counted. Only that thread adds, so that adding is a load and a store.
///
/// They are never freed, so that a thread gets to them without asking whether they are still there.
/// Those of threads and statistics that are gone others take over: there are as many as threads have
/// counted at the same time.
#[derive(Debug)]
pub(crate) struct ThreadCounters {
    tickers: [AtomicU64; Ticker::ALL.len()],
    /// The level of the statistics, as the thread last knew it. Of use to the thread alone.
    level: AtomicU8,
    /// What the histograms have values of. A new one begins when they are reset; who reads passes
    /// over those that are of an old one.
    period: AtomicU64,
    /// Of each histogram, operations that are still to come and have a value already.
    pending: [AtomicU64; HistogramType::ALL.len()],
    /// Of each histogram, operations that were timed.
    timed: [AtomicU64; HistogramType::ALL.len()],
    /// Those that were added to.
    histograms: [OnceLock<Box<AtomicHistogram>>; HistogramType::ALL.len()],
}

/// What a thread seems to count to that counts nothing. Nobody adds to it.
pub(crate) static NOBODYS: ThreadCounters = ThreadCounters::new();

/// All at zero, and of nobody.
static UNUSED: Mutex<Vec<&'static ThreadCounters>> = Mutex::new(Vec::new());

impl ThreadCounters {
    const fn new() -> Self {
        Self {
            tickers: [const { AtomicU64::new(0) }; Ticker::ALL.len()],
            level: AtomicU8::new(0),
            period: AtomicU64::new(0),
            pending: [const { AtomicU64::new(0) }; HistogramType::ALL.len()],
            timed: [const { AtomicU64::new(0) }; HistogramType::ALL.len()],
            histograms: [const { OnceLock::new() }; HistogramType::ALL.len()],
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
        self.clear_histograms();
        UNUSED.lock().push(self);
    }

    /// The level is this one from here on, and histograms have values of this period only.
    pub(crate) fn begin(&self, level: u8, period: u64) {
        if self.level.swap(level, Ordering::Relaxed) != level {
            self.take_back_pending();
        }
        if self.period.load(Ordering::Relaxed) != period {
            self.clear_histograms();
            self.period.store(period, Ordering::Release);
        }
    }

    /// Nothing is pending any more: at another level operations count in another way.
    fn take_back_pending(&self) {
        for (pending, histogram) in self.pending.iter().zip(&self.histograms) {
            if let Some(histogram) = histogram.get() {
                histogram.take_back(pending);
            }
        }
    }

    /// The number of the level.
    #[inline]
    pub(crate) fn level_number(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    fn clear_histograms(&self) {
        for counter in self.pending.iter().chain(&self.timed) {
            counter.store(0, Ordering::Relaxed);
        }
        self.histograms.iter().filter_map(OnceLock::get).for_each(|histogram| histogram.clear());
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        let histograms = self.histograms.iter().filter(|histogram| histogram.get().is_some());
        size_of::<Self>() + histograms.count() * size_of::<AtomicHistogram>()
    }

    #[inline]
    pub(crate) fn add(&self, ticker: Ticker, count: u64) {
        let counter = &self.tickers[ticker.number()];
        let sum = counter.load(Ordering::Relaxed).wrapping_add(count);
        counter.store(sum, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn add_to_histogram(&self, kind: HistogramType, value: u64) {
        self.histogram(kind).add(value);
    }

    /// An operation begins. True: it has a value already.
    #[inline]
    pub(crate) fn takes_pending(&self, kind: HistogramType) -> bool {
        let pending = &self.pending[kind.number()];
        let count = pending.load(Ordering::Relaxed);
        if count > 0 {
            pending.store(count - 1, Ordering::Relaxed);
        }
        count > 0
    }

    /// An operation took so long. It stands for others too, unless all are timed.
    pub(crate) fn add_timed(&self, kind: HistogramType, value: u64, all_are_timed: bool) {
        let (pending, timed) = (&self.pending[kind.number()], &self.timed[kind.number()]);
        let count = timed.load(Ordering::Relaxed) + 1;
        timed.store(count, Ordering::Relaxed);
        // What is pending stays so where an operation ran inside another one.
        if all_are_timed || count < ALL_TIMED || pending.load(Ordering::Relaxed) > 0 {
            return self.add_to_histogram(kind, value);
        }
        self.histogram(kind).add_for_several(value, random_gap(), pending);
    }

    #[inline]
    fn histogram(&self, kind: HistogramType) -> &AtomicHistogram {
        self.histograms[kind.number()].get_or_init(Box::default)
    }

    pub(crate) fn count(&self, ticker: Ticker) -> u64 {
        self.tickers[ticker.number()].load(Ordering::Relaxed)
    }

    /// Adds what it has of this period to `sum`.
    pub(crate) fn add_histogram_to(&self, kind: HistogramType, period: u64, sum: &mut Histogram) {
        if self.period.load(Ordering::Acquire) == period
            && let Some(histogram) = self.histograms[kind.number()].get()
        {
            histogram.add_to(&self.pending[kind.number()], sum);
        }
    }
}
