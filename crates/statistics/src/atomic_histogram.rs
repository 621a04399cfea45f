//! A histogram that one thread adds to and all may read.

use base::histogram::{BUCKETS, Histogram, HistogramParts, bucket_of};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::thread;

/// A histogram that one thread adds to and all may read.
#[derive(Debug)]
pub(crate) struct AtomicHistogram {
    /// Odd while [`Self::add_for_several`] changes it.
    version: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    /// The lower and the upper half.
    sum_of_squares: [AtomicU64; 2],
    min: AtomicU64,
    max: AtomicU64,
    /// The value that was last added for several.
    stand_in: AtomicU64,
}

impl Default for AtomicHistogram {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(0),
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum: AtomicU64::new(0),
            sum_of_squares: [const { AtomicU64::new(0) }; 2],
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            stand_in: AtomicU64::new(0),
        }
    }
}

impl AtomicHistogram {
    /// Adds a value; by the owning thread only.
    #[inline]
    pub(crate) fn add(&self, value: u64) {
        self.add_times(value, 1);
    }

    #[inline]
    fn add_times(&self, value: u64, times: u64) {
        if let Some(bucket) = self.buckets.get(bucket_of(value)) {
            add(bucket, times);
        }
        add(&self.sum, value.wrapping_mul(times));
        self.add_square(u128::from(value) * u128::from(value) * u128::from(times));
        if value < load(&self.min) {
            store(&self.min, value);
        }
        if value > load(&self.max) {
            store(&self.max, value);
        }
    }

    #[inline]
    fn add_square(&self, square: u128) {
        let [low, high] = &self.sum_of_squares;
        let (sum, is_over) = load(low).overflowing_add(square as u64);
        store(low, sum);
        let above = (square >> 64) as u64 + u64::from(is_over);
        if above > 0 {
            add(high, above);
        }
    }

    /// Adds a value for itself and for `others` that are still to come, whose number the owning
    /// thread counts down in `pending`. What is pending shows in no sum.
    #[cold]
    pub(crate) fn add_for_several(&self, value: u64, others: u64, pending: &AtomicU64) {
        let version = load(&self.version);
        store(&self.version, version.wrapping_add(1));
        // Whoever sees one of the stores below sees the odd version after it.
        fence(Ordering::Release);
        self.add_times(value, others + 1);
        store(&self.stand_in, value);
        store(pending, others);
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// Drops all values; by the owning thread, or when there is none.
    pub(crate) fn clear(&self) {
        for zero in self.buckets.iter().chain(&self.sum_of_squares).chain([&self.sum, &self.max]) {
            store(zero, 0);
        }
        store(&self.min, u64::MAX);
    }

    /// Adds what it has to `sum`, but for what is pending.
    pub(crate) fn add_to(&self, pending: &AtomicU64, sum: &mut Histogram) {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let parts = self.parts(load(pending));
            // Pairs with the fence of who changes it.
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && load(&self.version) == version {
                return sum.merge(&Histogram::from(parts));
            }
            thread::yield_now();
        }
    }

    fn parts(&self, pending: u64) -> HistogramParts {
        let mut buckets: Vec<_> = self.buckets.iter().map(load).collect();
        let [low, high] = &self.sum_of_squares;
        let squares = u128::from(load(high)) << 64 | u128::from(load(low));
        let (mut sum, mut sum_of_squares) = (load(&self.sum) as f64, squares as f64);
        if pending > 0 {
            let value = load(&self.stand_in);
            let bucket = &mut buckets[bucket_of(value)];
            *bucket = bucket.saturating_sub(pending);
            sum -= value as f64 * pending as f64;
            sum_of_squares -= value as f64 * value as f64 * pending as f64;
        }
        HistogramParts { buckets, sum, sum_of_squares, min: load(&self.min), max: load(&self.max) }
    }
}

#[inline]
fn load(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

#[inline]
fn store(value: &AtomicU64, new: u64) {
    value.store(new, Ordering::Relaxed);
}

/// One thread writes, so that a load and a store do.
#[inline]
fn add(value: &AtomicU64, more: u64) {
    store(value, load(value).wrapping_add(more));
}

#[cfg(test)]
mod tests;
