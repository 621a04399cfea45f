//! A file system in memory, for tests and for databases that need not last.
//!
//! It answers as the POSIX one does, with the same errors. Paths are taken from the root `/`,
//! whether or not they start with it; there are no symbolic links. Bytes that a writer has not
//! flushed are not seen by readers, as with a real writer's buffer.

mod mem_file;
mod space;

use crate::clock::{SystemClock, WallClock};
use crate::file_system::{
    Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile,
};
use base::{Result, Status};
use mem_file::{MemFile, MemRandomAccessFile, MemSequentialFile, MemWritableFile};
use parking_lot::Mutex;
use rustix::io::Errno;
use space::Space;
use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What the operating system would have answered.
type Outcome<T> = std::result::Result<T, Errno>;

/// Files and directories in memory.
#[derive(Debug)]
pub struct MemFileSystem {
    clock: Arc<dyn SystemClock>,
    names: Arc<Mutex<Names>>,
    space: Arc<Space>,
}

#[derive(Debug, Default)]
struct Names {
    /// Everything but the root, by normalized path. Paths compare by component, so that a
    /// directory is followed by all that is below it.
    nodes: BTreeMap<PathBuf, Node>,
    locks: Vec<(PathBuf, Arc<MemFile>)>,
}

#[derive(Clone, Debug)]
enum Node {
    File(Arc<MemFile>),
    /// With the time of its creation.
    Directory(u64),
}

impl Default for MemFileSystem {
    fn default() -> Self {
        Self::new()
    }
}

impl MemFileSystem {
    /// An empty one: there is only the root.
    pub fn new() -> Self {
        Self::with_clock(Arc::new(WallClock))
    }

    /// An empty one that takes modification times from `clock`.
    pub fn with_clock(clock: Arc<dyn SystemClock>) -> Self {
        Self { clock, names: Arc::default(), space: Arc::default() }
    }

    /// Gives it the size of a device: writes that need more fail with `NoSpace` until something is
    /// deleted. The content of files counts, names do not. `u64::MAX`, as in the beginning, is no
    /// limit; a limit may be less than what is used.
    pub fn set_capacity(&self, bytes: u64) {
        self.space.set_capacity(bytes);
    }

    /// Opens or creates a file.
    fn file_for_writing(&self, path: &Path, options: &FileOptions) -> Result<Arc<MemFile>> {
        let doing = "open for writing";
        refuse_direct(options.use_direct_writes, doing, path)?;
        attempt(doing, path, || {
            let create =
                || Arc::new(MemFile::new(Arc::clone(&self.clock), Arc::clone(&self.space)));
            self.names.lock().open_or_create(&normalize(path)?, create)
        })
    }

    fn open_for_reading(&self, path: &Path, direct: bool) -> Result<Arc<MemFile>> {
        let doing = "open for reading";
        refuse_direct(direct, doing, path)?;
        self.existing_file(path, doing)
    }

    fn existing_file(&self, path: &Path, doing: &str) -> Result<Arc<MemFile>> {
        attempt(doing, path, || self.names.lock().file(&normalize(path)?))
    }
}

/// Runs `operation` and names it and its path in its error.
fn attempt<T>(doing: &str, path: &Path, operation: impl FnOnce() -> Outcome<T>) -> Result<T> {
    operation().map_err(|error| failed(error, doing, path))
}

#[cold]
fn failed(error: Errno, doing: &str, path: &Path) -> Status {
    Status::from_io(&io::Error::from(error), doing, path)
}

fn refuse_direct(direct: bool, doing: &str, path: &Path) -> Result<()> {
    if !direct {
        return Ok(());
    }
    Err(Status::invalid_argument(format!(
        "{doing} {}: a file system in memory has no direct I/O",
        path.display()
    )))
}

/// The path from the root without `.` and `..`.
fn normalize(path: &Path) -> Outcome<PathBuf> {
    if path.as_os_str().is_empty() {
        return Err(Errno::NOENT);
    }
    let mut normal = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Ok(normal)
}

