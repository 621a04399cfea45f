//! Version edits, the MANIFEST and the shape of the tree. Opens no table.
//!
//! A MANIFEST is a log of [`VersionEdit`]s. Replaying them gives, per column family, the table and
//! blob files that make up its data and, for the database, the numbers from which it goes on.

#![forbid(unsafe_code)]

pub mod blob_file_metadata;
mod decoder;
pub mod file_metadata;
pub mod version_edit;
pub mod wal_edit;

pub use blob_file_metadata::{BlobFileAddition, BlobFileGarbage, BlobFileMetaData};
pub use decoder::UnknownField;
pub use file_metadata::{FileChecksum, FileMetaData, NewFile, Temperature};
pub use version_edit::VersionEdit;
pub use wal_edit::{WalAddition, WalSet};
