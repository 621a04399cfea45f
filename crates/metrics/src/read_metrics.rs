//! Reads of tables, level by level.

use crate::dump::Reads;
use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use std::collections::BTreeMap;

const READS: Metric =
    Metric::new("rocksdb_table_reads_total", Kind::Counter, "Reads of the tables of the level.");
const SECONDS: Metric = Metric::new(
    "rocksdb_table_read_seconds_total",
    Kind::Counter,
    "Seconds of these, where they are timed.",
);

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    [READS, SECONDS].into_iter()
}

/// Those of a column family.
pub(crate) fn add(exposition: &mut Exposition, reads: &BTreeMap<usize, Reads>, labels: &Labels) {
    for (level, reads) in reads {
        let mut labels = labels.clone();
        labels.push(("level", level.to_string()));
        exposition.add(&READS, &labels, reads.count as f64);
        exposition.add(&SECONDS, &labels, reads.count as f64 * reads.mean_micros / 1e6);
    }
}
