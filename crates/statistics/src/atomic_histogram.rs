//! A histogram that one thread adds to and all may read.

use base::histogram::{BUCKETS, Histogram, HistogramParts, bucket_of};
use std::sync::atomic::{AtomicU64, Ordering};

/// A histogram that one thread adds to and all may read.
#[derive(Debug)]
pub(crate) struct AtomicHistogram {
    /// The period that its values are of. When a new one has begun, the thread that adds drops
    /// those of the old one first; who reads passes over them.
    period: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    /// Bits of an `f64`.
    sum_of_squares: AtomicU64,
    min: AtomicU64,
    max: AtomicU64,
}

impl Default for AtomicHistogram {
    fn default() -> Self {
        Self {
            period: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum: AtomicU64::new(0),
            sum_of_squares: AtomicU64::new(0),
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
        }
    }
}

impl AtomicHistogram {
    /// Adds a value; by the owning thread only.
    pub(crate) fn add(&self, period: u64, value: u64) {
        if self.period.load(Ordering::Relaxed) != period {
            self.begin(period);
        }
        add(&self.buckets[bucket_of(value)], 1);
        add(&self.sum, value);
        let squares = f64::from_bits(load(&self.sum_of_squares)) + value as f64 * value as f64;
        self.sum_of_squares.store(squares.to_bits(), Ordering::Relaxed);
        if value < load(&self.min) {
            self.min.store(value, Ordering::Relaxed);
        }
        if value > load(&self.max) {
            self.max.store(value, Ordering::Relaxed);
        }
    }

    /// Drops all values; those to come are of this period.
    pub(crate) fn begin(&self, period: u64) {
        for bucket in &self.buckets {
            bucket.store(0, Ordering::Relaxed);
        }
        self.sum.store(0, Ordering::Relaxed);
        self.sum_of_squares.store(0, Ordering::Relaxed);
        self.min.store(u64::MAX, Ordering::Relaxed);
        self.max.store(0, Ordering::Relaxed);
        self.period.store(period, Ordering::Release);
    }

    /// Adds what it has of this period to `sum`.
    pub(crate) fn add_to(&self, period: u64, sum: &mut Histogram) {
        if self.period.load(Ordering::Acquire) != period {
            return;
        }
        sum.merge(&Histogram::from(HistogramParts {
            buckets: self.buckets.iter().map(load).collect(),
            sum: load(&self.sum) as f64,
            sum_of_squares: f64::from_bits(load(&self.sum_of_squares)),
            min: load(&self.min),
            max: load(&self.max),
        }));
    }
}

fn load(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

/// One thread writes, so that a load and a store do.
fn add(value: &AtomicU64, more: u64) {
    value.store(load(value).wrapping_add(more), Ordering::Relaxed);
}
