//! What writes, flushes and compactions count.

use crate::level0_table::Level0Table;
use crate::write_stats::WrittenGroup;
use compaction::CompactionStats;
use statistics::{HistogramType, Statistics, Ticker};
use std::time::Duration;

/// A group of writes is done.
pub(crate) fn count_written_group(statistics: &Statistics, group: &WrittenGroup) {
    let &WrittenGroup { batches, entries, bytes, is_logged, is_synced } = group;
    let ticks = [
        (Ticker::NumberKeysWritten, entries),
        (Ticker::BytesWritten, bytes),
        (Ticker::WriteDoneBySelf, 1),
        (Ticker::WriteDoneByOther, batches.saturating_sub(1)),
        (Ticker::WriteWithWal, batches),
        (Ticker::WalFileBytes, bytes),
        (Ticker::WalFileSynced, u64::from(is_synced)),
    ];
    let counted = if is_logged { ticks.len() } else { 4 };
    statistics.record_ticks(&ticks[..counted]);
    statistics.record_in_histogram(HistogramType::BytesPerWrite, bytes);
}

/// A flush of a column family is installed.
pub(crate) fn count_flush(statistics: &Statistics, built: &Level0Table) {
    let bytes = built.table.as_ref().map_or(0, |table| table.metadata.file_size);
    statistics.record_tick(Ticker::FlushWriteBytes, bytes);
    if statistics.start_timer().is_some() {
        statistics.record_in_histogram(HistogramType::FlushTime, built.micros);
    }
}

/// A compaction that made files is installed; it took so long.
pub(crate) fn count_compaction(statistics: &Statistics, stats: &CompactionStats, took: Duration) {
    let read = stats.bytes_read_output_level + stats.bytes_read_non_output_levels;
    let iteration = &stats.iteration;
    statistics.record_ticks(&[
        (Ticker::CompactReadBytes, read + stats.bytes_read_blob),
        (Ticker::CompactWriteBytes, stats.bytes_written + stats.bytes_written_blob),
        (Ticker::CompactionKeyDropUser, iteration.dropped_by_user),
        (Ticker::CompactionKeyDropNewerEntry, iteration.dropped_hidden),
        (Ticker::CompactionKeyDropObsolete, iteration.dropped_obsolete),
        (Ticker::CompactionKeyDropRangeDel, iteration.dropped_by_range_deletion),
        (Ticker::CompactionRangeDelDropObsolete, iteration.dropped_range_deletions),
        (Ticker::CompactionOptimizedDelDropObsolete, iteration.dropped_deletions_early),
        (Ticker::BlobDbGcNumKeysRelocated, iteration.blobs_relocated),
        (Ticker::BlobDbGcBytesRelocated, iteration.blob_bytes_relocated),
    ]);
    statistics.record_in_histogram(HistogramType::NumSubcompactionsScheduled, stats.num_parts);
    if statistics.start_timer().is_some() {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        statistics.record_in_histogram(HistogramType::CompactionTime, micros);
    }
}
