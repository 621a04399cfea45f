//! The file system of the operating system.
//!
//! Buffered files go through the page cache. Direct files (`O_DIRECT`) go around it through
//! aligned buffers of their own, so that callers may read and append any range; a file system
//! that refuses `O_DIRECT` (older tmpfs, some network and overlay ones) is told by an
//! `InvalidArgument` that names the path.

mod append_read;
mod buffer_pool;
mod chunk_preparer;
mod direct_io;
mod direct_writable_file;
mod file_lock;
mod mapped_writable_file;
#[expect(
    unsafe_code,
    reason = "a file in memory, for logs that are appended to without system calls"
)]
mod mapping;
mod posix_file;
mod random_access_file;
mod sequential_file;
mod sync_file_range;
mod writable_file;
mod write_behind;
mod write_pacing;

use crate::file_system::{
    AccessPattern, Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile,
    WritableFile,
};
use crate::host_name::open_files_limit;
use base::{Result, Status};
pub use buffer_pool::{file_buffer_bytes, kept_buffer_bytes};
use direct_writable_file::DirectWritableFile;
use mapped_writable_file::MappedWritableFile;
pub use mapping::mapped_file_bytes;
use perf_context::{IoMetric, PerfMetric, Timer};
use posix_file::PosixFile;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use writable_file::PosixWritableFile;

/// The operating system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct PosixFileSystem;

impl PosixFileSystem {
    /// The one that everybody shares.
    pub fn shared() -> Arc<dyn FileSystem> {
        static SHARED: OnceLock<Arc<PosixFileSystem>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| Arc::new(PosixFileSystem))) as Arc<dyn FileSystem>
    }
}

/// The file system used when the user names none.
pub fn default_file_system() -> Arc<dyn FileSystem> {
    PosixFileSystem::shared()
}

/// The permissions of new files and directories, before the umask; RocksDB's.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;

/// Descriptors that a process may have beside those that it expects.
const DESCRIPTORS_OF_OTHERS: u64 = 64;
/// For so many descriptors, with eight bytes each, there is room at once.
const DESCRIPTORS_EXPECTED_MAX: u64 = 1 << 20;

