//! What compactions did, level by level, and what was written: from the maps of `rocksdb.cfstats` and
//! `rocksdb.dbstats`.

use crate::dump::{Dump, DumpedFamily};
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::{ColumnFamilyHandle, Db};

/// An entry of a map.
struct Row {
    /// The column of `compaction.LEVEL.COLUMN`, or the whole name.
    key: &'static str,
    metric: Metric,
    /// What the number is multiplied by.
    unit: f64,
}

const fn row(key: &'static str, unit: f64, metric: Metric) -> Row {
    Row { key, metric, unit }
}

const fn counter(name: &'static str, help: &'static str) -> Metric {
    Metric::new(name, Kind::Counter, help)
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    Metric::new(name, Kind::Gauge, help)
}

const GB: f64 = (1_u64 << 30) as f64;

/// Of `rocksdb.cfstats`. Files, sizes and scores are told level by level elsewhere.
#[rustfmt::skip]
const OF_LEVELS: &[Row] = &[
    row("CompactedFiles", 1.0, gauge("rocksdb_compacting_files_at_level", "Files of the level in compactions that run now.")),
    row("ReadGB", GB, counter("rocksdb_compaction_read_bytes_total", "Bytes read by compactions to the level.")),
    row("RnGB", GB, counter("rocksdb_compaction_read_upper_bytes_total", "Of these, from levels above it.")),
    row("Rnp1GB", GB, counter("rocksdb_compaction_read_level_bytes_total", "Of these, from the level itself.")),
    row("WriteGB", GB, counter("rocksdb_compaction_write_bytes_total", "Bytes written by flushes and compactions to the level.")),
    row("WPreCompGB", GB, counter("rocksdb_compaction_write_raw_bytes_total", "Bytes of these before they were compressed.")),
    row("WnewGB", GB, gauge("rocksdb_compaction_new_bytes", "Bytes that these added to the level.")),
    row("MovedGB", GB, counter("rocksdb_compaction_moved_bytes_total", "Bytes of files that were moved to the level unread.")),
    row("WriteAmp", 1.0, gauge("rocksdb_compaction_write_amplification", "Bytes written to the level for each byte that came to it.")),
    row("CompSec", 1.0, counter("rocksdb_compaction_seconds_total", "Seconds of flushes and compactions to the level.")),
    row("CompMergeCPU", 1.0, counter("rocksdb_compaction_cpu_seconds_total", "Seconds of processor time of these.")),
    row("CompCount", 1.0, counter("rocksdb_compaction_jobs_total", "Flushes and compactions to the level.")),
    row("KeyIn", 1.0, counter("rocksdb_compaction_keys_read_total", "Entries that compactions to the level read.")),
    row("KeyDrop", 1.0, counter("rocksdb_compaction_keys_dropped_total", "Entries that they dropped.")),
    row("RblobGB", GB, counter("rocksdb_compaction_blob_read_bytes_total", "Bytes of blobs that they read.")),
    row("WblobGB", GB, counter("rocksdb_compaction_blob_write_bytes_total", "Bytes of blobs that they wrote.")),
];

/// Columns that are told elsewhere, or that follow from others.
#[cfg(test)]
const LEFT_OUT: &[&str] = &["NumFiles", "SizeBytes", "Score", "ReadMBps", "WriteMBps", "AvgSec"];

