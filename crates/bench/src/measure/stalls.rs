//! How often and how long writes were held up, by cause, from the texts of properties.
//!
//! Causes have RocksDB's names from 8.1 on. It counts them but times only all of them together;
//! Touchstone times each.

use record::Stall;
use std::collections::BTreeMap;

/// Stalls by cause.
pub(crate) type Stalls = BTreeMap<String, Stall>;

/// The cause that stands for all of them together.
pub(crate) const TOTAL: &str = "total";

/// Names up to RocksDB 8.0, and those of today.
const OLD_NAMES: [(&str, &str); 8] = [
    ("level0_slowdown", "l0-file-count-limit-delays"),
    ("level0_slowdown_with_compaction", "cf-l0-file-count-limit-delays-with-ongoing-compaction"),
    ("level0_numfiles", "l0-file-count-limit-stops"),
    ("level0_numfiles_with_compaction", "cf-l0-file-count-limit-stops-with-ongoing-compaction"),
    ("stop for pending_compaction_bytes", "pending-compaction-bytes-stops"),
    ("slowdown for pending_compaction_bytes", "pending-compaction-bytes-delays"),
    ("memtable_compaction", "memtable-limit-stops"),
    ("memtable_slowdown", "memtable-limit-delays"),
];

/// Touchstone's property `touchstone.stall`; empty if it is something else. Its rows:
///
/// ```text
/// cause                 delays   stops  writes delayed  seconds  writes stopped  seconds
/// memtable-limit             0       3               0    0.000              17    0.250
/// write-buffer-manager-limit                                                  2    0.001
/// low priority                                       5    0.100
/// ```
pub(crate) fn of_touchstone(text: &str) -> Stalls {
    let mut stalls = Stalls::new();
    let mut total = (0, 0.0);
    let mut add = |name: String, count: &str, seconds: &str| {
        if let (Ok(count), Ok(seconds)) = (count.parse::<u64>(), seconds.parse::<f64>()) {
            total = (total.0 + count, total.1 + seconds);
            stalls.insert(name, Stall { count: Some(count), seconds: Some(seconds) });
        }
    };
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            [cause, delays, stops, _, delayed, _, stopped] => {
                add(format!("{cause}-delays"), delays, delayed);
                add(format!("{cause}-stops"), stops, stopped);
            }
            [cause @ "write-buffer-manager-limit", writes, seconds] => {
                add(format!("{cause}-stops"), writes, seconds);
            }
            ["low", "priority", writes, seconds] => {
                add("low-priority-delays".to_owned(), writes, seconds);
            }
            _ => {}
        }
    }
    if !stalls.is_empty() {
        let (count, seconds) = total;
        let total = Stall { count: Some(count), seconds: Some(seconds) };
        stalls.insert(TOTAL.to_owned(), total);
    }
    stalls
}

/// What RocksDB says: a text that has the counts of causes (`rocksdb.cf-write-stall-stats`, or
/// `rocksdb.cfstats` before 8.1), and one that has the time of all (`rocksdb.dbstats`).
///
/// ```text
/// Write Stall (count): l0-file-count-limit-delays: 3, …, total-delays: 3, total-stops: 0
/// Stalls(count): 3 level0_slowdown, …, interval 0 total count
/// Cumulative stall: 00:01:2.500 H:M:S, 1.3 percent
/// ```
pub(crate) fn of_rocksdb(counts_text: &str, times_text: &str) -> Stalls {
    let mut stalls = Stalls::new();
    let mut total = Stall::default();
    let after = |text: &'static str| move |line: &str| line.strip_prefix(text).map(str::to_owned);
    if let Some(counts) = counts_text.lines().find_map(after("Write Stall (count): ")) {
        for (name, count) in counts.split(", ").filter_map(|pair| pair.split_once(": ")) {
            let Ok(count) = count.trim().parse::<u64>() else { continue };
            match name {
                "total-delays" | "total-stops" => {
                    total.count = Some(total.count.unwrap_or(0) + count);
                }
                _ => _ = stalls.insert(name.to_owned(), counted(count)),
            }
        }
    } else if let Some(counts) = counts_text.lines().find_map(after("Stalls(count): ")) {
        for (count, old) in counts.split(", ").filter_map(|pair| pair.split_once(' ')) {
            let new = OLD_NAMES.iter().find(|(name, _)| *name == old).map(|(_, new)| *new);
            if let (Some(new), Ok(count)) = (new, count.parse::<u64>()) {
                stalls.insert(new.to_owned(), counted(count));
                if !old.ends_with("_with_compaction") {
                    total.count = Some(total.count.unwrap_or(0) + count);
                }
            }
        }
    }
    total.seconds = times_text.lines().find_map(after("Cumulative stall: ")).and_then(|text| {
        let clock = text.split(' ').next()?;
        clock.split(':').try_fold(0.0, |sum, part| Some(sum * 60.0 + part.parse::<f64>().ok()?))
    });
    if total != Stall::default() {
        stalls.insert(TOTAL.to_owned(), total);
    }
    stalls
}

fn counted(count: u64) -> Stall {
    Stall { count: Some(count), seconds: None }
}

/// Adds those of another database.
pub(crate) fn add(all: &mut Stalls, other: &Stalls) {
    for (name, stall) in other {
        let sum = all.entry(name.clone()).or_default();
        if let Some(count) = stall.count {
            sum.count = Some(sum.count.unwrap_or(0) + count);
        }
        if let Some(seconds) = stall.seconds {
            sum.seconds = Some(sum.seconds.unwrap_or(0.0) + seconds);
        }
    }
}

/// What came to be from `before` on. Counters that began anew count from 0.
pub(crate) fn since(before: &Stalls, after: &Stalls) -> Stalls {
    let difference = |(name, after): (&String, &Stall)| {
        let before = before.get(name).copied().unwrap_or_default();
        let seconds = |seconds: f64| (seconds - before.seconds.unwrap_or(0.0)).max(0.0);
        let stall = Stall {
            count: after.count.map(|count| count.saturating_sub(before.count.unwrap_or(0))),
            // Texts have milliseconds; more digits are only noise of subtraction.
            seconds: after.seconds.map(|now| (seconds(now) * 1e6).round() / 1e6),
        };
        (name.clone(), stall)
    };
    after.iter().map(difference).collect()
}

#[cfg(test)]
mod tests;
