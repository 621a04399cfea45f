//! What lookups and scans count.

use statistics::{HistogramType, Statistics, Ticker};
use std::sync::Arc;
use std::time::Instant;

/// Where a lookup found what decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nowhere: no source knows the key.
    None,
    MemTables,
    /// A table in this level.
    Level(usize),
}

/// A lookup is over. It began at `start` and found a value of `value_bytes`, if any.
pub(crate) fn count_get(
    statistics: &Statistics,
    start: Option<Instant>,
    source: Source,
    value_bytes: Option<usize>,
) {
    let bytes = value_bytes.unwrap_or(0) as u64;
    let (memtable, level) = tickers_of(source, value_bytes.is_some());
    let ticks =
        [(Ticker::NumberKeysRead, 1), (Ticker::BytesRead, bytes), (memtable, 1), (level, 1)];
    // A lookup that no table has answered counts for no level.
    let counted = if level == memtable { 3 } else { 4 };
    statistics.record_ticks(&ticks[..counted]);
    if value_bytes.is_some() {
        statistics.record_in_histogram(HistogramType::BytesPerRead, bytes);
    }
    statistics.stop_timer(HistogramType::DbGet, start);
}

/// One key of a lookup of several is found, or is not there.
pub(crate) fn count_source(statistics: &Statistics, source: Source, is_found: bool) {
    let (memtable, level) = tickers_of(source, is_found);
    statistics.record_tick(memtable, 1);
    if level != memtable {
        statistics.record_tick(level, 1);
    }
}

/// A lookup of several keys is over. `found_bytes` are the sizes of the values.
pub(crate) fn count_multi_get(
    statistics: &Statistics,
    start: Option<Instant>,
    keys: usize,
    found_bytes: impl Iterator<Item = usize>,
) {
    let (mut found, mut bytes) = (0, 0);
    for size in found_bytes {
        found += 1;
        bytes += size as u64;
    }
    statistics.record_ticks(&[
        (Ticker::NumberMultigetCalls, 1),
        (Ticker::NumberMultigetKeysRead, keys as u64),
        (Ticker::NumberMultigetKeysFound, found),
        (Ticker::NumberMultigetBytesRead, bytes),
    ]);
    statistics.record_in_histogram(HistogramType::BytesPerMultiget, bytes);
    statistics.stop_timer(HistogramType::DbMultiget, start);
}

/// The ticker of memtables, and that of the level if there is one.
fn tickers_of(source: Source, is_found: bool) -> (Ticker, Ticker) {
    let level = match source {
        Source::MemTables => return (Ticker::MemtableHit, Ticker::MemtableHit),
        Source::Level(0) if is_found => Ticker::GetHitL0,
        Source::Level(1) if is_found => Ticker::GetHitL1,
        Source::Level(_) if is_found => Ticker::GetHitL2AndUp,
        Source::None | Source::Level(_) => Ticker::MemtableMiss,
    };
    (Ticker::MemtableMiss, level)
}

/// What an iterator has counted since it was made; added to the statistics when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct ScanStats {
    statistics: Option<Arc<Statistics>>,
    nexts: u64,
    nexts_found: u64,
    prevs: u64,
    prevs_found: u64,
    bytes_read: u64,
}

impl ScanStats {
    /// Of an iterator that is made now.
    pub(crate) fn new(statistics: Option<Arc<Statistics>>) -> Self {
        if let Some(statistics) = &statistics {
            statistics.record_tick(Ticker::NoIteratorCreated, 1);
        }
        Self { statistics, ..Self::default() }
    }

    /// Whether anybody wants to know.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.statistics.is_some()
    }

    /// A step forward is over; on an entry of `found_bytes`, or on none.
    #[inline]
    pub(crate) fn count_next(&mut self, found_bytes: Option<usize>) {
        self.nexts += 1;
        self.nexts_found += u64::from(found_bytes.is_some());
        self.bytes_read += found_bytes.unwrap_or(0) as u64;
    }

    /// A step backward is over.
    #[inline]
    pub(crate) fn count_prev(&mut self, found_bytes: Option<usize>) {
        self.prevs += 1;
        self.prevs_found += u64::from(found_bytes.is_some());
        self.bytes_read += found_bytes.unwrap_or(0) as u64;
    }

    /// When a seek begins, if it is timed.
    #[inline]
    pub(crate) fn start_seek(&self) -> Option<Instant> {
        self.statistics.as_ref().and_then(|statistics| statistics.start_timer())
    }

    /// A seek is over; on an entry of `found_bytes`, or on none.
    #[inline]
    pub(crate) fn count_seek(&mut self, start: Option<Instant>, found_bytes: Option<usize>) {
        if let Some(statistics) = &self.statistics {
            statistics.record_ticks(&[
                (Ticker::NumberDbSeek, 1),
                (Ticker::NumberDbSeekFound, u64::from(found_bytes.is_some())),
            ]);
            statistics.stop_timer(HistogramType::DbSeek, start);
            self.bytes_read += found_bytes.unwrap_or(0) as u64;
        }
    }
}

impl Drop for ScanStats {
    fn drop(&mut self) {
        let Some(statistics) = &self.statistics else { return };
        statistics.record_ticks(&[
            (Ticker::NoIteratorDeleted, 1),
            (Ticker::NumberDbNext, self.nexts),
            (Ticker::NumberDbNextFound, self.nexts_found),
            (Ticker::NumberDbPrev, self.prevs),
            (Ticker::NumberDbPrevFound, self.prevs_found),
            (Ticker::IterBytesRead, self.bytes_read),
        ]);
    }
}
