//! Values that a column family keeps in blob files.

use base::dbformat::hex;
use base::{PinnableSlice, Result, Status};
use blob::{BlobReadOptions, BlobReference, BlobSource};
use statistics::Activity;
use std::sync::Arc;
use table::ReadOptions;
use version::Version;

/// Reads blobs of one column family, as of one version.
#[derive(Clone, Debug)]
pub(crate) struct BlobReads {
    pub(crate) version: Arc<Version>,
    pub(crate) source: Arc<BlobSource>,
}

/// The part of [`ReadOptions`] that reading a blob needs.
pub(crate) fn blob_read_options(options: &ReadOptions) -> BlobReadOptions {
    BlobReadOptions {
        verify_checksums: options.verify_checksums,
        fill_cache: options.fill_cache,
        cache_only: !options.read_tier.may_read_files(),
        activity: Activity::Get,
        terms: options.terms(),
    }
}

impl BlobReads {
    /// The value that an encoded blob index refers to.
    pub(crate) fn read(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        index: &[u8],
    ) -> Result<PinnableSlice> {
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
        self.source.get(options, user_key, &reference)
    }
}
