//! Recovery for reading while another process may be writing.
//!
//! Between the reading of the MANIFEST and that of the files it names, the other may install a new
//! version and delete what the old one had: a table would be missing, or worse, a WAL whose entries
//! are in a table that the MANIFEST did not name yet. It changes the MANIFEST before it deletes
//! anything. So where the MANIFEST is afterwards what it was before, all that was read belongs
//! together; where not, it is read again.

use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor};
use crate::db::OpenContext;
use crate::recovery::{RecoveredDb, recover};
use base::status::Code;
use base::{Result, Status};
use env::FileSystem;
use options::DbOptions;
use std::path::{Path, PathBuf};

/// How often a database is read that changes each time.
const ATTEMPTS: usize = 100;

/// As [`recover`], of one state of the database, unless it changes faster than it can be read.
///
/// # Errors
/// As [`recover`].
pub(crate) fn recover_steadily(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<(RecoveredDb, Vec<ColumnFamilyData>)> {
    let fs = &*context.file_system;
    let mut before = manifest_now(fs, path)?;
    for _ in 1..ATTEMPTS {
        let recovered = recover(options, path, descriptors, context);
        let after = match manifest_now(fs, path) {
            Ok(after) => after,
            Err(status) => return recovered.and(Err(status)),
        };
        if before == after {
            return recovered;
        }
        before = after;
    }
    recover(options, path, descriptors, context)
}

/// The path and the size of the MANIFEST; none if it cannot be found, which recovery tells of.
fn manifest_now(fs: &dyn FileSystem, path: &Path) -> Result<Option<(PathBuf, u64)>> {
    let is_told_by_recovery =
        |status: &Status| status.is_path_not_found() || status.code() != Code::IoError;
    let found = version::read_current(fs, path).and_then(|(manifest, _)| {
        let size = fs.get_file_size(&manifest)?;
        Ok((manifest, size))
    });
    match found {
        Ok(manifest) => Ok(Some(manifest)),
        Err(status) if is_told_by_recovery(&status) => Ok(None),
        Err(status) => Err(status),
    }
}
