//! Which files something still reads from.
//!
//! A version that is no longer current lives on while an iterator, a snapshot of the tree or a
//! compaction holds it, and its files with it.

use crate::file_metadata::FileMetaData;
use crate::version::Version;
use crate::version_edit::VersionEdit;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Weak};

/// Numbers of files that some version still has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveFiles {
    /// Tables.
    pub tables: BTreeSet<u64>,
    /// Blob files.
    pub blob_files: BTreeSet<u64>,
}

/// A file that no version has any more and that nothing reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObsoleteFile {
    /// A table.
    Table {
        /// The column family that had it.
        column_family: u32,
        /// Number in the file's name.
        number: u64,
        /// Index of its directory in `cf_paths` or `db_paths`.
        path_id: u32,
    },
    /// A blob file; it is in the first directory of its column family.
    Blob {
        /// The column family that had it.
        column_family: u32,
        /// Number in the file's name.
        number: u64,
    },
}

impl ObsoleteFile {
    /// Number in the file's name.
    pub fn number(&self) -> u64 {
        match self {
            Self::Table { number, .. } | Self::Blob { number, .. } => *number,
        }
    }

    /// The column family that had it.
    pub fn column_family(&self) -> u32 {
        match self {
            Self::Table { column_family, .. } | Self::Blob { column_family, .. } => *column_family,
        }
    }
}

impl LiveFiles {
    /// Whether `file` is among them.
    pub(crate) fn contains(&self, file: &ObsoleteFile) -> bool {
        match file {
            ObsoleteFile::Table { number, .. } => self.tables.contains(number),
            ObsoleteFile::Blob { number, .. } => self.blob_files.contains(number),
        }
    }
}

/// Below this many versions nobody asks which are gone.
const PRUNE_AT_MIN: usize = 16;

/// A table that left its place in the current version.
#[derive(Debug)]
struct RetiredTable {
    column_family: u32,
    path_id: u32,
    size_bytes: u64,
    /// It has only moved to another level.
    is_current: bool,
    /// What the versions had of it: whoever reads the table holds one of these.
    holders: Vec<Weak<FileMetaData>>,
}

/// All versions that something may still hold, and the files that left the current ones.
#[derive(Debug, Default)]
pub(crate) struct LiveVersions {
    /// With their column families.
    versions: Vec<(u32, Weak<Version>)>,
    /// So many of them are looked through for those that are gone.
    prune_at: usize,
    retired_tables: BTreeMap<u64, RetiredTable>,
    /// With their column families.
    retired_blob_files: BTreeMap<u64, u32>,
}

impl LiveVersions {
    /// Takes note of a new version.
    pub(crate) fn add(&mut self, column_family: u32, version: &Arc<Version>) {
        // Not each time: there may be thousands.
        if self.versions.len() >= self.prune_at {
            self.versions.retain(|(_, version)| version.strong_count() > 0);
            self.prune_at = (self.versions.len() * 2).max(PRUNE_AT_MIN);
        }
        self.versions.push((column_family, Arc::downgrade(version)));
    }

    /// Takes note of what the step from `old` to `new` by `edits` leaves behind.
    pub(crate) fn retire(
        &mut self,
        column_family: u32,
        old: &Version,
        new: &Version,
        edits: &[&VersionEdit],
    ) {
        let deleted: HashSet<(u32, u64)> =
            edits.iter().flat_map(|edit| edit.deleted_files.iter().copied()).collect();
        let added: HashSet<u64> =
            edits.iter().flat_map(|edit| &edit.new_files).map(|new| new.file.number).collect();
        let levels: BTreeSet<_> = deleted.iter().map(|(level, _)| *level).collect();
        for level in levels {
            for file in old.level_files(level as usize) {
                if deleted.contains(&(level, file.number)) {
                    self.retire_table(column_family, file, added.contains(&file.number));
                }
            }
        }
        for blob in old.blob_files() {
            if new.blob_file(blob.number()).is_none() {
                self.retired_blob_files.insert(blob.number(), column_family);
            }
        }
    }

    /// Takes note that a column family is dropped.
    pub(crate) fn retire_all(&mut self, column_family: u32, version: &Version) {
        for (_, file) in version.files() {
            self.retire_table(column_family, file, false);
        }
        for blob in version.blob_files() {
            self.retired_blob_files.insert(blob.number(), column_family);
        }
    }

    fn retire_table(&mut self, column_family: u32, file: &Arc<FileMetaData>, is_current: bool) {
        let table = self.retired_tables.entry(file.number).or_insert_with(|| RetiredTable {
            column_family,
            path_id: file.path_id,
            size_bytes: file.file_size,
            is_current,
            holders: Vec::new(),
        });
        table.is_current = is_current;
        table.path_id = file.path_id;
        table.holders.push(Arc::downgrade(file));
    }

    /// Whether the file left the current versions and something may still hold it.
    pub(crate) fn retires(&self, file: &ObsoleteFile) -> bool {
        match file {
            ObsoleteFile::Table { number, .. } => self.retired_tables.contains_key(number),
            ObsoleteFile::Blob { number, .. } => self.retired_blob_files.contains_key(number),
        }
    }

    /// Whether files of this column family left the current versions and were not told yet.
    pub(crate) fn retires_any_of(&self, column_family: u32) -> bool {
        self.retired_tables.values().any(|table| table.column_family == column_family)
            || self.retired_blob_files.values().any(|id| *id == column_family)
    }

    /// The files that left the current versions, and that nothing holds any more. Each is told
    /// once.
    pub(crate) fn take_obsolete_files(&mut self) -> Vec<ObsoleteFile> {
        let mut obsolete = Vec::new();
        self.retired_tables.retain(|&number, table| {
            table.holders.retain(|file| file.strong_count() > 0);
            if !table.holders.is_empty() {
                return true;
            }
            if !table.is_current {
                let (column_family, path_id) = (table.column_family, table.path_id);
                obsolete.push(ObsoleteFile::Table { column_family, number, path_id });
            }
            false
        });
        if !self.retired_blob_files.is_empty() {
            let live: Vec<_> =
                self.versions.iter().filter_map(|(_, live)| live.upgrade()).collect();
            self.retired_blob_files.retain(|&number, &mut column_family| {
                let is_live = live.iter().any(|version| version.blob_file(number).is_some());
                if !is_live {
                    obsolete.push(ObsoleteFile::Blob { column_family, number });
                }
                is_live
            });
        }
        obsolete
    }

    /// The versions of a column family that something holds.
    pub(crate) fn of(&self, column_family: u32) -> Vec<Arc<Version>> {
        let versions = self.versions.iter().filter(|(id, _)| *id == column_family);
        versions.filter_map(|(_, version)| version.upgrade()).collect()
    }

    /// Bytes of the tables that nothing needs any more and that were not told yet.
    pub(crate) fn obsolete_table_bytes(&self) -> u64 {
        let is_obsolete = |table: &&RetiredTable| {
            !table.is_current && table.holders.iter().all(|file| file.strong_count() == 0)
        };
        self.retired_tables.values().filter(is_obsolete).map(|table| table.size_bytes).sum()
    }

    /// Numbers of the files of all versions that something holds, those of dropped column families
    /// included.
    pub(crate) fn live_files(&self) -> LiveFiles {
        let mut live = LiveFiles::default();
        for version in self.versions.iter().filter_map(|(_, live)| live.upgrade()) {
            live.tables.extend(version.files().map(|(_, file)| file.number));
            live.blob_files.extend(version.blob_files().iter().map(|file| file.number()));
        }
        live
    }
}

#[cfg(test)]
mod tests;
