//! The compaction filters of benchmarks.

use base::compaction_filter::{CompactionFilter, Decision, FilterValue};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes before the time in a key of `timeseries`.
pub(crate) const ID_BYTES: usize = 8;

/// Keeps everything (`--use_keep_filter`): what it costs to ask a filter.
#[derive(Debug)]
pub(crate) struct KeepFilter;

impl CompactionFilter for KeepFilter {
    fn name(&self) -> &str {
        "KeepFilter"
    }

    fn filter(&self, _: usize, _: &[u8], _: FilterValue<'_>) -> Decision {
        Decision::Keep
    }
}

/// Removes entries of `timeseries` that are too old (`--expire_style=compaction_filter`).
#[derive(Debug)]
pub(crate) struct ExpiredTimeFilter {
    /// Of the benchmark.
    pub(crate) now: Arc<AtomicU64>,
    /// Entries older than this go (`--time_range`).
    pub(crate) age_max: u64,
}

impl CompactionFilter for ExpiredTimeFilter {
    fn name(&self) -> &str {
        "ExpiredTimeFilter"
    }

    fn filter(&self, _: usize, user_key: &[u8], _: FilterValue<'_>) -> Decision {
        match age(&self.now, user_key) > self.age_max {
            true => Decision::Remove,
            false => Decision::Keep,
        }
    }
}

/// How long ago the entry of this key was put.
pub(crate) fn age(now: &AtomicU64, key: &[u8]) -> u64 {
    let time = key.get(ID_BYTES..ID_BYTES + 8).and_then(|bytes| bytes.try_into().ok());
    // Relaxed: times need only be about right.
    now.load(Ordering::Relaxed).wrapping_sub(time.map_or(0, u64::from_be_bytes))
}

#[cfg(test)]
mod tests;
