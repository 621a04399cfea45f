//! Small files read and written whole: CURRENT, IDENTITY, OPTIONS.

use crate::file_system::{FileOptions, FileSystem};
use base::{Result, Status};
use std::path::{Path, PathBuf};

/// Reads a whole file of at most `size_limit_bytes`. A larger one is `Corruption`: the files read
/// this way are small, so a large one is not what its name says.
pub fn read_file_to_vec(
    fs: &dyn FileSystem,
    path: &Path,
    size_limit_bytes: u64,
) -> Result<Vec<u8>> {
    let file = fs.new_random_access_file(path, &FileOptions::default())?;
    let size = file.size()?;
    if size > size_limit_bytes {
        return Err(Status::corruption(format!(
            "{}: expected at most {size_limit_bytes} bytes, found {size}",
            path.display()
        )));
    }
    crate::read_exact_at(&*file, 0, size as usize)
}

/// Puts `bytes` at `path` so that even after a power loss there is either the old content or the
/// new, never a mixture.
///
/// Writes `temp_path`, syncs it, renames it over `path` and syncs the directory. Both must be in
/// the same directory. After an error the temporary file is removed; only where it was the sync of
/// the directory that failed is `path` the new content, which may yet be lost.
pub fn write_file_atomically(
    fs: &dyn FileSystem,
    path: &Path,
    temp_path: &Path,
    bytes: &[u8],
) -> Result<()> {
    let result =
        write_and_sync(fs, temp_path, bytes).and_then(|()| fs.rename_file(temp_path, path));
    if let Err(status) = result {
        // The first error is the one to report; a leftover is harmless.
        let _ = fs.delete_file(temp_path);
        return Err(status);
    }
    fs.new_directory(&parent_directory(path))?.fsync()
}

fn write_and_sync(fs: &dyn FileSystem, path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = fs.new_writable_file(path, &FileOptions::default())?;
    file.append(bytes)?;
    file.sync()?;
    file.close()
}

/// The directory that holds the name `path`; `.` for a bare name.
pub fn parent_directory(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        Some(_) => PathBuf::from("."),
        None => path.to_path_buf(),
    }
}

/// Creates a directory and those above it that are missing.
pub fn create_dir_all(fs: &dyn FileSystem, path: &Path) -> Result<()> {
    let mut missing = Vec::new();
    let mut at = path;
    while !at.as_os_str().is_empty() && !fs.file_exists(at)? {
        missing.push(at);
        match at.parent() {
            Some(parent) => at = parent,
            None => break,
        }
    }
    for directory in missing.into_iter().rev() {
        fs.create_dir_if_missing(directory)?;
    }
    // Also tells of a file in the place of the last directory.
    if path.as_os_str().is_empty() { Ok(()) } else { fs.create_dir_if_missing(path) }
}

#[cfg(test)]
mod tests;
