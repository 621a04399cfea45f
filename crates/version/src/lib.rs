//! Version edits, the MANIFEST and the shape of the tree. Opens no table.
//!
//! A MANIFEST is a log of [`VersionEdit`]s. Replaying them gives, per column family, the table and
//! blob files that make up its data and, for the database, the numbers from which it goes on.
//!
//! [`recover`] goes all the way from `CURRENT` to a [`Version`] of each column family;
//! [`ManifestReader`], [`VersionEditHandler`] and [`VersionBuilder`] are its steps.

#![forbid(unsafe_code)]

pub mod blob_file_metadata;
pub mod consistency;
mod decoder;
pub mod file_metadata;
pub mod level_targets;
pub mod manifest;
pub mod recovery;
pub mod shape;
pub mod table_files;
#[cfg(test)]
mod test_manifest;
pub mod version;
pub mod version_builder;
pub mod version_edit;
pub mod version_edit_handler;
pub mod wal_edit;

pub use blob_file_metadata::{BlobFileAddition, BlobFileGarbage, BlobFileMetaData};
pub use decoder::UnknownField;
pub use file_metadata::{FileChecksum, FileMetaData, NewFile, Temperature};
pub use level_targets::{
    CompactionStyle, LevelSize, LevelTargetOptions, LevelTargetRule, LevelTargets,
};
pub use manifest::{ManifestReader, ManifestRecord, read_current};
pub use recovery::{
    ColumnFamilyState, RecoveredManifest, ReplayedManifest, build_version, list_column_families,
    recover, replay_manifest,
};
pub use shape::{L0FileShape, LevelShape, MemTableShape, TreeShape};
pub use table_files::{check_files, find_table_file, table_path};
pub use version::Version;
pub use version_builder::{VersionBuilder, VersionOptions};
pub use version_edit::VersionEdit;
pub use version_edit_handler::{ColumnFamilyReplay, DatabaseReplay, VersionEditHandler};
pub use wal_edit::{WalAddition, WalSet, check_tracked_wals};
