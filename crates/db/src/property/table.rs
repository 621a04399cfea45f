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
    pub(crate) info: PropertyInfo,
    pub(crate) answer: Answer,
}

/// What a property is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyInfo {
    /// The name, without an argument.
    pub name: &'static str,
    /// The first release of RocksDB seen to have it; empty for this engine's own.
    pub since: &'static str,
    /// What it tells.
    pub doc: &'static str,
    /// What forms it has.
    pub kind: PropertyKind,
}

/// The forms that a property has, a text being always one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// A number.
    Number,
    /// None but the text.
    Text,
    /// A map.
    Map,
}

/// Properties about one thing.
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) properties: &'static [Property],
}

/// All of them.
pub(crate) fn properties() -> impl Iterator<Item = &'static Property> {
    SECTIONS.iter().flat_map(|section| section.properties)
}

const fn number(
    name: &'static str,
    since: &'static str,
    doc: &'static str,
    number: Number,
) -> Property {
    let info = PropertyInfo { name, since, doc, kind: PropertyKind::Number };
    Property { info, answer: Answer::Number(number) }
}

const fn text(name: &'static str, since: &'static str, doc: &'static str, text: Text) -> Property {
    let info = PropertyInfo { name, since, doc, kind: PropertyKind::Text };
    Property { info, answer: Answer::Text(text) }
}

const fn map(
    name: &'static str,
    since: &'static str,
    doc: &'static str,
    text: Text,
    map: Map,
) -> Property {
    let info = PropertyInfo { name, since, doc, kind: PropertyKind::Map };
    Property { info, answer: Answer::TextAndMap(text, map) }
}

/// What never is or happens here.
const NEVER: Number = |_| Some(0);

