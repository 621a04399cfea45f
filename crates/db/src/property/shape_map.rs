//! `touchstone.shape` as a map.

use std::collections::BTreeMap;
use version::TreeShape;

/// A key for each number; what is not known, or does not exist, has none.
pub(crate) fn to_map(shape: &TreeShape) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    let mut add = |name: String, value: Option<String>| {
        if let Some(value) = value {
            map.insert(name, value);
        }
    };
    let mut number = |name: &str, value: u64| add(name.to_owned(), Some(value.to_string()));
    let (active, immutable) = match shape.memtables.split_first() {
        Some((active, immutable)) => (*active, immutable),
        None => Default::default(),
    };
    number("memtable.active.entries", active.entries);
    number("memtable.active.bytes", active.bytes);
    number("memtable.immutable.count", immutable.len() as u64);
    number("memtable.immutable.entries", immutable.iter().map(|table| table.entries).sum());
    number("memtable.immutable.bytes", immutable.iter().map(|table| table.bytes).sum());
    number("sorted-runs.l0", shape.l0_sorted_runs() as u64);
    number("sorted-runs.disk", shape.sorted_runs() as u64);
    number("sorted-runs.read", shape.read_sorted_runs() as u64);
    number("pending-compaction-bytes", shape.pending_compaction_bytes);
    number("blob.files", shape.blob_files as u64);
    number("blob.bytes", shape.blob_bytes);
    number("blob.garbage-bytes", shape.blob_garbage_bytes);
    add("base-level".to_owned(), shape.base_level.map(|level| level.to_string()));
    for level in &shape.levels {
        let mut add = |key: &str, value| add(format!("level.{}.{key}", level.level), value);
        add("files", Some(level.files.to_string()));
        add("bytes", Some(level.bytes.to_string()));
        add("target-bytes", level.target_bytes.map(|bytes| bytes.to_string()));
        add("score", level.score.map(|score| format!("{score:.6}")));
        add("entries", level.entries.map(|entries| entries.to_string()));
    }
    map
}
