//! A file system whose operations on files are told to an observer as they end, with how long they
//! took (`ShouldBeNotifiedOnFileIO`).

use crate::file_system::{FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile};
use crate::file_system_wrapper::{
    FileSystemWrapper, RandomAccessFileWrapper, SequentialFileWrapper, WritableFileWrapper,
};
use base::{Result, Status};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// What was done (`rocksdb::FileOperationType`, with its numbers).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FileOperationType {
    /// A read.
    Read = 0,
    /// A write; appends are told as that.
    Write = 1,
    /// The file was cut.
    Truncate = 2,
    /// It was closed.
    Close = 3,
    /// What was written was handed to the operating system.
    Flush = 4,
    /// It was synced, its times not.
    Sync = 5,
    /// It was synced.
    Fsync = 6,
    /// Part of it was handed to the disk.
    RangeSync = 7,
    /// Bytes were added at its end.
    Append = 8,
    /// Bytes were written at a place.
    PositionedAppend = 9,
    /// It was opened.
    Open = 10,
    /// Its content was checked.
    Verify = 11,
}

/// An operation on a file that ended (`rocksdb::FileOperationInfo`).
#[derive(Clone, Copy, Debug)]
pub struct FileOperationInfo<'o> {
    /// What was done.
    pub operation: FileOperationType,
    /// The file.
    pub path: &'o Path,
    /// Where in the file, where that applies; else 0.
    pub offset: u64,
    /// Bytes that were read or written, where that applies; else 0.
    pub length: usize,
    /// How long it took.
    pub duration: Duration,
    /// When it began.
    pub start: SystemTime,
    /// Why it failed; none if it did not.
    pub status: Option<&'o Status>,
}

/// An operation on a file that failed (`rocksdb::IOErrorInfo`).
#[derive(Clone, Copy, Debug)]
pub struct IoErrorInfo<'o> {
    /// Why.
    pub io_status: &'o Status,
    /// What was tried.
    pub operation: FileOperationType,
    /// The file.
    pub file_path: &'o Path,
    /// Bytes, where that applies; else 0.
    pub length: usize,
    /// Where in the file, where that applies; else 0.
    pub offset: u64,
}

/// Is told of operations on files.
pub trait FileObserver: fmt::Debug + Send + Sync {
    /// One ended, well or not.
    fn on_file_operation(&self, info: &FileOperationInfo<'_>);

    /// One failed. Told after the end of the same operation; alone where opening a file failed.
    fn on_io_error(&self, info: &IoErrorInfo<'_>);
}

/// Tells an observer what is done to another file system's files.
#[derive(Clone, Debug)]
pub struct ObservedFileSystem {
    inner: Arc<dyn FileSystem>,
    observer: Arc<dyn FileObserver>,
}

impl ObservedFileSystem {
    /// What is done to `inner` is told to `observer`.
    pub fn new(inner: Arc<dyn FileSystem>, observer: Arc<dyn FileObserver>) -> Self {
        Self { inner, observer }
    }

    /// A file is opened: told only if that fails.
    fn open<T>(&self, path: &Path, open: impl FnOnce() -> Result<T>) -> Result<T> {
        open().inspect_err(|status| {
            let operation = FileOperationType::Open;
            self.observer.on_io_error(&IoErrorInfo {
                io_status: status,
                operation,
                file_path: path,
                length: 0,
                offset: 0,
            });
        })
    }
}

/// What is done to a file, where, and to how many bytes.
#[derive(Clone, Copy)]
struct Step<'s> {
    operation: FileOperationType,
    path: &'s Path,
    offset: u64,
    length: usize,
}

/// Does it, and tells. `length_of` says how many bytes it came to.
fn observe<T>(
    observer: &dyn FileObserver,
    step: Step<'_>,
    run: impl FnOnce() -> Result<T>,
    length_of: impl FnOnce(&T) -> usize,
) -> Result<T> {
    let (start, clock) = (SystemTime::now(), Instant::now());
    let result = run();
    let Step { operation, path, offset, length } = step;
    observer.on_file_operation(&FileOperationInfo {
        operation,
        path,
        offset,
        length: result.as_ref().map_or(length, length_of),
        duration: clock.elapsed(),
        start,
        status: result.as_ref().err(),
    });
    if let Err(io_status) = &result {
        observer.on_io_error(&IoErrorInfo {
            io_status,
            operation,
            file_path: path,
            length,
            offset,
        });
    }
    result
}

#[derive(Debug)]
struct ObservedSequentialFile {
    inner: Box<dyn SequentialFile>,
    observer: Arc<dyn FileObserver>,
    offset: u64,
}

impl SequentialFileWrapper for ObservedSequentialFile {
    fn target(&self) -> &dyn SequentialFile {
        &*self.inner
    }

