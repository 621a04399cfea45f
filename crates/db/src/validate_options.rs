//! Options are checked before a file is touched: by the rules of `options`, and for what this
//! engine has no object of.

use crate::column_family::ColumnFamilyDescriptor;
use base::{Result, Status, file_checksum};
use options::{DbOptions, rules};

/// Checks the options of a database and of all its column families, as an open for writing does.
///
/// # Errors
/// `InvalidArgument` or `NotSupported`: a sentence that names the option, its value, what to do, and
/// the column family.
pub fn validate(options: &DbOptions, families: &[ColumnFamilyDescriptor]) -> Result<()> {
    let families = families.iter().map(|family| (&family.name, &family.options));
    rules::check(&rules::faults(options, families))?;
    let checksums = &options.file_checksum_gen_factory;
    if !checksums.is_null() && file_checksum::builtin(&checksums.id()).is_none() {
        return Err(Status::not_supported(format!(
            "file_checksum_gen_factory={} is not registered, and tables would be written without \
             the checksums that others have: set it to FileChecksumGenCrc32cFactory",
            checksums.id()
        )));
    }
    Ok(())
}

/// Checks the options of one column family.
///
/// # Errors
/// As [`validate`].
pub(crate) fn validate_family(db: &DbOptions, family: &ColumnFamilyDescriptor) -> Result<()> {
    rules::check(&rules::family_faults(db, &family.name, &family.options))
}

#[cfg(test)]
mod tests;
