//! What is shown, as text: a pure function from a snapshot.

use crate::top::snapshot::{Dumped, FamilySnapshot, Snapshot};
use metrics::Dump;
use version::LevelShape;

/// What stands where a number is not known.
const UNKNOWN: &str = "-";

/// The lines of a screen of so many columns and rows. What does not fit is cut off; of rows the last one
/// says so.
pub(crate) fn render(snapshot: &Snapshot, columns: usize, rows: usize) -> Vec<String> {
    let mut lines = head(snapshot);
    for family in &snapshot.families {
        lines.push(String::new());
        lines.extend(family_lines(family));
    }
    lines.push(String::new());
    lines.extend(dumped_lines(&snapshot.dumped));
    if lines.len() > rows {
        let hidden = lines.len() - rows.saturating_sub(1);
        lines.truncate(rows.saturating_sub(1));
        lines.push(format!("… {hidden} more lines"));
        lines.truncate(rows);
    }
    lines.iter().map(|line| cut(line, columns)).collect()
}

/// The first characters of a line, those that would move the cursor replaced.
fn cut(line: &str, columns: usize) -> String {
    let shown = |character: char| if character.is_control() { '?' } else { character };
    line.chars().map(shown).take(columns).collect()
}

fn head(snapshot: &Snapshot) -> Vec<String> {
    let progress = &snapshot.progress;
    let rate =
        |rate: Option<f64>| rate.map_or_else(|| UNKNOWN.to_owned(), |rate| format!("{rate:.0}"));
    let bytes_rate =
        |rate: Option<f64>| rate.map_or_else(|| UNKNOWN.to_owned(), |rate| bytes(rate as u64));
    let activity = &progress.activity;
    let mut lines = vec![
        format!("touchstone top  {}", snapshot.path),
        format!(
            "writes       {} entries/s, {}/s to WALs; last sequence number {}, WAL {:06}",
            rate(snapshot.rate(|progress| progress.last_sequence)),
            bytes_rate(snapshot.rate(|progress| progress.wal_bytes)),
            progress.last_sequence,
            progress.wal_number
        ),
        format!(
            "since start  {} flushes ({}), {} compactions ({}), {} moves; MANIFEST {:06}",
            activity.flushes,
            bytes(activity.flushed_bytes),
            activity.compactions,
            bytes(activity.compacted_bytes),
            activity.moves,
            progress.manifest_number
        ),
    ];
    if let Some(problem) = &snapshot.problem {
        lines.push(format!("NOT UP TO DATE: {problem}"));
    }
    lines
}

fn family_lines(family: &FamilySnapshot) -> Vec<String> {
    let shape = &family.shape;
    let memory: u64 = shape.memtables.iter().map(|memtable| memtable.bytes).sum();
    let entries: u64 = shape.memtables.iter().map(|memtable| memtable.entries).sum();
    let mut lines = vec![
        format!("[{}]", shape.column_family),
        format!(
            "memtables {} ({}, {entries} entries)  compaction debt {}  writes, by its files: {}",
            shape.memtables.iter().filter(|memtable| memtable.entries > 0).count(),
            bytes(memory),
            bytes(shape.pending_compaction_bytes),
            family.stall.as_deref().unwrap_or(UNKNOWN)
        ),
        format!(
            "{:<6}{:>8}{:>12}{:>12}{:>8}{:>8}{:>12}",
            "level", "files", "bytes", "target", "full", "score", "reads"
        ),
    ];
    let last = shape.levels.iter().rposition(|level| level.files > 0).unwrap_or(0);
    for level in &shape.levels {
        let is_between = level.level > 0 && level.level <= last;
        if level.files == 0 && level.level > 0 && !(is_between && level.target_bytes.is_some()) {
            continue;
        }
        lines.push(level_line(level, family.reads.get(level.level).copied().flatten()));
    }
    lines.push(format!("{:<6}{:>8}{:>12}", "sum", shape.files(), bytes(shape.bytes())));
    if shape.blob_files > 0 {
        lines.push(format!(
            "{:<6}{:>8}{:>12}  garbage {}",
            "blobs",
            shape.blob_files,
            bytes(shape.blob_bytes),
            bytes(shape.blob_garbage_bytes)
        ));
    }
    lines
}

