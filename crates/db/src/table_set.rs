//! Opens the tables of a column family.

use base::{Result, Status};
use env::FileSystem;
use statistics::Ticker;
use std::path::PathBuf;
use std::sync::Arc;
use table::{BlockBasedTable, TableCache, TableOptions, TableProperties, TableTail};
use version::{FileMetaData, find_table_file};

/// Where the tables of a column family are and how they are read.
#[derive(Debug)]
pub(crate) struct TableSet {
    pub(crate) file_system: Arc<dyn FileSystem>,
    /// `cf_paths`, or `db_paths`, or the directory of the database.
    pub(crate) paths: Vec<PathBuf>,
    pub(crate) file_options: env::FileOptions,
    /// What all tables of the family share.
    pub(crate) options: TableOptions,
    /// Whether a table must have the unique id that the MANIFEST gives it.
    pub(crate) verifies_unique_ids: bool,
    pub(crate) cache: Arc<TableCache>,
    /// Whether every table may stay open (`max_open_files` = -1).
    pub(crate) keeps_all_open: bool,
}

impl TableSet {
    #[inline]
    pub(crate) fn keeps_all_open(&self) -> bool {
        self.keeps_all_open
    }

    /// The table of a file, if it is open.
    ///
    /// # Errors
    /// `Incomplete` if it is not.
    #[cold]
    pub(crate) fn opened(&self, file: &FileMetaData) -> Result<Arc<BlockBasedTable>> {
        self.cache.get(file.number).ok_or_else(|| {
            Status::incomplete(format!(
                "table {:06}.sst is not open, and files may not be read",
                file.number
            ))
        })
    }

    /// The table of a file, opened if it is not open.
    pub(crate) fn open(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        self.cache.get_or_open(file.number, || {
            let (path, size) = find_table_file(&*self.file_system, &self.paths, file)?;
            let opened = self.file_system.new_random_access_file(&path, &self.file_options)?;
            let block_cache = self.options.block_cache.as_deref();
            let options = TableOptions {
                cache_id: block_cache.map(|cache| self.cache.cache_id(file.number, cache)),
                level: Some(level),
                file_number: file.number,
                largest_sequence: Some(file.largest_seqno),
                expected_unique_id: file.unique_id.filter(|_| self.verifies_unique_ids),
                user_defined_timestamps_persisted: file.user_defined_timestamps_persisted,
                ..self.options.clone()
            };
            if let Some(statistics) = &options.statistics {
                statistics.record_tick(Ticker::NoFileOpens, 1);
            }
            BlockBasedTable::open(opened, size, &options)
        })
    }

    /// What a file says of itself. Reads no more of it than that takes.
    pub(crate) fn properties(&self, file: &FileMetaData) -> Result<Arc<TableProperties>> {
        if let Some(table) = self.cache.get(file.number) {
            return Ok(table.properties().clone());
        }
        let (path, size) = find_table_file(&*self.file_system, &self.paths, file)?;
        let opened = self.file_system.new_random_access_file(&path, &self.file_options)?;
        Ok(Arc::new(TableTail::read(&*opened, size)?.properties.unwrap_or_default()))
    }
}
