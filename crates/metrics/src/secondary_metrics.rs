//! How far a secondary has come.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::{Db, SecondaryProgress};

/// A number of a secondary.
struct Row {
    metric: Metric,
    value: fn(&SecondaryProgress) -> u64,
}

const fn counter(
    name: &'static str,
    help: &'static str,
    value: fn(&SecondaryProgress) -> u64,
) -> Row {
    Row { metric: Metric::new(name, Kind::Counter, help), value }
}

const fn gauge(
    name: &'static str,
    help: &'static str,
    value: fn(&SecondaryProgress) -> u64,
) -> Row {
    Row { metric: Metric::new(name, Kind::Gauge, help), value }
}

const ROWS: &[Row] = &[
    gauge("rocksdb_secondary_manifest_file", "Number of the MANIFEST that is followed.", |p| {
        p.manifest_number
    }),
    gauge("rocksdb_secondary_wal_file", "Number of the newest WAL that is followed.", |p| {
        p.wal_number
    }),
    counter("rocksdb_secondary_wal_bytes_total", "Bytes of WALs read.", |p| p.wal_bytes),
    counter("rocksdb_secondary_wal_batches_total", "Write batches read from WALs.", |p| {
        p.wal_batches
    }),
    counter("rocksdb_secondary_catch_ups_total", "How often it has caught up.", |p| p.catch_ups),
    counter("rocksdb_secondary_manifest_edits_total", "Edits read from the MANIFEST.", |p| {
        p.activity.edits
    }),
    counter("rocksdb_secondary_flushes_total", "Flushes told of in the MANIFEST.", |p| {
        p.activity.flushes
    }),
    counter("rocksdb_secondary_flushed_bytes_total", "Bytes of tables they made.", |p| {
        p.activity.flushed_bytes
    }),
    counter("rocksdb_secondary_compactions_total", "Compactions told of in the MANIFEST.", |p| {
        p.activity.compactions
    }),
    counter("rocksdb_secondary_compacted_bytes_total", "Bytes of tables they made.", |p| {
        p.activity.compacted_bytes
    }),
    counter("rocksdb_secondary_moves_total", "Tables that only got another level.", |p| {
        p.activity.moves
    }),
];

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    ROWS.iter().map(|row| row.metric.clone())
}

/// Nothing for a database that is no secondary.
pub(crate) fn add(exposition: &mut Exposition, db: &Db, labels: &Labels) {
    if let Ok(progress) = db.secondary_progress() {
        for row in ROWS {
            exposition.add(&row.metric, labels, (row.value)(&progress) as f64);
        }
    }
}
