//! What of a database is there, for `best_efforts_recovery`: each column family is recovered as it
//! was when all its files were last there. WALs are not replayed then: they begin where other files
//! end.

use crate::recovery::{Descriptors, table_paths};
use base::filename::{FileType, blob_file_name, descriptor_file_name, parse_file_name};
use base::{Result, Status};
use blob::{BlobFileReader, BlobLogFooter, BlobLogHeader};
use env::{FileOptions, FileSystem};
use options::DbOptions;
use std::path::{Path, PathBuf};
use table::TableTail;
use version::{BlobFileAddition, ColumnFamilyReplay, FileChecker, FileMetaData, find_table_file};

/// Looks for files in the directories of their column families.
pub(crate) struct DirectoryChecker<'a> {
    pub(crate) file_system: &'a dyn FileSystem,
    pub(crate) options: &'a DbOptions,
    pub(crate) path: &'a Path,
    pub(crate) descriptors: &'a Descriptors<'a>,
}

impl DirectoryChecker<'_> {
    fn paths(&self, family: &ColumnFamilyReplay) -> Vec<PathBuf> {
        match self.descriptors.find(&family.name) {
            Some(descriptor) => table_paths(self.options, self.path, descriptor),
            // Nobody wants it, so whatever is found of it is fine.
            None => vec![self.path.to_owned()],
        }
    }
}

/// Whether the outcome says that a file is not there or not what it should be, rather than that
/// this cannot be told.
fn usable(result: Result<bool>) -> Result<bool> {
    match result {
        Err(error) if error.is_path_not_found() || is_damage(&error) => Ok(false),
        result => result,
    }
}

fn is_damage(error: &Status) -> bool {
    error.code() == base::status::Code::Corruption
}

impl FileChecker for DirectoryChecker<'_> {
    fn is_table_usable(
        &mut self,
        family: &ColumnFamilyReplay,
        _level: u32,
        file: &FileMetaData,
    ) -> Result<bool> {
        let paths = self.paths(family);
        let look = || {
            let (path, size) = find_table_file(self.file_system, &paths, file)?;
            if size != file.file_size {
                return Ok(false);
            }
            let opened = self.file_system.new_random_access_file(&path, &FileOptions::default())?;
            TableTail::read(&*opened, size).map(|_| true)
        };
        usable(look())
    }

    fn is_blob_file_usable(
        &mut self,
        family: &ColumnFamilyReplay,
        addition: &BlobFileAddition,
    ) -> Result<bool> {
        let paths = self.paths(family);
        let directory = paths.first().map_or(self.path, PathBuf::as_path);
        let path = blob_file_name(directory, addition.number);
        let look = || {
            let file = self.file_system.new_random_access_file(&path, &FileOptions::default())?;
            let reader = BlobFileReader::open(file, family.id)?;
            let frame_bytes = (BlobLogHeader::SIZE + BlobLogFooter::SIZE) as u64;
            Ok(reader.file_size() >= addition.total_blob_bytes.saturating_add(frame_bytes))
        };
        usable(look())
    }
}

/// Whether there is a MANIFEST that is not empty: then there is a database.
pub(crate) fn has_manifest(file_system: &dyn FileSystem, path: &Path) -> Result<bool> {
    for name in file_system.get_children(path)? {
        if let Some((number, FileType::Descriptor)) = parse_file_name(&name)
            && file_system.get_file_size(&descriptor_file_name(path, number))? > 0
        {
            return Ok(true);
        }
    }
    Ok(false)
}
