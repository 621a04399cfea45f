//! The files of a version that a secondary is about to show.

use crate::column_family::ColumnFamilyData;
use crate::open::tables::open_in_parallel;
use base::{Result, Status};
use options::DbOptions;
use std::collections::BTreeSet;
use std::sync::Arc;
use version::{FileMetaData, Version, find_table_file};

/// Checks that the tables are there that `next` has and the version that is shown has not, and opens
/// them where all may stay open (`max_open_files` = -1), blob files too: then the primary may delete
/// them.
///
/// # Errors
/// `IoError`, with [`Status::is_path_not_found`] if one is missing; `Corruption` if one is not as
/// large as the MANIFEST says.
pub(crate) fn secure_files(
    options: &DbOptions,
    family: &ColumnFamilyData,
    next: &Version,
) -> Result<()> {
    let shown = family.super_version.load_full();
    let old: BTreeSet<u64> = shown.version.files().map(|(_, file)| file.number).collect();
    let is_wanted = |(_, file): &(usize, &Arc<FileMetaData>)| {
        let is_open = family.tables.cache.get(file.number).is_some();
        !is_open && (!old.contains(&file.number) || family.tables.keeps_all_open())
    };
    let wanted: Vec<_> = next.files().filter(is_wanted).collect();
    open_in_parallel(options, &wanted, |(level, file)| secure_table(family, file, *level))?;
    if family.tables.keeps_all_open() {
        let source = &shown.resolver.blobs.source;
        for file in next.blob_files() {
            source.files().get(file.number())?;
        }
    }
    Ok(())
}

fn secure_table(family: &ColumnFamilyData, file: &Arc<FileMetaData>, level: usize) -> Result<()> {
    let tables = &family.tables;
    let (path, size) = find_table_file(&*tables.file_system, &tables.paths, file)?;
    if size != file.file_size {
        return Err(Status::corruption(format!(
            "Sst file size mismatch: {}. Size recorded in manifest {}, actual size {size}",
            path.display(),
            file.file_size
        )));
    }
    if tables.keeps_all_open()
        && let Err(status) = tables.open(file, level)
        && status.is_path_not_found()
    {
        return Err(status);
    }
    // Any other error is told by those who read the table.
    Ok(())
}
