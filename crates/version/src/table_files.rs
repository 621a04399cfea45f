//! The table files of a version on disk: where they are, and whether they are what the MANIFEST
//! says.

use crate::file_metadata::FileMetaData;
use crate::version::Version;
use base::filename::{leveldb_table_file_name, table_file_name};
use base::{Result, Status};
use env::{FileOptions, FileSystem, RandomAccessFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of a file. `paths` are `cf_paths`, or else `db_paths`; a path id beyond them
/// means the last.
///
/// # Panics
/// If there are no paths.
pub fn directory_of<'a>(paths: &'a [PathBuf], file: &FileMetaData) -> &'a Path {
    &paths[(file.path_id as usize).min(paths.len() - 1)]
}

/// The path of a file, in RocksDB's spelling.
///
/// # Panics
/// If there are no paths.
pub fn table_path(paths: &[PathBuf], file: &FileMetaData) -> PathBuf {
    table_file_name(directory_of(paths, file), file.number)
}

/// Finds a file under RocksDB's or LevelDB's spelling and returns the path and the size found.
///
/// # Errors
/// `IoError` that names the file in RocksDB's spelling.
pub fn find_table_file(
    fs: &dyn FileSystem,
    paths: &[PathBuf],
    file: &FileMetaData,
) -> Result<(PathBuf, u64)> {
    let path = table_path(paths, file);
    match fs.get_file_size(&path) {
        Ok(size) => Ok((path, size)),
        Err(status) => {
            let other = leveldb_table_file_name(directory_of(paths, file), file.number);
            fs.get_file_size(&other).map(|size| (other, size)).map_err(|_| status)
        }
    }
}

/// Opens a file under RocksDB's or LevelDB's spelling. With how many bytes it has.
///
/// # Errors
/// `IoError` that names the file in RocksDB's spelling.
pub fn open_table_file(
    fs: &dyn FileSystem,
    paths: &[PathBuf],
    file: &FileMetaData,
    options: &FileOptions,
) -> Result<(Arc<dyn RandomAccessFile>, u64)> {
    let opened =
        fs.new_random_access_file(&table_path(paths, file), options).or_else(|status| {
            let other = leveldb_table_file_name(directory_of(paths, file), file.number);
            fs.new_random_access_file(&other, options).map_err(|_| status)
        })?;
    let size = opened.size_when_opened()?;
    Ok((opened, size))
}

/// Says so where the MANIFEST puts a file into a directory that nobody named: OPTIONS files do not
/// keep `db_paths` and `cf_paths`.
fn unknown_path(paths: &[PathBuf], file: &FileMetaData) -> Option<String> {
    let id = file.path_id as usize;
    (id >= paths.len()).then(|| {
        format!(
            "; the MANIFEST has it in path {id} of db_paths or cf_paths (counted from 0), of which {} \
             are set",
            paths.len()
        )
    })
}

/// Checks that every table file of a version is there and as large as the MANIFEST says.
///
/// # Errors
/// `Corruption` that names each file that is not, with the size expected and found.
pub fn check_files(fs: &dyn FileSystem, paths: &[PathBuf], version: &Version) -> Result<()> {
    let mut problems = Vec::new();
    for (_, file) in version.files() {
        match find_table_file(fs, paths, file) {
            Ok((_, size)) if size == file.file_size => {}
            Ok((path, size)) => problems.push(format!(
                "Sst file size mismatch: {}. Size recorded in manifest {}, actual size {size}",
                path.display(),
                file.file_size
            )),
            Err(status) => {
                let path = table_path(paths, file);
                let mut problem = format!("Can't access {}: {status}", path.display());
                if let Some(hint) = unknown_path(paths, file) {
                    problem.push_str(&hint);
                }
                problems.push(problem);
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Status::corruption(problems.join("\n"))) }
}

#[cfg(test)]
mod tests;
