//! The sums of a histogram that one thread adds to and all may read.

use crate::change_count::ChangeCount;
use base::histogram::{BUCKETS, HistogramParts, bucket_of};
use std::sync::atomic::{AtomicU64, Ordering};

/// What [`AtomicHistogram`](crate::atomic_histogram::AtomicHistogram) has added up.
#[derive(Debug)]
pub(crate) struct HistogramSums {
    /// For several things that only mean something together.
    pub(crate) changes: ChangeCount,
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    /// The lower and the upper half.
    sum_of_squares: [AtomicU64; 2],
    min: AtomicU64,
    max: AtomicU64,
    /// The value that was last added for several.
    stand_in: AtomicU64,
}

impl Default for HistogramSums {
    fn default() -> Self {
        Self {
            changes: ChangeCount::default(),
            buckets: [const { AtomicU64::new(0) }; BUCKETS],
            sum: AtomicU64::new(0),
            sum_of_squares: [const { AtomicU64::new(0) }; 2],
            min: AtomicU64::new(u64::MAX),
            max: AtomicU64::new(0),
            stand_in: AtomicU64::new(0),
        }
    }
}

impl HistogramSums {
    /// Adds a value so many times.
    #[inline]
    pub(crate) fn add_times(&self, value: u64, times: u64) {
        if times == 0 {
            return;
        }
        if let Some(bucket) = self.buckets.get(bucket_of(value)) {
            add(bucket, times);
        }
        add(&self.sum, value.wrapping_mul(times));
        let square = u128::from(value) * u128::from(value);
        self.add_square(square.wrapping_mul(u128::from(times)));
        if value < load(&self.min) {
            store(&self.min, value);
        }
        if value > load(&self.max) {
            store(&self.max, value);
        }
    }

    /// Adds a value so many times, of which [`Self::take_back`] and [`Self::parts`] may take some away.
    #[inline]
    pub(crate) fn add_stand_in(&self, value: u64, times: u64) {
        self.add_times(value, times);
        store(&self.stand_in, value);
    }

    #[inline]
    fn add_square(&self, square: u128) {
        let [low, high] = &self.sum_of_squares;
        let (sum, is_over) = load(low).overflowing_add(square as u64);
        store(low, sum);
        let above = ((square >> 64) as u64).wrapping_add(u64::from(is_over));
        if above > 0 {
            add(high, above);
        }
    }

    /// The value that stood in for others did not for so many.
    pub(crate) fn take_back(&self, count: u64) {
        let value = load(&self.stand_in);
        if let Some(bucket) = self.buckets.get(bucket_of(value)) {
            add(bucket, count.wrapping_neg());
        }
        add(&self.sum, value.wrapping_mul(count).wrapping_neg());
        let square = u128::from(value) * u128::from(value);
        self.add_square(square.wrapping_mul(u128::from(count)).wrapping_neg());
    }

    /// Drops all values.
    pub(crate) fn clear(&self) {
        let sums = self.sum_of_squares.iter().chain([&self.sum, &self.max]);
        self.buckets.iter().chain(sums).for_each(|zero| store(zero, 0));
        store(&self.min, u64::MAX);
    }

    /// What was added, without so many of the value that stood in for others.
    pub(crate) fn parts(&self, pending: u64) -> HistogramParts {
        let value = load(&self.stand_in);
        let mut buckets: Vec<_> = self.buckets.iter().map(load).collect();
        let [low, high] = &self.sum_of_squares;
        let squares = u128::from(load(high)) << 64 | u128::from(load(low));
        let (mut sum, mut sum_of_squares) = (load(&self.sum) as f64, squares as f64);
        if pending > 0 {
            let bucket = &mut buckets[bucket_of(value)];
            *bucket = bucket.saturating_sub(pending);
            sum -= value as f64 * pending as f64;
            sum_of_squares -= value as f64 * value as f64 * pending as f64;
        }
        HistogramParts { buckets, sum, sum_of_squares, min: load(&self.min), max: load(&self.max) }
    }
}

#[inline]
pub(crate) fn load(value: &AtomicU64) -> u64 {
    value.load(Ordering::Relaxed)
}

#[inline]
pub(crate) fn store(value: &AtomicU64, new: u64) {
    value.store(new, Ordering::Relaxed);
}

/// One thread writes, so that a load and a store do.
#[inline]
pub(crate) fn add(value: &AtomicU64, more: u64) {
    store(value, load(value).wrapping_add(more));
}
