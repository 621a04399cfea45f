//! What tools look at beside keys and values: entries with their sequence numbers, and single
//! tables.

mod internal_entries;

pub use internal_entries::InternalEntries;

use crate::column_family::ColumnFamilyHandle;
use crate::db::Db;
use base::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::BlockBasedTable;
use version::FileMetaData;
use version::table_files::directory_of;

impl Db {
    /// Opens all tables, which are otherwise opened when they are first read, so that a bad one is
    /// met now.
    ///
    /// # Errors
    /// `Corruption`, `NotSupported` or `IoError` of the first table that cannot be opened.
    pub fn open_tables(&self) -> Result<()> {
        for family in self.column_families() {
            for (level, file) in family.version().files() {
                family.open_table(level, file)?;
            }
        }
        Ok(())
    }

    /// A cursor over the entries of a family as they are stored, of all sequence numbers. Those
    /// that a range tombstone hides are left out, and so are the tombstones.
    pub fn new_internal_iterator(&self, family: &ColumnFamilyHandle) -> InternalEntries {
        InternalEntries::new(&family.0)
    }
}

impl ColumnFamilyHandle {
    /// The table of a file of a level, opened if it is not open.
    ///
    /// # Errors
    /// `Corruption`, `NotSupported` or `IoError` if it cannot be opened.
    pub fn open_table(&self, level: usize, file: &FileMetaData) -> Result<Arc<BlockBasedTable>> {
        self.0.tables.open(file, level)
    }

    /// The directory of a table.
    pub fn table_directory(&self, file: &FileMetaData) -> &Path {
        directory_of(&self.0.tables.paths, file)
    }

    /// The directories of tables; blob files are in the first.
    pub fn table_directories(&self) -> &[PathBuf] {
        &self.0.tables.paths
    }
}

#[cfg(test)]
mod tests;
