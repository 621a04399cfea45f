//! A histogram that one thread adds to and all may read.
//!
//! Values that were added lately are counted in a cache line that has all that most operations touch; the
//! sums are elsewhere, made when they are first needed.

use crate::histogram_sums::{HistogramSums, add, load, store};
use crate::operation_timer::{ALL_TIMED, random_gap};
use crate::recent_values::RecentValues;
use base::histogram::Histogram;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// A histogram that one thread adds to and all may read.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct AtomicHistogram {
    /// Values added lately. They are in none of the sums yet.
    lately: RecentValues,
    /// Operations that are still to come and have a value already.
    pending: AtomicU64,
    /// Operations that were timed.
    timed: AtomicU64,
    /// There are none before the first value.
    sums: OnceLock<Box<HistogramSums>>,
}

const _: () = assert!(size_of::<AtomicHistogram>() == 64, "a cache line");

/// What changes it is by the owning thread only, or when there is none.
impl AtomicHistogram {
    pub(crate) const fn new() -> Self {
        Self {
            lately: RecentValues::new(),
            pending: AtomicU64::new(0),
            timed: AtomicU64::new(0),
            sums: OnceLock::new(),
        }
    }

    fn sums(&self) -> &HistogramSums {
        self.sums.get_or_init(Box::default)
    }

    /// Adds a value, if it is one that was added lately.
    #[inline]
    pub(crate) fn add_to_run(&self, value: u64) -> bool {
        self.lately.add(value)
    }

    /// Adds a value that was not added lately.
    pub(crate) fn begin_run(&self, value: u64) {
        let sums = self.sums();
        sums.changes.change(|| {
            let (older, count) = self.lately.begin(value);
            sums.add_times(older, count);
        });
    }

    /// No value was added lately.
    pub(crate) fn end_runs(&self) {
        let Some(sums) = self.sums.get() else { return };
        sums.changes.change(|| {
            for (value, count) in self.lately.take() {
                sums.add_times(value, count);
            }
        });
    }

    /// Adds a value.
    pub(crate) fn add(&self, value: u64) {
        if !self.add_to_run(value) {
            self.begin_run(value);
        }
    }

    /// An operation begins. True: it has a value already.
    #[inline]
    pub(crate) fn takes_pending(&self) -> bool {
        let count = load(&self.pending);
        if count > 0 {
            store(&self.pending, count - 1);
        }
        count > 0
    }

    /// An operation took so long. It stands for others too, unless all are timed.
    pub(crate) fn add_timed(&self, value: u64, all_are_timed: bool) {
        add(&self.timed, 1);
        // What is pending stays so where an operation ran inside another one.
        if all_are_timed || load(&self.timed) < ALL_TIMED || load(&self.pending) > 0 {
            return self.add(value);
        }
        self.add_for_several(value, random_gap());
    }

    /// Adds a value for itself and for `others` that are still to come, and are counted down. What is
    /// pending shows in no sum.
    fn add_for_several(&self, value: u64, others: u64) {
        let sums = self.sums();
        sums.changes.change(|| {
            sums.add_stand_in(value, others + 1);
            store(&self.pending, others);
        });
    }

    /// Takes back what is pending.
    pub(crate) fn take_back_pending(&self) {
        let count = load(&self.pending);
        if let Some(sums) = self.sums.get()
            && count > 0
        {
            sums.changes.change(|| {
                sums.take_back(count);
                store(&self.pending, 0);
            });
        }
    }

    /// Drops all values.
    pub(crate) fn clear(&self) {
        self.lately.take();
        [&self.pending, &self.timed].into_iter().for_each(|zero| store(zero, 0));
        if let Some(sums) = self.sums.get() {
            sums.clear();
        }
    }

    /// Adds what it has to `sum`, but for what is pending.
    pub(crate) fn add_to(&self, sum: &mut Histogram) {
        let Some(sums) = self.sums.get() else { return };
        sum.merge(&sums.changes.read_unchanged(|| {
            let mut values = Histogram::from(sums.parts(load(&self.pending)));
            for (value, count) in self.lately.all() {
                values.add_times(value, count);
            }
            values
        }));
    }

    /// Bytes of memory beside itself.
    pub(crate) fn sums_bytes(&self) -> usize {
        self.sums.get().map_or(0, |_| size_of::<HistogramSums>())
    }
}

#[cfg(test)]
mod tests;
