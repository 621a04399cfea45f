//! What this thread counted and timed of its reads and writes of files.

use crate::io_metric::IoMetric;
use crate::measure::Measure;
use crate::perf_level::perf_level;
use std::cell::Cell;
use std::fmt;

/// What stands for no pool: the number of priorities.
const NO_POOL: u64 = 4;

thread_local! {
    static VALUES: [Cell<u64>; IoMetric::COUNT] =
        const { [const { Cell::new(0) }; IoMetric::COUNT] };
    static IS_DISABLED: Cell<bool> = const { Cell::new(false) };
    static THREAD_POOL_ID: Cell<u64> = const { Cell::new(NO_POOL) };
}

/// What a thread counted and timed of its reads and writes of files since it was last reset
/// (`rocksdb::IOStatsContext`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IoStatsContext {
    values: [u64; IoMetric::COUNT],
}

/// What this thread counted and timed up to now.
pub fn io_stats_context() -> IoStatsContext {
    let mut values: [u64; IoMetric::COUNT] =
        VALUES.with(|values| std::array::from_fn(|at| values[at].get()));
    values[IoMetric::ThreadPoolId as usize] = THREAD_POOL_ID.get();
    IoStatsContext { values }
}

/// Sets all that this thread counted and timed back to 0.
pub fn reset_io_stats_context() {
    VALUES.with(|values| values.iter().for_each(|value| value.set(0)));
}

/// Says whether this thread counts nothing of its reads and writes (`disable_iostats`).
pub fn disable_io_stats(is_disabled: bool) {
    IS_DISABLED.set(is_disabled);
}

/// Counts in this thread.
#[inline]
pub fn count_io(metric: IoMetric, number: u64) {
    debug_assert_eq!(metric.info().detail, Measure::Always, "{}", metric.name());
    add_io(metric, number);
}

/// Adds to this thread's what another thread counted and timed while it worked for this one.
pub fn add_io_stats(of_helper: &IoStatsContext) {
    for &metric in IoMetric::ALL {
        if metric != IoMetric::ThreadPoolId {
            add_io(metric, of_helper.get(metric));
        }
    }
}

/// Says which pool this thread belongs to: 0 for the lowest priority, 1 for low, 2 for high, 3 for
/// threads of users. A thread of no pool has 4.
pub fn set_thread_pool_id(id: u64) {
    THREAD_POOL_ID.set(id);
}

/// Whether this thread measures what is of this kind.
#[inline]
pub(crate) fn measures_io(measure: Measure) -> bool {
    perf_level() >= measure.level() && !IS_DISABLED.get()
}

#[inline]
pub(crate) fn add_io(metric: IoMetric, number: u64) {
    if !IS_DISABLED.get() {
        VALUES.with(|values| {
            let value = &values[metric as usize];
            value.set(value.get().wrapping_add(number));
        });
    }
}

impl IoStatsContext {
    /// What was counted or timed, in the unit of the metric.
    pub fn get(&self, metric: IoMetric) -> u64 {
        self.values[metric as usize]
    }

    /// As RocksDB's `ToString` prints it, without the metrics that are 0 if `exclude_zero`.
    pub fn to_text(&self, exclude_zero: bool) -> String {
        let shown = IoMetric::ALL.iter().filter(|metric| !exclude_zero || self.get(**metric) > 0);
        let shown = shown.map(|&metric| format!("{} = {}", metric.name(), self.get(metric)));
        shown.collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for IoStatsContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(false))
    }
}

#[cfg(test)]
mod tests;
