//! Checks of files against the checksums that the MANIFEST has of them, and of their blocks.

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use base::dbformat::hex;
use base::filename::blob_file_name;
use base::{FileChecksumGenContext, FileChecksumGenFactory, Result, Status};
use env::rate_limiter::{IoOperation, IoPriority};
use env::{FileOptions, FileSystem, RateLimiter};
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
    /// Files that were written without a checksum are not read. With a `rate_limiter_priority` it asks
    /// the rate limiter; other options of reads have no say.
    ///
    /// # Errors
    /// `InvalidArgument` if the database has no such factory, or a file has a checksum of a function
    /// that it does not know; `Corruption` that names the first file that is not what was written;
    /// `IoError`.
    pub fn verify_file_checksums(&self, options: &ReadOptions) -> Result<()> {
        let factory = self.inner.file_checksum_gen_factory().ok_or_else(|| {
            Status::invalid_argument(
                "Cannot verify file checksum if options.file_checksum_gen_factory is null",
            )
        })?;
        let limit = options
            .rate_limiter_priority
            .and_then(|priority| Some((self.inner.context.counted_rate_limiter()?, priority)));
        let check = Check { factory: &*factory, limit };
        for family in self.column_families() {
            check.verify_family(&family.0)?;
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

/// The checksum of a file by this function, or by any one if it has no name. No rate limiter is asked.
///
/// # Errors
/// `InvalidArgument` if the factory does not know the function; `IoError`.
pub(crate) fn file_checksum(
    fs: &dyn FileSystem,
    path: &Path,
    factory: &dyn FileChecksumGenFactory,
    function_name: &[u8],
) -> Result<FileChecksum> {
    Check { factory, limit: None }.file_checksum(fs, path, function_name)
}

/// What files are checked by, and who is asked before they are read.
struct Check<'a> {
    factory: &'a dyn FileChecksumGenFactory,
    limit: Option<(Arc<dyn RateLimiter>, IoPriority)>,
}

impl Check<'_> {
    /// How many bytes may be read next.
    fn granted_bytes(&self) -> usize {
        let Some((limiter, priority)) = &self.limit else { return READ_BYTES };
        let granted = limiter.request_token(READ_BYTES as u64, 0, *priority, IoOperation::Read);
        usize::try_from(granted).unwrap_or(READ_BYTES).clamp(1, READ_BYTES)
    }

    fn verify_family(&self, family: &ColumnFamilyData) -> Result<()> {
        // The files stay as long as the version is held.
        let super_version = family.super_version.load_full();
        let (tables, version) = (&family.tables, &super_version.version);
        let fs = &*tables.file_system;
        for (_, file) in version.files() {
            let Some(expected) = file.checksum() else { continue };
            let (path, _) = find_table_file(fs, &tables.paths, file)?;
            self.verify_file(fs, &path, &expected.function_name, &expected.value)?;
        }
        let Some(directory) = tables.paths.first() else { return Ok(()) };
        for file in version.blob_files() {
            let addition = &file.addition;
            if !addition.checksum_method.is_empty() {
                let path = blob_file_name(directory, addition.number);
                let method = &addition.checksum_method;
                self.verify_file(fs, &path, method, &addition.checksum_value)?;
            }
        }
        Ok(())
    }

    fn file_checksum(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        function_name: &[u8],
    ) -> Result<FileChecksum> {
        let (file_name, function_name) =
            (path.to_string_lossy(), String::from_utf8_lossy(function_name));
        let context = FileChecksumGenContext {
            file_name: &file_name,
            requested_function_name: &function_name,
        };
        let mut generator = self.factory.create(&context).ok_or_else(|| {
            Status::invalid_argument(format!(
                "{file_name}: {} does not know the checksum function {function_name}",
                self.factory.name()
            ))
        })?;
        let mut file = fs.new_sequential_file(path, &FileOptions::default())?;
        let mut buffer = vec![0; READ_BYTES];
        loop {
            match file.read(&mut buffer[..self.granted_bytes()])? {
                0 => break,
                count => generator.update(&buffer[..count]),
            }
        }
        let function_name = generator.name().as_bytes().to_vec();
        Ok(FileChecksum { value: generator.finalize(), function_name })
    }

    fn verify_file(
        &self,
        fs: &dyn FileSystem,
        path: &Path,
        function_name: &[u8],
        expected: &[u8],
    ) -> Result<()> {
        let found = self.file_checksum(fs, path, function_name)?;
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
}
