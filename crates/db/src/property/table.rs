//! Every property once.

use crate::property::source::Source;
use crate::property::{numbers, texts};
use std::collections::BTreeMap;

type Number = fn(&Source<'_>) -> Option<u64>;
/// Takes the digits behind the name.
type Text = fn(&Source<'_>, &str) -> Option<String>;
/// Takes the digits behind the name.
type Map = fn(&Source<'_>, &str) -> Option<BTreeMap<String, String>>;

/// How a property is answered.
pub(crate) enum Answer {
    Number(Number),
    Text(Text),
    TextAndMap(Text, Map),
}

/// A property.
pub(crate) struct Property {
    /// The name, without an argument.
    pub(crate) name: &'static str,
    pub(crate) answer: Answer,
}

const fn number(name: &'static str, number: Number) -> Property {
    Property { name, answer: Answer::Number(number) }
}

const fn text(name: &'static str, text: Text) -> Property {
    Property { name, answer: Answer::Text(text) }
}

const fn map(name: &'static str, text: Text, map: Map) -> Property {
    Property { name, answer: Answer::TextAndMap(text, map) }
}

/// What a database that is open for reading never has or does.
const NEVER: Number = |_| Some(0);

pub(crate) const PROPERTIES: &[Property] = &[
    // Files.
    text("rocksdb.num-files-at-level", texts::num_files_at_level),
    text("rocksdb.compression-ratio-at-level", texts::compression_ratio_at_level),
    text("rocksdb.levelstats", texts::level_stats),
    text("rocksdb.sstables", texts::sstables),
    text("rocksdb.live-sst-files-size-at-temperature", texts::size_at_temperature),
    number("rocksdb.total-sst-files-size", numbers::table_bytes),
    number("rocksdb.live-sst-files-size", numbers::live_table_bytes),
    number("rocksdb.obsolete-sst-files-size", numbers::obsolete_table_bytes),
    number("rocksdb.estimate-live-data-size", numbers::live_data_size),
    number("rocksdb.estimate-num-keys", numbers::estimated_keys),
    number("rocksdb.estimate-oldest-key-time", numbers::oldest_key_time),
    map(
        "rocksdb.aggregated-table-properties",
        texts::aggregated_properties,
        texts::aggregated_properties_map,
    ),
    map(
        "rocksdb.aggregated-table-properties-at-level",
        texts::aggregated_properties_at_level,
        texts::aggregated_properties_at_level_map,
    ),
    // Blob files.
    text("rocksdb.blob-stats", texts::blob_stats),
    number("rocksdb.num-blob-files", |source| Some(source.blobs().files as u64)),
    number("rocksdb.total-blob-file-size", numbers::blob_file_bytes),
    number("rocksdb.live-blob-file-size", |source| Some(source.blobs().bytes)),
    number("rocksdb.live-blob-file-garbage-size", |source| Some(source.blobs().garbage_bytes)),
    // Memtables.
    number("rocksdb.num-immutable-mem-table", numbers::immutable_memtables),
    number("rocksdb.num-immutable-mem-table-flushed", NEVER),
    number("rocksdb.mem-table-flush-pending", numbers::flush_pending),
    number("rocksdb.cur-size-active-mem-table", numbers::active_memtable_bytes),
    number("rocksdb.cur-size-all-mem-tables", numbers::memtable_bytes),
    number("rocksdb.size-all-mem-tables", numbers::memtable_bytes),
    number("rocksdb.num-entries-active-mem-table", numbers::active_memtable_entries),
    number("rocksdb.num-entries-imm-mem-tables", numbers::immutable_memtable_entries),
    number("rocksdb.num-deletes-active-mem-table", numbers::active_memtable_deletes),
    number("rocksdb.num-deletes-imm-mem-tables", numbers::immutable_memtable_deletes),
    // Statistics.
    text("rocksdb.stats", texts::stats),
    map("rocksdb.cfstats", texts::family_stats, texts::family_stats_map),
    text("rocksdb.cfstats-no-file-histogram", texts::family_stats_without_histogram),
    text("rocksdb.cfstats.periodic", texts::family_stats),
    text("rocksdb.cf-file-histogram", texts::file_histogram),
    map("rocksdb.dbstats", texts::db_stats, texts::db_stats_map),
    map("rocksdb.cf-write-stall-stats", texts::family_stalls, texts::family_stalls_map),
    map("rocksdb.db-write-stall-stats", texts::db_stalls, texts::db_stalls_map),
    text("rocksdb.options-statistics", texts::options_statistics),
    text("touchstone.shape", texts::shape),
    map("touchstone.stall", texts::stall, texts::stall_map),
    // Compaction and flow control.
    number("rocksdb.base-level", numbers::base_level),
    number("rocksdb.estimate-pending-compaction-bytes", numbers::pending_compaction_bytes),
    number("rocksdb.compaction-pending", numbers::compaction_pending),
    number("rocksdb.num-running-compactions", numbers::running_compactions),
    number("rocksdb.num-running-compaction-sorted-runs", numbers::running_sorted_runs),
    number("rocksdb.num-unscheduled-compactions", numbers::unscheduled_compactions),
    number("rocksdb.compaction-abort-count", NEVER),
    number("rocksdb.num-running-flushes", numbers::running_flushes),
    number("rocksdb.background-errors", numbers::background_errors),
    number("rocksdb.actual-delayed-write-rate", numbers::delayed_write_rate),
    number("rocksdb.is-write-stopped", numbers::is_write_stopped),
    // Versions and snapshots.
    number("rocksdb.num-live-versions", numbers::live_versions),
    number("rocksdb.current-super-version-number", |source| Some(source.super_version.number)),
    number("rocksdb.num-snapshots", numbers::snapshots),
    number("rocksdb.oldest-snapshot-time", numbers::oldest_snapshot_time),
    number("rocksdb.oldest-snapshot-sequence", numbers::oldest_snapshot_sequence),
    number("rocksdb.is-file-deletions-enabled", |_| Some(1)),
    number("rocksdb.min-log-number-to-keep", numbers::min_log_number_to_keep),
    // None is kept for the sake of a job that writes it.
    number("rocksdb.min-obsolete-sst-number-to-keep", |_| Some(u64::MAX)),
    // Memory.
    number("rocksdb.estimate-table-readers-mem", numbers::table_readers_bytes),
    map("rocksdb.block-cache-entry-stats", texts::cache_entries, texts::cache_entries_map),
    map("rocksdb.fast-block-cache-entry-stats", texts::cache_entries, texts::cache_entries_map),
    number("rocksdb.block-cache-capacity", numbers::block_cache_capacity),
    number("rocksdb.block-cache-usage", numbers::block_cache_usage),
    number("rocksdb.block-cache-pinned-usage", numbers::block_cache_pinned_usage),
    number("rocksdb.blob-cache-capacity", numbers::blob_cache_capacity),
    number("rocksdb.blob-cache-usage", numbers::blob_cache_usage),
    number("rocksdb.blob-cache-pinned-usage", numbers::blob_cache_pinned_usage),
];
