//! `dump_wal`: the write batches of a write-ahead log, and [`dump_wal_file`], which `dump --path`
//! and `dump_live_files` use too.
//!
//! A batch is a line: sequence number, number of entries, bytes, offset of its record in the file,
//! then every record of the batch with keys and values as hexadecimal.

use super::failure::{Failure, Outcome};
use super::print::hex_0x;
use super::session::Session;
use base::filename::parse_file_name;
use base::{Status, ValueType, wide_columns};
use env::FileOptions;
use std::fmt::Write as _;
use std::path::Path;
use wal::log_format::{BLOCK_SIZE, HEADER_SIZE};
use wal::{
    DamageKind, Entry, LogDamage, LogEntry, LogReader, LogicalRecord, Record, WriteBatchReader,
};

/// What a log is printed with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalFormat {
    /// A heading first.
    pub(crate) print_header: bool,
    /// Values too.
    pub(crate) print_values: bool,
    /// The policy of the transactions in it: whether they are written when they commit.
    pub(crate) is_write_committed: bool,
}

impl WalFormat {
    /// Everything, where no flags say what.
    pub(crate) const EVERYTHING: Self =
        Self { print_header: true, print_values: true, is_write_committed: true };
}

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let format = WalFormat {
        print_header: arguments.flag("header"),
        print_values: arguments.flag("print_value"),
        is_write_committed: arguments.boolean("write_committed")?.unwrap_or(true),
    };
    match arguments.option("walfile") {
        Some(path) => dump_wal_file(session, path, format),
        None => Err(Failure::new("Argument walfile must be specified.")),
    }
}

/// Prints a log. Damage is reported, and reading goes on after it where RocksDB's does.
pub(crate) fn dump_wal_file(session: &mut Session<'_>, path: &str, format: WalFormat) -> Outcome {
    let path = Path::new(path);
    let file = session
        .fs
        .new_sequential_file(path, &FileOptions::default())
        .map_err(|status| Failure::new(format!("Failed to open WAL file {status}")))?;
    let name = path.file_name().and_then(|name| name.to_str());
    let log_number = name.and_then(parse_file_name).map_or(0, |(number, _)| number);
    let mut reader = LogReader::new(file, log_number);
    if format.print_header {
        let value = if format.print_values { " : value " } else { "" };
        writeln!(session.out, "Sequence,Count,ByteSize,Physical Offset,Key(s){value}")?;
    }
    loop {
        let previous_end = reader.offset();
        let Some(entry) = reader.read()? else { break };
        match entry {
            LogEntry::Record(record) => match WriteBatchReader::new(record.payload) {
                Ok(batch) => {
                    let offset = shown_offset(&record, previous_end);
                    let line = batch_line(&batch, record.payload.len(), offset, format).map_err(
                        |status| Failure::new(format!("Print write batch error: {status}")),
                    )?;
                    session.out.write_all(line.as_bytes())?;
                }
                Err(status) => writeln!(session.err, "Corruption detected in log file {status}")?,
            },
            LogEntry::TimestampSizes(_) | LogEntry::PredecessorWalInfo(_) => {}
            LogEntry::Damage(damage) => {
                if ends_log(&damage) {
                    break;
                }
                let status = damage.to_status(path);
                writeln!(session.err, "Corruption detected in log file {status}")?;
            }
        }
    }
    Ok(())
}

/// Whether damage is where the writer stopped: nothing is said of it, and nothing follows.
pub(crate) fn ends_log(damage: &LogDamage) -> bool {
    match damage.kind {
        DamageKind::OldRecord | DamageKind::OldRecordInsideRecord => true,
        DamageKind::ChecksumMismatch | DamageKind::BadLength => damage.in_recycled_log,
        kind => kind.is_torn_tail(),
    }
}

/// Where RocksDB says that a record starts: one behind the filling at the end of a block starts
/// with that filling.
fn shown_offset(record: &LogicalRecord<'_>, previous_end: u64) -> u64 {
    match record.offset.checked_sub(previous_end) {
        Some(filling)
            if record.offset.is_multiple_of(BLOCK_SIZE as u64) && filling < HEADER_SIZE as u64 =>
        {
            previous_end
        }
        _ => record.offset,
    }
}

