//! The traits through which the engine reaches its files.
//!
//! Every error is a [`Status`](base::Status) of kind `IoError` that names the operation and the
//! file. A missing file or directory has the subcode `PathNotFound`, a full device `NoSpace`.
//! Names are UTF-8: RocksDB's own are ASCII, and paths are the user's.
//!
//! What the traits promise is written as tests in the `conformance` module; every file system of
//! this crate passes them.

use crate::batch_read::QueuedFile;
use base::Result;
use statistics::Moment;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// Bypass the page cache for reads (`use_direct_reads`). A file system that cannot says so
    /// with an `InvalidArgument`.
    pub use_direct_reads: bool,
    /// A file that is read at any offset will be read here and there, so that the system should read
    /// nothing but what is asked for (`advise_random_on_open`, [`AccessPattern::Random`]). Default: false.
    pub is_read_at_random: bool,
    /// Bypass the page cache for writes (`use_direct_io_for_flush_and_compaction`).
    pub use_direct_writes: bool,
    /// Most bytes that a written file gathers before it hands them to the operating system
    /// (`writable_file_max_buffer_size`). Default: 1 MiB. With 0 nothing is gathered, which direct
    /// writes cannot do: they refuse it.
    pub writable_file_max_buffer_size: usize,
    /// While a file grows, have the disk write what is older than its newest megabyte each time
    /// that makes so many bytes, so that a later sync finds little left (`bytes_per_sync`, for logs
    /// `wal_bytes_per_sync`). Nothing is safe by it. Default: 0, never. Not for direct writes.
    pub bytes_per_sync: u64,
    /// Before more is handed to the disk so, wait for what was handed to it before, so that a
    /// writer never gets far ahead of it (`strict_bytes_per_sync`). Default: false.
    pub strict_bytes_per_sync: bool,
    /// The file is synced when it is complete, and every byte is written once. The disk then begins to
    /// write early also without `bytes_per_sync`, so that the sync does not wait for all of a large
    /// file, and direct writes go on beside what fills the next buffer. Default: false.
    pub is_synced_when_complete: bool,
    /// Reserve room on the device in blocks of so many bytes ahead of appends; what is not needed
    /// is given back on closing. The file's size does not show it, and failing to get it is no
    /// error. Default: 0, never.
    pub preallocation_block_size: u64,
    /// Whether to reserve room at all (`allow_fallocate`). Default: true.
    pub allow_fallocate: bool,
    /// Append by storing into a mapping of the file, without a system call for each, where the file
    /// system is known to make that safe; elsewhere, and from where it has no room on, the file is
    /// written to. Such a file ends in zeros while it is open ([`WritableFile::mapped_size`]). Not for
    /// direct writes, nor for files that are reopened. Default: false.
    pub use_mapped_writes: bool,
    /// The file is synced again and again while it is appended to, so that few pages should become dirty
    /// by an append to a mapped one. Default: false.
    pub is_synced_often: bool,
    /// Go on as a file that is written to once the appends to a mapped one have been larger than so many
    /// bytes on average for a while: then a call for each costs less than preparing pages for them.
    /// Default: [`u64::MAX`], never.
    pub mapped_append_size_max: u64,
}

impl FileOptions {
    /// The defaults, as a constant.
    pub const DEFAULT: Self = Self {
        use_direct_reads: false,
        is_read_at_random: false,
        use_direct_writes: false,
        writable_file_max_buffer_size: 1 << 20,
        bytes_per_sync: 0,
        strict_bytes_per_sync: false,
        is_synced_when_complete: false,
        preallocation_block_size: 0,
        allow_fallocate: true,
        use_mapped_writes: false,
        is_synced_often: false,
        mapped_append_size_max: u64::MAX,
    };
}

