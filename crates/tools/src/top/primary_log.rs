//! What the LOG of the primary tells: statistics as they were last dumped, and stalls.
//!
//! RocksDB and Touchstone write the same lines. Whatever is not found is not known: the primary may have
//! no statistics, may not have dumped them yet, or may have its LOG elsewhere.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// So many bytes at the end are read.
const TAIL_SIZE: u64 = 2 << 20;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PrimaryLog {
    /// When statistics were last dumped, as the line says.
    pub(crate) dumped_at: Option<String>,
    /// Time that writes were held back since the primary was opened, as RocksDB prints it.
    pub(crate) stalled: Option<String>,
    /// Counts of tickers by name.
    pub(crate) tickers: BTreeMap<String, u64>,
    /// Reads of tables, by column family and level.
    pub(crate) reads: BTreeMap<(String, usize), u64>,
    /// The last line that tells of a stall.
    pub(crate) last_stall: Option<String>,
}

impl PrimaryLog {
    /// Reads the end of the LOG in `directory`; nothing is known if there is none.
    pub(crate) fn read(directory: &Path) -> Self {
        let read = || -> std::io::Result<Vec<u8>> {
            let mut file = File::open(directory.join("LOG"))?;
            let size = file.metadata()?.len();
            file.seek(SeekFrom::Start(size.saturating_sub(TAIL_SIZE)))?;
            let mut bytes = Vec::new();
            file.take(TAIL_SIZE).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map(|bytes| Self::parse(&String::from_utf8_lossy(&bytes))).unwrap_or_default()
    }

    /// Takes lines of a LOG apart.
    pub(crate) fn parse(text: &str) -> Self {
        let mut log = Self::default();
        let (mut family, mut level) = (None, None);
        for line in text.lines() {
            if line.contains("DUMPING STATS") {
                log.dumped_at = line.split(' ').next().map(str::to_owned);
            } else if line.contains("Stalling writes because")
                || line.contains("Stopping writes because")
            {
                log.last_stall = Some(line.to_owned());
            } else if let Some(rest) = line.strip_prefix("Cumulative stall: ") {
                log.stalled = Some(rest.to_owned());
            } else if let Some(rest) =
                line.strip_prefix("** File Read Latency Histogram By Level [")
            {
                family = rest.split(']').next().map(str::to_owned);
            } else if let Some(rest) = line.strip_prefix("** Level ") {
                level = rest.split(' ').next().and_then(|number| number.parse::<usize>().ok());
            } else if let Some(rest) = line.strip_prefix("Count: ") {
                let count = rest.split(' ').next().and_then(|count| count.parse().ok());
                if let (Some(family), Some(level), Some(count)) = (&family, level.take(), count) {
                    log.reads.insert((family.clone(), level), count);
                }
            } else if let Some((name, count)) = ticker(line) {
                log.tickers.insert(name.to_owned(), count);
            }
        }
        log
    }

    /// Part of the lookups in the block cache that found the block.
    pub(crate) fn cache_hit_ratio(&self) -> Option<f64> {
        let hits = *self.tickers.get("rocksdb.block.cache.hit")?;
        let all = hits + self.tickers.get("rocksdb.block.cache.miss")?;
        (all > 0).then(|| hits as f64 / all as f64)
    }
}

/// `rocksdb.block.cache.miss COUNT : 12`, which histograms are not.
fn ticker(line: &str) -> Option<(&str, u64)> {
    let line = line.trim();
    let start = line.find("rocksdb.")?;
    let (name, count) = line[start..].split_once(" COUNT : ")?;
    (!name.contains(' ')).then_some((name, count.trim().parse().ok()?))
}

#[cfg(test)]
mod tests;
