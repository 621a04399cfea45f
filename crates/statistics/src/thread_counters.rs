//! What one thread has counted for one [`Statistics`](crate::Statistics).

use crate::atomic_histogram::AtomicHistogram;
use crate::{HistogramType, Ticker};
use base::histogram::Histogram;
use parking_lot::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one thread has counted. Only that thread adds, so that adding is a load and a store.
///
/// They are never freed, so that a thread gets to them without asking whether they are still there.
/// Those of threads and statistics that are gone others take over: there are as many as threads have
/// counted at the same time.
#[derive(Debug)]
pub(crate) struct ThreadCounters {
    tickers: [AtomicU64; Ticker::ALL.len()],
    /// Those that were added to.
    histograms: [OnceLock<Box<AtomicHistogram>>; HistogramType::ALL.len()],
}

/// All at zero, and of nobody.
static UNUSED: Mutex<Vec<&'static ThreadCounters>> = Mutex::new(Vec::new());

impl ThreadCounters {
    /// Counters at zero that nobody else has.
    pub(crate) fn take() -> &'static Self {
        let unused = UNUSED.lock().pop();
        unused.unwrap_or_else(|| {
            Box::leak(Box::new(Self {
                tickers: [const { AtomicU64::new(0) }; Ticker::ALL.len()],
                histograms: [const { OnceLock::new() }; HistogramType::ALL.len()],
            }))
        })
    }

    /// Gives them up. Nobody may add to them any more, nor read them.
    pub(crate) fn give_up(&'static self) {
        for ticker in &self.tickers {
            ticker.store(0, Ordering::Relaxed);
        }
        self.histograms.iter().filter_map(OnceLock::get).for_each(|histogram| histogram.begin(0));
        UNUSED.lock().push(self);
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
    pub(crate) fn add_to_histogram(&self, kind: HistogramType, period: u64, value: u64) {
        self.histograms[kind.number()].get_or_init(Box::default).add(period, value);
    }

    pub(crate) fn count(&self, ticker: Ticker) -> u64 {
        self.tickers[ticker.number()].load(Ordering::Relaxed)
    }

    /// Adds what it has of this period to `sum`.
    pub(crate) fn add_histogram_to(&self, kind: HistogramType, period: u64, sum: &mut Histogram) {
        if let Some(histogram) = self.histograms[kind.number()].get() {
            histogram.add_to(period, sum);
        }
    }
}
