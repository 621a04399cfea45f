//! What a program is told of a database: [`EventListener`], by RocksDB's names.

mod compaction_info;
mod error_info;
mod file_info;
mod flush_info;
mod pressure_info;

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use base::Status;
pub use compaction_info::{
    CompactionFileInfo, CompactionJobInfo, CompactionJobStats, SubcompactionJobInfo,
    TablePropertiesCollection,
};
pub use env::{FileOperationInfo, FileOperationType, IoErrorInfo};
pub use error_info::{BackgroundErrorReason, BackgroundErrorRecoveryInfo};
pub use file_info::{
    BlobFileAdditionInfo, BlobFileCreationBriefInfo, BlobFileCreationInfo, BlobFileCreationReason,
    BlobFileDeletionInfo, BlobFileGarbageInfo, ExternalFileIngestionInfo,
    TableFileCreationBriefInfo, TableFileCreationInfo, TableFileDeletionInfo,
};
pub use flush_info::{FlushJobInfo, ManualFlushInfo, MemTableInfo};
pub use pressure_info::{BackgroundJobPressure, WriteStallCondition, WriteStallInfo};
use std::fmt;

/// Is told what a database does (`rocksdb::EventListener`). Register it in
/// [`OpenContext::listeners`](crate::OpenContext::listeners); every method does nothing unless it is
/// given a body.
///
/// Methods are called in the thread that did what they tell of, and by several threads at once. No
/// lock of the database is held meanwhile: a method may read, write, and ask for a flush that it does
/// not wait for. What happens while a lock is held is told as soon as it is released, by whichever
/// thread is first. The job goes on when all methods have returned, so they should be quick. One
/// that waits for work of the database (a flush, a compaction, the end of a write stall) may wait for
/// its own thread.
///
/// A method that panics is told of in the info log, and the database goes on. A database that is open
/// for reading only tells nothing.
///
/// # Example
///
/// ```
/// use db::{ColumnFamilyDescriptor, Db, EventListener, FlushJobInfo, FlushOptions, OpenContext};
/// use db::WriteOptions;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// /// Counts what flushes write.
/// #[derive(Debug, Default)]
/// struct FlushedEntries(AtomicU64);
///
/// impl EventListener for FlushedEntries {
///     fn on_flush_completed(&self, _db: &Db, info: &FlushJobInfo) {
///         self.0.fetch_add(info.table_properties.num_entries, Ordering::Relaxed);
///     }
/// }
///
/// # fn main() -> base::Result<()> {
/// let listener = Arc::new(FlushedEntries::default());
/// let context = OpenContext {
///     file_system: Arc::new(env::MemFileSystem::new()),
///     listeners: vec![listener.clone()],
///     ..OpenContext::default()
/// };
/// let options = options::DbOptions { create_if_missing: true, ..Default::default() };
/// let families = [ColumnFamilyDescriptor::new("default", Default::default())];
/// let db = Db::open(&options, "/db".as_ref(), &families, &context)?;
/// let family = db.column_family("default").expect("it was opened");
/// db.put(&WriteOptions::default(), &family, b"key", b"value")?;
/// db.flush(&FlushOptions::default(), &[&family])?;
/// db.close()?;
/// assert_eq!(listener.0.load(Ordering::Relaxed), 1);
/// # Ok(())
/// # }
/// ```
pub trait EventListener: fmt::Debug + Send + Sync {
    /// A flush begins to write a table (`OnFlushBegin`). What is known only afterwards is empty.
    fn on_flush_begin(&self, _db: &Db, _info: &FlushJobInfo) {}

    /// A flush made a table, which reads see (`OnFlushCompleted`). Not told where nothing was left
    /// to write.
    fn on_flush_completed(&self, _db: &Db, _info: &FlushJobInfo) {}

    /// A user asked for a flush, which is scheduled (`OnManualFlushScheduled`). More than one column
    /// family only with `atomic_flush`.
    fn on_manual_flush_scheduled(&self, _db: &Db, _info: &[ManualFlushInfo]) {}

    /// A compaction is about to run (`OnCompactionBegin`), be it one that only moves or deletes
    /// files.
    fn on_compaction_begin(&self, _db: &Db, _info: &CompactionJobInfo) {}

    /// Its outputs are there, and the MANIFEST does not have them yet (`OnCompactionPreCommit`).
    fn on_compaction_pre_commit(&self, _db: &Db, _info: &CompactionJobInfo) {}

    /// It ended, well or with an error (`OnCompactionCompleted`). Told for each that began.
    fn on_compaction_completed(&self, _db: &Db, _info: &CompactionJobInfo) {}

    /// A part of a compaction begins, in its own thread (`OnSubcompactionBegin`). One that is not
    /// divided has one part.
    fn on_subcompaction_begin(&self, _info: &SubcompactionJobInfo) {}

    /// It ended (`OnSubcompactionCompleted`).
    fn on_subcompaction_completed(&self, _info: &SubcompactionJobInfo) {}

    /// A table is about to be written (`OnTableFileCreationStarted`).
    fn on_table_file_creation_started(&self, _info: &TableFileCreationBriefInfo) {}

