//! Flushes and memtables.

use super::file_info::BlobFileAdditionInfo;
use crate::flush_reason::FlushReason;
use base::{ColumnFamilyName, SequenceNumber};
use compression::CompressionType;
use std::path::PathBuf;
use table::TableProperties;

/// A flush of a column family (`rocksdb::FlushJobInfo`). At its beginning the file is empty: its
/// properties are those of an empty table, and its sequence numbers are the largest and 0.
#[derive(Clone, Debug)]
pub struct FlushJobInfo {
    /// The column family.
    pub cf_id: u32,
    /// Its name.
    pub cf_name: ColumnFamilyName,
    /// The table.
    pub file_path: PathBuf,
    /// The number in its name.
    pub file_number: u64,
    /// The oldest blob file that it refers to; none if there is none.
    pub oldest_blob_file_number: Option<u64>,
    /// The operating system's number of the thread.
    pub thread_id: u64,
    /// The job's number, which its lines in the info log have too.
    pub job_id: u64,
    /// Files of L0 are as many as slow writes down (`level0_slowdown_writes_trigger`).
    pub triggered_writes_slowdown: bool,
    /// Files of L0 are as many as stop writes (`level0_stop_writes_trigger`).
    pub triggered_writes_stop: bool,
    /// Smallest sequence number in the table.
    pub smallest_seqno: SequenceNumber,
    /// Largest sequence number in the table.
    pub largest_seqno: SequenceNumber,
    /// The table's properties.
    pub table_properties: TableProperties,
    /// Why the flush was done.
    pub flush_reason: FlushReason,
    /// How blob files are compressed.
    pub blob_compression_type: CompressionType,
    /// The blob files that it made.
    pub blob_file_addition_infos: Vec<BlobFileAdditionInfo>,
}

/// A column family that a user has flushed (`rocksdb::ManualFlushInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualFlushInfo {
    /// The column family.
    pub cf_id: u32,
    /// Its name.
    pub cf_name: ColumnFamilyName,
    /// Why it is flushed.
    pub flush_reason: FlushReason,
}

/// A memtable that takes no more writes (`rocksdb::MemTableInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemTableInfo {
    /// Its column family.
    pub cf_name: ColumnFamilyName,
    /// Sequence number of its first entry.
    pub first_seqno: SequenceNumber,
    /// No entry has a smaller sequence number.
    pub earliest_seqno: SequenceNumber,
    /// Entries.
    pub num_entries: u64,
    /// Deletions among them.
    pub num_deletes: u64,
}
