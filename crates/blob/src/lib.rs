//! Blob files: values kept apart from their keys.
//!
//! A table holds a [`BlobIndex`] in place of a large value; the value is a record of a blob file
//! ([`blob_log_format`]). [`BlobSource`] is how the engine reads one: through the blob cache, if
//! there is one, and the open files of a [`BlobFileCache`]. This crate knows no table, no version,
//! and no memtable: which blob files exist is the version's to say.

#![forbid(unsafe_code)]

pub mod blob_file_cache;
pub mod blob_file_reader;
pub mod blob_index;
pub mod blob_log_format;
pub mod blob_log_reader;
pub mod blob_log_writer;
pub mod blob_source;
#[cfg(test)]
mod test_files;

pub use blob_file_cache::{BlobFileCache, OpenBlobFiles};
pub use blob_file_reader::{BlobFileReader, BlobReadOptions};
pub use blob_index::{BlobIndex, BlobReference};
pub use blob_log_format::{BlobLogFooter, BlobLogHeader, BlobLogRecordHeader};
pub use blob_log_reader::{BlobLogReader, BlobLogRecord};
pub use blob_log_writer::BlobLogWriter;
pub use blob_source::BlobSource;
