//! Tables and blob files that come and go.

use base::compaction_filter::TableFileCreationReason;
use base::{ColumnFamilyName, SequenceNumber, Status};
use std::path::PathBuf;
use table::TableProperties;

/// A table that is about to be written (`rocksdb::TableFileCreationBriefInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFileCreationBriefInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// The table.
    pub file_path: PathBuf,
    /// The flush, compaction or recovery that writes it.
    pub job_id: u64,
    /// Why it is written.
    pub reason: TableFileCreationReason,
}

/// A table that was written, or given up (`rocksdb::TableFileCreationInfo`).
#[derive(Clone, Debug)]
pub struct TableFileCreationInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// The table.
    pub file_path: PathBuf,
    /// The flush, compaction or recovery that wrote it.
    pub job_id: u64,
    /// Why it was written.
    pub reason: TableFileCreationReason,
    /// Bytes; 0 if it was given up.
    pub file_size: u64,
    /// Its properties; of an empty table if it was given up.
    pub table_properties: TableProperties,
    /// Why it was given up; none if it is complete.
    pub status: Option<Status>,
    /// Checksum of the file; empty for none.
    pub file_checksum: Vec<u8>,
    /// Name of the checksum function; `Unknown` for none.
    pub file_checksum_func_name: String,
}

/// A table that was deleted (`rocksdb::TableFileDeletionInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFileDeletionInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The table.
    pub file_path: PathBuf,
    /// The job at whose end it was deleted.
    pub job_id: u64,
    /// Why it could not be deleted; none if it was.
    pub status: Option<Status>,
}

/// Why a blob file is written (`rocksdb::BlobFileCreationReason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum BlobFileCreationReason {
    /// By a flush.
    Flush = 0,
    /// By a compaction.
    Compaction = 1,
    /// By recovery from the log.
    Recovery = 2,
}

/// A blob file that is about to be written (`rocksdb::BlobFileCreationBriefInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileCreationBriefInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// The file.
    pub file_path: PathBuf,
    /// The flush, compaction or recovery that writes it.
    pub job_id: u64,
    /// Why it is written.
    pub reason: BlobFileCreationReason,
}

/// A blob file that was written, or given up (`rocksdb::BlobFileCreationInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileCreationInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// The file.
    pub file_path: PathBuf,
    /// The flush, compaction or recovery that wrote it.
    pub job_id: u64,
    /// Why it was written.
    pub reason: BlobFileCreationReason,
    /// Blobs in it.
    pub total_blob_count: u64,
    /// Bytes of their records.
    pub total_blob_bytes: u64,
    /// Why it was given up; none if it is complete.
    pub status: Option<Status>,
    /// Checksum of the file; empty for none.
    pub file_checksum: Vec<u8>,
    /// Name of the checksum function; `Unknown` for none.
    pub file_checksum_func_name: String,
}

/// A blob file that was deleted (`rocksdb::BlobFileDeletionInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileDeletionInfo {
    /// The directory of the database.
    pub db_name: PathBuf,
    /// The file.
    pub file_path: PathBuf,
    /// The job at whose end it was deleted.
    pub job_id: u64,
    /// Why it could not be deleted; none if it was.
    pub status: Option<Status>,
}

/// A blob file that a job made (`rocksdb::BlobFileAdditionInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileAdditionInfo {
    /// The file.
    pub blob_file_path: PathBuf,
    /// The number in its name.
    pub blob_file_number: u64,
    /// Blobs in it.
    pub total_blob_count: u64,
    /// Bytes of their records.
    pub total_blob_bytes: u64,
}

/// Blobs that a job left without a reference (`rocksdb::BlobFileGarbageInfo`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFileGarbageInfo {
    /// The file.
    pub blob_file_path: PathBuf,
    /// The number in its name.
    pub blob_file_number: u64,
    /// Blobs.
    pub garbage_blob_count: u64,
    /// Bytes of their records.
    pub garbage_blob_bytes: u64,
}

/// A table from elsewhere that became part of the database
/// (`rocksdb::ExternalFileIngestionInfo`).
#[derive(Clone, Debug)]
pub struct ExternalFileIngestionInfo {
    /// The column family.
    pub cf_name: ColumnFamilyName,
    /// Where it came from.
    pub external_file_path: PathBuf,
    /// Where it is now.
    pub internal_file_path: PathBuf,
    /// The sequence number of all its entries.
    pub global_seqno: SequenceNumber,
    /// Its properties.
    pub table_properties: TableProperties,
}
