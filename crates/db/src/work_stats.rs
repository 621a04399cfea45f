//! What writes, flushes and compactions count.

use crate::flush_reason::FlushReason;
use crate::level0_table::Level0Table;
use crate::write_stats::WrittenGroup;
use base::Status;
use base::status::Code;
use compaction::{Compaction, CompactionReason, CompactionStats};
use memtable::MemTable;
use statistics::{CompactionCause, HistogramType, Moment, Recorder, Statistics, Ticker};
use std::sync::Arc;
use std::time::Duration;

/// A group of writes is done.
pub(crate) fn count_written_group(statistics: &Statistics, group: &WrittenGroup) {
    let &WrittenGroup { batches, entries, bytes, is_logged, is_synced } = group;
    statistics.record(|recorder| {
        recorder.tick(Ticker::NumberKeysWritten, entries);
        recorder.tick(Ticker::BytesWritten, bytes);
        recorder.tick(Ticker::WriteDoneBySelf, 1);
        recorder.tick(Ticker::WriteDoneByOther, batches.saturating_sub(1));
        if is_logged {
            recorder.tick(Ticker::WriteWithWal, batches);
            recorder.tick(Ticker::WalFileBytes, bytes);
            recorder.tick(Ticker::WalFileSynced, u64::from(is_synced));
        }
        recorder.value(HistogramType::BytesPerWrite, bytes);
    });
}

/// A write waited for the lock of the write stage, since `start`.
#[cold]
pub(crate) fn count_lock_wait(statistics: &Statistics, start: Option<Moment>) {
    let micros = |recorder: &Recorder<'_>| recorder.elapsed_micros(start);
    statistics.record(|recorder| recorder.tick(Ticker::DbMutexWaitMicros, micros(recorder)));
}

/// A write waited for so long, for flushes or compactions to catch up.
pub(crate) fn count_stall(statistics: &Statistics, time: Duration) {
    let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    statistics.record(|recorder| {
        recorder.tick(Ticker::StallMicros, micros);
        recorder.value(HistogramType::WriteStall, micros);
    });
}

/// The WALs were synced for a user, apart from any write.
pub(crate) fn count_wal_sync(statistics: &Statistics) {
    statistics.record_tick(Ticker::WalFileSynced, 1);
}

/// A flush of these memtables begins.
pub(crate) fn count_flush_started(
    statistics: &Statistics,
    memtables: &[Arc<MemTable>],
    reason: FlushReason,
) {
    let memory = memtables.iter().map(|memtable| memtable.approximate_memory_usage() as u64).sum();
    let data = memtables.iter().map(|memtable| memtable.data_size_bytes()).sum();
    statistics.record(|recorder| {
        recorder.value(HistogramType::FlushMemtableMemoryBytes, memory);
        recorder.value(HistogramType::FlushMemtableTotalDataSize, data);
        match reason {
            FlushReason::WriteBufferFull => {
                recorder.tick(Ticker::FlushReasonWriteBufferFull, 1);
                recorder.value(HistogramType::FlushWriteBufferFullMemtableMemoryBytes, memory);
            }
            FlushReason::WriteBufferManager => {
                recorder.tick(Ticker::FlushReasonWriteBufferManager, 1);
                recorder.value(HistogramType::FlushWriteBufferManagerMemtableMemoryBytes, memory);
            }
            FlushReason::MemtableMaxRangeDeletions => {
                recorder.tick(Ticker::FlushReasonMemtableMaxRangeDeletions, 1);
            }
            _ => {}
        }
    });
}

/// A flush of all column families together was requested.
pub(crate) fn count_atomic_flush_request(statistics: &Statistics, reason: FlushReason) {
    let ticker = match reason {
        FlushReason::WriteBufferFull => Ticker::AtomicFlushRequestReasonWriteBufferFull,
        FlushReason::WriteBufferManager => Ticker::AtomicFlushRequestReasonWriteBufferManager,
        FlushReason::MemtableMaxRangeDeletions => {
            Ticker::AtomicFlushRequestReasonMemtableMaxRangeDeletions
        }
        _ => Ticker::AtomicFlushRequestReasonOther,
    };
    statistics.record_tick(ticker, 1);
}

