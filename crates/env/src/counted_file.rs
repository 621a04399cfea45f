//! Files whose reads and writes are counted, with RocksDB's meaning.
//!
//! By what file it is: tables, blob files. By what the thread does ([`Activity`]): flushes and
//! compactions count their bytes, and most activities have times of their own.

use crate::ReadLatency;
use crate::file_system::{AccessPattern, RandomAccessFile, WritableFile};
use base::Result;
use statistics::{Activity, CompactionCause, HistogramType, Recorder, Statistics, Ticker};
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

/// How bytes and number of the reads of a file are counted beside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTickers {
    /// Bytes.
    pub bytes: Ticker,
    /// Reads.
    pub count: Ticker,
}

impl ReadTickers {
    /// Files of the last level.
    pub const LAST_LEVEL: Self =
        Self { bytes: Ticker::LastLevelReadBytes, count: Ticker::LastLevelReadCount };
    /// All other files.
    pub const NON_LAST_LEVEL: Self =
        Self { bytes: Ticker::NonLastLevelReadBytes, count: Ticker::NonLastLevelReadCount };
    /// Files of temperature `kHot`.
    pub const HOT: Self = Self { bytes: Ticker::HotFileReadBytes, count: Ticker::HotFileReadCount };
    /// Files of temperature `kWarm`.
    pub const WARM: Self =
        Self { bytes: Ticker::WarmFileReadBytes, count: Ticker::WarmFileReadCount };
    /// Files of temperature `kCool`.
    pub const COOL: Self =
        Self { bytes: Ticker::CoolFileReadBytes, count: Ticker::CoolFileReadCount };
    /// Files of temperature `kCold`.
    pub const COLD: Self =
        Self { bytes: Ticker::ColdFileReadBytes, count: Ticker::ColdFileReadCount };
    /// Files of temperature `kIce`.
    pub const ICE: Self = Self { bytes: Ticker::IceFileReadBytes, count: Ticker::IceFileReadCount };

    fn record(self, recorder: &Recorder<'_>, bytes: u64) {
        recorder.tick(self.bytes, bytes);
        recorder.tick(self.count, 1);
    }
}

/// How a file that is read is counted.
#[derive(Clone, Debug)]
pub struct ReadCounting {
    /// What it is.
    pub kind: CountedFileKind,
    /// By its level.
    pub level: ReadTickers,
    /// By its temperature, if it has one.
    pub temperature: Option<ReadTickers>,
    /// Where it is noted how long reads take, where times are measured.
    pub latency: Option<Arc<ReadLatency>>,
}

/// A file that is read.
#[derive(Debug)]
pub struct CountedRandomAccessFile {
    file: Arc<dyn RandomAccessFile>,
    statistics: Arc<Statistics>,
    counting: ReadCounting,
}

impl CountedRandomAccessFile {
    /// `file`, counted if anybody wants to know.
    pub fn wrap(
        file: Arc<dyn RandomAccessFile>,
        statistics: Option<&Arc<Statistics>>,
        counting: ReadCounting,
    ) -> Arc<dyn RandomAccessFile> {
        match statistics {
            None => file,
            Some(statistics) => Arc::new(Self { file, statistics: statistics.clone(), counting }),
        }
    }
}

impl RandomAccessFile for CountedRandomAccessFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let start = self.statistics.start_timer();
        let length = self.file.read_at(offset, buffer)?;
        let is_detailed = self.statistics.has_detailed_timers();
        self.statistics.record(|recorder| {
            let (activity, bytes) = (Activity::current(), length as u64);
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
                && (is_detailed || !activity.is_user_read())
            {
                recorder.micros(histogram, micros);
            }
            self.counting.level.record(recorder, bytes);
            if let Some(temperature) = self.counting.temperature {
                temperature.record(recorder, bytes);
            }
            if let Activity::Compaction(cause) = activity {
                recorder.tick(Ticker::CompactReadBytes, bytes);
                if let Some((read, _)) = bytes_by_cause(cause) {
                    recorder.tick(read, bytes);
                }
            }
        });
        Ok(length)
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.statistics.record(|recorder| match Activity::current().is_compaction() {
            true => recorder.value(HistogramType::CompactionPrefetchBytes, count),
            false => recorder.tick(Ticker::PrefetchBytes, count),
        });
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