impl Default for FileOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How a file will be read; see [`RandomAccessFile::hint`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPattern {
    /// No knowledge: the system's default readahead.
    Normal,
    /// Point reads: readahead would be wasted (`advise_random_on_open`).
    Random,
    /// From start to end: read ahead generously.
    Sequential,
    /// Not again soon: its cached pages may go.
    WontNeed,
}

/// A set of files and directories.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Opens an existing file for reading from its start. Anything but a regular file is refused.
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>>;

    /// Opens an existing file for reading anywhere. Anything but a regular file is refused.
    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>>;

    /// Creates a file for appending; one that exists is cut to nothing.
    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>>;

    /// Opens a file for appending at its end, creating it if it is missing.
    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>>;

    /// Renames `old_path` to `new_path` and opens it for writing over its content from the start,
    /// without cutting it: blocks that a log has on the device serve the next one
    /// (`recycle_log_file_num`). Beyond what was written, readers find old content, or zeros up to
    /// the end of a block. A file that is at `new_path` is replaced.
    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>>;

    /// Opens a directory, so that names in it can be synced.
    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>>;

    /// Whether something exists at `path`. An error only where that cannot be told, for instance
    /// without permission to look.
    fn file_exists(&self, path: &Path) -> Result<bool>;

    /// Whether `path` is a directory; an error if nothing is there.
    fn is_directory(&self, path: &Path) -> Result<bool>;

    /// Bytes that may yet be written to the device that holds `path`, which exists; `u64::MAX`
    /// where there is no limit.
    fn free_space(&self, path: &Path) -> Result<u64>;

    /// Names in a directory, in no order, without `.` and `..`. Names that are not UTF-8 are left
    /// out: no file of a database has one.
    fn get_children(&self, path: &Path) -> Result<Vec<String>>;

    /// Removes a file. Open files keep their content until closed.
    fn delete_file(&self, path: &Path) -> Result<()>;

    /// Creates a directory; an error if it exists.
    fn create_dir(&self, path: &Path) -> Result<()>;

    /// Creates a directory unless it exists. Its parent must exist. A file at `path` is an error.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()>;

    /// Removes an empty directory.
    fn delete_dir(&self, path: &Path) -> Result<()>;

    /// Bytes in a file. What a writer holds in its buffer is not counted.
    fn get_file_size(&self, path: &Path) -> Result<u64>;

    /// Time of the last change, seconds since 1970.
    fn get_file_modification_time(&self, path: &Path) -> Result<u64>;

    /// Renames a file over the file at `target` if there is one, atomically. A directory can be
    /// renamed too, to a name that is free or an empty directory. Open files are not disturbed.
    fn rename_file(&self, source: &Path, target: &Path) -> Result<()>;

    /// Makes `target` another name of the file `source`; an error if `target` exists, `NotSupported` where
    /// a file cannot have both names.
    fn link_file(&self, source: &Path, target: &Path) -> Result<()>;

    /// Cuts a file to `size` bytes, or extends it with zeros.
    fn truncate(&self, path: &Path, size: u64) -> Result<()>;

    /// Makes the content of a file that was written before outlive a power loss, as
    /// [`WritableFile::fsync`] does: for files that others wrote, such as those to be ingested.
    fn sync_file(&self, path: &Path) -> Result<()>;

    /// Takes the advisory lock of a file, creating the file if missing. Held until dropped.
    /// Fails at once if this or another process holds it. Nobody else may open the locked file
    /// meanwhile: POSIX releases a lock when any descriptor of the file is closed.
    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>>;

    /// So many files are about to be opened, and to stay open. Costs nothing where there is nothing to
    /// prepare.
    fn expect_open_files(&self, _count: usize) {}
}

/// A file read from start to end.
pub trait SequentialFile: fmt::Debug + Send {
    /// Reads up to `buffer.len()` bytes; fewer only at the end of the file.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize>;

    /// Skips `count` bytes; skipping past the end is no error, and reads there find the end.
    fn skip(&mut self, count: u64) -> Result<()>;

    /// The path it was opened with.
    fn path(&self) -> &Path;
}

/// A file read anywhere, by many threads at once.
pub trait RandomAccessFile: fmt::Debug + Send + Sync {
    /// Reads up to `buffer.len()` bytes at `offset`; fewer only at the end of the file. An offset
    /// past the end reads nothing. What the rest of `buffer` holds afterwards is not said: direct
    /// reads fill it to the end of the file's last block. Callers that know how much must be there
    /// use [`read_exact_at`](crate::read_exact_at).
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize>;

