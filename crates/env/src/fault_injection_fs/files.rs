//! Files and locks that ask the plan first and tell the model afterwards.

use super::Shared;
use super::fault_plan::{OperationKind, Verdict};
use super::gate::Running;
use super::unsynced::{NodeId, read_all};
use crate::file_system::{
    AccessPattern, Directory, FileLock, RandomAccessFile, SequentialFile, WritableFile,
};
use base::{Result, Status};
use parking_lot::Mutex;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Something that a power loss takes away from whoever holds it.
pub(super) trait OpenHandle: fmt::Debug + Send + Sync {
    fn close(&self);
}

/// A wrapped thing that can be taken away.
#[derive(Debug)]
struct Handle<T: ?Sized>(Mutex<Option<Box<T>>>);

impl<T: ?Sized + fmt::Debug + Send> OpenHandle for Handle<T> {
    fn close(&self) {
        let taken = self.0.lock().take();
        drop(taken);
    }
}

/// Which lifetime of the machine something belongs to.
#[derive(Debug)]
struct Session {
    shared: Arc<Shared>,
    number: u64,
    path: PathBuf,
}

impl Session {
    fn new(shared: &Arc<Shared>, path: &Path) -> Self {
        Self { shared: Arc::clone(shared), number: shared.session(), path: path.to_path_buf() }
    }

    fn check(&self) -> Result<()> {
        if self.shared.session() == self.number {
            return Ok(());
        }
        let path = self.path.display();
        Err(Status::io_error(format!("use of {path}: it was open when the power was lost")))
    }

    /// Begins an operation, as [`Shared::before`] does.
    fn before(&self, kind: OperationKind) -> Result<(Running, Verdict)> {
        let running = self.shared.gate.enter();
        self.check()?;
        let verdict = self.shared.plan.before(kind, &[&self.path])?;
        Ok((running, verdict))
    }

    /// What a read that found `bytes` at `offset` gives: perhaps others, or an error.
    fn after_read(&self, verdict: Verdict, offset: u64, bytes: &mut [u8]) -> Result<usize> {
        self.shared.plan.corrupt(&self.path, offset, bytes);
        verdict.finish(bytes.len())
    }
}

/// How many of `wanted` bytes a read asks the wrapped file for.
fn allowed(verdict: &Verdict, wanted: usize) -> usize {
    match verdict {
        Verdict::ShortRead(most) => wanted.min(*most),
        _ => wanted,
    }
}

#[derive(Debug)]
pub(super) struct FaultSequentialFile {
    session: Session,
    file: Box<dyn SequentialFile>,
    offset: u64,
}

impl FaultSequentialFile {
    pub(super) fn new(shared: &Arc<Shared>, file: Box<dyn SequentialFile>) -> Self {
        Self { session: Session::new(shared, file.path()), file, offset: 0 }
    }
}

impl SequentialFile for FaultSequentialFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let (_running, verdict) = self.session.before(OperationKind::Read)?;
        let wanted = allowed(&verdict, buffer.len());
        let count = self.file.read(&mut buffer[..wanted])?;
        let offset = self.offset;
        self.offset += count as u64;
        self.session.after_read(verdict, offset, &mut buffer[..count])
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        let _running = self.session.shared.gate.enter();
        self.session.check()?;
        self.offset = self.offset.saturating_add(count);
        self.file.skip(count)
    }

    fn path(&self) -> &Path {
        &self.session.path
    }
}

#[derive(Debug)]
pub(super) struct FaultRandomAccessFile {
    session: Session,
    file: Arc<dyn RandomAccessFile>,
}

impl FaultRandomAccessFile {
    pub(super) fn new(shared: &Arc<Shared>, file: Arc<dyn RandomAccessFile>) -> Self {
        Self { session: Session::new(shared, file.path()), file }
    }
}

