//! A file system that counts what is asked of it, by kind of file.

use base::Result;
use base::filename::{FileType, parse_file_name};
use env::file_system_wrapper::{FileSystemWrapper, RandomAccessFileWrapper, WritableFileWrapper};
use env::{Directory, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

/// What was asked of files of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    /// How files were opened for writing: what is not the default.
    pub(crate) written_with: BTreeSet<String>,
    /// How files were opened for reading: what is not the default.
    pub(crate) read_with: BTreeSet<String>,
    /// How often each operation was asked for.
    pub(crate) counts: BTreeMap<&'static str, u64>,
    /// Most bytes of one read.
    pub(crate) read_bytes_max: usize,
    /// Threads that opened files for reading anywhere.
    pub(crate) opening_threads: HashSet<ThreadId>,
}

/// What was asked of files, by kind: `table`, `blob`, `wal`, `manifest`, `options`, `directory`, or
/// `other`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording(Arc<Mutex<BTreeMap<&'static str, Calls>>>);

impl Recording {
    /// Of one kind, so far.
    pub(crate) fn calls(&self, kind: &str) -> Calls {
        self.0.lock().unwrap().get(kind).cloned().unwrap_or_default()
    }

    /// Forgets what was.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }

    fn change(&self, kind: &'static str, change: impl FnOnce(&mut Calls)) {
        change(self.0.lock().unwrap().entry(kind).or_default());
    }

    fn count(&self, kind: &'static str, operation: &'static str) {
        self.change(kind, |calls| *calls.counts.entry(operation).or_default() += 1);
    }
}

fn kind_of(path: &Path) -> &'static str {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match parse_file_name(name) {
        Some((_, FileType::Table)) => "table",
        Some((_, FileType::Blob)) => "blob",
        Some((_, FileType::Wal)) => "wal",
        Some((_, FileType::Descriptor)) => "manifest",
        Some((_, FileType::Options)) => "options",
        _ => "other",
    }
}

/// What of these options is not the default.
fn changed_options(options: &FileOptions) -> String {
    let defaults = FileOptions::DEFAULT;
    let mut text = String::new();
    let mut add = |name: &str, value: &dyn std::fmt::Display, is_default: bool| {
        if !is_default {
            let separator = if text.is_empty() { "" } else { " " };
            write!(text, "{separator}{name}={value}").unwrap();
        }
    };
    macro_rules! fields {
        ($($field:ident)*) => {$(
            add(stringify!($field), &options.$field, options.$field == defaults.$field);
        )*};
    }
    fields!(use_direct_reads is_read_at_random use_direct_writes writable_file_max_buffer_size bytes_per_sync
        strict_bytes_per_sync preallocation_block_size allow_fallocate);
    if text.is_empty() { "defaults".to_owned() } else { text }
}

/// A file system under which another does the work.
#[derive(Debug)]
pub(crate) struct RecordingFileSystem {
    base: Arc<dyn FileSystem>,
    pub(crate) recording: Recording,
}

impl RecordingFileSystem {
    pub(crate) fn new(base: Arc<dyn FileSystem>) -> Self {
        Self { base, recording: Recording::default() }
    }

    fn written(
        &self,
        path: &Path,
        options: &FileOptions,
        operation: &'static str,
        open: impl FnOnce(&FileOptions) -> Result<Box<dyn WritableFile>>,
    ) -> Result<Box<dyn WritableFile>> {
        let kind = kind_of(path);
        self.recording.count(kind, operation);
        self.recording.change(kind, |calls| {
            calls.written_with.insert(changed_options(options));
        });
        let file = open(&without_direct_io(options))?;
        Ok(Box::new(RecordedWrites { file, kind, recording: self.recording.clone() }))
    }

    fn opened_for_reading(&self, path: &Path, options: &FileOptions) -> FileOptions {
        self.recording.change(kind_of(path), |calls| {
            calls.read_with.insert(changed_options(options));
        });
        without_direct_io(options)
    }
}

/// The file system below need not be able to do that.
fn without_direct_io(options: &FileOptions) -> FileOptions {
    FileOptions { use_direct_reads: false, use_direct_writes: false, ..*options }
}

impl FileSystemWrapper for RecordingFileSystem {
    fn target(&self) -> &dyn FileSystem {
        &*self.base
    }

    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        self.base.new_sequential_file(path, &self.opened_for_reading(path, options))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let kind = kind_of(path);
        self.recording.count(kind, "open");
        self.recording.change(kind, |calls| {
            calls.opening_threads.insert(std::thread::current().id());
        });
        // So that other threads have their turn.
        std::thread::sleep(Duration::from_millis(1));
        let options = self.opened_for_reading(path, options);
        let file = self.base.new_random_access_file(path, &options)?;
        Ok(Arc::new(RecordedReads { file, kind, recording: self.recording.clone() }))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        self.written(path, options, "create", |options| self.base.new_writable_file(path, options))
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        self.written(path, options, "reopen", |options| {
            self.base.reopen_writable_file(path, options)
        })
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        self.written(new_path, options, "reuse", |options| {
            self.base.reuse_writable_file(new_path, old_path, options)
        })
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        self.recording.count("directory", "open");
        self.base.new_directory(path)
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        self.recording.count(kind_of(path), "delete");
        self.base.delete_file(path)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.recording.count(kind_of(path), "sync_file");
        self.base.sync_file(path)
    }
}

#[derive(Debug)]
struct RecordedWrites {
    file: Box<dyn WritableFile>,
    kind: &'static str,
    recording: Recording,
}

impl WritableFileWrapper for RecordedWrites {
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
        self.recording.count(self.kind, "append");
        self.file.append(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.recording.count(self.kind, "flush");
        self.file.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.recording.count(self.kind, "sync");
        self.file.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        self.recording.count(self.kind, "fsync");
        self.file.fsync()
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.recording.count(self.kind, "range_sync");
        self.file.range_sync(offset, nbytes)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.recording.count(self.kind, "allocate");
        self.file.allocate(offset, nbytes)
    }
}

#[derive(Debug)]
struct RecordedReads {
    file: Arc<dyn RandomAccessFile>,
    kind: &'static str,
    recording: Recording,
}

impl RandomAccessFileWrapper for RecordedReads {
    fn target(&self) -> &dyn RandomAccessFile {
        &*self.file
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.recording.count(self.kind, "read");
        self.recording.change(self.kind, |calls| {
            calls.read_bytes_max = calls.read_bytes_max.max(buffer.len());
        });
        self.file.read_at(offset, buffer)
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.recording.count(self.kind, "prefetch");
        self.file.prefetch(offset, count);
    }
}

/// Where everything is.
pub(crate) fn database_path() -> PathBuf {
    PathBuf::from("/db")
}
