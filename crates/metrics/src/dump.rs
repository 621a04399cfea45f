//! Statistics as a database dumps them into its LOG (`stats_dump_period_sec`), read back.
//!
//! RocksDB and this engine write the same lines: a line that begins the dump, the texts of
//! `rocksdb.dbstats` and of each column family, then tickers and histograms, if the database has
//! statistics. Numbers are those of the time since the primary was opened.

mod parser;

pub(crate) use parser::DumpParser;

use std::collections::BTreeMap;

/// Quantiles of a histogram that a dump tells, as labels: those of [`DumpedHistogram::quantiles`].
pub(crate) const QUANTILES: [&str; 4] = ["0.5", "0.95", "0.99", "1"];

/// What was dumped at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dump {
    /// When, as the line says it.
    pub at: String,
    /// When, in microseconds since 1970.
    pub at_micros: u64,
    /// For how long the database had been open.
    pub uptime_seconds: Option<f64>,
    /// How long writes were held back, as the line says it.
    pub stalled: Option<String>,
    /// Counts of tickers by name.
    pub tickers: BTreeMap<String, u64>,
    /// Histograms by name.
    pub histograms: BTreeMap<String, DumpedHistogram>,
    /// Column families by name.
    pub families: BTreeMap<String, DumpedFamily>,
}

/// What is told of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DumpedHistogram {
    /// Median, 95th and 99th percentile, and the largest value.
    pub quantiles: [f64; 4],
    /// How many values.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
}

/// What is told of a column family.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DumpedFamily {
    /// The table of `rocksdb.cfstats`: by level the columns, by the names that they have in its map.
    /// Bytes are rounded to tenths of GB there.
    pub levels: BTreeMap<usize, BTreeMap<&'static str, f64>>,
    /// Reads of the tables of a level.
    pub reads: BTreeMap<usize, Reads>,
    /// How often writes were found to be delayed or stopped, by the names of
    /// `rocksdb.cf-write-stall-stats`.
    pub stalls: BTreeMap<String, u64>,
}

/// Reads of tables, and how long they took on average.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reads {
    /// How many.
    pub count: u64,
    /// Mean time of one.
    pub mean_micros: f64,
}

impl Dump {
    /// Reads the lines of a LOG, or of a property that has some of them; none if there is no dump.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parser = DumpParser::default();
        text.lines().for_each(|line| parser.line(line));
        parser.newest().cloned()
    }

    /// The reads of each level in the text of `rocksdb.cf-file-histogram`.
    pub(crate) fn reads_of_property(text: &str) -> BTreeMap<usize, Reads> {
        let mut parser = DumpParser::within_a_dump();
        text.lines().for_each(|line| parser.line(line));
        let family = parser.newest().and_then(|dump| dump.families.values().next());
        family.map(|family| family.reads.clone()).unwrap_or_default()
    }

    /// The count of a ticker.
    pub fn ticker(&self, name: &str) -> Option<u64> {
        self.tickers.get(name).copied()
    }

    /// Part of the lookups in the block cache that found the block, since `before` or since the open.
    pub fn cache_hit_ratio(&self, before: Option<&Self>) -> Option<f64> {
        let grown = |name: &str| {
            let count = self.ticker(name)?;
            Some(count.saturating_sub(before.and_then(|before| before.ticker(name)).unwrap_or(0)))
        };
        let hits = grown("rocksdb.block.cache.hit")?;
        let all = hits + grown("rocksdb.block.cache.miss")?;
        (all > 0).then(|| hits as f64 / all as f64)
    }

    /// Seconds that writes were held back.
    pub fn stall_seconds(&self) -> Option<f64> {
        let clock = self.stalled.as_deref()?.split(' ').next()?;
        clock.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))
    }

    /// Seconds from an earlier dump of the same process to this one; none if it is of another.
    pub fn seconds_since(&self, before: &Self) -> Option<f64> {
        let is_of_another = self.uptime_seconds < before.uptime_seconds;
        let seconds = self.at_micros.checked_sub(before.at_micros)? as f64 / 1e6;
        (seconds > 0.0 && !is_of_another).then_some(seconds)
    }

    /// By how much a ticker has grown in a second since an earlier dump.
    pub fn rate(&self, before: &Self, ticker: &str) -> Option<f64> {
        let seconds = self.seconds_since(before)?;
        let grown = self.ticker(ticker)?.checked_sub(before.ticker(ticker)?)?;
        Some(grown as f64 / seconds)
    }

    /// How much is told: one that is still being written has less than the one before it.
    fn len(&self) -> usize {
        self.tickers.len() + self.histograms.len()
    }
}

#[cfg(test)]
mod tests;
