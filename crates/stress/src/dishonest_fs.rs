//! A disk that lies: some syncs return at once and make nothing safe. With it a check of what
//! survives must fail; one that does not would not see an engine that forgets the sync either.

use base::Result;
use base::filename::{FileType, parse_file_name};
use env::file_system::{Directory, FileOptions, FileSystem, WritableFile};
use env::file_system_wrapper::{FileSystemWrapper, WritableFileWrapper};
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

impl WritableFileWrapper for NeverSynced {
    fn target(&self) -> &dyn WritableFile {
        &*self.0
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.0
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.0
    }

    fn sync(&mut self) -> Result<()> {
        self.0.flush()
    }

    fn fsync(&mut self) -> Result<()> {
        self.0.flush()
    }
}

#[derive(Debug)]
struct NeverSyncedDirectory;

impl Directory for NeverSyncedDirectory {
    fn fsync(&self) -> Result<()> {
        Ok(())
    }
}

impl FileSystemWrapper for DishonestFileSystem {
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

    fn new_directory(&self, path: &Path) -> Result<Box<dyn Directory>> {
        match self.lie {
            Lie::Directories => Ok(Box::new(NeverSyncedDirectory)),
            _ => self.base.new_directory(path),
        }
    }

    fn sync_file(&self, path: &Path) -> Result<()> {
        if self.lie.is_about(path) { Ok(()) } else { self.base.sync_file(path) }
    }
}
