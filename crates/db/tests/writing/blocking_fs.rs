//! A file system in which syncs wait until they are let through.

use base::Result;
use env::file_system_wrapper::{FileSystemWrapper, WritableFileWrapper};
use env::{FileOptions, FileSystem, WritableFile};
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
    /// So many of them may go on.
    passes: usize,
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
        while state.held == extension && state.passes == 0 {
            self.changed.wait(&mut state);
        }
        state.passes = state.passes.saturating_sub(1);
        state.waiting -= 1;
        self.changed.notify_all();
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

    /// Lets one sync through that waits, and returns when it goes on.
    pub(crate) fn let_one_sync_through(&self) {
        let mut state = self.gate.state.lock();
        let waiting = state.waiting;
        state.passes += 1;
        self.gate.changed.notify_all();
        while state.waiting >= waiting && state.passes > 0 {
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

impl WritableFileWrapper for BlockingFile {
    fn target(&self) -> &dyn WritableFile {
        &*self.base
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.base
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.base
    }

    fn sync(&mut self) -> Result<()> {
        self.gate.pass(self.base.path());
        self.base.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        self.gate.pass(self.base.path());
        self.base.fsync()
    }
}

impl FileSystemWrapper for BlockingFileSystem {
    fn target(&self) -> &dyn FileSystem {
        &*self.base
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

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.gate.pass(path);
        self.base.sync_file(path)
    }
}
