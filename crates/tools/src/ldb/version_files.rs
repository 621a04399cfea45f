//! The files of a version in the order in which ldb shows them, and their paths.

use base::filename::{blob_file_name, table_file_name};
use db::ColumnFamilyHandle;
use std::cmp::Reverse;
use std::sync::Arc;
use version::{BlobFileMetaData, FileMetaData, Version};

/// The files of a level. Those of level 0 come newest first by sequence numbers: 7.8.3 knows no
/// epoch numbers.
pub(crate) fn level_files(version: &Version, level: usize) -> Vec<&Arc<FileMetaData>> {
    let mut files: Vec<_> = version.level_files(level).iter().collect();
    if level == 0 {
        files.sort_by_key(|file| Reverse((file.largest_seqno, file.smallest_seqno, file.number)));
    }
    files
}

/// All files with their levels, level by level as [`level_files`].
pub(crate) fn newest_first(version: &Version) -> impl Iterator<Item = (usize, &Arc<FileMetaData>)> {
    (0..version.num_levels())
        .flat_map(move |level| level_files(version, level).into_iter().map(move |f| (level, f)))
}

/// The path of a table, without slashes in a row.
pub(crate) fn table_path(family: &ColumnFamilyHandle, file: &FileMetaData) -> String {
    normalized(&table_file_name(family.table_directory(file), file.number).to_string_lossy())
}

/// The path of a blob file, without slashes in a row.
pub(crate) fn blob_path(family: &ColumnFamilyHandle, file: &BlobFileMetaData) -> String {
    let directory = family.table_directories().first();
    let path = directory.map(|directory| blob_file_name(directory, file.number()));
    normalized(&path.unwrap_or_default().to_string_lossy())
}

/// The path without slashes in a row, but for two it begins with.
pub(crate) fn normalized(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    if path.len() > 2 && path.starts_with("//") {
        normal.push_str("//");
    }
    for character in path.chars() {
        if character != '/' || !normal.ends_with('/') {
            normal.push(character);
        }
    }
    normal
}

#[cfg(test)]
mod tests;