impl RandomAccessFile for FaultRandomAccessFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let (_running, verdict) = self.session.before(OperationKind::Read)?;
        let wanted = allowed(&verdict, buffer.len());
        let count = self.file.read_at(offset, &mut buffer[..wanted])?;
        self.session.after_read(verdict, offset, &mut buffer[..count])
    }

    fn size(&self) -> Result<u64> {
        let (_running, verdict) = self.session.before(OperationKind::Inspect)?;
        verdict.finish(self.file.size()?)
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.file.prefetch(offset, count);
    }

    fn hint(&self, pattern: AccessPattern) {
        self.file.hint(pattern);
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn use_direct_io(&self) -> bool {
        self.file.use_direct_io()
    }

    fn path(&self) -> &Path {
        &self.session.path
    }
}

#[derive(Debug)]
pub(super) struct FaultWritableFile {
    session: Session,
    node: NodeId,
    handle: Arc<Handle<dyn WritableFile>>,
    size: u64,
    mapped_size: Option<u64>,
    /// The first failure; as the trait says, nothing may follow it.
    failure: Option<Status>,
}

impl FaultWritableFile {
    /// The file, and what to hand to the model.
    pub(super) fn new(
        shared: &Arc<Shared>,
        node: NodeId,
        file: Box<dyn WritableFile>,
    ) -> (Self, Arc<dyn OpenHandle>) {
        let session = Session::new(shared, file.path());
        let (size, mapped_size) = (file.size(), file.mapped_size());
        let handle = Arc::new(Handle(Mutex::new(Some(file))));
        let open = Arc::clone(&handle) as Arc<dyn OpenHandle>;
        (Self { session, node, handle, size, mapped_size, failure: None }, open)
    }

    fn before(&self, kind: OperationKind) -> Result<(Running, Verdict)> {
        if let Some(status) = &self.failure {
            return Err(status.clone().context("an earlier operation on it failed"));
        }
        self.session.before(kind)
    }

    /// Runs `operation` on the wrapped file and keeps its new size.
    fn on_file(
        &mut self,
        operation: impl FnOnce(&mut dyn WritableFile) -> Result<()>,
    ) -> Result<()> {
        let mut file = self.handle.0.lock();
        let Some(file) = file.as_mut() else { return self.session.check() };
        let result = operation(&mut **file);
        self.size = file.size();
        let mapped_size = std::mem::replace(&mut self.mapped_size, file.mapped_size());
        let mut unsynced = self.session.shared.unsynced.lock();
        match (self.mapped_size, mapped_size) {
            (None, None) => {}
            (Some(end), _) => {
                if let Some(node) = unsynced.file_mut(self.node) {
                    node.mapped(self.size, end);
                }
            }
            // It was cut, and is written to from here on.
            (None, Some(_)) => {
                let content = read_all(&*self.session.shared.base, &self.session.path)?;
                unsynced.resized(self.node, &content, content.len() as u64);
            }
        }
        result
    }

    fn remember(&mut self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            self.failure = Some(status.clone());
        }
        result
    }

    fn try_append(&mut self, bytes: &[u8]) -> Result<()> {
        let (_running, verdict) = self.before(OperationKind::Append)?;
        let (kept, result) = match verdict {
            Verdict::ShortWrite(most, status) => (&bytes[..bytes.len().min(most)], Err(status)),
            verdict => (bytes, verdict.finish(())),
        };
        let appended = self.on_file(|file| file.append(kept));
        let size = self.size;
        if let Some(node) = self.session.shared.unsynced.lock().file_mut(self.node) {
            node.appended(size);
        }
        appended.and(result)
    }

    fn try_flush(&mut self) -> Result<()> {
        let (_running, verdict) = self.before(OperationKind::Flush)?;
        self.on_file(|file| file.flush())?;
        self.flushed();
        verdict.finish(())
    }

    /// The wrapped file is only flushed: what is safe is for the model to say, and real syncs
    /// would make tests slow.
    fn try_sync(&mut self) -> Result<()> {
        let (_running, verdict) = self.before(OperationKind::Sync)?;
        self.on_file(|file| file.flush())?;
        if let Some(node) = self.session.shared.unsynced.lock().file_mut(self.node) {
            node.synced(self.size);
        }
        verdict.finish(())
    }

    fn try_cut(&mut self) -> Result<()> {
        let kind = match self.mapped_size {
            Some(_) => OperationKind::Truncate,
            None => OperationKind::Flush,
        };
        let (_running, verdict) = self.before(kind)?;
        self.on_file(|file| file.cut())?;
        self.flushed();
        verdict.finish(())
    }

    fn flushed(&self) {
        if let Some(node) = self.session.shared.unsynced.lock().file_mut(self.node) {
            node.flushed = self.size;
        }
    }
}

