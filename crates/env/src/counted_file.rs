//! Files whose reads and writes are counted, with RocksDB's meaning.
//!
//! By what file it is: tables, blob files. By what the thread does ([`Activity`]): flushes and
//! compactions count their bytes, and most activities have times of their own.

use crate::ReadLatency;
use crate::batch_read::QueuedFile;
use crate::file_system::{AccessPattern, RandomAccessFile, WritableFile};
use base::Result;
use perf_context::{IoMetric, count_io};
use statistics::{Activity, CompactionCause, HistogramType, Moment, Recorder, Statistics, Ticker};
use std::path::Path;
use std::sync::Arc;

/// What a file is, to who counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedFileKind {
    /// A table.
    Table,
    /// A blob file.
    Blob,
}

/// Reads of files that count together: bytes and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadGroup {
    /// In statistics, where they tell the group.
    tickers: Option<(Ticker, Ticker)>,
    /// In the I/O statistics of the thread, where these do.
    io_metrics: Option<(IoMetric, IoMetric)>,
}

impl ReadGroup {
    /// Files of the last level.
    pub const LAST_LEVEL: Self =
        Self::in_statistics(Ticker::LastLevelReadBytes, Ticker::LastLevelReadCount);
    /// All other files.
    pub const NON_LAST_LEVEL: Self =
        Self::in_statistics(Ticker::NonLastLevelReadBytes, Ticker::NonLastLevelReadCount);
    /// Files of temperature `kHot`.
    pub const HOT: Self = Self {
        tickers: Some((Ticker::HotFileReadBytes, Ticker::HotFileReadCount)),
        ..Self::in_io_stats(IoMetric::HotFileBytesRead, IoMetric::HotFileReadCount)
    };
    /// Files of temperature `kWarm`.
    pub const WARM: Self = Self {
        tickers: Some((Ticker::WarmFileReadBytes, Ticker::WarmFileReadCount)),
        ..Self::in_io_stats(IoMetric::WarmFileBytesRead, IoMetric::WarmFileReadCount)
    };
    /// Files of temperature `kCool`.
    pub const COOL: Self = Self {
        tickers: Some((Ticker::CoolFileReadBytes, Ticker::CoolFileReadCount)),
        ..Self::in_io_stats(IoMetric::CoolFileBytesRead, IoMetric::CoolFileReadCount)
    };
    /// Files of temperature `kCold`.
    pub const COLD: Self = Self {
        tickers: Some((Ticker::ColdFileReadBytes, Ticker::ColdFileReadCount)),
        ..Self::in_io_stats(IoMetric::ColdFileBytesRead, IoMetric::ColdFileReadCount)
    };
    /// Files of temperature `kIce`.
    pub const ICE: Self = Self {
        tickers: Some((Ticker::IceFileReadBytes, Ticker::IceFileReadCount)),
        ..Self::in_io_stats(IoMetric::IceFileBytesRead, IoMetric::IceFileReadCount)
    };
    /// Files of no temperature in the last level.
    pub const UNKNOWN_LAST_LEVEL: Self =
        Self::in_io_stats(IoMetric::UnknownLastLevelBytesRead, IoMetric::UnknownLastLevelReadCount);
    /// All other files of no temperature.
    pub const UNKNOWN_NON_LAST_LEVEL: Self = Self::in_io_stats(
        IoMetric::UnknownNonLastLevelBytesRead,
        IoMetric::UnknownNonLastLevelReadCount,
    );

    const fn in_statistics(bytes: Ticker, count: Ticker) -> Self {
        Self { tickers: Some((bytes, count)), io_metrics: None }
    }

    const fn in_io_stats(bytes: IoMetric, count: IoMetric) -> Self {
        Self { tickers: None, io_metrics: Some((bytes, count)) }
    }

    fn record(self, recorder: &Recorder<'_>, bytes: u64) {
        if let Some((of_bytes, of_reads)) = self.tickers {
            recorder.tick(of_bytes, bytes);
            recorder.tick(of_reads, 1);
        }
    }