fn level_line(level: &LevelShape, reads: Option<u64>) -> String {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let target = level.target_bytes.filter(|&target| target > 0 && target < u64::MAX);
    let full = target.map(|target| format!("{:.0} %", level.bytes as f64 * 100.0 / target as f64));
    format!(
        "{:<6}{:>8}{:>12}{:>12}{:>8}{:>8}{:>12}",
        format!("L{}", level.level),
        level.files,
        bytes(level.bytes),
        or_unknown(target.map(bytes)),
        or_unknown(full),
        or_unknown(level.score.map(|score| format!("{score:.2}"))),
        or_unknown(reads.map(|reads| reads.to_string()))
    )
}

fn dumped_lines(dumped: &Dumped) -> Vec<String> {
    let Dumped { newest, before, age, last_stall } = dumped;
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| UNKNOWN.to_owned());
    let percent =
        |ratio: Option<f64>| or_unknown(ratio.map(|ratio| format!("{:.1} %", ratio * 100.0)));
    let newest = newest.as_ref();
    let before = newest.and(before.as_ref());
    let lately = before.and_then(|before| newest?.cache_hit_ratio(Some(before)));
    let stalled = newest.and_then(|dump| dump.stalled.clone());
    let source = match newest {
        Some(dump) => format!("{}, {:.0} s ago", dump.at, age.as_secs_f64()),
        None => "- (none dumped yet)".to_owned(),
    };
    let mut lines = operation_lines(newest, before);
    lines.extend([
        format!(
            "block cache  {} hits, {} lately",
            percent(newest.and_then(|dump| dump.cache_hit_ratio(None))),
            percent(lately)
        ),
        format!("held back    {}", or_unknown(stalled)),
        format!("last stall   {}", or_unknown(last_stall.clone())),
        format!("from LOG     operations, reads, cache, time held back: statistics of {source}"),
        "from files   levels, targets, scores, debt, jobs: MANIFEST; writes and memtables: WALs"
            .to_owned(),
    ]);
    lines
}

/// What callers do and how long they wait, if the primary has statistics.
fn operation_lines(newest: Option<&Dump>, before: Option<&Dump>) -> Vec<String> {
    const RATES: &[(&str, &str)] = &[
        ("keys read", "rocksdb.number.keys.read"),
        ("keys written", "rocksdb.number.keys.written"),
        ("seeks", "rocksdb.number.db.seek"),
        ("nexts", "rocksdb.number.db.next"),
    ];
    const LATENCIES: &[(&str, &str)] = &[
        ("get", "rocksdb.db.get.micros"),
        ("write", "rocksdb.db.write.micros"),
        ("seek", "rocksdb.db.seek.micros"),
    ];
    let Some(newest) = newest.filter(|dump| !dump.tickers.is_empty()) else { return Vec::new() };
    let rates = RATES.iter().map(|(what, ticker)| {
        let rate = before.and_then(|before| newest.rate(before, ticker));
        rate.map_or_else(|| format!("{UNKNOWN} {what}/s"), |rate| format!("{rate:.0} {what}/s"))
    });
    let seconds = before.and_then(|before| newest.seconds_since(before));
    let over = seconds.map_or_else(String::new, |seconds| format!("; over {seconds:.1} s"));
    let mut lines = vec![format!("operations   {}{over}", rates.collect::<Vec<_>>().join(", "))];
    let latencies = LATENCIES.iter().filter_map(|(what, name)| {
        let values = newest.histograms.get(*name).filter(|values| values.count > 0)?;
        let [median, _, p99, max] = values.quantiles;
        Some(format!("{what} {median:.1} / {p99:.1} / {max:.0}"))
    });
    let latencies: Vec<String> = latencies.collect();
    if !latencies.is_empty() {
        lines.push(format!("micros       {} (median / 99 % / longest)", latencies.join(", ")));
    }
    lines
}

/// With a unit that leaves few digits.
fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{bytes} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests;
