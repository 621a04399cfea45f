//! The traits through which the engine reaches its files.
//!
//! Every error is a [`Status`](base::Status) of kind `IoError` that names the operation and the
//! file. Names are UTF-8: RocksDB's own are ASCII, and paths are the user's.

use base::Result;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Bypass the page cache for reads (`use_direct_reads`). A file system that cannot says so
    /// with an `InvalidArgument`.
    pub use_direct_reads: bool,
    /// Bypass the page cache for writes (`use_direct_io_for_flush_and_compaction`).
    pub use_direct_writes: bool,
}

/// A set of files and directories.
pub trait FileSystem: fmt::Debug + Send + Sync {
    /// Opens an existing file for reading from its start.
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>>;

    /// Opens an existing file for reading anywhere.
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

    /// Opens a directory, so that names in it can be synced.
    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>>;

    /// Whether something exists at `path`.
    fn file_exists(&self, path: &Path) -> Result<bool>;

    /// Names in a directory, in no order, without `.` and `..`. Names that are not UTF-8 are left
    /// out: no file of a database has one.
    fn get_children(&self, path: &Path) -> Result<Vec<String>>;

    /// Removes a file.
    fn delete_file(&self, path: &Path) -> Result<()>;

    /// Creates a directory; an error if it exists.
    fn create_dir(&self, path: &Path) -> Result<()>;

    /// Creates a directory unless it exists. Its parent must exist.
    fn create_dir_if_missing(&self, path: &Path) -> Result<()>;

    /// Removes an empty directory.
    fn delete_dir(&self, path: &Path) -> Result<()>;

    /// Bytes in a file.
    fn get_file_size(&self, path: &Path) -> Result<u64>;

    /// Time of the last change, seconds since 1970.
    fn get_file_modification_time(&self, path: &Path) -> Result<u64>;

    /// Renames a file over whatever is at `target`, atomically.
    fn rename_file(&self, source: &Path, target: &Path) -> Result<()>;

    /// Makes `target` another name of `source`.
    fn link_file(&self, source: &Path, target: &Path) -> Result<()>;

    /// Cuts a file to `size` bytes.
    fn truncate(&self, path: &Path, size: u64) -> Result<()>;

    /// Takes the advisory lock of a file, creating the file if missing. Held until dropped.
    /// Fails at once if this or another process holds it.
    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>>;
}

/// A file read from start to end.
pub trait SequentialFile: fmt::Debug + Send {
    /// Reads up to `buffer.len()` bytes; fewer only at the end of the file.
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize>;

    /// Skips `count` bytes; skipping past the end is no error.
    fn skip(&mut self, count: u64) -> Result<()>;

    /// The path it was opened with.
    fn path(&self) -> &Path;
}

/// A file read anywhere, by many threads at once.
pub trait RandomAccessFile: fmt::Debug + Send + Sync {
    /// Reads up to `buffer.len()` bytes at `offset`; fewer only at the end of the file.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize>;

    /// Bytes in the file.
    fn size(&self) -> Result<u64>;

    /// Asks the system to bring a range into its cache. Costs nothing where it cannot.
    fn prefetch(&self, _offset: u64, _count: u64) {}

    /// Whether reads bypass the page cache.
    fn use_direct_io(&self) -> bool {
        false
    }

    /// The path it was opened with.
    fn path(&self) -> &Path;
}

/// A file being written from start to end by one thread.
pub trait WritableFile: fmt::Debug + Send {
    /// Appends.
    fn append(&mut self, bytes: &[u8]) -> Result<()>;

    /// Hands what was appended to the operating system, so that it outlives the process.
    fn flush(&mut self) -> Result<()>;

    /// Makes content (and the size needed to read it) outlive a power loss. Flushes first.
    fn sync(&mut self) -> Result<()>;

    /// As [`WritableFile::sync`], with all metadata (`use_fsync`).
    fn fsync(&mut self) -> Result<()>;

    /// Bytes appended since the start of the file.
    fn size(&self) -> u64;

    /// Flushes and closes. Dropping closes too, and loses errors.
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
