//! A histogram that one thread adds to and all may read.
//!
//! Sizes repeat: most programs read values of one size, or none, and write batches of one. So two values
//! are kept with how often they were added lately; the older one goes into the sums when a third one
//! comes. A value that is one of them costs a comparison or two and an addition.

use base::histogram::{BUCKETS, Histogram, HistogramParts, bucket_of};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::thread;

/// A histogram that one thread adds to and all may read.
#[derive(Debug)]
pub(crate) struct AtomicHistogram {
    /// Odd while several things change that only mean something together.
    version: AtomicU64,
    /// Values added lately, the newer one first. They are in none of the sums below yet.
    runs: [Run; 2],
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    /// The lower and the upper half.
    sum_of_squares: [AtomicU64; 2],
    min: AtomicU64,
    max: AtomicU64,
    /// The value that was last added for several.
    stand_in: AtomicU64,
}

/// A value, and how often it was added.
#[derive(Debug, Default)]
struct Run {
    value: AtomicU64,
    count: AtomicU64,
}

impl Run {
    fn set(&self, value: u64, count: u64) {
        store(&self.value, value);
        store(&self.count, count);
    }
}

impl Default for AtomicHistogram {
    fn default() -> Self {
        Self {
            version: AtomicU64::new(0),
            runs: Default::default(),
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
        match self.runs.iter().find(|run| load(&run.value) == value) {
            Some(run) => add(&run.count, 1),
            None => self.begin_run(value),
        }
    }

    #[inline(never)]
    fn begin_run(&self, value: u64) {
        let [newer, older] = &self.runs;
        self.change(|| {
            self.add_times(load(&older.value), load(&older.count));
            older.set(load(&newer.value), load(&newer.count));
            newer.set(value, 1);
        });
    }

    /// Changes several things, which readers see all of or none of.
    #[inline]
    fn change(&self, change: impl FnOnce()) {
        let version = load(&self.version);
        store(&self.version, version.wrapping_add(1));
        // Whoever sees one of the stores of `change` sees the odd version after it.
        fence(Ordering::Release);
        change();
        self.version.store(version.wrapping_add(2), Ordering::Release);
    }

    /// Adds to the sums.
    #[inline]
    fn add_times(&self, value: u64, times: u64) {
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

    /// Adds a value for itself and for `others` that are still to come, whose number the owning
    /// thread counts down in `pending`. What is pending shows in no sum.
    #[cold]
    pub(crate) fn add_for_several(&self, value: u64, others: u64, pending: &AtomicU64) {
        self.change(|| {
            self.add_times(value, others + 1);
            store(&self.stand_in, value);
            store(pending, others);
        });
    }

    /// Takes back what is pending; by the owning thread.
    pub(crate) fn take_back(&self, pending: &AtomicU64) {
        let (value, count) = (load(&self.stand_in), load(pending));
        if count == 0 {
            return;
        }
        self.change(|| {
            if let Some(bucket) = self.buckets.get(bucket_of(value)) {
                add(bucket, count.wrapping_neg());
            }
            add(&self.sum, value.wrapping_mul(count).wrapping_neg());
            let square = u128::from(value) * u128::from(value);
            self.add_square(square.wrapping_mul(u128::from(count)).wrapping_neg());
            store(pending, 0);
        });
    }

    /// Drops all values; by the owning thread, or when there is none.
    pub(crate) fn clear(&self) {
        let counts = self.runs.iter().map(|run| &run.count);
        let sums = self.sum_of_squares.iter().chain([&self.sum, &self.max]);
        self.buckets.iter().chain(sums).chain(counts).for_each(|zero| store(zero, 0));
        store(&self.min, u64::MAX);
    }

    /// Adds what it has to `sum`, but for what is pending.
    pub(crate) fn add_to(&self, pending: &AtomicU64, sum: &mut Histogram) {
        loop {
            let version = self.version.load(Ordering::Acquire);
            let pending = (load(&self.stand_in), load(pending));
            let mut values = Histogram::from(self.parts(pending));
            for run in &self.runs {
                values.add_times(load(&run.value), load(&run.count));
            }
            // Pairs with the fence of who changes it.
            fence(Ordering::Acquire);
            if version.is_multiple_of(2) && load(&self.version) == version {
                return sum.merge(&values);
            }
            thread::yield_now();
        }
    }

    /// What is in the sums, without so many of a value that are still to come.
    fn parts(&self, (value, pending): (u64, u64)) -> HistogramParts {
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
