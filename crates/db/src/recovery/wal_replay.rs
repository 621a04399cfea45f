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
use wal::{LogEntry, LogReader, PredecessorWalInfo, Verdict, WalRecoveryMode};

/// What replay is to do.
#[derive(Debug)]
pub(crate) struct WalReplay<'a> {
    pub(crate) file_system: &'a dyn FileSystem,
    /// `wal_dir`, or the database's directory.
    pub(crate) directory: PathBuf,
    /// Numbers of the WALs there, ascending.
    pub(crate) numbers: &'a [u64],
    pub(crate) mode: WalRecoveryMode,
    /// `paranoid_checks`; without it damage is skipped.
    pub(crate) paranoid_checks: bool,
    /// WALs with a smaller number hold nothing.
    pub(crate) wal_number_min: u64,
    /// Whether each WAL has to follow the one that it says it follows (`track_and_verify_wals`).
    pub(crate) verifies_predecessors: bool,
    /// The database has no WAL yet: it was just made, or an open that made it did not get to its end.
    pub(crate) is_new: bool,
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
    /// The last WAL that was read to the end of its records.
    predecessor: Option<PredecessorWalInfo>,
    /// Number of the first entry of the last batch of the current WAL; 0 without one.
    last_sequence: SequenceNumber,
}

/// Called after each batch.
pub(crate) type AfterBatch<'a> = dyn FnMut(&mut MemTableInserter) -> Result<()> + 'a;

/// How reading one WAL ended.
enum End {
    EndOfLog,
    /// In the WAL of this number, or because that one is missing.
    Stopped(u64, Status),
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
        if self.verifies_predecessors && !self.is_new && self.numbers.is_empty() {
            return Err(Status::corruption(format!(
                "{}: Opening an existing DB with no WAL files (track_and_verify_wals is true)",
                self.directory.display()
            )));
        }
        for &number in self.numbers {
            if number < self.wal_number_min {
                continue;
            }
            replayed.wal_numbers.push(number);
            replayed.last_sequence = 0;
            match self.replay_one(number, inserter, after_batch, &mut replayed)? {
                End::EndOfLog if self.verifies_predecessors => {
                    let path = wal_file_name(&self.directory, number);
                    replayed.predecessor = Some(PredecessorWalInfo {
                        log_number: number,
                        size_bytes: self.file_system.get_file_size(&path)?,
                        last_sequence: replayed.last_sequence,
                    });
                }
                End::EndOfLog => {}
                End::Stopped(_, _) if replayed.stopped.is_some() => {}
                End::Stopped(at, why) => replayed.stopped = Some((at, why)),
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
                    if let Some(end) = self.judge_record(number, status, replayed)? {
                        return Ok(end);
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
                    replayed.last_sequence = batch.sequence();
                    replayed.next_sequence = Some(next);
                    after_batch(inserter)?;
                }
                LogEntry::TimestampSizes(stated) => {
                    for (column_family_id, size) in stated {
                        sizes.state(column_family_id, usize::from(size));
                    }
                }
                LogEntry::PredecessorWalInfo(stated) => {
                    if let Err(status) = self.check_predecessor(&path, &stated, replayed)
                        && let Some(end) = self.judge_record(stated.log_number, status, replayed)?
                    {
                        return Ok(end);
                    }
                }
                LogEntry::Damage(damage) => {
                    let status = damage.to_status(&path);
                    match self.verdict(&damage) {
                        Verdict::Skip => replayed.ignored.push(status),
                        Verdict::EndOfLog => {
                            replayed.ignored.push(status);
                            return Ok(End::EndOfLog);
                        }
                        Verdict::StopReplay => return Ok(End::Stopped(number, status)),
                        Verdict::Fail => return Err(status),
                    }
                }
            }
        }
        Ok(End::EndOfLog)
    }

    /// Whether a WAL follows the one that was read before it, as it `stated`.
    fn check_predecessor(
        &self,
        path: &Path,
        stated: &PredecessorWalInfo,
        replayed: &Replayed,
    ) -> Result<()> {
        if !self.verifies_predecessors || replayed.stopped.is_some() {
            return Ok(());
        }
        let number = stated.log_number;
        let difference = match &replayed.predecessor {
            None if number < self.wal_number_min => return Ok(()),
            None => format!("Missing WAL of log number {number}"),
            Some(found) if found.log_number != number => format!(
                "Mismatched predecessor log number. Recorded {number}. Observed {}",
                found.log_number
            ),
            Some(found) if found.last_sequence != stated.last_sequence => format!(
                "Mismatched last sequence number recorded in the WAL of log number {number}. \
                 Recorded {}. Observed {}. (Last sequence number equal to 0 indicates no WAL \
                 records)",
                stated.last_sequence, found.last_sequence
            ),
            Some(found) if found.size_bytes != stated.size_bytes => format!(
                "Mismatched size of the WAL of log number {number}. Recorded {} bytes. Observed {} \
                 bytes.",
                stated.size_bytes, found.size_bytes
            ),
            Some(_) => return Ok(()),
        };
        Err(Status::corruption(format!("{}: {difference}", path.display())))
    }

    fn effective_mode(&self) -> WalRecoveryMode {
        if self.paranoid_checks { self.mode } else { WalRecoveryMode::SkipAnyCorruptedRecords }
    }

    fn verdict(&self, damage: &wal::LogDamage) -> Verdict {
        self.effective_mode().verdict(damage)
    }

    /// What becomes of replay at a record that is whole and cannot be right, or that says so of the
    /// WAL `number`.
    fn judge_record(
        &self,
        number: u64,
        status: Status,
        replayed: &mut Replayed,
    ) -> Result<Option<End>> {
        match self.effective_mode() {
            WalRecoveryMode::SkipAnyCorruptedRecords => {
                replayed.ignored.push(status);
                Ok(None)
            }
            WalRecoveryMode::PointInTimeRecovery => Ok(Some(End::Stopped(number, status))),
            WalRecoveryMode::TolerateCorruptedTailRecords
            | WalRecoveryMode::AbsoluteConsistency => Err(status),
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
