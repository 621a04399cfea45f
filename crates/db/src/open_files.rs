//! The files that a database keeps open to read them: tables and blob files of all its column
//! families, together up to `max_open_files`.

use blob::OpenBlobFiles;
use env::open_files_limit;
use options::DbOptions;
use std::sync::Arc;
use table::TableCache;

/// Of `max_open_files` so many are for other files: WALs, the MANIFEST, the outputs of jobs.
const KEPT_FREE: usize = 10;
/// Blob files have up to this part of the rest; what they do not use tables have.
const BLOB_FILES_PART: usize = 4;

/// The files kept open.
#[derive(Clone, Debug)]
pub(crate) struct OpenFiles {
    pub(crate) tables: Arc<TableCache>,
    pub(crate) blob_files: Arc<OpenBlobFiles>,
}

impl OpenFiles {
    pub(crate) fn new(options: &DbOptions) -> Self {
        let (tables_max, blob_files_max) = limits(options, open_files_limit());
        let blob_files = Arc::new(OpenBlobFiles::new(blob_files_max));
        let tables = Arc::new(TableCache::beside(tables_max, blob_files.count()));
        Self { tables, blob_files }
    }

    /// Goes by another `max_open_files` from now on.
    pub(crate) fn set_limits(&self, options: &DbOptions) {
        let (tables_max, blob_files_max) = limits(options, open_files_limit());
        self.blob_files.set_max(blob_files_max);
        self.tables.set_capacity(tables_max);
    }
}

/// The least that `max_open_files` may be, but for -1.
const MAX_OPEN_FILES_LEAST: i32 = 20;

/// Tables and blob files that are kept open at most, by a process that may open `process_max` files. As
/// RocksDB does, -1 is taken at its word.
fn limits(options: &DbOptions, process_max: Option<u64>) -> (usize, usize) {
    let max_open_files = match options.max_open_files {
        -1 => -1,
        max => max.max(MAX_OPEN_FILES_LEAST),
    };
    match usize::try_from(max_open_files) {
        Ok(max) => {
            let process_max = process_max.and_then(|max| usize::try_from(max).ok());
            let max = max.min(process_max.unwrap_or(usize::MAX));
            let max = max.saturating_sub(KEPT_FREE).max(max.min(KEPT_FREE));
            (max, max / BLOB_FILES_PART)
        }
        // -1: all.
        Err(_) => (usize::MAX, usize::MAX),
    }
}

#[cfg(test)]
mod tests;
