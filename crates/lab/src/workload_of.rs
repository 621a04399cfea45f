//! The workload that a record is of, as its limit needs it.

use crate::limit::workload::Workload;
use record::{FamilyShape, Record};

#[cfg(test)]
mod tests;

/// The workload of `record`; `is_cold` if nothing of the database was in memory when it began.
pub fn workload_of(record: &Record, is_cold: bool) -> Workload {
    let defaults = Workload::default();
    let text = |name: &str| record.parameters.get(name).map(String::as_str);
    let number = |name: &str, default: u64| {
        text(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let fraction = |name: &str, default: f64| {
        text(name).and_then(|value| value.parse().ok()).unwrap_or(default)
    };
    let stored_share = match text("compression_type") {
        Some("none") => 1.0,
        _ => fraction("compression_ratio", defaults.stored_share),
    };
    Workload {
        benchmark: record.benchmark.clone(),
        key_bytes: number("key_size", defaults.key_bytes),
        value_bytes: number("value_size", defaults.value_bytes),
        entries: number("num", defaults.entries),
        operations: record.operations.unwrap_or_default(),
        threads: number("threads", defaults.threads),
        processors: record.host.cores as u64,
        batch: number("batch_size", defaults.batch),
        seek_nexts: number("seek_nexts", defaults.seek_nexts),
        runs: runs(record),
        stored_share,
        write_buffer_bytes: number("write_buffer_size", defaults.write_buffer_bytes),
        l0_trigger: number("level0_file_num_compaction_trigger", defaults.l0_trigger),
        l1_bytes: number("max_bytes_for_level_base", defaults.l1_bytes),
        fanout: fraction("max_bytes_for_level_multiplier", defaults.fanout),
        block_bytes: number("block_size", defaults.block_bytes),
        is_cold,
        is_synced: matches!(text("sync"), Some("1" | "true" | "yes" | "t" | "y")),
    }
}

/// Sorted runs that a seek had to merge when the benchmark began; 1 where that is not known.
fn runs(record: &Record) -> u64 {
    let shape = record.shape.before.as_ref();
    let family = shape.and_then(|shape| shape.values().next());
    family.map_or(1, runs_of).max(1)
}

fn runs_of(family: &FamilyShape) -> u64 {
    let of_level = |level: u64, files: u64| if level == 0 { files } else { files.min(1) };
    let on_disk: u64 =
        family.levels.iter().map(|level| of_level(level.level as u64, level.files)).sum();
    on_disk + family.immutable_memtables + u64::from(family.memtable_entries > 0)
}