    fn count_io(self, bytes: u64) {
        if let Some((of_bytes, of_reads)) = self.io_metrics {
            count_io(of_bytes, bytes);
            count_io(of_reads, 1);
        }
    }
}

/// How a file that is read is counted.
#[derive(Clone, Debug)]
pub struct ReadCounting {
    /// What it is.
    pub kind: CountedFileKind,
    /// By its level.
    pub level: ReadGroup,
    /// By its temperature, or that it has none.
    pub temperature: ReadGroup,
    /// Where it is noted how long reads take, where times are measured.
    pub latency: Option<Arc<ReadLatency>>,
}

/// A file that is read.
#[derive(Debug)]
pub struct CountedRandomAccessFile {
    file: Arc<dyn RandomAccessFile>,
    /// None where only the I/O statistics of threads count.
    statistics: Option<Arc<Statistics>>,
    counting: ReadCounting,
}

impl CountedRandomAccessFile {
    /// `file`, counted.
    pub fn wrap(
        file: Arc<dyn RandomAccessFile>,
        statistics: Option<&Arc<Statistics>>,
        counting: ReadCounting,
    ) -> Arc<dyn RandomAccessFile> {
        Arc::new(Self { file, statistics: statistics.cloned(), counting })
    }

    /// Counts what `read` reads, of which it says how many bytes that are.
    #[inline]
    fn counted(&self, read: impl FnOnce() -> Result<usize>) -> Result<usize> {
        let statistics = self.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_timer);
        let length = read()?;
        self.count_bytes(start, length as u64);
        Ok(length)
    }

    fn count_bytes(&self, start: Option<Moment>, bytes: u64) {
        self.counting.temperature.count_io(bytes);
        if let Some(statistics) = &self.statistics {
            self.count_read(statistics, start, bytes);
        }
    }

    fn count_read(&self, statistics: &Statistics, start: Option<Moment>, bytes: u64) {
        statistics.record(|recorder| {
            let activity = Activity::current();
            let micros = recorder.elapsed_micros(start);
            if start.is_some()
                && let Some(latency) = &self.counting.latency
            {
                latency.add(micros);
            }
            match self.counting.kind {
                CountedFileKind::Blob => {
                    recorder.tick(Ticker::BlobDbBlobFileBytesRead, bytes);
                    recorder.micros(HistogramType::BlobDbBlobFileReadMicros, micros);
                }
                CountedFileKind::Table => recorder.micros(HistogramType::SstReadMicros, micros),
            }
            if let Some(histogram) = activity.read_histogram()
                && (recorder.has_detailed_timers() || !activity.is_user_read())
            {
                recorder.micros(histogram, micros);
            }
            self.counting.level.record(recorder, bytes);
            self.counting.temperature.record(recorder, bytes);
            if let Activity::Compaction(cause) = activity {
                recorder.tick(Ticker::CompactReadBytes, bytes);
                if let Some((read, _)) = bytes_by_cause(cause) {
                    recorder.tick(read, bytes);
                }
            }
        });
    }
}