impl WritableFile for FaultWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let result = self.try_append(bytes);
        self.remember(result)
    }

    fn flush(&mut self) -> Result<()> {
        let result = self.try_flush();
        self.remember(result)
    }

    fn sync(&mut self) -> Result<()> {
        let result = self.try_sync();
        self.remember(result)
    }

    fn fsync(&mut self) -> Result<()> {
        self.sync()
    }

    fn sync_takes_time(&self) -> bool {
        false
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        let result = self.before(OperationKind::RangeSync).and_then(|(_running, verdict)| {
            self.on_file(|file| file.range_sync(offset, nbytes))?;
            verdict.finish(())
        });
        self.remember(result)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        let (_running, verdict) = self.before(OperationKind::Allocate)?;
        self.on_file(|file| file.allocate(offset, nbytes))?;
        verdict.finish(())
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn mapped_size(&self) -> Option<u64> {
        self.mapped_size
    }

    fn cut(&mut self) -> Result<()> {
        let result = self.try_cut();
        self.remember(result)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        let (_running, verdict) = self.before(OperationKind::Close)?;
        if self.mapped_size.is_some() {
            self.on_file(|file| file.cut())?;
        }
        let taken = self.handle.0.lock().take();
        match taken {
            Some(file) => file.close()?,
            None => self.session.check()?,
        }
        self.flushed();
        verdict.finish(())
    }

    fn path(&self) -> &Path {
        &self.session.path
    }
}

impl Drop for FaultWritableFile {
    fn drop(&mut self) {
        // The wrapped file flushes when it is dropped. That counts only while there is power.
        // Not an operation that is counted; but what it writes must not come after a power loss.
        let _running = self.session.shared.gate.enter();
        let powered = self.session.shared.plan.is_filesystem_active();
        if powered && self.mapped_size.is_some() && self.session.check().is_ok() {
            let _ = self.on_file(|file| file.cut());
        }
        let Some(file) = self.handle.0.lock().take() else { return };
        drop(file);
        if powered && self.failure.is_none() && self.session.check().is_ok() {
            self.flushed();
        }
    }
}

#[derive(Debug)]
pub(super) struct FaultDirectory {
    session: Session,
    node: NodeId,
}

impl FaultDirectory {
    pub(super) fn new(shared: &Arc<Shared>, node: NodeId, path: &Path) -> Self {
        Self { session: Session::new(shared, path), node }
    }
}

impl Directory for FaultDirectory {
    fn fsync(&self) -> Result<()> {
        let (_running, verdict) = self.session.before(OperationKind::SyncDirectory)?;
        self.session.shared.unsynced.lock().directory_synced(self.node);
        verdict.finish(())
    }
}

#[derive(Debug)]
pub(super) struct FaultFileLock {
    _handle: Arc<Handle<dyn FileLock>>,
}

impl FaultFileLock {
    /// The lock, and what to hand to the model.
    pub(super) fn new(lock: Box<dyn FileLock>) -> (Self, Arc<dyn OpenHandle>) {
        let handle = Arc::new(Handle(Mutex::new(Some(lock))));
        let open = Arc::clone(&handle) as Arc<dyn OpenHandle>;
        (Self { _handle: handle }, open)
    }
}

impl FileLock for FaultFileLock {}
