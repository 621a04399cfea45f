//! A file system that fails on demand, for tests.
//!
//! [`FaultInjectionFileSystem`] wraps any other. Its [`FaultPlan`] says which operations fail and
//! how: the k-th, those of a kind or on a path, short reads and writes, flipped bytes. It also
//! keeps account of what was synced: [`FaultInjectionFileSystem::drop_unsynced_data`] turns the
//! wrapped file system into what a disk may hold after a power loss. Everything is decided by
//! counts and seeds, so that a failure can be repeated.
//!
//! Two campaigns it is made for. *Operation k fails, for every k*: run once and take
//! [`FaultPlan::operation_count`]; then for each k run again after [`FaultPlan::fail_operation`].
//! *Power loss*: run with [`FaultPlan::power_off_at`] some operation, or
//! [`FaultInjectionFileSystem::crash`] at any time, with a seed; [`FaultInjectionFileSystem::recover`],
//! reopen and compare.

mod fault_plan;
mod files;
mod gate;
mod power_loss;
mod unsynced;

pub use fault_plan::{
    Effect, Fault, FaultError, FaultPlan, OperationKind, OperationRecord, Operations, When,
};
pub use power_loss::{DataSurvival, DirectorySurvival, PowerLoss, PowerLossReport};

use crate::file_system::{
    Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile,
};
use base::{Result, Status};
use fault_plan::Verdict;
use files::{
    FaultDirectory, FaultFileLock, FaultRandomAccessFile, FaultSequentialFile, FaultWritableFile,
};
use gate::{Gate, Running};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use unsynced::{FileNode, Node, NodeId, Unsynced, normalize, read_all};

/// Another file system, with faults.
///
/// Syncs are simulated: the wrapped files are only flushed, which is all that a test needs. All
/// changes must go through this wrapper; what was there before is taken to be safe. Files that were
/// deleted or cut are kept in memory until that is synced.
#[derive(Debug)]
pub struct FaultInjectionFileSystem {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    base: Arc<dyn FileSystem>,
    plan: Arc<FaultPlan>,
    unsynced: Mutex<Unsynced>,
    gate: Arc<Gate>,
    /// How many times the power was lost. Files opened before the last time are dead.
    power_losses: AtomicU64,
}

impl Shared {
    fn session(&self) -> u64 {
        self.power_losses.load(Ordering::SeqCst)
    }

    /// Begins an operation: it runs until the first of the pair is dropped.
    fn before(&self, kind: OperationKind, paths: &[&Path]) -> Result<(Running, Verdict)> {
        let running = self.gate.enter();
        let verdict = self.plan.before(kind, paths)?;
        Ok((running, verdict))
    }
}

impl FaultInjectionFileSystem {
    /// Wraps `base`, with no faults.
    pub fn new(base: Arc<dyn FileSystem>) -> Self {
        Self {
            shared: Arc::new(Shared {
                base,
                plan: Arc::default(),
                unsynced: Mutex::default(),
                gate: Arc::default(),
                power_losses: AtomicU64::new(0),
            }),
        }
    }

    /// The faults and the counts, to be shared with a test.
    pub fn plan(&self) -> &Arc<FaultPlan> {
        &self.shared.plan
    }

    /// As [`FaultPlan::set_filesystem_active`].
    pub fn set_filesystem_active(&self, active: bool) {
        self.shared.plan.set_filesystem_active(active);
    }

    /// The creations, deletions, links and renames that a power loss could undo, oldest first.
    pub fn pending_directory_operations(&self) -> Vec<String> {
        self.shared.unsynced.lock().operations.iter().map(ToString::to_string).collect()
    }

    /// Loses the power: the wrapped file system becomes what `loss` leaves of it, all of it safe.
    ///
    /// Every file, directory and lock that is open is dead afterwards: locks are free, and files
    /// answer with errors. Operations that run are waited for, and later ones wait for it. Whether
    /// the file system is active stays as it was.
    ///
    /// # Errors
    ///
    /// Those of the wrapped file system, whose state is undefined then.
    pub fn drop_unsynced_data(&self, loss: &PowerLoss) -> Result<PowerLossReport> {
        self.shared.gate.alone(|| self.lose_power(loss))
    }

    /// Stops the machine under whatever runs: from now on every operation fails, until
    /// [`FaultInjectionFileSystem::recover`]; then loses the power as
    /// [`FaultInjectionFileSystem::drop_unsynced_data`] does. Threads of the database that stopped
    /// may go on meanwhile; they only get errors.
    ///
    /// # Errors
    ///
    /// As [`FaultInjectionFileSystem::drop_unsynced_data`].
    pub fn crash(&self, loss: &PowerLoss) -> Result<PowerLossReport> {
        self.set_filesystem_active(false);
        self.drop_unsynced_data(loss)
    }

    /// Starts the machine again. What was open before the crash stays dead; faults that were added
    /// and have not happened yet are forgotten, so that recovery has none.
    pub fn recover(&self) {
        self.shared.plan.set_faults(Vec::new());
        self.set_filesystem_active(true);
    }