    /// It is complete, or was given up (`OnTableFileCreated`): then the status says why, and the file
    /// is gone. An empty table is `Aborted`.
    fn on_table_file_created(&self, _info: &TableFileCreationInfo) {}

    /// A table that was complete was deleted, or could not be (`OnTableFileDeleted`).
    fn on_table_file_deleted(&self, _info: &TableFileDeletionInfo) {}

    /// A blob file is about to be written (`OnBlobFileCreationStarted`).
    fn on_blob_file_creation_started(&self, _info: &BlobFileCreationBriefInfo) {}

    /// It is complete, or was given up (`OnBlobFileCreated`).
    fn on_blob_file_created(&self, _info: &BlobFileCreationInfo) {}

    /// A blob file that was complete was deleted, or could not be (`OnBlobFileDeleted`).
    fn on_blob_file_deleted(&self, _info: &BlobFileDeletionInfo) {}

    /// A memtable takes no more writes (`OnMemTableSealed`). Told after the write that found it full.
    fn on_memtable_sealed(&self, _info: &MemTableInfo) {}

    /// The last handle of a column family that was dropped is about to go, or the database's own as
    /// it closes (`OnColumnFamilyHandleDeletionStarted`). Told when a column family is dropped: the
    /// handles of this engine are counted references, and that is when the database lets go of its
    /// own.
    fn on_column_family_handle_deletion_started(&self, _handle: &ColumnFamilyHandle) {}

    /// A table from elsewhere became part of the database (`OnExternalFileIngested`), in the thread
    /// that asked for it and before that call returns.
    fn on_external_file_ingested(&self, _db: &Db, _info: &ExternalFileIngestionInfo) {}

    /// Background work or a write failed (`OnBackgroundError`). `error` is what is to stand as
    /// background error, with its severity; a method may replace it, or set it to none: then the
    /// failure stops nothing. When a failed job is tried again is not said. The error of a panic
    /// stands whatever the method does.
    ///
    /// Told before the error stands, unless the thread holds a lock of the write path: writes fail
    /// then until the methods have returned.
    fn on_background_error(&self, _reason: BackgroundErrorReason, _error: &mut Option<Status>) {}

    /// The database is about to try by itself to get over an error, again and again
    /// (`OnErrorRecoveryBegin`). Setting `auto_recovery` to false leaves that to
    /// [`Db::resume`](crate::Db::resume).
    fn on_error_recovery_begin(
        &self,
        _reason: BackgroundErrorReason,
        _error: &Status,
        _auto_recovery: &mut bool,
    ) {
    }

    /// Attempts to get over this error ended, well or not (`OnErrorRecoveryCompleted`, which RocksDB
    /// deprecates for the next method: that one says which).
    fn on_error_recovery_completed(&self, _old_error: &Status) {}

    /// An attempt to get over an error ended (`OnErrorRecoveryEnd`), well or not.
    fn on_error_recovery_end(&self, _info: &BackgroundErrorRecoveryInfo) {}

    /// A column family begins or ceases to delay or stop writes (`OnStallConditionsChanged`).
    fn on_stall_conditions_changed(&self, _info: &WriteStallInfo) {}

    /// A flush or a compaction in the background ended (`OnBackgroundJobPressureChanged`): how much
    /// there is to do, and how close writes are to a stall. Told whether that changed or not.
    fn on_background_job_pressure_changed(&self, _db: &Db, _pressure: &BackgroundJobPressure) {}

    /// The database begins to close (`OnDBShutdownBegin`). Jobs may still run, and be told of.
    fn on_db_shutdown_begin(&self, _db: &Db) {}

    /// Whether the methods below are to be called (`ShouldBeNotifiedOnFileIO`). Asked once, when the
    /// database is opened; one listener that wants it suffices for the database to watch its files,
    /// and only those that want it are told.
    ///
    /// These methods are the exception to the rule: they are called in the middle of what is done to
    /// the file, whatever locks are held, and must not use a database. What they panic with is lost.
    fn should_be_notified_on_file_io(&self) -> bool {
        false
    }

    /// A file was read (`OnFileReadFinish`).
    fn on_file_read_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// A file was appended to (`OnFileWriteFinish`).
    fn on_file_write_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// What was appended was handed to the operating system (`OnFileFlushFinish`).
    fn on_file_flush_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// A file was synced (`OnFileSyncFinish`).
    fn on_file_sync_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// Part of a file was handed to the disk (`OnFileRangeSyncFinish`). The file systems of this
    /// engine do that within appends (`bytes_per_sync`), where it is not told apart: only a file
    /// system of a user may cause it.
    fn on_file_range_sync_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// A file was cut (`OnFileTruncateFinish`).
    fn on_file_truncate_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// A file was closed (`OnFileCloseFinish`).
    fn on_file_close_finish(&self, _info: &FileOperationInfo<'_>) {}

    /// A file operation failed (`OnIOError`).
    fn on_io_error(&self, _info: &IoErrorInfo<'_>) {}
}
