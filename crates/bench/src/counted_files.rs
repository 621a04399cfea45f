//! `--report_file_operations`: what was done with files during a benchmark, threads in the background
//! included.

use base::Result;
use env::file_system_wrapper::{
    FileSystemWrapper, RandomAccessFileWrapper, SequentialFileWrapper, WritableFileWrapper,
};
use env::{Directory, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was done with files.
#[derive(Debug, Default)]
pub(crate) struct FileCounters {
    opens: AtomicU64,
    deletes: AtomicU64,
    renames: AtomicU64,
    flushes: AtomicU64,
    syncs: AtomicU64,
    fsyncs: AtomicU64,
    directory_syncs: AtomicU64,
    closes: AtomicU64,
    directory_opens: AtomicU64,
    directory_closes: AtomicU64,
    reads: AtomicU64,
    appends: AtomicU64,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
}

fn count(counter: &AtomicU64, by: u64) {
    // Relaxed, here and below: numbers alone.
    counter.fetch_add(by, Ordering::Relaxed);
}

impl FileCounters {
    /// What was counted, a line each as RocksDB has them; all counters then begin with 0.
    pub(crate) fn take_text(&self) -> String {
        let lines = [
            ("Num files opened", &self.opens),
            ("Num files deleted", &self.deletes),
            ("Num files renamed", &self.renames),
            ("Num Flush()", &self.flushes),
            ("Num Sync()", &self.syncs),
            ("Num Fsync()", &self.fsyncs),
            ("Num Dir Fsync()", &self.directory_syncs),
            ("Num Close()", &self.closes),
            ("Num Dir Open()", &self.directory_opens),
            ("Num Dir Close()", &self.directory_closes),
            ("Num Read()", &self.reads),
            ("Num Append()", &self.appends),
            ("Num bytes read", &self.bytes_read),
            ("Num bytes written", &self.bytes_written),
        ];
        let line = |(name, counter): (&str, &AtomicU64)| {
            format!("{name}: {}\n", counter.swap(0, Ordering::Relaxed))
        };
        lines.map(line).concat()
    }

    fn read(&self, read: &Result<usize>) {
        count(&self.reads, 1);
        if let Ok(bytes) = read {
            count(&self.bytes_read, *bytes as u64);
        }
    }
}

/// A file system whose operations are counted.
#[derive(Debug)]
pub(crate) struct CountedFiles {
    pub(crate) target: Arc<dyn FileSystem>,
    pub(crate) counters: Arc<FileCounters>,
}

impl CountedFiles {
    fn opened<F>(&self, file: F) -> Counted<F> {
        count(&self.counters.opens, 1);
        Counted { file, counters: Arc::clone(&self.counters) }
    }
}

/// A file, and what counts its operations.
#[derive(Debug)]
struct Counted<F> {
    file: F,
    counters: Arc<FileCounters>,
}

impl FileSystemWrapper for CountedFiles {
    fn target(&self) -> &dyn FileSystem {
        &*self.target
    }

    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        Ok(Box::new(self.opened(self.target.new_sequential_file(path, options)?)))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        Ok(Arc::new(self.opened(self.target.new_random_access_file(path, options)?)))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(Box::new(self.opened(self.target.new_writable_file(path, options)?)))
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(Box::new(self.opened(self.target.reopen_writable_file(path, options)?)))
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(Box::new(self.opened(self.target.reuse_writable_file(new_path, old_path, options)?)))
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let file = self.target.new_directory(path)?;
        count(&self.counters.directory_opens, 1);
        let counters = Arc::clone(&self.counters);
        Ok(Box::new(CountedDirectory(Counted { file, counters })))
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        self.target.delete_file(path).inspect(|()| count(&self.counters.deletes, 1))
    }

    fn rename_file(&self, source: &Path, target_path: &Path) -> Result<()> {
        let renamed = self.target.rename_file(source, target_path);
        renamed.inspect(|()| count(&self.counters.renames, 1))
    }
}

impl SequentialFileWrapper for Counted<Box<dyn SequentialFile>> {
    fn target(&self) -> &dyn SequentialFile {
        &*self.file
    }

    fn target_mut(&mut self) -> &mut dyn SequentialFile {
        &mut *self.file
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let read = self.file.read(buffer);
        self.counters.read(&read);
        read
    }
}

impl RandomAccessFileWrapper for Counted<Arc<dyn RandomAccessFile>> {
    fn target(&self) -> &dyn RandomAccessFile {
        &*self.file
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let read = self.file.read_at(offset, buffer);
        self.counters.read(&read);
        read
    }
}

impl WritableFileWrapper for Counted<Box<dyn WritableFile>> {
    fn target(&self) -> &dyn WritableFile {
        &*self.file
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.file
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        count(&self.counters.appends, 1);
        let appended = self.file.append(bytes);
        appended.inspect(|()| count(&self.counters.bytes_written, bytes.len() as u64))
    }

    fn flush(&mut self) -> Result<()> {
        count(&self.counters.flushes, 1);
        self.file.flush()
    }

    fn sync(&mut self) -> Result<()> {
        count(&self.counters.syncs, 1);
        self.file.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        count(&self.counters.fsyncs, 1);
        self.file.fsync()
    }

    fn close(self: Box<Self>) -> Result<()> {
        count(&self.counters.closes, 1);
        self.file.close()
    }
}

/// A directory, which is closed where it is dropped.
#[derive(Debug)]
struct CountedDirectory(Counted<Box<dyn Directory>>);

impl Directory for CountedDirectory {
    fn fsync(&self) -> Result<()> {
        count(&self.0.counters.directory_syncs, 1);
        self.0.file.fsync()
    }
}

impl Drop for CountedDirectory {
    fn drop(&mut self) {
        count(&self.0.counters.directory_closes, 1);
    }
}

#[cfg(test)]
mod tests;
