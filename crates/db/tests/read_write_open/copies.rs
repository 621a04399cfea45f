//! A fixture's directory in memory, under a path that the disk has too.

use crate::case_options::CaseOptions;
use base::Result;
use db::Db;
use env::{FileOptions, FileSystem, MemFileSystem, read_file_to_vec};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use testing::fixtures::Fixture;

/// Largest file that is read back.
const FILE_SIZE_MAX: u64 = 64 << 20;

/// The copy.
pub(crate) struct Copied {
    pub(crate) options: CaseOptions,
    fs: Arc<MemFileSystem>,
    original: BTreeMap<String, Vec<u8>>,
    _place: TempDir,
}

impl Copied {
    pub(crate) fn of(fixture: &Fixture) -> std::result::Result<Self, String> {
        let failed = |error: &dyn std::fmt::Display| format!("copying: {error}");
        let place = TempDir::with_prefix("touchstone-").map_err(|error| failed(&error))?;
        let mut options = CaseOptions::of(fixture, place.path())?;
        let fs = Arc::new(MemFileSystem::new());
        options.context.file_system = fs.clone();
        let original = fixture.files();
        for (name, bytes) in &original {
            write(&fs, &options.path.join(name), bytes).map_err(|error| failed(&error))?;
        }
        Ok(Self { options, fs, original, _place: place })
    }

    pub(crate) fn open_for_writing(&self) -> Result<Db> {
        let CaseOptions { db, path, families, context, .. } = &self.options;
        Db::open(db, path, families, context)
    }

    /// Every file that was there is there as it was.
    pub(crate) fn check_unchanged(&self) -> std::result::Result<(), String> {
        for (name, bytes) in &self.original {
            match read_file_to_vec(&*self.fs, &self.options.path.join(name), FILE_SIZE_MAX) {
                Ok(now) if now == *bytes => {}
                Ok(_) => return Err(format!("{name} has changed")),
                Err(error) => return Err(format!("{name}: {error}")),
            }
        }
        Ok(())
    }

    /// Copies all files to where their paths are on the disk.
    pub(crate) fn write_to_disk(&self) -> std::result::Result<(), String> {
        self.write_directory(&self.options.path).map_err(|error| error.to_string())
    }

    fn write_directory(&self, directory: &PathBuf) -> std::io::Result<()> {
        std::fs::create_dir_all(directory)?;
        for name in self.fs.get_children(directory).map_err(std::io::Error::other)? {
            let path = directory.join(&name);
            match read_file_to_vec(&*self.fs, &path, FILE_SIZE_MAX) {
                Ok(bytes) => std::fs::write(&path, bytes)?,
                Err(_) => self.write_directory(&path)?,
            }
        }
        Ok(())
    }
}

fn write(fs: &MemFileSystem, path: &Path, bytes: &[u8]) -> Result<()> {
    env::create_dir_all(fs, path.parent().unwrap_or(path))?;
    let mut file = fs.new_writable_file(path, &FileOptions::default())?;
    file.append(bytes)?;
    file.close()
}
