//! A file system in which syncs wait until they are let through.

use base::Result;
use env::{
    Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile,
};
use parking_lot::{Condvar, Mutex};
use std::path::Path;
use std::sync::Arc;

/// Wraps another one.
#[derive(Debug)]
pub(crate) struct BlockingFileSystem {
    base: Arc<dyn FileSystem>,
    gate: Arc<Gate>,
}

#[derive(Debug, Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Files whose syncs wait, by the end of their names.
    held: Option<&'static str>,
    waiting: usize,
}

impl Gate {
    fn pass(&self, path: &Path) {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let mut state = self.state.lock();
        if state.held.is_none() || state.held != extension {
            return;
        }
        state.waiting += 1;
        self.changed.notify_all();
        while state.held == extension {
            self.changed.wait(&mut state);
        }
        state.waiting -= 1;
    }
}

impl BlockingFileSystem {
    pub(crate) fn new(base: Arc<dyn FileSystem>) -> Self {
        Self { base, gate: Arc::default() }
    }

    /// Syncs of files whose names end so wait from now on.
    pub(crate) fn hold_syncs(&self, extension: &'static str) {
        self.gate.state.lock().held = Some(extension);
    }

    /// Returns when a sync waits.
    pub(crate) fn wait_for_sync(&self) {
        let mut state = self.gate.state.lock();
        while state.waiting == 0 {
            self.gate.changed.wait(&mut state);
        }
    }

    /// Lets syncs through.
    pub(crate) fn let_syncs_through(&self) {
        self.gate.state.lock().held = None;
        self.gate.changed.notify_all();
    }

    fn wrap(&self, file: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        Box::new(BlockingFile { base: file, gate: self.gate.clone() })
    }
}

#[derive(Debug)]
struct BlockingFile {
    base: Box<dyn WritableFile>,
    gate: Arc<Gate>,
}

impl WritableFile for BlockingFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.base.append(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.base.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.gate.pass(self.base.path());
        self.base.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        self.gate.pass(self.base.path());
        self.base.fsync()
    }

    fn size(&self) -> u64 {
        self.base.size()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.base.close()
    }

    fn path(&self) -> &Path {
        self.base.path()
    }
}

impl FileSystem for BlockingFileSystem {
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        self.base.new_sequential_file(path, options)
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        self.base.new_random_access_file(path, options)
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(self.wrap(self.base.new_writable_file(path, options)?))
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(self.wrap(self.base.reopen_writable_file(path, options)?))
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(self.wrap(self.base.reuse_writable_file(new_path, old_path, options)?))
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        self.base.new_directory(path)
    }

    fn file_exists(&self, path: &Path) -> Result<bool> {
        self.base.file_exists(path)
    }

    fn is_directory(&self, path: &Path) -> Result<bool> {
        self.base.is_directory(path)
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        self.base.free_space(path)
    }

    fn get_children(&self, path: &Path) -> Result<Vec<String>> {
        self.base.get_children(path)
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        self.base.delete_file(path)
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        self.base.create_dir(path)
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        self.base.create_dir_if_missing(path)
    }

    fn delete_dir(&self, path: &Path) -> Result<()> {
        self.base.delete_dir(path)
    }

    fn get_file_size(&self, path: &Path) -> Result<u64> {
        self.base.get_file_size(path)
    }

    fn get_file_modification_time(&self, path: &Path) -> Result<u64> {
        self.base.get_file_modification_time(path)
    }

    fn rename_file(&self, source: &Path, target: &Path) -> Result<()> {
        self.base.rename_file(source, target)
    }

    fn link_file(&self, source: &Path, target: &Path) -> Result<()> {
        self.base.link_file(source, target)
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        self.base.truncate(path, size)
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.gate.pass(path);
        self.base.sync_file(path)
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.base.lock_file(path)
    }
}