    fn lose_power(&self, loss: &PowerLoss) -> Result<PowerLossReport> {
        self.shared.power_losses.fetch_add(1, Ordering::SeqCst);
        let handles = self.shared.unsynced.lock().take_handles();
        // Not under the lock of the model, which a writer takes while it holds its own.
        for handle in handles {
            handle.close();
        }
        power_loss::lose_power(&*self.shared.base, &mut self.shared.unsynced.lock(), loss)
    }

    fn base(&self) -> &dyn FileSystem {
        &*self.shared.base
    }

    /// Opens for appending; `cut` empties what is there.
    fn open_for_writing(
        &self,
        path: &Path,
        options: &FileOptions,
        cut: bool,
    ) -> Result<Box<dyn WritableFile>> {
        let (_running, verdict) = self.shared.before(OperationKind::OpenForWriting, &[path])?;
        let name = normalize(path);
        let mut unsynced = self.shared.unsynced.lock();
        let existing = unsynced.node_at(self.base(), &name)?;
        let file = match existing {
            Some(id) if cut && unsynced.file_mut(id).is_some() => {
                let content = unsynced.content_before_resize(self.base(), id, &name, 0)?;
                let file = self.base().new_writable_file(path, options)?;
                unsynced.resized(id, &content, 0);
                file
            }
            _ if cut => self.base().new_writable_file(path, options)?,
            _ => self.base().reopen_writable_file(path, options)?,
        };
        let id = match existing {
            Some(id) => id,
            None => unsynced.created(&name, Node::File(FileNode::safe(0))),
        };
        if let (Some(node), Some(end)) = (unsynced.file_mut(id), file.mapped_size()) {
            node.mapped(0, end);
        }
        let (file, handle) = FaultWritableFile::new(&self.shared, id, file);
        unsynced.opened(&handle);
        drop(unsynced);
        verdict.finish(Box::new(file))
    }

    fn create_directory(
        &self,
        path: &Path,
        create: impl FnOnce(&dyn FileSystem) -> Result<()>,
    ) -> Result<()> {
        let (_running, verdict) = self.shared.before(OperationKind::CreateDirectory, &[path])?;
        let name = normalize(path);
        let mut unsynced = self.shared.unsynced.lock();
        let existing = unsynced.node_at(self.base(), &name)?;
        create(self.base())?;
        if existing.is_none() {
            unsynced.created(&name, Node::Directory);
        }
        verdict.finish(())
    }

    /// Deletes a file or a directory.
    fn delete(
        &self,
        kind: OperationKind,
        path: &Path,
        delete: impl FnOnce(&dyn FileSystem) -> Result<()>,
    ) -> Result<()> {
        let (_running, verdict) = self.shared.before(kind, &[path])?;
        let name = normalize(path);
        let mut unsynced = self.shared.unsynced.lock();
        let Some(id) = unsynced.node_at(self.base(), &name)? else {
            return delete(self.base());
        };
        let content = unsynced.content_before_unlink(self.base(), id, &name)?;
        delete(self.base())?;
        unsynced.deleted(id, &name, content);
        verdict.finish(())
    }

    /// Renames by `rename`, and returns with its answer the node that moved.
    fn rename<T>(
        &self,
        unsynced: &mut Unsynced,
        source: &Path,
        target: &Path,
        rename: impl FnOnce(&dyn FileSystem) -> Result<T>,
    ) -> Result<(T, NodeId)> {
        let (from, to) = (normalize(source), normalize(target));
        let moved = unsynced.node_at(self.base(), &from)?;
        let victim = unsynced.node_at(self.base(), &to)?;
        let content = match victim {
            Some(victim) => unsynced.content_before_unlink(self.base(), victim, &to)?,
            None => None,
        };
        let answer = rename(self.base())?;
        let Some(id) = moved else {
            let source = source.display();
            return Err(Status::io_error(format!("rename {source}: appeared behind the wrapper")));
        };
        // Two names of one file both stay, also of one that was linked before we looked.
        let stayed = moved == victim || (victim.is_some() && self.base().file_exists(source)?);
        if !stayed {
            unsynced.renamed(id, (&from, &to), victim.map(|victim| (victim, content)));
        }
        Ok((answer, id))
    }

    /// Asks something that changes nothing.
    fn inspect<T>(
        &self,
        kind: OperationKind,
        path: &Path,
        ask: impl FnOnce(&dyn FileSystem) -> Result<T>,
    ) -> Result<T> {
        let (_running, verdict) = self.shared.before(kind, &[path])?;
        verdict.finish(ask(self.base())?)
    }
}

