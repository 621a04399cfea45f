//! The directories of a database that is opened for writing, and the lock on it.

use crate::column_family::ColumnFamilyDescriptor;
use crate::db::OpenContext;
use crate::open::found_files::FoundFiles;
use crate::recovery::table_paths;
use base::filename::{FileType, LOCK};
use base::{Result, Status};
use env::{FileLock, create_dir_all};
use options::DbOptions;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use version::VersionSet;

/// Directories in which files with numbers are.
fn numbered(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
) -> BTreeSet<PathBuf> {
    let mut all: BTreeSet<PathBuf> = BTreeSet::from([path.to_owned()]);
    for descriptor in descriptors {
        all.extend(table_paths(options, path, descriptor));
    }
    if !options.wal_dir.is_empty() {
        all.insert(PathBuf::from(&options.wal_dir));
    }
    all
}

/// Makes the directories that are missing.
pub(super) fn create(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<()> {
    let fs = &*context.file_system;
    if !options.create_if_missing && !fs.file_exists(path)? {
        return Err(Status::invalid_argument(format!(
            "{}: does not exist (create_if_missing is false)",
            path.display()
        )));
    }
    let log_directory = Some(&options.db_log_dir).filter(|directory| !directory.is_empty());
    for directory in
        numbered(options, path, descriptors).into_iter().chain(log_directory.map(PathBuf::from))
    {
        create_dir_all(fs, &directory)?;
    }
    Ok(())
}

/// Takes the lock of the database.
pub(super) fn lock(path: &Path, context: &OpenContext) -> Result<Box<dyn FileLock>> {
    context.file_system.lock_file(&path.join(LOCK))
}

/// What is in the directories.
pub(super) fn list(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<FoundFiles> {
    FoundFiles::list(&*context.file_system, numbered(options, path, descriptors))
}

/// No file that is there gets its number given out again, whoever left it: an earlier process may have
/// died before the MANIFEST knew of it.
pub(super) fn mark_file_numbers(found: &FoundFiles, versions: &VersionSet) {
    for (_, file) in found.all() {
        // Info logs have times where others have numbers.
        if file.kind != FileType::InfoLog {
            versions.file_numbers().mark_used(file.number);
        }
    }
}