fn batch_line(
    batch: &WriteBatchReader<'_>,
    size: usize,
    offset: u64,
    format: WalFormat,
) -> Result<String, Status> {
    let mut line = String::new();
    // Writing to a string cannot fail.
    let _ = write!(line, "{},{},{size},{offset},", batch.sequence(), batch.count());
    let mut records = batch.records();
    for record in records.by_ref() {
        add_record(&mut line, &record?, format)?;
    }
    batch.check_count(records.entry_count())?;
    line.push('\n');
    Ok(line)
}

fn add_record(line: &mut String, record: &Record<'_>, format: WalFormat) -> Result<(), Status> {
    match record {
        Record::Entry(entry) => add_entry(line, entry, format.print_values)?,
        Record::LogData(_) => {}
        Record::Noop => line.push_str("NOOP "),
        Record::BeginPrepare => {
            check_policy(format, true)?;
            line.push_str("BEGIN_PREPARE(false) ");
        }
        Record::BeginPersistedPrepare => {
            check_policy(format, false)?;
            line.push_str("BEGIN_PREPARE(false) ");
        }
        Record::BeginUnprepare => {
            check_policy(format, false)?;
            line.push_str("BEGIN_PREPARE(true) ");
        }
        Record::EndPrepare { transaction_name } => add_mark(line, "END_PREPARE", transaction_name),
        Record::Commit { transaction_name } => add_mark(line, "COMMIT", transaction_name),
        Record::Rollback { transaction_name } => add_mark(line, "ROLLBACK", transaction_name),
        Record::CommitWithTimestamp { transaction_name, timestamp } => {
            let (name, timestamp) = (hex_0x(transaction_name), hex_0x(timestamp));
            let _ = write!(line, "COMMIT_WITH_TIMESTAMP({name}, {timestamp}) ");
        }
    }
    Ok(())
}

fn add_mark(line: &mut String, mark: &str, transaction_name: &[u8]) {
    let _ = write!(line, "{mark}({}) ", hex_0x(transaction_name));
}

/// Checks that a prepared section is of the policy that the log is said to have.
fn check_policy(format: WalFormat, is_write_committed: bool) -> Result<(), Status> {
    if format.is_write_committed == is_write_committed {
        return Ok(());
    }
    let (found, said) = match is_write_committed {
        true => ("write-committed", "false"),
        false => ("write-prepared or write-unprepared", "true"),
    };
    Err(Status::not_supported(format!(
        "prepared section of the {found} policy in a log read with write_committed={said}"
    )))
}

fn add_entry(line: &mut String, entry: &Entry<'_>, print_values: bool) -> Result<(), Status> {
    let (name, has_value) = match entry.value_type {
        ValueType::Value => ("PUT", true),
        ValueType::Merge => ("MERGE", true),
        ValueType::Deletion => ("DELETE", false),
        ValueType::SingleDeletion => ("SINGLE_DELETE", false),
        ValueType::RangeDeletion => ("DELETE_RANGE", false),
        ValueType::BlobIndex => ("PUT_BLOB_INDEX", true),
        ValueType::WideColumnEntity => ("PUT_ENTITY", true),
        ValueType::ValuePreferredSeqno => ("TIMED_PUT", true),
        other => {
            return Err(Status::not_supported(format!("{other:?} record in a write batch")));
        }
    };
    let _ = write!(line, "{name}({}) : {} ", entry.column_family_id, hex_0x(entry.key));
    if entry.value_type == ValueType::RangeDeletion {
        let _ = write!(line, "{} ", hex_0x(entry.value));
    }
    if has_value && print_values {
        match entry.value_type {
            ValueType::WideColumnEntity => add_columns(line, entry.value)?,
            ValueType::ValuePreferredSeqno => {
                let (value, time) = entry.timed_value()?;
                let _ = write!(line, ": {} at {time} ", hex_0x(value));
            }
            _ => {
                let _ = write!(line, ": {} ", hex_0x(entry.value));
            }
        }
    }
    Ok(())
}

/// `0xNAME:0xVALUE` of each column; an empty name or value is nothing.
fn add_columns(line: &mut String, entity: &[u8]) -> Result<(), Status> {
    let hex = |bytes: &[u8]| if bytes.is_empty() { String::new() } else { hex_0x(bytes) };
    line.push_str(": ");
    for column in wide_columns::decode(entity)? {
        let _ = write!(line, "{}:{} ", hex(column.name), hex(column.value));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