impl FileSystem for PosixFileSystem {
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        let _timer = Timer::start(PerfMetric::EnvNewSequentialFileNanos);
        let (file, _) = open_for_reading(path, options.use_direct_reads)?;
        Ok(if options.use_direct_reads {
            Box::new(direct_io::DirectSequentialFile::new(file))
        } else {
            Box::new(sequential_file::PosixSequentialFile::new(file))
        })
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let _timer = Timer::start(PerfMetric::EnvNewRandomAccessFileNanos);
        let (file, size) = open_for_reading(path, options.use_direct_reads)?;
        Ok(if options.use_direct_reads {
            Arc::new(direct_io::DirectRandomAccessFile::new(file, size))
        } else {
            let file = random_access_file::PosixRandomAccessFile::new(file, size);
            if options.is_read_at_random {
                file.hint(AccessPattern::Random);
            }
            Arc::new(file)
        })
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let _timer = Timer::start(PerfMetric::EnvNewWritableFileNanos);
        open_for_writing(path, options, Existing::Cut)
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        open_for_writing(path, options, Existing::Append)
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let _timer = Timer::start(PerfMetric::EnvReuseWritableFileNanos);
        let doing = "open for writing";
        let file = open_options(options, Existing::Overwrite)
            .open(old_path)
            .map_err(|error| open_failed(&error, doing, old_path, options.use_direct_writes))?;
        self.rename_file(old_path, new_path)?;
        writable_file(PosixFile::new(file, new_path), 0, options)
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let _timer = Timer::start(PerfMetric::EnvNewDirectoryNanos);
        let doing = "open directory";
        let file = File::open(path).map_err(|error| Status::from_io(&error, doing, path))?;
        let metadata = file.metadata().map_err(|error| Status::from_io(&error, doing, path))?;
        if !metadata.is_dir() {
            let error = io::Error::from(rustix::io::Errno::NOTDIR);
            return Err(Status::from_io(&error, doing, path));
        }
        Ok(Box::new(PosixDirectory { file, path: path.to_path_buf() }))
    }

    fn file_exists(&self, path: &Path) -> Result<bool> {
        let _timer = Timer::start(PerfMetric::EnvFileExistsNanos);
        match fs::metadata(path) {
            Ok(_) => Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(Status::from_io(&error, "look for", path)),
        }
    }

    fn is_directory(&self, path: &Path) -> Result<bool> {
        let metadata =
            fs::metadata(path).map_err(|error| Status::from_io(&error, "look at", path))?;
        Ok(metadata.is_dir())
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        let found = rustix::fs::statvfs(path)
            .map_err(|error| Status::from_io(&error.into(), "get free space of", path))?;
        // Some blocks are kept for the superuser.
        let root = rustix::process::geteuid().is_root();
        let blocks = if root { found.f_bfree } else { found.f_bavail };
        Ok(blocks.saturating_mul(found.f_frsize))
    }

    fn get_children(&self, path: &Path) -> Result<Vec<String>> {
        let _timer = Timer::start(PerfMetric::EnvGetChildrenNanos);
        let failed = |error: io::Error| Status::from_io(&error, "list directory", path);
        let mut names = Vec::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            if let Ok(name) = entry.map_err(failed)?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvDeleteFileNanos);
        fs::remove_file(path).map_err(|error| Status::from_io(&error, "delete file", path))
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvCreateDirNanos);
        make_directory(path).map_err(|error| Status::from_io(&error, "create directory", path))
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvCreateDirIfMissingNanos);
        match make_directory(path) {
            Ok(()) => Ok(()),
            // `mkdir` says so of anything that exists; only a directory is what was asked for.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
            Err(error) => Err(Status::from_io(&error, "create directory", path)),
        }
    }

    fn delete_dir(&self, path: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvDeleteDirNanos);
        fs::remove_dir(path).map_err(|error| Status::from_io(&error, "delete directory", path))
    }

    fn get_file_size(&self, path: &Path) -> Result<u64> {
        let _timer = Timer::start(PerfMetric::EnvGetFileSizeNanos);
        let failed = |error: io::Error| Status::from_io(&error, "get size of", path);
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Err(failed(rustix::io::Errno::ISDIR.into()));
        }
        Ok(metadata.len())
    }

    fn get_file_modification_time(&self, path: &Path) -> Result<u64> {
        let _timer = Timer::start(PerfMetric::EnvGetFileModificationTimeNanos);
        let metadata = fs::metadata(path)
            .map_err(|error| Status::from_io(&error, "get modification time of", path))?;
        Ok(u64::try_from(metadata.mtime()).unwrap_or(0))
    }

    fn rename_file(&self, source: &Path, target: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvRenameFileNanos);
        fs::rename(source, target).map_err(|error| two_paths(&error, "rename", source, target))
    }

    fn link_file(&self, source: &Path, target: &Path) -> Result<()> {
        let _timer = Timer::start(PerfMetric::EnvLinkFileNanos);
        fs::hard_link(source, target).map_err(|error| match error.kind() {
            io::ErrorKind::CrossesDevices => Status::not_supported(format!(
                "No cross FS links allowed: {} to {}",
                source.display(),
                target.display()
            )),
            _ => two_paths(&error, "link", source, target),
        })
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| file.set_len(size))
            .map_err(|error| Status::from_io(&error, "truncate", path))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        // Through any descriptor: it is the file's pages that are written.
        let (file, _) = open_for_reading(path, false)?;
        file.sync_all()
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let _timer = Timer::start(PerfMetric::EnvLockFileNanos);
        Ok(Box::new(file_lock::PosixFileLock::acquire(path, FILE_MODE)?))
    }

    /// Linux doubles a process's table of descriptors whenever it is full, and where there are threads
    /// each time waits until no processor can still look at the old one, ten milliseconds or so. A
    /// descriptor of a large number makes the table as large at once.
    fn expect_open_files(&self, count: usize) {
        let limit = open_files_limit().unwrap_or(u64::MAX).min(DESCRIPTORS_EXPECTED_MAX);
        let largest =
            (count as u64).saturating_add(DESCRIPTORS_OF_OTHERS).min(limit.saturating_sub(1));
        if let (Ok(file), Ok(largest)) = (File::open("/"), i32::try_from(largest)) {
            // It costs time, nothing else, where this is refused.
            let _ = rustix::io::fcntl_dupfd_cloexec(&file, largest);
        }
    }
}

fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(DIRECTORY_MODE).create(path)
}

fn two_paths(error: &io::Error, doing: &str, source: &Path, target: &Path) -> Status {
    Status::from_io(error, &format!("{doing} {} to", source.display()), target)
}

/// Opens a regular file. Anything else is refused: a directory cannot be read, and a pipe under a
/// name of the database would block for ever (hence `O_NONBLOCK`, which regular files ignore). The
/// file, and how many bytes it has now.
fn open_for_reading(path: &Path, direct: bool) -> Result<(PosixFile, u64)> {
    let _timer = Timer::start(IoMetric::OpenNanos);
    let doing = "open for reading";
    let mut flags = rustix::fs::OFlags::NONBLOCK;
    if direct {
        flags |= rustix::fs::OFlags::DIRECT;
    }
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
        .map_err(|error| open_failed(&error, doing, path, direct))?;
    let metadata = file.metadata().map_err(|error| Status::from_io(&error, doing, path))?;
    if metadata.is_dir() {
        let error = io::Error::from(rustix::io::Errno::ISDIR);
        return Err(Status::from_io(&error, doing, path));
    }
    if !metadata.is_file() {
        return Err(Status::io_error(format!("{doing} {}: not a regular file", path.display())));
    }
    Ok((PosixFile::new(file, path), metadata.len()))
}

/// What happens to the content of a file that exists.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Existing {
    /// It goes.
    Cut,
    /// It stays, and more comes after it.
    Append,
    /// It stays until it is written over. The file must exist.
    Overwrite,
}

fn open_options(options: &FileOptions, existing: Existing) -> OpenOptions {
    let mut open = OpenOptions::new();
    open.write(true).mode(FILE_MODE);
    open.create(existing != Existing::Overwrite).truncate(existing == Existing::Cut);
    if options.use_direct_writes {
        // The last, partly filled block is read back before it is extended.
        open.read(true).custom_flags(rustix::fs::OFlags::DIRECT.bits().cast_signed());
    }
    if options.use_mapped_writes {
        // A mapping that is shared and written needs both.
        open.read(true);
    }
    open
}

fn open_for_writing(
    path: &Path,
    options: &FileOptions,
    existing: Existing,
) -> Result<Box<dyn WritableFile>> {
    let _timer = Timer::start(IoMetric::OpenNanos);
    let doing = "open for writing";
    let file = open_options(options, existing)
        .open(path)
        .map_err(|error| open_failed(&error, doing, path, options.use_direct_writes))?;
    let file = PosixFile::new(file, path);
    let offset = if existing == Existing::Append { file.size()? } else { 0 };
    writable_file(file, offset, options)
}

fn writable_file(
    file: PosixFile,
    offset: u64,
    options: &FileOptions,
) -> Result<Box<dyn WritableFile>> {
    if options.use_direct_writes {
        return Ok(Box::new(DirectWritableFile::new(file, offset, options)?));
    }
    let is_mapped = options.use_mapped_writes && options.allow_fallocate && offset == 0;
    let mapped = is_mapped.then(|| MappedWritableFile::new(&file, options)).flatten();
    Ok(match mapped {
        Some(mapped) => Box::new(mapped),
        None => Box::new(PosixWritableFile::new(file, offset, options)),
    })
}

fn preallocation_block_size(options: &FileOptions) -> u64 {
    if options.allow_fallocate { options.preallocation_block_size } else { 0 }
}

fn open_failed(error: &io::Error, doing: &str, path: &Path, direct: bool) -> Status {
    if !direct || error.kind() != io::ErrorKind::InvalidInput {
        return Status::from_io(error, doing, path);
    }
    if path.is_dir() {
        // The kernel looks at `O_DIRECT` first.
        return Status::from_io(&rustix::io::Errno::ISDIR.into(), doing, path);
    }
    Status::invalid_argument(format!(
        "{doing} {}: its file system does not support direct I/O (O_DIRECT)",
        path.display()
    ))
}

#[derive(Debug)]
struct PosixDirectory {
    file: File,
    path: PathBuf,
}

impl Directory for PosixDirectory {
    fn fsync(&self) -> Result<()> {
        self.file.sync_all().map_err(|error| Status::from_io(&error, "fsync directory", &self.path))
    }
}

#[cfg(test)]
mod tests;
