//! Compactions and their parts.

use super::file_info::{BlobFileAdditionInfo, BlobFileGarbageInfo};
use base::{ColumnFamilyName, Status};
use compaction::CompactionReason;
use compression::CompressionType;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use table::TableProperties;

/// Properties of tables, by path.
pub type TablePropertiesCollection = HashMap<PathBuf, Arc<TableProperties>>;

/// A table that went into a compaction or came out of it (`rocksdb::CompactionFileInfo`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactionFileInfo {
    /// Its level.
    pub level: usize,
    /// The number in its name.
    pub file_number: u64,
    /// The oldest blob file that it refers to; none if there is none.
    pub oldest_blob_file_number: Option<u64>,
}

/// A compaction (`rocksdb::CompactionJobInfo`). At its beginning nothing is known of outputs, and of
/// the statistics only what says what it is to do.
#[derive(Clone, Debug)]
pub struct CompactionJobInfo {
    /// The column family.
    pub cf_id: u32,
    /// Its name.
    pub cf_name: ColumnFamilyName,
    /// How it ended; none if well, or if it has not ended.
    pub status: Option<Status>,
    /// The operating system's number of the thread.
    pub thread_id: u64,
    /// The job's number, which its lines in the info log have too.
    pub job_id: u64,
    /// Files of L0, before it at its beginning and after it at its end.
    pub num_l0_files: usize,
    /// The uppermost input level.
    pub base_input_level: usize,
    /// Where outputs go.
    pub output_level: usize,
    /// Paths of the inputs. A file that is only moved is among the outputs too.
    pub input_files: Vec<PathBuf>,
    /// More of each of them.
    pub input_file_infos: Vec<CompactionFileInfo>,
    /// Paths of the outputs.
    pub output_files: Vec<PathBuf>,
    /// More of each of them.
    pub output_file_infos: Vec<CompactionFileInfo>,
    /// Properties of inputs and outputs. A table that cannot be opened has none here.
    pub table_properties: TablePropertiesCollection,
    /// Why it runs.
    pub compaction_reason: CompactionReason,
    /// How outputs are compressed.
    pub compression: CompressionType,
    /// What it did.
    pub stats: CompactionJobStats,
    /// How blob files are compressed.
    pub blob_compression_type: CompressionType,
    /// The blob files that it made.
    pub blob_file_addition_infos: Vec<BlobFileAdditionInfo>,
    /// What it left unused in blob files.
    pub blob_file_garbage_infos: Vec<BlobFileGarbageInfo>,
    /// It was ended by a user: manual compactions were disabled, or this one was cancelled.
    pub aborted: bool,
}

/// A part of a compaction (`rocksdb::SubcompactionJobInfo`).
#[derive(Clone, Debug)]
pub struct SubcompactionJobInfo {
    /// The column family.
    pub cf_id: u32,
    /// Its name.
    pub cf_name: ColumnFamilyName,
    /// How it ended; none if well, or if it has not ended.
    pub status: Option<Status>,
    /// The operating system's number of the thread.
    pub thread_id: u64,
    /// The compaction's number.
    pub job_id: u64,
    /// The part's number within the compaction, from 0 on.
    pub subcompaction_job_id: usize,
    /// The uppermost input level.
    pub base_input_level: usize,
    /// Where outputs go.
    pub output_level: usize,
    /// Why it runs.
    pub compaction_reason: CompactionReason,
    /// How outputs are compressed.
    pub compression: CompressionType,
    /// What it did.
    pub stats: CompactionJobStats,
    /// How blob files are compressed.
    pub blob_compression_type: CompressionType,
}

/// What a compaction, or a part of one, did (`rocksdb::CompactionJobStats`). Sizes are bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompactionJobStats {
    /// Time from start to end, in microseconds.
    pub elapsed_micros: u64,
    /// Processor time of its threads, in microseconds.
    pub cpu_micros: u64,
    /// Records that went in, range tombstones included.
    pub num_input_records: u64,
    /// Values read from blob files.
    pub num_blobs_read: u64,
    /// Input tables.
    pub num_input_files: usize,
    /// Those that were only moved.
    pub num_input_files_trivially_moved: usize,
    /// Those of the output level.
    pub num_input_files_at_output_level: usize,
    /// Records that came out.
    pub num_output_records: u64,
    /// New tables.
    pub num_output_files: usize,
    /// New blob files.
    pub num_output_files_blob: usize,
    /// Every table of the column family is an input.
    pub is_full_compaction: bool,
    /// A user asked for it.
    pub is_manual_compaction: bool,
    /// Sizes of input tables.
    pub total_input_bytes: u64,
    /// Values read from blob files.
    pub total_blob_bytes_read: u64,
    /// Sizes of new tables.
    pub total_output_bytes: u64,
    /// Sizes of new blob files' records.
    pub total_output_bytes_blob: u64,
    /// Records that newer ones of their key hide.
    pub num_records_replaced: u64,
    /// Keys that went in, uncompressed.
    pub total_input_raw_key_bytes: u64,
    /// Values that went in, uncompressed.
    pub total_input_raw_value_bytes: u64,
    /// Deletions that went in.
    pub num_input_deletion_records: u64,
    /// Deletions that nothing was left for.
    pub num_expired_deletion_records: u64,
    /// Records whose key cannot be read. Such a key is an error to a compaction: always 0.
    pub num_corrupt_keys: u64,
    /// Nanoseconds that appending to files took. This one and the next three are measured with
    /// `report_bg_io_stats`, and 0 otherwise.
    pub file_write_nanos: u64,
    /// Nanoseconds that having the disk begin to write took (`bytes_per_sync`).
    pub file_range_sync_nanos: u64,
    /// Nanoseconds that syncing files took.
    pub file_fsync_nanos: u64,
    /// Nanoseconds that reserving room for files took.
    pub file_prepare_write_nanos: u64,
    /// First bytes of the smallest key of the outputs, at most 8.
    pub smallest_output_key_prefix: Vec<u8>,
    /// First bytes of the largest key of the outputs, at most 8.
    pub largest_output_key_prefix: Vec<u8>,
    /// Single deletions that met no value.
    pub num_single_del_fallthru: u64,
    /// Single deletions that met something other than a value.
    pub num_single_del_mismatch: u64,
}
