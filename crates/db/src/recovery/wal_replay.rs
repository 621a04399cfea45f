//! Replays WALs into memtables, by `wal_recovery_mode`.
//!
//! | mode | on damage |
//! |---|---|
//! | kTolerateCorruptedTailRecords | an unfinished last record is ignored, else the open fails |
//! | kAbsoluteConsistency | the open fails |
//! | kPointInTimeRecovery | replay ends; a later WAL counts only if it goes on at the next sequence |
//! | kSkipAnyCorruptedRecords | goes on behind it |
//!
//! A batch that is whole and makes no sense fails the open in every mode.

use crate::recovery::memtable_inserter::MemTableInserter;
use crate::recovery::timestamp_size::TimestampSizes;
use base::filename::{FileType, parse_file_name, wal_file_name};
use base::{Result, SequenceNumber, Status};
use env::{FileOptions, FileSystem};
use std::path::{Path, PathBuf};
use wal::write_batch_reader::{HEADER_SIZE, WriteBatchReader};
use wal::{LogEntry, LogReader, Verdict, WalRecoveryMode};

/// What replay is to do.
#[derive(Debug)]
pub(crate) struct WalReplay<'a> {
    pub(crate) file_system: &'a dyn FileSystem,
    /// `wal_dir`, or the database's directory.
    pub(crate) directory: PathBuf,
    pub(crate) mode: WalRecoveryMode,
    /// `paranoid_checks`; without it damage is skipped.
    pub(crate) paranoid_checks: bool,
    /// WALs with a smaller number hold nothing.
    pub(crate) wal_number_min: u64,
}

/// What replay found.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// The WALs looked at, ascending.
    pub(crate) wal_numbers: Vec<u64>,
    /// The sequence number after the last batch applied; none if there was none.
    pub(crate) next_sequence: Option<SequenceNumber>,
    /// The WAL in which replay ended before its end, and why.
    pub(crate) stopped: Option<(u64, Status)>,
    /// Damage that the mode allows to pass over, in order.
    pub(crate) ignored: Vec<Status>,
}

/// Called after each batch.
pub(crate) type AfterBatch<'a> = dyn FnMut(&mut MemTableInserter) -> Result<()> + 'a;

/// How reading one WAL ended.
enum End {
    EndOfLog,
    Stopped(Status),
}

/// Numbers of the WALs in a directory, ascending. A missing directory has none.
pub(crate) fn list_wals(file_system: &dyn FileSystem, directory: &Path) -> Result<Vec<u64>> {
    let names = match file_system.get_children(directory) {
        Err(error) if error.is_path_not_found() => return Ok(Vec::new()),
        names => names?,
    };
    let mut numbers: Vec<u64> = names
        .iter()
        .filter_map(|name| match parse_file_name(name) {
            Some((number, FileType::Wal)) => Some(number),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    Ok(numbers)
}

impl WalReplay<'_> {
    /// Applies every WAL that may hold unflushed data. `after_batch` may take memtables away that
    /// have become full.
    pub(crate) fn run(
        &self,
        inserter: &mut MemTableInserter,
        after_batch: &mut AfterBatch<'_>,
    ) -> Result<Replayed> {
        let mut replayed = Replayed::default();
        for number in list_wals(self.file_system, &self.directory)? {
            if number < self.wal_number_min {
                continue;
            }
            replayed.wal_numbers.push(number);
            match self.replay_one(number, inserter, after_batch, &mut replayed)? {
                End::EndOfLog => {}
                End::Stopped(_) if replayed.stopped.is_some() => {}
                End::Stopped(why) => replayed.stopped = Some((number, why)),
            }
        }
        if let Some((number, why)) = &replayed.stopped {
            check_tables_not_ahead(inserter, *number, why)?;
        }
        Ok(replayed)
    }

    fn replay_one(
        &self,
        number: u64,
        inserter: &mut MemTableInserter,
        after_batch: &mut AfterBatch<'_>,
        replayed: &mut Replayed,
    ) -> Result<End> {
        let path = wal_file_name(&self.directory, number);
        let file = self.file_system.new_sequential_file(&path, &FileOptions::default())?;
        let mut reader = LogReader::new(file, number);
        let mut sizes = TimestampSizes::default();
        while let Some(entry) = reader.read()? {
            match entry {
                LogEntry::Record(record) if record.payload.len() < HEADER_SIZE => {
                    let what = format!(
                        "WAL record of {} bytes, expected at least {HEADER_SIZE}",
                        record.payload.len()
                    );
                    let status = Status::corruption_at(&path, record.offset, what);
                    match self.verdict_on_small_record() {
                        Verdict::Skip | Verdict::EndOfLog => replayed.ignored.push(status),
                        Verdict::StopReplay => return Ok(End::Stopped(status)),
                        Verdict::Fail => return Err(status),
                    }
                }
                LogEntry::Record(record) => {
                    let batch = WriteBatchReader::new(record.payload)?;
                    if replayed.stopped.is_some() {
                        // A later WAL counts only where it continues what was read.
                        if replayed.next_sequence != Some(batch.sequence()) {
                            return Ok(End::EndOfLog);
                        }
                        replayed.stopped = None;
                    }
                    let at = format!("{} at offset {}", path.display(), record.offset);
                    let next = inserter
                        .apply(number, &batch, &sizes)
                        .map_err(|error| error.context(at))?;
                    replayed.next_sequence = Some(next);
                    after_batch(inserter)?;
                }
                LogEntry::TimestampSizes(stated) => {
                    for (column_family_id, size) in stated {
                        sizes.state(column_family_id, usize::from(size));
                    }
                }
                LogEntry::PredecessorWalInfo(_) => {}
                LogEntry::Damage(damage) => {
                    let status = damage.to_status(&path);
                    match self.verdict(&damage) {
                        Verdict::Skip => replayed.ignored.push(status),
                        Verdict::EndOfLog => {
                            replayed.ignored.push(status);
                            return Ok(End::EndOfLog);
                        }
                        Verdict::StopReplay => return Ok(End::Stopped(status)),
                        Verdict::Fail => return Err(status),
                    }
                }
            }
        }
        Ok(End::EndOfLog)
    }

    fn effective_mode(&self) -> WalRecoveryMode {
        if self.paranoid_checks { self.mode } else { WalRecoveryMode::SkipAnyCorruptedRecords }
    }

    fn verdict(&self, damage: &wal::LogDamage) -> Verdict {
        self.effective_mode().verdict(damage)
    }

    fn verdict_on_small_record(&self) -> Verdict {
        match self.effective_mode() {
            WalRecoveryMode::SkipAnyCorruptedRecords => Verdict::Skip,
            WalRecoveryMode::PointInTimeRecovery => Verdict::StopReplay,
            WalRecoveryMode::TolerateCorruptedTailRecords
            | WalRecoveryMode::AbsoluteConsistency => Verdict::Fail,
        }
    }
}

/// A family whose tables hold what came after the damage is ahead of the others: the state would
/// be one that never was.
fn check_tables_not_ahead(
    inserter: &MemTableInserter,
    stopped_at: u64,
    why: &Status,
) -> Result<()> {
    let ahead = inserter
        .families
        .values()
        .find(|family| family.log_number > stopped_at && family.has_tables);
    match ahead {
        Some(family) => Err(Status::corruption(format!(
            "tables of column family {} hold data newer than the point where replay stopped: {}",
            family.name,
            why.message()
        ))),
        None => Ok(()),
    }
}
