//! What an average query had to do, from the counters of a perf context.

use record::ReadAmplification;
use std::collections::HashMap;

/// Counters of one or more threads, by RocksDB's names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PerfCounts(HashMap<String, u64>);

impl PerfCounts {
    /// Takes a report apart: `name = 1, name = 2, …`. Counters of levels, `1@level0`, are left out.
    pub(crate) fn parse(report: &str) -> Self {
        let pairs = report.split(',').filter_map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let name = name.trim();
            Some((name.to_owned(), value.trim().parse().ok()?)).filter(|_| !name.is_empty())
        });
        Self(pairs.collect())
    }

    /// Adds those of another thread.
    pub(crate) fn add(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            *self.0.entry(name.clone()).or_default() += count;
        }
    }

    fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Shares of so many queries; `None` without queries, or if nothing was counted.
    ///
    /// Nobody counts the tables that a lookup searches. With filters each of them was asked; without,
    /// each gave a data block; so the larger of both is taken for it. A seek counts its runs.
    pub(crate) fn per_query(&self, queries: u64) -> Option<ReadAmplification> {
        if queries == 0 || self.0.values().all(|count| *count == 0) {
            return None;
        }
        let filters_useful = self.get("bloom_sst_miss_count");
        let filters_checked = self.get("bloom_sst_hit_count") + filters_useful;
        let blocks = self.get("block_cache_hit_count") + self.get("block_read_count");
        let not_data: u64 = [
            "block_cache_index_hit_count",
            "block_cache_filter_hit_count",
            "index_block_read_count",
            "filter_block_read_count",
            "compression_dict_block_read_count",
        ]
        .iter()
        .map(|name| self.get(name))
        .sum();
        let tables = match self.get("seek_child_seek_count") {
            0 => filters_checked.max(blocks.saturating_sub(not_data)),
            // Memtables are among these.
            sought => sought,
        };
        let runs = self.get("get_from_memtable_count") + tables;
        let compared = self.get("user_key_comparison_count");
        let share = |count: u64| count as f64 / queries as f64;
        Some(ReadAmplification {
            runs_per_query: share(runs),
            filters_checked_per_query: share(filters_checked),
            filters_useful_per_query: share(filters_useful),
            // There is no query without a comparison: 0 says that they are not counted.
            keys_compared_per_query: (compared > 0).then(|| share(compared)),
            blocks_per_query: share(blocks),
        })
    }
}

#[cfg(test)]
mod tests;
