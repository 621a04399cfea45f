//! What the lookups of one key count.
//!
//! A lookup adds to several tickers and a histogram. To which, and how much, follows from how it ended and
//! how large the value is, and most end as the one before. So lookups that end alike are counted together,
//! in one place, and what follows is worked out when somebody asks.

use crate::get_outcome::GetOutcome;
use crate::histogram_sums::{HistogramSums, add, load, store};
use crate::recent_values::RecentValues;
use crate::{StatsLevel, Ticker};
use base::histogram::Histogram;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What the lookups of one key have counted. One thread adds, and all may read.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct GetCounters {
    /// Lookups that ended alike lately ([`pack`]). They are in nothing below yet.
    lately: RecentValues,
    /// Whether sizes are counted, at this level.
    has_sizes: AtomicBool,
    /// Lookups by how they ended.
    ended: [AtomicU64; GetOutcome::COUNT],
    /// Bytes of the values.
    bytes: AtomicU64,
    /// Sizes of the values of this period; there are none before the first lookup. Whoever reads
    /// anything here asks them whether it changed meanwhile.
    sizes: OnceLock<Box<HistogramSums>>,
}

/// How a lookup ended, and how large its value is, in one number.
#[inline]
fn pack(outcome: GetOutcome, value_bytes: u64) -> u64 {
    value_bytes << 3 | outcome as u64
}

/// The index of the outcome, and the bytes.
fn unpack(packed: u64) -> (usize, u64) {
    ((packed & 7) as usize, packed >> 3)
}

/// What changes it is by the owning thread only, or when there is none.
impl GetCounters {
    pub(crate) const fn new() -> Self {
        Self {
            lately: RecentValues::new(),
            has_sizes: AtomicBool::new(false),
            ended: [const { AtomicU64::new(0) }; GetOutcome::COUNT],
            bytes: AtomicU64::new(0),
            sizes: OnceLock::new(),
        }
    }

    /// A lookup ended.
    #[inline]
    pub(crate) fn add(&self, outcome: GetOutcome, value_bytes: u64) {
        let packed = pack(outcome, value_bytes);
        if !self.lately.add(packed) {
            self.begin_run(packed);
        }
    }

    #[inline(never)]
    fn begin_run(&self, packed: u64) {
        let sizes = self.sizes.get_or_init(Box::default);
        sizes.changes.change(|| self.settle(sizes, self.lately.begin(packed)));
    }

    /// Adds up lookups that ended alike.
    fn settle(&self, sizes: &HistogramSums, (packed, count): (u64, u64)) {
        if count == 0 {
            return;
        }
        let (outcome, bytes) = unpack(packed);
        add(&self.ended[outcome], count);
        add(&self.bytes, bytes.wrapping_mul(count));
        if self.has_sizes() {
            sizes.add_times(bytes, count);
        }
    }

    fn has_sizes(&self) -> bool {
        self.has_sizes.load(Ordering::Relaxed)
    }

    /// The level is this one from here on; with `is_new_period` sizes begin again.
    pub(crate) fn begin(&self, level_number: u8, is_new_period: bool) {
        let set_level = || {
            let has_sizes = level_number >= StatsLevel::ExceptTimers as u8;
            self.has_sizes.store(has_sizes, Ordering::Relaxed);
        };
        let Some(sizes) = self.sizes.get() else { return set_level() };
        sizes.changes.change(|| {
            for run in self.lately.take() {
                self.settle(sizes, run);
            }
            if is_new_period {
                sizes.clear();
            }
            set_level();
        });
    }

    /// Forgets all. Nobody reads it.
    pub(crate) fn clear(&self) {
        self.lately.take();
        self.ended.iter().chain([&self.bytes]).for_each(|zero| store(zero, 0));
        if let Some(sizes) = self.sizes.get() {
            sizes.clear();
        }
    }

    /// What follows for a ticker.
    pub(crate) fn count(&self, ticker: Ticker) -> u64 {
        let outcomes = GetOutcome::of_ticker(ticker);
        let has_bytes = matches!(ticker, Ticker::BytesRead);
        let Some(sizes) = self.sizes.get() else { return 0 };
        if outcomes.is_empty() && !has_bytes {
            return 0;
        }
        sizes.changes.read_unchanged(|| {
            let settled = match has_bytes {
                true => load(&self.bytes),
                false => outcomes.iter().map(|outcome| load(&self.ended[*outcome as usize])).sum(),
            };
            let lately = self.lately.all().into_iter().filter(|(_, count)| *count > 0);
            lately.fold(settled, |sum, (packed, count)| {
                let (outcome, bytes) = unpack(packed);
                let counts = outcomes.iter().any(|counted| *counted as usize == outcome);
                let each = if has_bytes { bytes } else { u64::from(counts) };
                sum.wrapping_add(each.wrapping_mul(count))
            })
        })
    }

    /// Adds the sizes of this period to `sum`.
    pub(crate) fn add_sizes_to(&self, sum: &mut Histogram) {
        let Some(sizes) = self.sizes.get() else { return };
        sum.merge(&sizes.changes.read_unchanged(|| {
            let mut values = Histogram::from(sizes.parts(0));
            let lately = self.lately.all().into_iter();
            for (packed, count) in lately.filter(|(_, count)| *count > 0 && self.has_sizes()) {
                values.add_times(unpack(packed).1, count);
            }
            values
        }));
    }

    /// Bytes of memory beside itself.
    pub(crate) fn sizes_bytes(&self) -> usize {
        self.sizes.get().map_or(0, |_| size_of::<HistogramSums>())
    }
}

#[cfg(test)]
mod tests;
