//! The tree, level by level.

use crate::exposition::{Exposition, Labels};
use crate::metric::{Kind, Metric};
use db::{ColumnFamilyHandle, Db, ShapeOptions};
use version::{LevelShape, LevelTargetRule};

/// A number for each level.
struct Row {
    metric: Metric,
    value: fn(&LevelShape) -> Option<f64>,
}

const fn row(name: &'static str, help: &'static str, value: fn(&LevelShape) -> Option<f64>) -> Row {
    Row { metric: Metric::new(name, Kind::Gauge, help), value }
}

const ROWS: &[Row] = &[
    row("rocksdb_num_files_at_level", "Table files on the level.", |level| {
        Some(level.files as f64)
    }),
    row("rocksdb_size_bytes_at_level", "Bytes of the table files on the level.", |level| {
        Some(level.bytes as f64)
    }),
    row("rocksdb_target_bytes_at_level", "Bytes that the level should have at most.", |level| {
        level.target_bytes.map(|bytes| bytes as f64)
    }),
    row(
        "rocksdb_compaction_score_at_level",
        "How much the level needs compaction: from 1 on it is compacted.",
        |level| level.score,
    ),
];

/// That of a property which is text.
const COMPRESSION_RATIO: Metric = Metric::new(
    "rocksdb_compression_ratio_at_level",
    Kind::Gauge,
    "Bytes of the level's entries for each byte of its files; -1 if it is empty.",
);

/// All that may be given.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    ROWS.iter().map(|row| row.metric.clone()).chain([COMPRESSION_RATIO])
}

/// The levels of a column family.
pub(crate) fn add(
    exposition: &mut Exposition,
    db: &Db,
    family: &ColumnFamilyHandle,
    labels: &Labels,
) {
    let options = ShapeOptions { entries: false, rule: LevelTargetRule::default() };
    let (shape, _) = db.tree_shape(family, &options);
    for level in &shape.levels {
        let mut labels = labels.clone();
        labels.push(("level", level.level.to_string()));
        for row in ROWS {
            if let Some(value) = (row.value)(level) {
                exposition.add(&row.metric, &labels, value);
            }
        }
        let ratio = format!("rocksdb.compression-ratio-at-level{}", level.level);
        let ratio = db.property(family, &ratio).and_then(|ratio| ratio.parse().ok());
        if let Some(ratio) = ratio {
            exposition.add(&COMPRESSION_RATIO, &labels, ratio);
        }
    }
}