/// Every property, by what it is about.
pub(crate) const SECTIONS: &[Section] = &[
    Section {
        title: "Files",
        properties: &[
            text(
                "rocksdb.num-files-at-level",
                "3.13.1",
                "Tables in a level.",
                texts::num_files_at_level,
            ),
            text(
                "rocksdb.compression-ratio-at-level",
                "4.13.5",
                "Bytes of keys and values to bytes of tables in a level; -1 without tables.",
                texts::compression_ratio_at_level,
            ),
            text(
                "rocksdb.levelstats",
                "3.13.1",
                "File count and size per level.",
                texts::level_stats,
            ),
            text("rocksdb.sstables", "3.13.1", "Listing of current table files.", texts::sstables),
            text(
                "rocksdb.live-sst-files-size-at-temperature",
                "6.29.5",
                "Bytes of tables of a temperature, by its number.",
                texts::size_at_temperature,
            ),
            number(
                "rocksdb.total-sst-files-size",
                "4.13.5",
                "Table bytes over all live versions.",
                numbers::table_bytes,
            ),
            number(
                "rocksdb.live-sst-files-size",
                "5.18.4",
                "Table bytes in the current version.",
                numbers::live_table_bytes,
            ),
            number(
                "rocksdb.obsolete-sst-files-size",
                "8.5.4",
                "Table bytes awaiting deletion.",
                numbers::obsolete_table_bytes,
            ),
            number(
                "rocksdb.estimate-live-data-size",
                "3.13.1",
                "Bytes of tables that hold what reads can see; an estimate.",
                numbers::live_data_size,
            ),
            number(
                "rocksdb.estimate-num-keys",
                "3.13.1",
                "Keys, from entries and deletions of memtables and tables; an estimate.",
                numbers::estimated_keys,
            ),
            number(
                "rocksdb.estimate-oldest-key-time",
                "5.18.4",
                "When the oldest entry was written; only with FIFO compaction that merges nothing.",
                numbers::oldest_key_time,
            ),
            map(
                "rocksdb.aggregated-table-properties",
                "4.13.5",
                "Summed table properties over the family.",
                texts::aggregated_properties,
                texts::aggregated_properties_map,
            ),
            map(
                "rocksdb.aggregated-table-properties-at-level",
                "4.13.5",
                "Summed table properties of level N.",
                texts::aggregated_properties_at_level,
                texts::aggregated_properties_at_level_map,
            ),
        ],
    },
    Section {
        title: "Blob files",
        properties: &[
            text(
                "rocksdb.blob-stats",
                "6.29.5",
                "Blob file count, size and garbage summary.",
                texts::blob_stats,
            ),
            number("rocksdb.num-blob-files", "6.29.5", "Live blob file count.", |source| {
                Some(source.blobs().files as u64)
            }),
            number(
                "rocksdb.total-blob-file-size",
                "6.29.5",
                "Blob bytes over all live versions.",
                numbers::blob_file_bytes,
            ),
            number(
                "rocksdb.live-blob-file-size",
                "6.29.5",
                "Blob bytes in the current version.",
                |source| Some(source.blobs().bytes),
            ),
            number(
                "rocksdb.live-blob-file-garbage-size",
                "7.8.3",
                "Garbage bytes in current blob files.",
                |source| Some(source.blobs().garbage_bytes),
            ),
        ],
    },
    Section {
        title: "Memtables",
        properties: &[
            number(
                "rocksdb.num-immutable-mem-table",
                "3.13.1",
                "Immutable memtables awaiting flush.",
                numbers::immutable_memtables,
            ),
            number(
                "rocksdb.num-immutable-mem-table-flushed",
                "3.13.1",
                "Flushed memtables that are kept; none are.",
                NEVER,
            ),
            number(
                "rocksdb.mem-table-flush-pending",
                "3.13.1",
                "1 while a flush is wanted.",
                numbers::flush_pending,
            ),
            number(
                "rocksdb.cur-size-active-mem-table",
                "3.13.1",
                "Bytes in the active memtable.",
                numbers::active_memtable_bytes,
            ),
            number(
                "rocksdb.cur-size-all-mem-tables",
                "3.13.1",
                "Active plus unflushed immutable memtable bytes.",
                numbers::memtable_bytes,
            ),
            number(
                "rocksdb.size-all-mem-tables",
                "4.13.5",
                "All memtable bytes, retained flushed ones included.",
                numbers::memtable_bytes,
            ),
            number(
                "rocksdb.num-entries-active-mem-table",
                "3.13.1",
                "Active memtable entry count.",
                numbers::active_memtable_entries,
            ),
            number(
                "rocksdb.num-entries-imm-mem-tables",
                "3.13.1",
                "Entries in unflushed immutable memtables.",
                numbers::immutable_memtable_entries,
            ),
            number(
                "rocksdb.num-deletes-active-mem-table",
                "3.13.1",
                "Deletes in the active memtable.",
                numbers::active_memtable_deletes,
            ),
            number(
                "rocksdb.num-deletes-imm-mem-tables",
                "3.13.1",
                "Deletes in unflushed immutable memtables.",
                numbers::immutable_memtable_deletes,
            ),
        ],
    },
    Section {
        title: "Statistics",
        properties: &[
            text(
                "rocksdb.stats",
                "3.13.1",
                "`rocksdb.cfstats`, then `rocksdb.dbstats`.",
                texts::stats,
            ),
            map(
                "rocksdb.cfstats",
                "3.13.1",
                "What was done to each level, totals and stalls, then how long reads of files took.",
                texts::family_stats,
                texts::family_stats_map,
            ),
            text(
                "rocksdb.cfstats-no-file-histogram",
                "5.18.4",
                "`rocksdb.cfstats` without how long reads took.",
                texts::family_stats_without_histogram,
            ),
            text(
                "rocksdb.cfstats.periodic",
                "7.9.2",
                "What the info log gets of `rocksdb.cfstats` now and then.",
                texts::family_stats,
            ),
            text(
                "rocksdb.cf-file-histogram",
                "5.18.4",
                "How long reads of files took, level by level; needs `statistics`.",
                texts::file_histogram,
            ),
            map(
                "rocksdb.dbstats",
                "3.13.1",
                "Writes, WAL and time stalled, in all and since the last report.",
                texts::db_stats,
                texts::db_stats_map,
            ),
            map(
                "rocksdb.cf-write-stall-stats",
                "8.5.4",
                "How often the column family was found to delay or stop writes, by cause.",
                texts::family_stalls,
                texts::family_stalls_map,
            ),
            map(
                "rocksdb.db-write-stall-stats",
                "8.5.4",
                "How often all writes were stopped for the memory of memtables.",
                texts::db_stalls,
                texts::db_stalls_map,
            ),
            text(
                "rocksdb.options-statistics",
                "5.18.4",
                "Tickers and histograms; none without `statistics`.",
                texts::options_statistics,
            ),
            map(
                "touchstone.shape",
                "",
                "The tree: memtables, runs of L0, levels with their targets and scores.",
                texts::shape,
                texts::shape_map,
            ),
            map(
                "touchstone.stall",
                "",
                "What holds writes back now, how often and how long they waited, by cause, and how long \
                 flushes waited for a thread.",
                texts::stall,
                texts::stall_map,
            ),
        ],
    },
    Section {
        title: "Compaction and flow control",
        properties: &[
            number(
                "rocksdb.base-level",
                "3.13.1",
                "Level that L0 is compacted to.",
                numbers::base_level,
            ),
            number(
                "rocksdb.estimate-pending-compaction-bytes",
                "4.13.5",
                "Bytes compaction must rewrite to meet targets.",
                numbers::pending_compaction_bytes,
            ),
            number(
                "rocksdb.compaction-pending",
                "3.13.1",
                "1 while a level is due for compaction, also where nothing can be picked.",
                numbers::compaction_pending,
            ),
            number(
                "rocksdb.num-running-compactions",
                "4.13.5",
                "Compaction jobs in progress.",
                numbers::running_compactions,
            ),
            number(
                "rocksdb.num-running-compaction-sorted-runs",
                "10.10.1",
                "Sorted runs being read by running compactions.",
                numbers::running_sorted_runs,
            ),
            number(
                "rocksdb.num-unscheduled-compactions",
                "11.9.0",
                "Queued families waiting for a compaction thread.",
                numbers::unscheduled_compactions,
            ),
            number(
                "rocksdb.compaction-abort-count",
                "11.8.1",
                "Requests to abort all compactions that are not undone.",
                numbers::compaction_aborts,
            ),
            number(
                "rocksdb.num-running-flushes",
                "4.13.5",
                "Flush jobs in progress.",
                numbers::running_flushes,
            ),
            number(
                "rocksdb.background-errors",
                "3.13.1",
                "Errors of flushes and compactions.",
                numbers::background_errors,
            ),
            number(
                "rocksdb.actual-delayed-write-rate",
                "5.18.4",
                "Current throttled bytes/s; 0 when not throttled.",
                numbers::delayed_write_rate,
            ),
            number(
                "rocksdb.is-write-stopped",
                "5.18.4",
                "1 while writes are blocked.",
                numbers::is_write_stopped,
            ),
        ],
    },
    Section {
        title: "Versions and snapshots",
        properties: &[
            number(
                "rocksdb.num-live-versions",
                "3.13.1",
                "Versions of the tree that something still reads.",
                numbers::live_versions,
            ),
            number(
                "rocksdb.current-super-version-number",
                "4.13.5",
                "Counts the states of the column family.",
                |source| Some(source.super_version.number),
            ),
            number("rocksdb.num-snapshots", "3.13.1", "Unreleased snapshots.", numbers::snapshots),
            number(
                "rocksdb.oldest-snapshot-time",
                "3.13.1",
                "Unix time of the oldest snapshot; 0 none.",
                numbers::oldest_snapshot_time,
            ),
            number(
                "rocksdb.oldest-snapshot-sequence",
                "6.29.5",
                "Sequence number of the oldest snapshot; 0 none.",
                numbers::oldest_snapshot_sequence,
            ),
            number(
                "rocksdb.is-file-deletions-enabled",
                "3.13.1",
                "1 while obsolete files are deleted.",
                numbers::file_deletions_enabled,
            ),
            number(
                "rocksdb.min-log-number-to-keep",
                "5.18.4",
                "Oldest WAL number still needed.",
                numbers::min_log_number_to_keep,
            ),
            number(
                "rocksdb.min-obsolete-sst-number-to-keep",
                "5.18.4",
                "No file that a job is writing has a smaller number; the largest number if no job runs.",
                numbers::smallest_protected_output,
            ),
        ],
    },
    Section {
        title: "Memory",
        properties: &[
            map(
                "touchstone.memory",
                "",
                "Bytes of memory by part, over all column families, and their sum.",
                texts::memory,
                texts::memory_map,
            ),
            number(
                "rocksdb.estimate-table-readers-mem",
                "3.13.1",
                "Bytes of open tables outside of the block cache.",
                numbers::table_readers_bytes,
            ),
            map(
                "rocksdb.block-cache-entry-stats",
                "6.29.5",
                "What the block cache holds, by kind; goes through it, at most every ten seconds.",
                texts::cache_entries,
                texts::cache_entries_map,
            ),
            map(
                "rocksdb.fast-block-cache-entry-stats",
                "7.8.3",
                "The same, from up to three minutes ago.",
                texts::fast_cache_entries,
                texts::fast_cache_entries_map,
            ),
            number(
                "rocksdb.block-cache-capacity",
                "5.18.4",
                "Block cache capacity.",
                numbers::block_cache_capacity,
            ),
            number(
                "rocksdb.block-cache-usage",
                "5.18.4",
                "Bytes in block cache.",
                numbers::block_cache_usage,
            ),
            number(
                "rocksdb.block-cache-pinned-usage",
                "5.18.4",
                "Pinned bytes in block cache.",
                numbers::block_cache_pinned_usage,
            ),
            number(
                "rocksdb.blob-cache-capacity",
                "7.8.3",
                "Blob cache capacity.",
                numbers::blob_cache_capacity,
            ),
            number(
                "rocksdb.blob-cache-usage",
                "7.8.3",
                "Bytes in blob cache.",
                numbers::blob_cache_usage,
            ),
            number(
                "rocksdb.blob-cache-pinned-usage",
                "7.8.3",
                "Pinned bytes in blob cache.",
                numbers::blob_cache_pinned_usage,
            ),
        ],
    },
];
