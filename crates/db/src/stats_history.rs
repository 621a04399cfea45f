//! What was counted since the time before: kept in memory up to a size, or in a column family.
//!
//! Every `stats_persist_period_sec` the tickers are read, and how far each has come since then makes
//! a slice. With `persist_stats_to_disk` slices go to a column family of their own (`persistent`),
//! where they outlive the process; else the newest are kept in memory, as many as fit into
//! `stats_history_buffer_size`.

mod lagging;
pub(crate) mod persistent;

use crate::db::Db;
use crate::db_impl::DbImpl;
use base::Result;
use statistics::Ticker;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// How far tickers have come since the slice before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatsSlice {
    /// When it was taken, in seconds since 1970.
    pub time_seconds: u64,
    /// By the names of tickers.
    pub deltas: BTreeMap<String, u64>,
}

/// Slices in memory, and what the next one is compared with.
#[derive(Debug, Default)]
pub(crate) struct StatsHistory {
    slices: BTreeMap<u64, Vec<u64>>,
    /// All tickers at the last slice; none before the first time.
    last: Option<Vec<u64>>,
}

impl StatsHistory {
    /// How far each ticker has come since this was last called; none the first time.
    pub(crate) fn advance(&mut self, counts: Vec<u64>) -> Option<Vec<u64>> {
        let delta = |(count, last): (&u64, &u64)| count.wrapping_sub(*last);
        let deltas = self.last.as_ref().map(|last| counts.iter().zip(last).map(delta).collect());
        self.last = Some(counts);
        deltas
    }

    /// Keeps a slice, and forgets the oldest while all together take more than `bytes_max`.
    pub(crate) fn keep(&mut self, time_seconds: u64, deltas: Vec<u64>, bytes_max: u64) {
        self.slices.insert(time_seconds, deltas);
        while self.size_bytes() > bytes_max && self.slices.pop_first().is_some() {}
    }

    /// Those of a range of seconds.
    pub(crate) fn slices(&self, seconds: Range<u64>) -> Vec<StatsSlice> {
        if seconds.is_empty() {
            return Vec::new();
        }
        let slices = self.slices.range(seconds);
        slices
            .map(|(time_seconds, deltas)| StatsSlice {
                time_seconds: *time_seconds,
                deltas: Ticker::ALL
                    .iter()
                    .zip(deltas)
                    .map(|(t, d)| (t.name().into(), *d))
                    .collect(),
            })
            .collect()
    }

    /// What the slices would take in RocksDB, by whose sizes users have chosen the limit.
    fn size_bytes(&self) -> u64 {
        /// A map, and what each of its entries has beside its name.
        const MAP_BYTES: u64 = 48;
        const ENTRY_BYTES: u64 = 40;
        /// So long a name takes no memory of its own.
        const SHORT_NAME_MAX: usize = 15;
        let entry = |ticker: &Ticker| ENTRY_BYTES + ticker.name().len().max(SHORT_NAME_MAX) as u64;
        let slice = 8 + MAP_BYTES + Ticker::ALL.iter().map(entry).sum::<u64>();
        MAP_BYTES + slice * self.slices.len() as u64
    }
}

impl Db {
    /// How far tickers have come, slice by slice, from second `start` up to and without `end`, since
    /// 1970 (`GetStatsHistory`). With `persist_stats_to_disk` also what earlier processes counted, in
    /// a database open for reading only if the family `___rocksdb_stats_history___` was opened.
    /// Nothing without [`OpenContext::statistics`](crate::OpenContext::statistics).
    ///
    /// # Errors
    /// What reading the column family gives; `Corruption` if it holds what is no slice.
    pub fn stats_history(&self, start: u64, end: u64) -> Result<Vec<StatsSlice>> {
        if self.inner.options().persist_stats_to_disk {
            return persistent::read(self, start..end);
        }
        let Ok(writing) = self.inner.writing() else { return Ok(Vec::new()) };
        Ok(writing.stats_history.lock().slices(start..end))
    }
}

impl DbImpl {
    /// Takes a slice.
    pub(crate) fn persist_stats(self: &Arc<Self>) {
        let (Ok(writing), Some(statistics)) = (self.writing(), &self.context.statistics) else {
            return;
        };
        let now_seconds = self.context.clock.now_seconds();
        writing.info_log.info(format_args!("------- PERSISTING STATS -------"));
        let mut history = writing.stats_history.lock();
        let Some(deltas) = history.advance(statistics.ticker_counts()) else { return };
        let options = self.options();
        if !options.persist_stats_to_disk {
            history.keep(now_seconds, deltas, options.stats_history_buffer_size);
            return;
        }
        drop(history);
        match self.write_slice(now_seconds, &deltas) {
            Ok(()) => writing.info_log.info(format_args!(
                "Writing {} stats with timestamp {now_seconds} to persistent stats CF succeeded",
                deltas.len()
            )),
            Err(status) => writing
                .info_log
                .info(format_args!("Writing to persistent stats CF failed -- {status}")),
        }
    }
}

#[cfg(test)]
mod tests;
