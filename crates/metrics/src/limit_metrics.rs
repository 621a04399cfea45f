//! Options that are limits of what other metrics show: where writes are delayed or stopped, and what a
//! memtable holds.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::ColumnFamilyHandle;
use options::ColumnFamilyOptions;

/// An option of column families.
struct Row {
    metric: Metric,
    value: fn(&ColumnFamilyOptions) -> f64,
}

const fn row(
    name: &'static str,
    help: &'static str,
    value: fn(&ColumnFamilyOptions) -> f64,
) -> Row {
    Row { metric: Metric::new(name, Kind::Gauge, help), value }
}

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("rocksdb_options_write_buffer_size", "Bytes at which a memtable is full.", |options| options.write_buffer_size as f64),
    row("rocksdb_options_max_write_buffer_number", "Memtables at which writes are stopped.", |options| f64::from(options.max_write_buffer_number)),
    row("rocksdb_options_level0_file_num_compaction_trigger", "Files in L0 at which they are compacted.", |options| f64::from(options.level0_file_num_compaction_trigger)),
    row("rocksdb_options_level0_slowdown_writes_trigger", "Files in L0 at which writes are delayed.", |options| f64::from(options.level0_slowdown_writes_trigger)),
    row("rocksdb_options_level0_stop_writes_trigger", "Files in L0 at which writes are stopped.", |options| f64::from(options.level0_stop_writes_trigger)),
    row("rocksdb_options_soft_pending_compaction_bytes_limit", "Compaction debt at which writes are delayed.", |options| options.soft_pending_compaction_bytes_limit as f64),
    row("rocksdb_options_hard_pending_compaction_bytes_limit", "Compaction debt at which writes are stopped.", |options| options.hard_pending_compaction_bytes_limit as f64),
];

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    ROWS.iter().map(|row| row.metric.clone())
}

/// The limits of a column family, as they are now.
pub(crate) fn add(exposition: &mut Exposition, family: &ColumnFamilyHandle, labels: &Labels) {
    let options = family.options();
    for row in ROWS {
        exposition.add(&row.metric, labels, (row.value)(&options));
    }
}
