//! Properties that are numbers.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use crate::metric_name::metric_name;
use db::{ColumnFamilyHandle, Db};

/// Whose number it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Each column family has its own.
    Family,
    /// That of the database, or of what its column families share. It is given once.
    Db,
}

use Scope::{Db as OfDb, Family as OfFamily};

/// What properties say, and of what. One that is not here is given for each column family.
#[rustfmt::skip]
const ROWS: &[(&str, Scope, &str)] = &[
    ("rocksdb.actual-delayed-write-rate", OfDb, "Bytes a second at which delayed writes pass; 0 if none are."),
    ("rocksdb.background-errors", OfFamily, "Errors of flushes and compactions since the open."),
    ("rocksdb.base-level", OfFamily, "The level that L0 is compacted to."),
    ("rocksdb.blob-cache-capacity", OfFamily, "Bytes that the blob cache may hold."),
    ("rocksdb.blob-cache-pinned-usage", OfFamily, "Bytes in the blob cache that are in use."),
    ("rocksdb.blob-cache-usage", OfFamily, "Bytes in the blob cache."),
    ("rocksdb.block-cache-capacity", OfFamily, "Bytes that the block cache may hold."),
    ("rocksdb.block-cache-pinned-usage", OfFamily, "Bytes in the block cache that are in use."),
    ("rocksdb.block-cache-usage", OfFamily, "Bytes in the block cache."),
    ("rocksdb.compaction-abort-count", OfDb, "How often compactions are held up now."),
    ("rocksdb.compaction-pending", OfFamily, "1 if a compaction is due."),
    ("rocksdb.cur-size-active-mem-table", OfFamily, "Bytes of the memtable that takes writes."),
    ("rocksdb.cur-size-all-mem-tables", OfFamily, "Bytes of memtables that are in no table."),
    ("rocksdb.current-super-version-number", OfFamily, "States of the column family so far."),
    ("rocksdb.estimate-live-data-size", OfFamily, "Bytes of entries that are not hidden, about."),
    ("rocksdb.estimate-num-keys", OfFamily, "Keys with a value, about."),
    ("rocksdb.estimate-oldest-key-time", OfFamily, "When the oldest key was written, in seconds since 1970, where it is known."),
    ("rocksdb.estimate-pending-compaction-bytes", OfFamily, "Bytes that compactions would have to rewrite until every level is within its target."),
    ("rocksdb.estimate-table-readers-mem", OfFamily, "Bytes of memory for open tables, beside the block cache."),
    ("rocksdb.is-file-deletions-enabled", OfDb, "1 if files that are not needed are deleted."),
    ("rocksdb.is-write-stopped", OfDb, "1 if writes are stopped."),
    ("rocksdb.live-blob-file-garbage-size", OfFamily, "Bytes of blobs that nothing refers to."),
    ("rocksdb.live-blob-file-size", OfFamily, "Bytes of the blob files of the newest version."),
    ("rocksdb.live-sst-files-size", OfFamily, "Bytes of the tables of the newest version."),
    ("rocksdb.mem-table-flush-pending", OfFamily, "1 if a flush is due."),
    ("rocksdb.min-log-number-to-keep", OfDb, "Number of the oldest WAL that is needed."),
    ("rocksdb.min-obsolete-sst-number-to-keep", OfDb, "Number of the oldest table that a job keeps from being deleted."),
    ("rocksdb.num-blob-files", OfFamily, "Blob files."),
    ("rocksdb.num-deletes-active-mem-table", OfFamily, "Deletions in the memtable that takes writes."),
    ("rocksdb.num-deletes-imm-mem-tables", OfFamily, "Deletions in memtables that wait to be flushed."),
    ("rocksdb.num-entries-active-mem-table", OfFamily, "Entries in the memtable that takes writes."),
    ("rocksdb.num-entries-imm-mem-tables", OfFamily, "Entries in memtables that wait to be flushed."),
    ("rocksdb.num-immutable-mem-table", OfFamily, "Memtables that wait to be flushed."),
    ("rocksdb.num-immutable-mem-table-flushed", OfFamily, "Memtables kept although they are flushed."),
    ("rocksdb.num-live-versions", OfFamily, "Versions of the tree that something still reads."),
    ("rocksdb.num-running-compaction-sorted-runs", OfDb, "Sorted runs that they read."),
    ("rocksdb.num-running-compactions", OfDb, "Compactions that run now."),
    ("rocksdb.num-running-flushes", OfDb, "Flushes that run now."),
    ("rocksdb.num-snapshots", OfDb, "Snapshots that are held."),
    ("rocksdb.num-unscheduled-compactions", OfDb, "Column families that wait for a compaction."),
    ("rocksdb.obsolete-sst-files-size", OfDb, "Bytes of tables that are to be deleted."),
    ("rocksdb.oldest-snapshot-sequence", OfDb, "Sequence number of the oldest snapshot; 0 if there is none."),
    ("rocksdb.oldest-snapshot-time", OfDb, "When the oldest snapshot was taken, in seconds since 1970; 0 if there is none."),
    ("rocksdb.size-all-mem-tables", OfFamily, "Bytes of all memtables, those kept after their flush included."),
    ("rocksdb.total-blob-file-size", OfFamily, "Bytes of all blob files that something still reads."),
    ("rocksdb.total-sst-files-size", OfFamily, "Bytes of all tables that something still reads."),
];

fn scope(property: &str) -> Scope {
    ROWS.iter().find(|(name, ..)| *name == property).map_or(OfFamily, |(_, scope, _)| *scope)
}

fn metric(property: &str) -> Metric {
    let help = ROWS.iter().find(|(name, ..)| *name == property).map(|(.., help)| (*help).into());
    let name = metric_name(property, Kind::Gauge).into();
    Metric { name, help: help.unwrap_or_else(|| format!("{property}.").into()), kind: Kind::Gauge }
}

/// All that may be given, by what is described here.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    ROWS.iter().map(|(name, ..)| metric(name))
}

/// Numbers that are the database's, asked of one column family.
pub(crate) fn add_db(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    add(exposition, db, family, labels, OfDb);
}

/// Numbers of a column family.
pub(crate) fn add_family(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    add(exposition, db, family, labels, OfFamily);
}

fn add(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
    wanted: Scope,
) {
    for property in Db::property_names().filter(|name| scope(name) == wanted) {
        if let Some(number) = db.int_property(family, property) {
            // The largest number stands for none.
            let number = if number == u64::MAX { -1.0 } else { number as f64 };
            exposition.add(&metric(property), labels, number);
        }
    }
}

#[cfg(test)]
mod tests;
