//! What this thread counted and timed.

use crate::level_metric::LevelMetric;
use crate::measure::Measure;
use crate::perf_level::perf_level;
use crate::perf_metric::PerfMetric;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

type ByLevel = BTreeMap<usize, [u64; LevelMetric::COUNT]>;

thread_local! {
    static VALUES: [Cell<u64>; PerfMetric::COUNT] =
        const { [const { Cell::new(0) }; PerfMetric::COUNT] };
    static IS_BY_LEVEL: Cell<bool> = const { Cell::new(false) };
    static BY_LEVEL: RefCell<ByLevel> = const { RefCell::new(BTreeMap::new()) };
}

/// What a thread counted and timed since it was last reset (`rocksdb::PerfContext`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerfContext {
    values: [u64; PerfMetric::COUNT],
    by_level: ByLevel,
}

/// What this thread counted and timed up to now.
pub fn perf_context() -> PerfContext {
    PerfContext {
        values: VALUES.with(|values| std::array::from_fn(|at| values[at].get())),
        by_level: BY_LEVEL.with_borrow(Clone::clone),
    }
}

/// Sets all that this thread counted and timed back to 0.
pub fn reset_perf_context() {
    VALUES.with(|values| values.iter().for_each(|value| value.set(0)));
    BY_LEVEL.with_borrow_mut(ByLevel::clear);
}

/// From now on this thread counts by level too.
pub fn enable_per_level_perf_context() {
    IS_BY_LEVEL.set(true);
}

/// From now on this thread does not count by level; what it counted stays.
pub fn disable_per_level_perf_context() {
    IS_BY_LEVEL.set(false);
}

/// Whether this thread counts; for what takes work to know.
#[inline]
pub fn counts() -> bool {
    perf_level() >= Measure::Count.level()
}

/// Counts in this thread, if its level has counts.
#[inline]
pub fn count(metric: PerfMetric, number: u64) {
    debug_assert_eq!(metric.info().detail, Measure::Count, "{}", metric.name());
    if counts() {
        add(metric, number);
    }
}

/// Counts for a level of the tree, if this thread does.
#[inline]
pub fn count_at_level(metric: LevelMetric, level: usize, number: u64) {
    if counts_by_level() && perf_level() >= metric.info().detail.level() {
        add_at_level(metric, level, number);
    }
}

/// Whether this thread counts by level.
#[inline]
pub(crate) fn counts_by_level() -> bool {
    IS_BY_LEVEL.get()
}

#[inline]
pub(crate) fn add(metric: PerfMetric, number: u64) {
    VALUES.with(|values| {
        let value = &values[metric as usize];
        value.set(value.get().wrapping_add(number));
    });
}

pub(crate) fn add_at_level(metric: LevelMetric, level: usize, number: u64) {
    BY_LEVEL.with_borrow_mut(|by_level| {
        by_level.entry(level).or_insert([0; LevelMetric::COUNT])[metric as usize] += number;
    });
}

impl PerfContext {
    /// What was counted or timed, in the unit of the metric.
    pub fn get(&self, metric: PerfMetric) -> u64 {
        self.values[metric as usize]
    }

    /// What was counted for a level of the tree.
    pub fn get_at_level(&self, metric: LevelMetric, level: usize) -> u64 {
        self.by_level.get(&level).map_or(0, |values| values[metric as usize])
    }

    /// The metrics that are not 0, by name, then those of levels: `name@level2`.
    pub fn non_zero(&self) -> impl Iterator<Item = (String, u64)> {
        let plain =
            PerfMetric::ALL.iter().map(|&metric| (metric.name().to_owned(), self.get(metric)));
        let by_level = LevelMetric::ALL.iter().flat_map(move |&metric| {
            let value = move |(level, values): (&usize, &[u64; LevelMetric::COUNT])| {
                (format!("{}@level{level}", metric.name()), values[metric as usize])
            };
            self.by_level.iter().map(value)
        });
        plain.chain(by_level).filter(|(_, value)| *value != 0)
    }

    /// As RocksDB's `ToString` prints it, without the metrics that are 0 if `exclude_zero`.
    pub fn to_text(&self, exclude_zero: bool) -> String {
        let mut text = String::new();
        for &metric in PerfMetric::ALL {
            let value = self.get(metric);
            if !exclude_zero || value > 0 {
                text.push_str(&format!("{} = {value}, ", metric.name()));
            }
        }
        for &metric in LevelMetric::ALL {
            let levels =
                self.by_level.iter().map(|(level, values)| (level, values[metric as usize]));
            let levels: Vec<_> = levels.filter(|(_, value)| !exclude_zero || *value > 0).collect();
            if levels.is_empty() {
                continue;
            }
            let values = levels.iter().map(|(level, value)| format!("{value}@level{level}, "));
            text.push_str(&format!("{} = {}", metric.name(), values.collect::<String>()));
        }
        text.truncate(text.trim_end_matches([',', ' ']).len());
        text
    }
}

impl fmt::Display for PerfContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(false))
    }
}

#[cfg(test)]
mod tests;
