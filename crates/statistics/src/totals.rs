//! What all threads have counted together.

use crate::thread_counters::ThreadCounters;
use crate::{HistogramType, Ticker};
use base::histogram::Histogram;

/// What all threads have counted for one [`Statistics`](crate::Statistics) together.
#[derive(Debug)]
pub(crate) struct Totals {
    /// Of all threads that ever counted, those that are gone included.
    counters: Vec<&'static ThreadCounters>,
    /// Those of them that no thread adds to.
    free: Vec<&'static ThreadCounters>,
    /// What is to be added to each ticker, for having been set.
    corrections: Vec<u64>,
}

impl Default for Totals {
    fn default() -> Self {
        let (counters, free) = Default::default();
        Self { counters, free, corrections: vec![0; Ticker::ALL.len()] }
    }
}

impl Totals {
    /// Counters that the calling thread may add to until it releases them.
    pub(crate) fn acquire(&mut self) -> &'static ThreadCounters {
        self.free.pop().unwrap_or_else(|| {
            let new = ThreadCounters::take();
            self.counters.push(new);
            new
        })
    }

    /// The thread that had acquired them ends. What they have counted stays.
    pub(crate) fn release(&mut self, counters: &'static ThreadCounters) {
        self.free.push(counters);
    }

    /// Bytes of memory.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.counters.iter().map(|counters| counters.memory_bytes()).sum()
    }

    pub(crate) fn count(&self, ticker: Ticker) -> u64 {
        self.counted(ticker).wrapping_add(self.corrections[ticker.number()])
    }

    /// What threads have counted, whatever it was set to meanwhile.
    fn counted(&self, ticker: Ticker) -> u64 {
        let counts = self.counters.iter().map(|counters| counters.count(ticker));
        let parts = ticker.parts().iter().map(|&part| self.counted(part));
        counts.chain(parts).fold(0, u64::wrapping_add)
    }

    /// Makes the ticker go on from `count`.
    pub(crate) fn set(&mut self, ticker: Ticker, count: u64) {
        let difference = count.wrapping_sub(self.count(ticker));
        let correction = &mut self.corrections[ticker.number()];
        *correction = correction.wrapping_add(difference);
    }

    /// All values of this period.
    pub(crate) fn histogram(&self, kind: HistogramType, period: u64) -> Histogram {
        let mut sum = Histogram::default();
        for counters in &self.counters {
            counters.add_histogram_to(kind, period, &mut sum);
        }
        sum
    }

    /// For how many threads there are counters.
    #[cfg(test)]
    pub(crate) fn thread_count(&self) -> usize {
        self.counters.len()
    }
}

impl Drop for Totals {
    /// Nobody reads them any more. Those that a thread has yet it gives up itself.
    fn drop(&mut self) {
        self.free.drain(..).for_each(ThreadCounters::give_up);
    }
}
