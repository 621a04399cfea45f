//! A WAL that the primary may still be writing.

use crate::recovery::{TimestampSizes, list_wals};
use base::filename::wal_file_name;
use base::{Result, Status};
use env::{FileOptions, FileSystem, RandomAccessFile};
use std::path::Path;
use std::sync::Arc;
use wal::write_batch_reader::{HEADER_SIZE, WriteBatchReader};
use wal::{LogEntry, LogReader, Verdict, WalRecoveryMode};

/// How far a WAL was read.
#[derive(Debug)]
pub(crate) struct WalTail {
    number: u64,
    /// None before the first read and after one that failed: then it is read from its start, and
    /// what was applied is passed over.
    reader: Option<LogReader>,
    sizes: TimestampSizes,
    /// Where the last batch ends that was applied.
    applied_bytes: u64,
    /// Nothing will be appended any more.
    is_final: bool,
    /// Why nothing behind `applied_bytes` counts.
    ended: Option<Ended>,
}

/// How a WAL ended before its end.
#[derive(Clone, Debug)]
enum Ended {
    /// A later WAL counts only if it goes on at the next sequence number.
    Stopped(Status),
    /// Nothing can follow.
    Failed(Status),
}

/// Takes the batches of WALs in turn.
pub(crate) trait BatchSink {
    /// Takes a batch of the WAL `number`.
    fn apply(
        &mut self,
        number: u64,
        batch: &WriteBatchReader<'_>,
        sizes: &TimestampSizes,
    ) -> Result<()>;
}

impl WalTail {
    pub(crate) fn new(number: u64) -> Self {
        Self {
            number,
            reader: None,
            sizes: TimestampSizes::default(),
            applied_bytes: 0,
            is_final: false,
            ended: None,
        }
    }

    /// Bytes up to the end of the last batch.
    pub(crate) fn applied_bytes(&self) -> u64 {
        self.applied_bytes
    }

    /// Nothing will be appended any more, because there are entries in a later WAL.
    pub(crate) fn set_final(&mut self) {
        self.is_final = true;
    }

    pub(crate) fn is_final(&self) -> bool {
        self.is_final
    }

    /// Opens the file, which then stays readable when the primary deletes it.
    ///
    /// # Errors
    /// `IoError`, with [`Status::is_path_not_found`] if the primary was faster.
    pub(crate) fn open(&mut self, fs: &dyn FileSystem, directory: &Path) -> Result<()> {
        if self.reader.is_none() {
            self.reader = Some(LogReader::follow(open(fs, directory, self.number)?, self.number));
            self.sizes = TimestampSizes::default();
        }
        Ok(())
    }

    /// Gives `sink` the batches that have come since the last call.
    ///
    /// Returns the damage at which the WAL ends, where a later WAL counts only if it goes on at the
    /// next sequence number.
    ///
    /// # Errors
    /// Damage that `mode` does not pass over, again each time; `IoError`; what `sink` gives.
    pub(crate) fn read(
        &mut self,
        mode: WalRecoveryMode,
        sink: &mut impl BatchSink,
    ) -> Result<Option<Status>> {
        match &self.ended {
            Some(Ended::Stopped(status)) => return Ok(Some(status.clone())),
            Some(Ended::Failed(status)) => return Err(status.clone()),
            None => {}
        }
        let result = self.read_on(mode, sink);
        if result.is_err() && self.ended.is_none() {
            // It may be readable later.
            self.reader = None;
        }
        result
    }

    fn read_on(
        &mut self,
        mode: WalRecoveryMode,
        sink: &mut impl BatchSink,
    ) -> Result<Option<Status>> {
        let Some(reader) = &mut self.reader else { return Ok(None) };
        if self.is_final {
            reader.stop_following()?;
        }
        let path = reader.path().to_path_buf();
        while let Some(entry) = reader.read()? {
            let damage = match entry {
                LogEntry::Record(record) if record.end_offset <= self.applied_bytes => continue,
                LogEntry::Record(record) if record.payload.len() < HEADER_SIZE => {
                    let what = format!(
                        "WAL record of {} bytes, expected at least {HEADER_SIZE}",
                        record.payload.len()
                    );
                    let status = Status::corruption_at(&path, record.offset, what);
                    let verdict = match mode {
                        WalRecoveryMode::SkipAnyCorruptedRecords => Verdict::Skip,
                        _ => Verdict::Fail,
                    };
                    (verdict, status)
                }
                LogEntry::Record(record) => {
                    let at = format!("{} at offset {}", path.display(), record.offset);
                    let applied = WriteBatchReader::new(record.payload)
                        .and_then(|batch| sink.apply(self.number, &batch, &self.sizes));
                    match applied {
                        Ok(()) => {
                            self.applied_bytes = record.end_offset;
                            continue;
                        }
                        // Part of it may be applied: it must not be another time.
                        Err(status) => (Verdict::Fail, status.context(at)),
                    }
                }
                LogEntry::TimestampSizes(stated) => {
                    for (column_family_id, size) in stated {
                        self.sizes.state(column_family_id, usize::from(size));
                    }
                    continue;
                }
                // The primary deletes WALs that others name as the one before them.
                LogEntry::PredecessorWalInfo(_) => continue,
                LogEntry::Damage(damage) => (mode.verdict(&damage), damage.to_status(&path)),
            };
            match damage {
                (Verdict::Skip, _) => {}
                (Verdict::EndOfLog, _) if self.is_final => return Ok(None),
                (Verdict::StopReplay, status) if self.is_final => {
                    self.ended = Some(Ended::Stopped(status.clone()));
                    return Ok(Some(status));
                }
                (_, status) => {
                    self.ended = Some(Ended::Failed(status.clone()));
                    return Err(status);
                }
            }
        }
        Ok(None)
    }
}

fn open(fs: &dyn FileSystem, directory: &Path, number: u64) -> Result<Arc<dyn RandomAccessFile>> {
    fs.new_random_access_file(&wal_file_name(directory, number), &FileOptions::default())
}

/// Numbers of the WALs from `number_min` on, ascending.
pub(crate) fn wals_from(
    fs: &dyn FileSystem,
    directory: &Path,
    number_min: u64,
) -> Result<Vec<u64>> {
    let mut numbers = list_wals(fs, directory)?;
    numbers.retain(|&number| number >= number_min);
    Ok(numbers)
}

/// Whether a WAL has an entry: then all before it are complete. A new one may be there before the
/// last bytes of the one before it, which the primary kept in a buffer.
///
/// # Errors
/// `IoError`.
pub(crate) fn has_entries(fs: &dyn FileSystem, directory: &Path, number: u64) -> Result<bool> {
    let mut reader = LogReader::follow(open(fs, directory, number)?, number);
    while let Some(entry) = reader.read()? {
        if matches!(entry, LogEntry::Record(_) | LogEntry::Damage(_)) {
            return Ok(true);
        }
    }
    Ok(false)
}
