//! A file system that counts the syncs of WALs, each of which takes a while.

use base::Result;
use env::file_system_wrapper::{FileSystemWrapper, WritableFileWrapper};
use env::{FileOptions, FileSystem, WritableFile};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// How many syncs of WALs there were. No two are at a time: one thread syncs WALs.
#[derive(Debug)]
pub(crate) struct WalSyncs {
    takes: Duration,
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl WalSyncs {
    pub(crate) fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    pub(crate) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    fn sync(&self, path: &Path, sync: impl FnOnce() -> Result<()>) -> Result<()> {
        if path.extension().is_none_or(|extension| extension != "log") {
            return sync();
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        thread::sleep(self.takes);
        let result = sync();
        self.ended.fetch_add(1, Ordering::SeqCst);
        result
    }
}

/// Wraps another one.
#[derive(Debug)]
pub(crate) struct CountingFileSystem {
    base: Arc<dyn FileSystem>,
    pub(crate) wal_syncs: Arc<WalSyncs>,
}

impl CountingFileSystem {
    /// A sync of a WAL takes so long, beside what it takes below.
    pub(crate) fn new(base: Arc<dyn FileSystem>, takes: Duration) -> Arc<Self> {
        let wal_syncs = WalSyncs { takes, begun: AtomicUsize::new(0), ended: AtomicUsize::new(0) };
        Arc::new(Self { base, wal_syncs: Arc::new(wal_syncs) })
    }

    fn wrap(&self, file: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        Box::new(CountingFile { base: file, wal_syncs: self.wal_syncs.clone() })
    }
}

#[derive(Debug)]
struct CountingFile {
    base: Box<dyn WritableFile>,
    wal_syncs: Arc<WalSyncs>,
}

impl WritableFileWrapper for CountingFile {
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
        let path = self.base.path().to_owned();
        self.wal_syncs.sync(&path, || self.base.sync())
    }

    fn fsync(&mut self) -> Result<()> {
        let path = self.base.path().to_owned();
        self.wal_syncs.sync(&path, || self.base.fsync())
    }
}

impl FileSystemWrapper for CountingFileSystem {
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

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        Ok(self.wrap(self.base.reuse_writable_file(new_path, old_path, options)?))
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        self.wal_syncs.sync(path, || self.base.sync_file(path))
    }
}