/// A flush of a column family is installed. (Its files have counted what was written to them.)
pub(crate) fn count_flush(statistics: &Statistics, built: &Level0Table) {
    let written = built.table.as_ref().map_or(0, |table| {
        table.properties.raw_key_size.saturating_add(table.properties.raw_value_size)
    });
    statistics.record(|recorder| {
        recorder.micros(HistogramType::FlushTime, built.micros);
        // A table may have more than the entries of memtables: range tombstones.
        if let Some(garbage) = built.payload_bytes.checked_sub(written) {
            recorder.tick(Ticker::MemtablePayloadBytesAtFlush, built.payload_bytes);
            recorder.tick(Ticker::MemtableGarbageBytesAtFlush, garbage);
        }
    });
}

/// A table, a blob file or a WAL that nothing needs any more was deleted, or could not be.
pub(crate) fn count_deletion(statistics: &Statistics, is_done: bool) {
    statistics.record_tick(Ticker::FilesDeletedImmediately, u64::from(is_done));
}

/// What the files that a compaction reads and writes count its bytes for.
pub(crate) fn cause_of(reason: CompactionReason) -> CompactionCause {
    match reason {
        CompactionReason::FilesMarkedForCompaction => CompactionCause::Marked,
        CompactionReason::PeriodicCompaction => CompactionCause::Periodic,
        CompactionReason::Ttl => CompactionCause::Ttl,
        _ => CompactionCause::Other,
    }
}

/// An automatic compaction was picked.
pub(crate) fn count_pick(statistics: &Statistics, compaction: &Compaction) {
    let files = compaction.inputs.iter().map(|input| input.files.len() as u64).sum();
    statistics.record_in_histogram(HistogramType::NumFilesInSingleCompaction, files);
    let fifo = match compaction.reason {
        CompactionReason::FifoMaxSize => Ticker::FifoMaxSizeCompactions,
        CompactionReason::FifoTtl => Ticker::FifoTtlCompactions,
        CompactionReason::ChangeTemperature => Ticker::FifoChangeTemperatureCompactions,
        _ => return,
    };
    statistics.record_tick(fifo, 1);
}

/// A compaction that made files is installed; it took so long. (Its files have counted what was read
/// and written.)
pub(crate) fn count_compaction(statistics: &Statistics, stats: &CompactionStats, took: Duration) {
    let iteration = &stats.iteration;
    statistics.record_ticks(&[
        (Ticker::CompactionKeyDropUser, iteration.dropped_by_user),
        (Ticker::CompactionKeyDropNewerEntry, iteration.dropped_hidden),
        (Ticker::CompactionKeyDropObsolete, iteration.dropped_obsolete),
        (Ticker::CompactionKeyDropRangeDel, iteration.dropped_by_range_deletion),
        (Ticker::CompactionRangeDelDropObsolete, iteration.dropped_range_deletions),
        (Ticker::CompactionOptimizedDelDropObsolete, iteration.dropped_deletions_early),
        (Ticker::CompactionCpuTotalTime, stats.cpu_micros),
        (Ticker::BlobDbGcNumKeysRelocated, iteration.blobs_relocated),
        (Ticker::BlobDbGcBytesRelocated, iteration.blob_bytes_relocated),
    ]);
    statistics.record(|recorder| {
        if stats.num_parts > 1 {
            recorder.value(HistogramType::NumSubcompactionsScheduled, stats.num_parts);
        }
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        recorder.micros(HistogramType::CompactionTime, micros);
        recorder.micros(HistogramType::CompactionCpuTime, stats.cpu_micros);
    });
}

/// An error stands, or one that came after a worse one.
pub(crate) fn count_background_error(statistics: &Statistics, status: &Status) {
    statistics.record(|recorder| {
        recorder.tick(Ticker::ErrorHandlerBgErrorCount, 1);
        if status.code() == Code::IoError {
            recorder.tick(Ticker::ErrorHandlerBgIoErrorCount, 1);
            let is_retryable = u64::from(status.is_retryable());
            recorder.tick(Ticker::ErrorHandlerBgRetryableIoErrorCount, is_retryable);
        }
    });
}

/// A recovery from errors begins that tries again and again.
pub(crate) fn count_recovery_begun(statistics: &Statistics) {
    statistics.record_tick(Ticker::ErrorHandlerAutoresumeCount, 1);
}

/// That recovery is over.
pub(crate) fn count_recovery_ended(statistics: &Statistics, attempts: u64, succeeded: bool) {
    statistics.record(|recorder| {
        recorder.tick(Ticker::ErrorHandlerAutoresumeRetryTotalCount, attempts);
        recorder.tick(Ticker::ErrorHandlerAutoresumeSuccessCount, u64::from(succeeded));
        recorder.value(HistogramType::ErrorHandlerAutoresumeRetryCount, attempts);
    });
}