impl Names {
    /// What is at `path`: `NOENT` if nothing is, `NOTDIR` if a file stands where a directory must.
    fn node(&self, path: &Path) -> Outcome<Node> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node.clone());
        }
        match path.parent() {
            None => Ok(Node::Directory(0)),
            Some(parent) => match self.node(parent)? {
                Node::Directory(_) => Err(Errno::NOENT),
                Node::File(_) => Err(Errno::NOTDIR),
            },
        }
    }

    /// What is at `path`, or nothing; an error if its directory is missing or is a file.
    fn entry(&self, path: &Path) -> Outcome<Option<Node>> {
        let Some(parent) = path.parent() else { return self.node(path).map(Some) };
        match self.node(parent)? {
            Node::Directory(_) => Ok(self.nodes.get(path).cloned()),
            Node::File(_) => Err(Errno::NOTDIR),
        }
    }

    fn file(&self, path: &Path) -> Outcome<Arc<MemFile>> {
        match self.node(path)? {
            Node::File(file) => Ok(file),
            Node::Directory(_) => Err(Errno::ISDIR),
        }
    }

    fn open_or_create(
        &mut self,
        path: &Path,
        create: impl FnOnce() -> Arc<MemFile>,
    ) -> Outcome<Arc<MemFile>> {
        match self.entry(path)? {
            Some(Node::File(file)) => Ok(file),
            Some(Node::Directory(_)) => Err(Errno::ISDIR),
            None => {
                let file = create();
                self.nodes.insert(path.to_path_buf(), Node::File(Arc::clone(&file)));
                Ok(file)
            }
        }
    }

    /// All that is below a directory, itself left out.
    fn below<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = (&'a PathBuf, &'a Node)> {
        self.nodes
            .range::<Path, _>((Bound::Excluded(path), Bound::Unbounded))
            .take_while(move |(name, _)| name.starts_with(path))
    }

    fn is_empty(&self, path: &Path) -> bool {
        self.below(path).next().is_none()
    }

    fn children(&self, path: &Path) -> Outcome<Vec<String>> {
        match self.node(path)? {
            Node::File(_) => Err(Errno::NOTDIR),
            Node::Directory(_) => Ok(self
                .below(path)
                .filter(|(name, _)| name.parent() == Some(path))
                .filter_map(|(name, _)| name.file_name()?.to_str().map(str::to_string))
                .collect()),
        }
    }

    fn delete_file(&mut self, path: &Path) -> Outcome<()> {
        self.file(path)?;
        self.nodes.remove(path);
        Ok(())
    }

    fn create_dir(&mut self, path: &Path, now: u64) -> Outcome<()> {
        if self.entry(path)?.is_some() {
            return Err(Errno::EXIST);
        }
        self.nodes.insert(path.to_path_buf(), Node::Directory(now));
        Ok(())
    }

    fn delete_dir(&mut self, path: &Path) -> Outcome<()> {
        match self.node(path)? {
            Node::File(_) => Err(Errno::NOTDIR),
            Node::Directory(_) if path.parent().is_none() => Err(Errno::BUSY),
            Node::Directory(_) if !self.is_empty(path) => Err(Errno::NOTEMPTY),
            Node::Directory(_) => {
                self.nodes.remove(path);
                Ok(())
            }
        }
    }

    fn rename(&mut self, source: &Path, target: &Path) -> Outcome<()> {
        let moved = self.node(source)?;
        match (&moved, self.entry(target)?) {
            // Two names of one file both stay, says POSIX.
            (Node::File(moved), Some(Node::File(there))) if Arc::ptr_eq(moved, &there) => {
                return Ok(());
            }
            (Node::Directory(_), _) if source == target => return Ok(()),
            (Node::Directory(_), _) if target.starts_with(source) => return Err(Errno::INVAL),
            (Node::File(_), Some(Node::Directory(_))) => return Err(Errno::ISDIR),
            (Node::Directory(_), Some(Node::File(_))) => return Err(Errno::NOTDIR),
            (Node::Directory(_), Some(Node::Directory(_))) if !self.is_empty(target) => {
                return Err(Errno::NOTEMPTY);
            }
            _ => {}
        }
        let below: Vec<PathBuf> = self.below(source).map(|(name, _)| name.clone()).collect();
        for name in below {
            if let (Ok(rest), Some(node)) = (name.strip_prefix(source), self.nodes.remove(&name)) {
                self.nodes.insert(target.join(rest), node);
            }
        }
        self.nodes.remove(source);
        self.nodes.insert(target.to_path_buf(), moved);
        Ok(())
    }

    fn link(&mut self, source: &Path, target: &Path) -> Outcome<()> {
        let Node::File(file) = self.node(source)? else { return Err(Errno::PERM) };
        if self.entry(target)?.is_some() {
            return Err(Errno::EXIST);
        }
        self.nodes.insert(target.to_path_buf(), Node::File(file));
        Ok(())
    }
}