/// Of `rocksdb.dbstats`.
#[rustfmt::skip]
const OF_DB: &[Row] = &[
    row("db.uptime", 1.0, gauge("rocksdb_db_uptime_seconds", "Seconds since the database was opened.")),
    row("db.user_bytes_written", 1.0, counter("rocksdb_db_user_bytes_written_total", "Bytes of write batches.")),
    row("db.user_keys_written", 1.0, counter("rocksdb_db_user_keys_written_total", "Entries written.")),
    row("db.user_write_stall_micros", 1e-6, counter("rocksdb_db_user_write_stall_seconds_total", "Seconds that writes were held back.")),
    row("db.user_writes_by_other", 1.0, counter("rocksdb_db_user_writes_by_other_total", "Write batches that another writer took along.")),
    row("db.user_writes_by_self", 1.0, counter("rocksdb_db_user_writes_by_self_total", "Groups of write batches.")),
    row("db.user_writes_with_wal", 1.0, counter("rocksdb_db_user_writes_with_wal_total", "Write batches that went to a WAL.")),
    row("db.wal_bytes_written", 1.0, counter("rocksdb_db_wal_bytes_written_total", "Bytes written to WALs.")),
    row("db.wal_syncs", 1.0, counter("rocksdb_db_wal_syncs_total", "How often WALs were synced.")),
];

/// Tickers that count the same as entries of `rocksdb.dbstats`.
const TICKERS: &[(&str, &str)] = &[
    ("db.user_bytes_written", "rocksdb.bytes.written"),
    ("db.user_keys_written", "rocksdb.number.keys.written"),
    ("db.user_writes_by_other", "rocksdb.write.other"),
    ("db.user_writes_by_self", "rocksdb.write.self"),
    ("db.user_writes_with_wal", "rocksdb.write.wal"),
    ("db.wal_bytes_written", "rocksdb.wal.bytes"),
    ("db.wal_syncs", "rocksdb.wal.synced"),
];

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    OF_LEVELS.iter().chain(OF_DB).map(|row| row.metric.clone())
}

/// What was written to a database by another process, as it dumped that. Its texts are rounded, so that
/// tickers are taken.
pub(crate) fn add_db_of_dump(exposition: &mut Exposition, dump: &Dump, labels: &Labels) {
    for row in OF_DB {
        let ticker = TICKERS.iter().find(|(key, _)| *key == row.key);
        let value = match row.key {
            "db.uptime" => dump.uptime_seconds,
            "db.user_write_stall_micros" => dump.stall_seconds().map(|seconds| seconds / row.unit),
            _ => ticker.and_then(|(_, ticker)| dump.ticker(ticker)).map(|count| count as f64),
        };
        if let Some(value) = value {
            exposition.add(&row.metric, labels, value * row.unit);
        }
    }
}

/// What compactions of a column family did in another process, as it dumped that.
pub(crate) fn add_family_of_dump(
    exposition: &mut Exposition,
    family: &DumpedFamily,
    labels: &Labels,
) {
    for (level, columns) in &family.levels {
        let mut labels = labels.clone();
        labels.push(("level", level.to_string()));
        for row in OF_LEVELS {
            if let Some(value) = columns.get(row.key) {
                exposition.add(&row.metric, &labels, value * row.unit);
            }
        }
    }
}

/// What was written to the database.
pub(crate) fn add_db(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    let map = db.map_property(family, "rocksdb.dbstats").unwrap_or_default();
    for row in OF_DB {
        if let Some(value) = map.get(row.key).and_then(|value| value.parse::<f64>().ok()) {
            exposition.add(&row.metric, labels, value * row.unit);
        }
    }
}

/// What compactions of a column family did.
pub(crate) fn add_family(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    let map = db.map_property(family, "rocksdb.cfstats").unwrap_or_default();
    for (name, value) in &map {
        let Some((level, column)) = split(name) else { continue };
        let row = OF_LEVELS.iter().find(|row| row.key == column);
        if let (Some(row), Ok(value)) = (row, value.parse::<f64>()) {
            let mut labels = labels.clone();
            labels.push(("level", level.to_owned()));
            exposition.add(&row.metric, &labels, value * row.unit);
        }
    }
}

/// The level and the column of a name; none for rows that are no levels, such as the sum of all.
fn split(name: &str) -> Option<(&str, &str)> {
    let (level, column) = name.strip_prefix("compaction.L")?.split_once('.')?;
    level.parse::<u32>().is_ok().then_some((level, column))
}

#[cfg(test)]
mod tests;