    /// As [`Self::read_at`], up to `length` bytes that are put behind those in `buffer`; none if it
    /// fails. Files of the operating system do not clear memory that they then write to.
    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        let start = buffer.len();
        buffer.resize(start + length, 0);
        let found = self.read_at(offset, &mut buffer[start..]);
        buffer.truncate(start + found.as_ref().map_or(0, |&found| found));
        found
    }

    /// The file of the operating system behind this one, if reads of a batch may go to that
    /// ([`read_batch`](crate::read_batch)). Whoever counts, changes or fails reads has none, or is told of
    /// them by [`Self::end_queued_read`].
    fn queued_file(&self) -> Option<QueuedFile<'_>> {
        None
    }

    /// A read of `count` bytes went to [`Self::queued_file`], which told its `start`.
    fn end_queued_read(&self, _start: Option<Moment>, _count: usize) {}

    /// Bytes in the file.
    fn size(&self) -> Result<u64>;

    /// Bytes that were in the file when it was opened, for files that nobody writes to any more. The
    /// system need not be asked again.
    fn size_when_opened(&self) -> Result<u64> {
        self.size()
    }

    /// Asks the system to bring a range into its cache. Costs nothing where it cannot.
    fn prefetch(&self, _offset: u64, _count: u64) {}

    /// Tells the system how the file will be read. Costs nothing where it cannot make use of it.
    fn hint(&self, _pattern: AccessPattern) {}

    /// Bytes that every device below the file takes in one request; reading further ahead at once
    /// would be split. `u64::MAX` where nothing limits it or nothing is known of it.
    fn readahead_max(&self) -> u64 {
        u64::MAX
    }

    /// Whether reads bypass the page cache.
    fn use_direct_io(&self) -> bool {
        false
    }

    /// The path it was opened with.
    fn path(&self) -> &Path;
}

/// A file being written from start to end by one thread.
///
/// Small appends gather in a buffer; only `flush`, `sync`, `fsync` and `close` make sure that
/// readers see them. Once an append, a flush or a sync has failed, what is in the file is unknown
/// (the kernel may have dropped pages that a later sync would then report as safe), so all later
/// ones fail too.
pub trait WritableFile: fmt::Debug + Send {
    /// Appends.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;

    /// Hands what was appended to the operating system, so that it outlives the process.
    fn flush(&mut self) -> Result<()>;

    /// Makes content (and the size needed to read it) outlive a power loss. Flushes first.
    fn sync(&mut self) -> Result<()>;

    /// As [`WritableFile::sync`], with all metadata (`use_fsync`).
    fn fsync(&mut self) -> Result<()>;

    /// Whether a sync waits for a device, so that something else should be done meanwhile
    /// ([`RunningSync`](crate::RunningSync)). Where nothing is waited for everything happens in its
    /// order, in one thread.
    fn sync_takes_time(&self) -> bool {
        true
    }

    /// Asks the disk to start writing a range that was flushed. Only a hint: nothing is safe
    /// before [`WritableFile::sync`]. Costs nothing where it cannot. The file does this by itself
    /// with [`FileOptions::bytes_per_sync`].
    fn range_sync(&mut self, _offset: u64, _nbytes: u64) -> Result<()> {
        Ok(())
    }

    /// Reserves room on the device for a range, without a change of the file's size. What is not
    /// needed is given back on closing. Costs nothing where it cannot. The file does this by itself
    /// with [`FileOptions::preallocation_block_size`].
    ///
    /// # Errors
    ///
    /// `NoSpace` if there is no room; the file can still be written.
    fn allocate(&mut self, _offset: u64, _nbytes: u64) -> Result<()> {
        Ok(())
    }

    /// Where the next byte goes: bytes before the end of what was written, which is the file's
    /// size except where [`FileSystem::reuse_writable_file`] left old content behind it, or it is
    /// mapped.
    fn size(&self) -> u64;

    /// How long a file is at least that is appended to through a mapping
    /// ([`FileOptions::use_mapped_writes`]): behind what was appended there are zeros, or, reused,
    /// what it held before, and more may be prepared. What was appended readers see at once: all of an
    /// append but its first eight bytes, then these. None for files that are written to.
    fn mapped_size(&self) -> Option<u64> {
        None
    }

    /// Flushes, and has a mapped file end where what was appended ends. What is appended later is
    /// written. Nothing but a flush for other files, also for reused ones.
    fn cut(&mut self) -> Result<()> {
        self.flush()
    }

    /// Flushes and closes; the file is then as long as what was written (or, reused and not mapped,
    /// was before).
    /// Dropping closes too, and loses errors.
    fn close(self: Box<Self>) -> Result<()>;

    /// The path it was opened with.
    fn path(&self) -> &Path;
}

/// An open directory.
pub trait Directory: fmt::Debug + Send + Sync {
    /// Makes creations, removals and renames in it outlive a power loss.
    fn fsync(&self) -> Result<()>;
}

/// A held lock; dropping it releases it.
pub trait FileLock: fmt::Debug + Send + Sync {}
