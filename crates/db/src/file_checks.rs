//! Checks of files against the checksums that the MANIFEST has of them, and of their blocks.

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use base::dbformat::hex;
use base::filename::blob_file_name;
use base::{FileChecksumGenContext, FileChecksumGenFactory, Result, Status};
use env::{FileOptions, FileSystem};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{ReadOptions, TableProperties};
use version::{FileChecksum, find_table_file};

/// Bytes read at once.
const READ_BYTES: usize = 1 << 20;

impl Db {
    /// Reads every table and blob file of all open column families whole, and compares what
    /// `file_checksum_gen_factory` makes of them with what the MANIFEST has (`VerifyFileChecksums`).
    /// Files that were written without a checksum are not read.
    ///
    /// # Errors
    /// `InvalidArgument` if the database has no such factory, or a file has a checksum of a function
    /// that it does not know; `Corruption` that names the first file that is not what was written;
    /// `IoError`.
    pub fn verify_file_checksums(&self) -> Result<()> {
        let factory = self.inner.file_checksum_gen_factory().ok_or_else(|| {
            Status::invalid_argument(
                "Cannot verify file checksum if options.file_checksum_gen_factory is null",
            )
        })?;
        for family in self.column_families() {
            verify_family(&family.0, &*factory)?;
        }
        Ok(())
    }

    /// Reads every block of every table of all open column families, and compares its checksum with the
    /// one that stands after it (`VerifyChecksum`). The block cache is neither asked nor filled.
    ///
    /// # Errors
    /// `Corruption` that names file and place of the first block that is not what was written;
    /// `IoError`.
    pub fn verify_checksum(&self, options: &ReadOptions) -> Result<()> {
        for family in self.column_families() {
            // The files stay as long as the version is held.
            let version = family.version();
            for (level, file) in version.files() {
                family.open_table(level, file)?.verify_checksum(options)?;
            }
        }
        Ok(())
    }

    /// The properties of all tables of a column family, by path (`GetPropertiesOfAllTables`); what
    /// collectors put there is in their `user_collected_properties`.
    ///
    /// # Errors
    /// `Corruption` or `IoError` if the properties of a table cannot be read.
    pub fn properties_of_all_tables(
        &self,
        family: &ColumnFamilyHandle,
    ) -> Result<BTreeMap<PathBuf, Arc<TableProperties>>> {
        let (tables, version) = (&family.0.tables, family.version());
        let properties = version.files().map(|(_, file)| {
            let (path, _) = find_table_file(&*tables.file_system, &tables.paths, file)?;
            Ok((path, tables.properties(file)?))
        });
        properties.collect()
    }
}

fn verify_family(family: &ColumnFamilyData, factory: &dyn FileChecksumGenFactory) -> Result<()> {
    // The files stay as long as the version is held.
    let super_version = family.super_version.load_full();
    let (tables, version) = (&family.tables, &super_version.version);
    let fs = &*tables.file_system;
    for (_, file) in version.files() {
        let Some(expected) = file.checksum() else { continue };
        let (path, _) = find_table_file(fs, &tables.paths, file)?;
        verify_file(fs, &path, factory, &expected.function_name, &expected.value)?;
    }
    let Some(directory) = tables.paths.first() else { return Ok(()) };
    for file in version.blob_files() {
        let addition = &file.addition;
        if !addition.checksum_method.is_empty() {
            let path = blob_file_name(directory, addition.number);
            let method = &addition.checksum_method;
            verify_file(fs, &path, factory, method, &addition.checksum_value)?;
        }
    }
    Ok(())
}

/// The checksum of a file by this function, or by any one if it has no name.
///
/// # Errors
/// `InvalidArgument` if the factory does not know the function; `IoError`.
pub(crate) fn file_checksum(
    fs: &dyn FileSystem,
    path: &Path,
    factory: &dyn FileChecksumGenFactory,
    function_name: &[u8],
) -> Result<FileChecksum> {
    let (file_name, function_name) =
        (path.to_string_lossy(), String::from_utf8_lossy(function_name));
    let context =
        FileChecksumGenContext { file_name: &file_name, requested_function_name: &function_name };
    let mut generator = factory.create(&context).ok_or_else(|| {
        Status::invalid_argument(format!(
            "{file_name}: {} does not know the checksum function {function_name}",
            factory.name()
        ))
    })?;
    let mut file = fs.new_sequential_file(path, &FileOptions::default())?;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => generator.update(&buffer[..count]),
        }
    }
    let function_name = generator.name().as_bytes().to_vec();
    Ok(FileChecksum { value: generator.finalize(), function_name })
}

fn verify_file(
    fs: &dyn FileSystem,
    path: &Path,
    factory: &dyn FileChecksumGenFactory,
    function_name: &[u8],
    expected: &[u8],
) -> Result<()> {
    let found = file_checksum(fs, path, factory, function_name)?;
    if found.value == expected && found.function_name == function_name {
        return Ok(());
    }
    let (file_name, function_name) = (path.display(), String::from_utf8_lossy(function_name));
    let found_name = String::from_utf8_lossy(&found.function_name);
    Err(Status::corruption(format!(
        "{file_name} file checksum mismatch: expected {} by {function_name}, found {} by \
         {found_name}",
        hex(expected),
        hex(&found.value)
    )))
}