impl RandomAccessFile for CountedRandomAccessFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.counted(|| self.file.read_at(offset, buffer))
    }

    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        self.counted(|| self.file.read_append(offset, length, buffer))
    }

    fn queued_file(&self) -> Option<QueuedFile<'_>> {
        let start = self.statistics.as_deref().and_then(Statistics::start_timer);
        Some(QueuedFile { start, ..self.file.queued_file()? })
    }

    fn end_queued_read(&self, start: Option<Moment>, count: usize) {
        self.file.end_queued_read(start, count);
        self.count_bytes(start, count as u64);
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn prefetch(&self, offset: u64, count: u64) {
        if let Some(statistics) = &self.statistics {
            statistics.record(|recorder| match Activity::current().is_compaction() {
                true => recorder.value(HistogramType::CompactionPrefetchBytes, count),
                false => recorder.tick(Ticker::PrefetchBytes, count),
            });
        }
        self.file.prefetch(offset, count);
    }

    fn hint(&self, pattern: AccessPattern) {
        self.file.hint(pattern);
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn use_direct_io(&self) -> bool {
        self.file.use_direct_io()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Bytes read and written by compactions of one cause.
fn bytes_by_cause(cause: CompactionCause) -> Option<(Ticker, Ticker)> {
    match cause {
        CompactionCause::Other => None,
        CompactionCause::Marked => {
            Some((Ticker::CompactReadBytesMarked, Ticker::CompactWriteBytesMarked))
        }
        CompactionCause::Periodic => {
            Some((Ticker::CompactReadBytesPeriodic, Ticker::CompactWriteBytesPeriodic))
        }
        CompactionCause::Ttl => Some((Ticker::CompactReadBytesTtl, Ticker::CompactWriteBytesTtl)),
    }
}

/// A file that is written.
#[derive(Debug)]
pub struct CountedWritableFile {
    file: Box<dyn WritableFile>,
    statistics: Arc<Statistics>,
    kind: CountedFileKind,
}

impl CountedWritableFile {
    /// `file`, counted if anybody wants to know.
    pub fn wrap(
        file: Box<dyn WritableFile>,
        statistics: Option<&Arc<Statistics>>,
        kind: CountedFileKind,
    ) -> Box<dyn WritableFile> {
        match statistics {
            None => file,
            Some(statistics) => Box::new(Self { file, statistics: statistics.clone(), kind }),
        }
    }

    fn count_append(&self, recorder: &Recorder<'_>, micros: u64, bytes: u64) {
        let activity = Activity::current();
        match self.kind {
            CountedFileKind::Table => recorder.micros(HistogramType::SstWriteMicros, micros),
            CountedFileKind::Blob => {
                recorder.micros(HistogramType::BlobDbBlobFileWriteMicros, micros);
                recorder.tick(Ticker::BlobDbBlobFileBytesWritten, bytes);
            }
        }
        if let Some(histogram) = activity.write_histogram() {
            recorder.micros(histogram, micros);
        }
        match activity {
            Activity::Flush => recorder.tick(Ticker::FlushWriteBytes, bytes),
            Activity::DbOpen => recorder.tick(Ticker::CompactWriteBytes, bytes),
            Activity::Compaction(cause) => {
                recorder.tick(Ticker::CompactWriteBytes, bytes);
                if let Some((_, written)) = bytes_by_cause(cause) {
                    recorder.tick(written, bytes);
                }
            }
            _ => {}
        }
    }

    fn sync_histogram(&self) -> HistogramType {
        match self.kind {
            CountedFileKind::Blob => HistogramType::BlobDbBlobFileSyncMicros,
            CountedFileKind::Table if Activity::current().is_compaction() => {
                HistogramType::CompactionOutfileSyncMicros
            }
            CountedFileKind::Table => HistogramType::TableSyncMicros,
        }
    }

    fn counted_sync(
        &mut self,
        sync: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let start = self.statistics.start_timer();
        sync(&mut *self.file)?;
        self.statistics.record(|recorder| {
            recorder.micros_since(self.sync_histogram(), start);
            if self.kind == CountedFileKind::Blob {
                recorder.tick(Ticker::BlobDbBlobFileSynced, 1);
            }
        });
        Ok(())
    }
}

impl WritableFile for CountedWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let start = self.statistics.start_timer();
        self.file.append(bytes)?;
        self.statistics.record(|recorder| {
            self.count_append(recorder, recorder.elapsed_micros(start), bytes.len() as u64);
        });
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.counted_sync(|file| file.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        self.counted_sync(|file| file.fsync())
    }

    fn sync_takes_time(&self) -> bool {
        self.file.sync_takes_time()
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.file.range_sync(offset, nbytes)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.file.allocate(offset, nbytes)
    }

    fn size(&self) -> u64 {
        self.file.size()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.file.close()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[cfg(test)]
mod tests;
