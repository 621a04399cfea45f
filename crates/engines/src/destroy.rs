//! Deleting a database, as `db_bench` does with what is at `--db` before it fills it.

use base::Result;
use base::filename::{ARCHIVE, FileType, LOCK, parse_file_name};
use env::FileSystem;
use std::path::Path;

/// Deletes the files of the database in `path`, and its WALs in `wal_dir`, if there is one. Files
/// that are none of a database's stay.
///
/// # Errors
/// `IoError` if a file cannot be deleted or another process has the database open.
pub(crate) fn destroy(fs: &dyn FileSystem, path: &Path, wal_dir: Option<&Path>) -> Result<()> {
    if !fs.file_exists(path)? {
        return Ok(());
    }
    let lock_path = path.join(LOCK);
    let lock = fs.lock_file(&lock_path)?;
    for directory in [path, &path.join(ARCHIVE)].into_iter().chain(wal_dir) {
        delete_files(fs, directory)?;
    }
    drop(lock);
    fs.delete_file(&lock_path)?;
    for directory in [&path.join(ARCHIVE), path] {
        // Others may have put files there.
        let _ = fs.delete_dir(directory);
    }
    Ok(())
}

fn delete_files(fs: &dyn FileSystem, directory: &Path) -> Result<()> {
    if !fs.file_exists(directory)? {
        return Ok(());
    }
    for name in fs.get_children(directory)? {
        match parse_file_name(&name) {
            None | Some((_, FileType::Lock | FileType::MetaDatabase)) => {}
            Some(_) => fs.delete_file(&directory.join(name))?,
        }
    }
    Ok(())
}
