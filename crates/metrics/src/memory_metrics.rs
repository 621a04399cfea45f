//! How much memory each part of the database takes: the map of `touchstone.memory`.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::{ColumnFamilyHandle, Db};

const PARTS: Metric = Metric::new(
    "rocksdb_memory_bytes",
    Kind::Gauge,
    "Bytes of memory by part. What is pinned of a cache is part of it, and huge-pages of others; the rest adds up.",
);

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    [PARTS].into_iter()
}

/// Those of all column families; the sum of them is not told.
pub(crate) fn add(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    let map = db.map_property(family, "touchstone.memory").unwrap_or_default();
    for (part, bytes) in map.iter().filter(|(part, _)| *part != "total") {
        if let Ok(bytes) = bytes.parse::<f64>() {
            let mut labels = labels.clone();
            labels.push(("part", part.clone()));
            exposition.add(&PARTS, &labels, bytes);
        }
    }
}