    fn target_mut(&mut self) -> &mut dyn SequentialFile {
        &mut *self.inner
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let Self { inner, observer, offset } = self;
        let path = inner.path().to_owned();
        let operation = FileOperationType::Read;
        let step = Step { operation, path: &path, offset: *offset, length: buffer.len() };
        let read = observe(&**observer, step, || inner.read(buffer), |length| *length)?;
        *offset += read as u64;
        Ok(read)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        self.inner.skip(count)?;
        self.offset = self.offset.saturating_add(count);
        Ok(())
    }
}

#[derive(Debug)]
struct ObservedRandomAccessFile {
    inner: Arc<dyn RandomAccessFile>,
    observer: Arc<dyn FileObserver>,
}

impl RandomAccessFileWrapper for ObservedRandomAccessFile {
    fn target(&self) -> &dyn RandomAccessFile {
        &*self.inner
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let (operation, path) = (FileOperationType::Read, self.inner.path());
        let step = Step { operation, path, offset, length: buffer.len() };
        let read = || self.inner.read_at(offset, buffer);
        observe(&*self.observer, step, read, |length| *length)
    }
}

#[derive(Debug)]
struct ObservedWritableFile {
    inner: Box<dyn WritableFile>,
    observer: Arc<dyn FileObserver>,
    path: PathBuf,
}

impl ObservedWritableFile {
    fn observe(
        &mut self,
        operation: FileOperationType,
        length: usize,
        run: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let offset = if length > 0 { self.inner.size() } else { 0 };
        let step = Step { operation, path: &self.path, offset, length };
        observe(&*self.observer, step, || run(&mut *self.inner), |()| length)
    }
}

impl WritableFileWrapper for ObservedWritableFile {
    fn target(&self) -> &dyn WritableFile {
        &*self.inner
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.inner
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.inner
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.observe(FileOperationType::Write, bytes.len(), |file| file.append(bytes))
    }

    fn flush(&mut self) -> Result<()> {
        self.observe(FileOperationType::Flush, 0, |file| file.flush())
    }

    fn sync(&mut self) -> Result<()> {
        self.observe(FileOperationType::Sync, 0, |file| file.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        self.observe(FileOperationType::Fsync, 0, |file| file.fsync())
    }

    fn cut(&mut self) -> Result<()> {
        let operation = match self.inner.mapped_size() {
            Some(_) => FileOperationType::Truncate,
            None => FileOperationType::Flush,
        };
        self.observe(operation, 0, |file| file.cut())
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        let length = usize::try_from(nbytes).unwrap_or(usize::MAX);
        let (operation, path) = (FileOperationType::RangeSync, &*self.path);
        let step = Step { operation, path, offset, length };
        observe(&*self.observer, step, || self.inner.range_sync(offset, nbytes), |()| length)
    }

    fn close(self: Box<Self>) -> Result<()> {
        let Self { inner, observer, path } = *self;
        let step = Step { operation: FileOperationType::Close, path: &path, offset: 0, length: 0 };
        observe(&*observer, step, || inner.close(), |()| 0)
    }
}

impl ObservedFileSystem {
    fn writable(&self, inner: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        let (observer, path) = (self.observer.clone(), inner.path().to_owned());
        Box::new(ObservedWritableFile { inner, observer, path })
    }
}

impl FileSystemWrapper for ObservedFileSystem {
    fn target(&self) -> &dyn FileSystem {
        &*self.inner
    }

    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        let inner = self.open(path, || self.inner.new_sequential_file(path, options))?;
        let observer = self.observer.clone();
        Ok(Box::new(ObservedSequentialFile { inner, observer, offset: 0 }))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let inner = self.open(path, || self.inner.new_random_access_file(path, options))?;
        Ok(Arc::new(ObservedRandomAccessFile { inner, observer: self.observer.clone() }))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let opened = self.open(path, || self.inner.new_writable_file(path, options));
        opened.map(|file| self.writable(file))
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let opened = self.open(path, || self.inner.reopen_writable_file(path, options));
        opened.map(|file| self.writable(file))
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let reuse = || self.inner.reuse_writable_file(new_path, old_path, options);
        self.open(new_path, reuse).map(|file| self.writable(file))
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        let step = Step { operation: FileOperationType::Truncate, path, offset: size, length: 0 };
        observe(&*self.observer, step, || self.inner.truncate(path, size), |()| 0)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let step = Step { operation: FileOperationType::Sync, path, offset: 0, length: 0 };
        observe(&*self.observer, step, || self.inner.sync_file(path), |()| 0)
    }
}

#[cfg(test)]
mod tests;
