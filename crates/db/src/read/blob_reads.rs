//! Values that a column family keeps in blob files.

use base::dbformat::hex;
use base::{PinnableSlice, Result, Status};
use blob::{BlobFileCache, BlobReadOptions, BlobReference};
use std::sync::Arc;
use version::Version;

/// Reads blobs of one column family, as of one version.
#[derive(Clone, Debug)]
pub(crate) struct BlobReads {
    pub(crate) version: Arc<Version>,
    pub(crate) files: Arc<BlobFileCache>,
}

impl BlobReads {
    /// The value that an encoded blob index refers to.
    pub(crate) fn read(&self, user_key: &[u8], index: &[u8]) -> Result<PinnableSlice> {
        let reference = BlobReference::decode(index)
            .map_err(|error| error.context(format!("value of key {}", hex(user_key))))?;
        if reference.is_in_current_file() {
            // Tables resolve these themselves; only a table knows its own file.
            return Err(Status::corruption(format!(
                "value of key {} is embedded in a table that has no embedded blobs",
                hex(user_key)
            )));
        }
        if self.version.blob_file(reference.file_number).is_none() {
            return Err(Status::corruption(format!(
                "value of key {} is in blob file {:06}.blob, which the MANIFEST does not have",
                hex(user_key),
                reference.file_number
            )));
        }
        let file = self.files.get(reference.file_number)?;
        file.get(&BlobReadOptions::default(), user_key, &reference)
    }
}
