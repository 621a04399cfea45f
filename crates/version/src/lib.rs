//! Version edits, the MANIFEST and the shape of the tree. Opens no table.
//!
//! A MANIFEST is a log of [`VersionEdit`]s. Replaying them gives, per column family, the table and
//! blob files that make up its data and, for the database, the numbers from which it goes on.
//!
//! [`recover`] goes all the way from `CURRENT` to a [`Version`] of each column family;
//! [`ManifestReader`], [`VersionEditHandler`] and [`VersionBuilder`] are its steps. [`VersionSet`]
//! goes on from there for a database that is written to.

#![forbid(unsafe_code)]

pub mod best_efforts;
pub mod blob_file_metadata;
pub mod column_family_set;
pub mod consistency;
mod decoder;
pub mod edit_batch;
pub mod epoch_numbers;
pub mod file_metadata;
pub mod file_numbers;
pub mod level_targets;
pub mod live_versions;
pub mod manifest;
mod manifest_snapshot;
pub mod manifest_tail;
pub mod manifest_writer;
pub mod recovery;
pub mod shape;
pub mod table_files;
#[cfg(test)]
mod test_manifest;
pub mod version;
pub mod version_builder;
pub mod version_edit;
pub mod version_edit_handler;
pub mod version_set;
pub mod wal_edit;

pub use best_efforts::{BestEffortsRecovery, FileChecker, recover_best_efforts};
pub use blob_file_metadata::{BlobFileAddition, BlobFileGarbage, BlobFileMetaData};
pub use column_family_set::ColumnFamilyEntry;
pub use decoder::UnknownField;
pub use edit_batch::{ApplyContext, NewColumnFamily};
pub use epoch_numbers::EpochNumbers;
pub use file_metadata::{
    FileChecksum, FileMetaData, INGESTED_BEHIND_EPOCH_NUMBER, NewFile, Temperature,
};
pub use file_numbers::FileNumbers;
pub use level_targets::{
    CompactionStyle, LevelSize, LevelTargetOptions, LevelTargetRule, LevelTargets,
};
pub use live_versions::{LiveFiles, ObsoleteFile};
pub use manifest::{ManifestReader, ManifestRecord, read_current};
pub use manifest_tail::{ManifestActivity, ManifestTail};
pub use manifest_writer::{ManifestWriter, create_manifest, set_current_file};
pub use recovery::{
    ColumnFamilyState, RecoveredManifest, ReplayedManifest, build_version, list_column_families,
    recover, replay_manifest,
};
pub use shape::{L0FileShape, LevelShape, MemTableShape, TreeShape};
pub use table_files::{check_files, find_table_file, open_table_file, table_path};
pub use version::Version;
pub use version_builder::{VersionBuilder, VersionOptions};
pub use version_edit::VersionEdit;
pub use version_edit_handler::{ColumnFamilyReplay, DatabaseReplay, VersionEditHandler};
pub use version_set::{VersionSet, VersionSetOptions};
pub use wal_edit::{WalAddition, WalSet, check_tracked_wals};
