//! What a job needs from outside. The database implements it; tests do it in memory.

use crate::compaction_stats::CompactionStats;
use crate::output_table::OutputFile;
use base::{PinnableSlice, Result, Status};
use blob::BlobReference;
use env::{IoPriority, WritableFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{BlockBasedTable, CacheWarming};
use version::{BlobFileAddition, FileMetaData, Temperature};

/// A file to be written.
#[derive(Debug)]
pub struct NewOutputFile {
    /// The number in its name, taken from the database's counter.
    pub number: u64,
    /// Its path.
    pub path: PathBuf,
    /// The open file. Where a rate limit applies, it is the file that applies it.
    pub file: Box<dyn WritableFile>,
}

/// What is known of a table before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutputFileHint {
    /// Bytes that it will have, more or less; 0 if unknown.
    pub preallocation_size: u64,
    /// Index of its directory in `cf_paths`.
    pub path_id: u32,
    /// Where it should be stored.
    pub temperature: Temperature,
}

/// Files of the column family that a job reads and writes. Parts of a job use it from several
/// threads.
pub trait JobEnvironment: Send + Sync {
    /// The table of a file, from the table cache or opened; verified as far as opening does.
    ///
    /// # Errors
    /// What the table or the file system gives; the file is named.
    fn open_table(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>>;

    /// Creates a table file under a new number.
    ///
    /// # Errors
    /// What the file system gives.
    fn new_table_file(&self, hint: &OutputFileHint) -> Result<NewOutputFile>;

    /// Creates a blob file under a new number.
    ///
    /// # Errors
    /// What the file system gives.
    fn new_blob_file(&self) -> Result<NewOutputFile>;

    /// Removes a file that the job created and nobody will refer to, and forgets its table if it is
    /// open. Problems are the environment's to log: the file is then an orphan for the next search
    /// for obsolete files.
    fn discard_file(&self, number: u64, path: &Path);

    /// Makes the names of the files created so far outlive a power loss.
    ///
    /// # Errors
    /// What the file system gives.
    fn sync_directories(&self) -> Result<()>;

    /// How urgent the job's reads of tables are to the rate limiter now; none if they do not ask it.
    fn read_priority(&self) -> Option<IoPriority> {
        None
    }

    /// The block cache that the blocks of the new table `number` go to as they are written; none if
    /// they do not.
    fn cache_warming(&self, _number: u64) -> Option<CacheWarming> {
        None
    }

    /// A value in a blob file. `user_key` is that of the entry that refers to it, with its
    /// timestamp.
    ///
    /// # Errors
    /// As [`blob::BlobSource::get`].
    fn read_blob(&self, user_key: &[u8], reference: &BlobReference) -> Result<PinnableSlice>;

    /// A table is complete. Should the job fail later, it is discarded nevertheless.
    fn table_file_finished(&self, _file: &OutputFile) {}

    /// A blob file is complete.
    fn blob_file_finished(&self, _file: &BlobFileAddition) {}

    /// A part of a compaction begins, in its thread. Parts count from 0.
    fn part_started(&self, _part: usize) {}

    /// So many more entries of the inputs, which have `entry_count`, were gone over. Told now and
    /// then.
    fn entries_read(&self, _count: u64, _entry_count: u64) {}

    /// A part ended, with what it did of its own.
    fn part_finished(&self, _part: usize, _result: std::result::Result<&CompactionStats, &Status>) {
    }

    /// The job failed: what it created is about to be discarded.
    fn job_failed(&self, _status: &Status) {}
}
