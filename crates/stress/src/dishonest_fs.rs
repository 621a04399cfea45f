//! A disk that lies: some syncs return at once and make nothing safe. With it a check of what
//! survives must fail; one that does not would not see an engine that forgets the sync either.

use base::Result;
use base::filename::{FileType, parse_file_name};
use env::file_system::{
    Directory, FileLock, FileOptions, FileSystem, RandomAccessFile, SequentialFile, WritableFile,
};
use std::path::Path;
use std::sync::Arc;

/// What is not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// Files of WALs.
    Wals,
    /// Tables: then the MANIFEST names what is not safe.
    Tables,
    /// MANIFEST files.
    Manifests,
    /// Names in directories.
    Directories,
}

impl Lie {
    fn is_about(self, path: &Path) -> bool {
        let name = path.file_name().and_then(|name| name.to_str());
        let kind = name.and_then(parse_file_name).map(|(_, kind)| kind);
        match self {
            Lie::Wals => kind == Some(FileType::Wal),
            Lie::Tables => kind == Some(FileType::Table),
            Lie::Manifests => kind == Some(FileType::Descriptor),
            Lie::Directories => false,
        }
    }
}

/// Another file system, with some syncs left out.
#[derive(Debug)]
pub struct DishonestFileSystem {
    base: Arc<dyn FileSystem>,
    lie: Lie,
}

impl DishonestFileSystem {
    /// Leaves out syncs of `base`.
    pub fn new(base: Arc<dyn FileSystem>, lie: Lie) -> Self {
        Self { base, lie }
    }

    fn wrap(&self, file: Box<dyn WritableFile>) -> Box<dyn WritableFile> {
        if self.lie.is_about(file.path()) { Box::new(NeverSynced(file)) } else { file }
    }
}

#[derive(Debug)]
struct NeverSynced(Box<dyn WritableFile>);

impl WritableFile for NeverSynced {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.append(bytes)
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.0.flush()
    }

    fn fsync(&mut self) -> Result<()> {
        self.0.flush()
    }

    fn size(&self) -> u64 {
        self.0.size()
    }

    fn close(self: Box<Self>) -> Result<()> {
        self.0.close()
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

#[derive(Debug)]
struct NeverSyncedDirectory;

impl Directory for NeverSyncedDirectory {
    fn fsync(&self) -> Result<()> {
        Ok(())
    }
}

impl FileSystem for DishonestFileSystem {
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
        match self.lie {
            Lie::Directories => Ok(Box::new(NeverSyncedDirectory)),
            _ => self.base.new_directory(path),
        }
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
        if self.lie.is_about(path) { Ok(()) } else { self.base.sync_file(path) }
    }

    fn lock_file(&self, path: &Path) -> Result<Box<dyn FileLock>> {
        self.base.lock_file(path)
    }
}