impl FileSystem for MemFileSystem {
    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        let file = self.open_for_reading(path, options.use_direct_reads)?;
        Ok(Box::new(MemSequentialFile::new(file, path)))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let file = self.open_for_reading(path, options.use_direct_reads)?;
        Ok(Arc::new(MemRandomAccessFile::new(file, path)))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let file = self.file_for_writing(path, options)?;
        file.set_size(0).map_err(|error| failed(error, "open for writing", path))?;
        Ok(Box::new(MemWritableFile::new(file, path, 0, options)))
    }

    fn reopen_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let file = self.file_for_writing(path, options)?;
        let size = file.size() as usize;
        Ok(Box::new(MemWritableFile::new(file, path, size, options)))
    }

    fn reuse_writable_file(
        &self,
        new_path: &Path,
        old_path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let doing = "open for writing";
        refuse_direct(options.use_direct_writes, doing, old_path)?;
        let file = self.existing_file(old_path, doing)?;
        self.rename_file(old_path, new_path)?;
        Ok(Box::new(MemWritableFile::new(file, new_path, 0, options)))
    }

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        attempt("open directory", path, || match self.names.lock().node(&normalize(path)?)? {
            Node::Directory(_) => Ok(()),
            Node::File(_) => Err(Errno::NOTDIR),
        })?;
        Ok(Box::new(MemDirectory))
    }

    fn file_exists(&self, path: &Path) -> Result<bool> {
        Ok(normalize(path).is_ok_and(|path| self.names.lock().node(&path).is_ok()))
    }

    fn is_directory(&self, path: &Path) -> Result<bool> {
        let node = attempt("look at", path, || self.names.lock().node(&normalize(path)?))?;
        Ok(matches!(node, Node::Directory(_)))
    }

    fn free_space(&self, path: &Path) -> Result<u64> {
        attempt("get free space of", path, || self.names.lock().node(&normalize(path)?))?;
        Ok(self.space.free())
    }

    fn get_children(&self, path: &Path) -> Result<Vec<String>> {
        attempt("list directory", path, || self.names.lock().children(&normalize(path)?))
    }

    fn delete_file(&self, path: &Path) -> Result<()> {
        attempt("delete file", path, || self.names.lock().delete_file(&normalize(path)?))
    }

    fn create_dir(&self, path: &Path) -> Result<()> {
        let now = self.clock.now_seconds();
        attempt("create directory", path, || self.names.lock().create_dir(&normalize(path)?, now))
    }

    fn create_dir_if_missing(&self, path: &Path) -> Result<()> {
        let now = self.clock.now_seconds();
        attempt("create directory", path, || {
            let path = normalize(path)?;
            let mut names = self.names.lock();
            match names.create_dir(&path, now) {
                Err(Errno::EXIST) if matches!(names.node(&path), Ok(Node::Directory(_))) => Ok(()),
                result => result,
            }
        })
    }

    fn delete_dir(&self, path: &Path) -> Result<()> {
        attempt("delete directory", path, || self.names.lock().delete_dir(&normalize(path)?))
    }

    fn get_file_size(&self, path: &Path) -> Result<u64> {
        Ok(self.existing_file(path, "get size of")?.size())
    }

    fn get_file_modification_time(&self, path: &Path) -> Result<u64> {
        attempt("get modification time of", path, || {
            Ok(match self.names.lock().node(&normalize(path)?)? {
                Node::File(file) => file.modified_seconds(),
                Node::Directory(created_seconds) => created_seconds,
            })
        })
    }

    fn rename_file(&self, source: &Path, target: &Path) -> Result<()> {
        attempt(&format!("rename {} to", source.display()), target, || {
            self.names.lock().rename(&normalize(source)?, &normalize(target)?)
        })
    }

    fn link_file(&self, source: &Path, target: &Path) -> Result<()> {
        attempt(&format!("link {} to", source.display()), target, || {
            self.names.lock().link(&normalize(source)?, &normalize(target)?)
        })
    }

    fn truncate(&self, path: &Path, size: u64) -> Result<()> {
        let file = self.existing_file(path, "truncate")?;
        let size = usize::try_from(size)
            .ok()
            .filter(|&size| size <= isize::MAX as usize)
            .ok_or_else(|| failed(Errno::FBIG, "truncate", path))?;
        file.set_size(size).map_err(|error| failed(error, "truncate", path))
    }

    /// There is nothing to sync.
    fn sync_file(&self, path: &Path) -> Result<()> {
        self.existing_file(path, "open for reading").map(|_| ())
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        let name = normalize(path).map_err(|error| failed(error, "lock", path))?;
        let mut names = self.names.lock();
        let held = names.locks.iter().any(|(locked, file)| {
            *locked == name || names.file(&name).is_ok_and(|found| Arc::ptr_eq(&found, file))
        });
        if held {
            return Err(Status::io_error(format!(
                "lock {}: this process holds it already",
                path.display()
            )));
        }
        let file = names
            .open_or_create(&name, || {
                Arc::new(MemFile::new(Arc::clone(&self.clock), Arc::clone(&self.space)))
            })
            .map_err(|error| failed(error, "lock", path))?;
        names.locks.push((name, Arc::clone(&file)));
        Ok(Box::new(MemFileLock { names: Arc::clone(&self.names), file }))
    }
}

/// Nothing in memory outlives a power loss; there is nothing to sync.
#[derive(Debug)]
struct MemDirectory;

impl Directory for MemDirectory {
    fn fsync(&self) -> Result<()> {
        Ok(())
    }
}

#[derive(Debug)]
struct MemFileLock {
    names: Arc<Mutex<Names>>,
    file: Arc<MemFile>,
}

impl FileLock for MemFileLock {}

impl Drop for MemFileLock {
    fn drop(&mut self) {
        self.names.lock().locks.retain(|(_, file)| !Arc::ptr_eq(file, &self.file));
    }
}

#[cfg(test)]
mod tests;