impl FileSystem for FaultInjectionFileSystem {
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        let (_running, verdict) = self.shared.before(OperationKind::OpenForReading, &[path])?;
        let file = self.base().new_sequential_file(path, options)?;
        verdict.finish(Box::new(FaultSequentialFile::new(&self.shared, file)))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let (_running, verdict) = self.shared.before(OperationKind::OpenForReading, &[path])?;
        let file = self.base().new_random_access_file(path, options)?;
        verdict.finish(Arc::new(FaultRandomAccessFile::new(&self.shared, file)))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        self.open_for_writing(path, options, true)
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        self.open_for_writing(path, options, false)
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let (_running, verdict) =
            self.shared.before(OperationKind::Reuse, &[old_path, new_path])?;
        let mut unsynced = self.shared.unsynced.lock();
        let name = normalize(old_path);
        let present = match unsynced.node_at(self.base(), &name)? {
            Some(id) if unsynced.file_mut(id).is_some() => read_all(self.base(), &name)?,
            _ => Vec::new(),
        };
        let (file, id) = self.rename(&mut unsynced, old_path, new_path, |base| {
            base.reuse_writable_file(new_path, old_path, options)
        })?;
        unsynced.reused(id, &present);
        if let (Some(node), Some(end)) = (unsynced.file_mut(id), file.mapped_size()) {
            node.mapped(0, end);
        }
        let (file, handle) = FaultWritableFile::new(&self.shared, id, file);
        unsynced.opened(&handle);
        drop(unsynced);
        verdict.finish(Box::new(file))
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        let (_running, verdict) = self.shared.before(OperationKind::OpenDirectory, &[path])?;
        self.base().new_directory(path)?;
        let id = self.shared.unsynced.lock().directory_at(&normalize(path));
        verdict.finish(Box::new(FaultDirectory::new(&self.shared, id, path)))
    }

    fn file_exists(&self, path: &Path) -> Result<bool> {
        self.inspect(OperationKind::Inspect, path, |base| base.file_exists(path))
    }

    fn is_directory(&self, path: &Path) -> Result<bool> {
        self.inspect(OperationKind::Inspect, path, |base| base.is_directory(path))
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        self.inspect(OperationKind::Inspect, path, |base| base.free_space(path))
    }

    fn get_children(&self, path: &Path) -> Result<Vec<String>> {
        self.inspect(OperationKind::List, path, |base| base.get_children(path))
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        self.delete(OperationKind::Delete, path, |base| base.delete_file(path))
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        self.create_directory(path, |base| base.create_dir(path))
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        self.create_directory(path, |base| base.create_dir_if_missing(path))
    }

    fn delete_dir(&self, path: &Path) -> Result<()> {
        self.delete(OperationKind::DeleteDirectory, path, |base| base.delete_dir(path))
    }

    fn get_file_size(&self, path: &Path) -> Result<u64> {
        self.inspect(OperationKind::Inspect, path, |base| base.get_file_size(path))
    }

    fn get_file_modification_time(&self, path: &Path) -> Result<u64> {
        self.inspect(OperationKind::Inspect, path, |base| base.get_file_modification_time(path))
    }

    fn rename_file(&self, source: &Path, target: &Path) -> Result<()> {
        let (_running, verdict) = self.shared.before(OperationKind::Rename, &[source, target])?;
        let mut unsynced = self.shared.unsynced.lock();
        self.rename(&mut unsynced, source, target, |base| base.rename_file(source, target))?;
        verdict.finish(())
    }

    fn link_file(&self, source: &Path, target: &Path) -> Result<()> {
        let (_running, verdict) = self.shared.before(OperationKind::Link, &[source, target])?;
        let (from, to) = (normalize(source), normalize(target));
        let mut unsynced = self.shared.unsynced.lock();
        let id = unsynced.node_at(self.base(), &from)?;
        self.base().link_file(source, target)?;
        if let Some(id) = id {
            unsynced.linked(id, &to);
        }
        verdict.finish(())
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        let (_running, verdict) = self.shared.before(OperationKind::Truncate, &[path])?;
        let name = normalize(path);
        let mut unsynced = self.shared.unsynced.lock();
        let Some(id) = unsynced.node_at(self.base(), &name)? else {
            return self.base().truncate(path, size);
        };
        let content = unsynced.content_before_resize(self.base(), id, &name, size)?;
        self.base().truncate(path, size)?;
        unsynced.resized(id, &content, size);
        verdict.finish(())
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        let (_running, verdict) = self.shared.before(OperationKind::Sync, &[path])?;
        let mut unsynced = self.shared.unsynced.lock();
        let size = self.base().get_file_size(path)?;
        if let Some(id) = unsynced.node_at(self.base(), &normalize(path))?
            && let Some(file) = unsynced.file_mut(id)
        {
            // What a writer still gathers is not in the file, and not made safe.
            let flushed = file.flushed.min(size);
            file.synced(flushed);
        }
        verdict.finish(())
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let (_running, verdict) = self.shared.before(OperationKind::Lock, &[path])?;
        let name = normalize(path);
        let mut unsynced = self.shared.unsynced.lock();
        let existing = unsynced.node_at(self.base(), &name)?;
        let lock = self.base().lock_file(path)?;
        if existing.is_none() {
            unsynced.created(&name, Node::File(FileNode::safe(0)));
        }
        let (lock, handle) = FaultFileLock::new(lock);
        unsynced.opened(&handle);
        drop(unsynced);
        verdict.finish(Box::new(lock))
    }
}
