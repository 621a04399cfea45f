//! The open blob files of a column family.

use crate::blob_file_reader::BlobFileReader;
use base::Result;
use base::filename::blob_file_name;
use env::{FileOptions, FileSystem};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens blob files when they are first read and keeps them open.
#[derive(Debug)]
pub struct BlobFileCache {
    file_system: Arc<dyn FileSystem>,
    /// Where the blob files are: the first path of the column family.
    directory: PathBuf,
    file_options: FileOptions,
    column_family_id: u32,
    /// Files kept open; the one not used for longest is closed for another.
    open_files_max: usize,
    open_files: RwLock<HashMap<u64, OpenFile>>,
    /// Counts uses. Relaxed: it only orders files by age, and roughly is enough.
    clock: AtomicU64,
}

#[derive(Debug)]
struct OpenFile {
    reader: Arc<BlobFileReader>,
    last_used: AtomicU64,
}

impl BlobFileCache {
    /// An empty cache that keeps up to `open_files_max` files open (at least one).
    pub fn new(
        file_system: Arc<dyn FileSystem>,
        directory: PathBuf,
        file_options: FileOptions,
        column_family_id: u32,
        open_files_max: usize,
    ) -> Self {
        Self {
            file_system,
            directory,
            file_options,
            column_family_id,
            open_files_max: open_files_max.max(1),
            open_files: RwLock::default(),
            clock: AtomicU64::new(0),
        }
    }

    /// The file of this number, opened if it is not open.
    ///
    /// # Errors
    /// As [`BlobFileReader::open`] and the file system.
    pub fn get(&self, file_number: u64) -> Result<Arc<BlobFileReader>> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(open) = self.open_files.read().get(&file_number) {
            open.last_used.store(now, Ordering::Relaxed);
            return Ok(Arc::clone(&open.reader));
        }
        // Not under the lock: opening may take long. Whoever comes second keeps the first's.
        let path = blob_file_name(&self.directory, file_number);
        let file = self.file_system.new_random_access_file(&path, &self.file_options)?;
        let reader = Arc::new(BlobFileReader::open(file, self.column_family_id)?);
        let mut open_files = self.open_files.write();
        if open_files.len() >= self.open_files_max && !open_files.contains_key(&file_number) {
            let oldest = open_files
                .iter()
                .min_by_key(|(_, open)| open.last_used.load(Ordering::Relaxed))
                .map(|(&number, _)| number);
            oldest.map(|number| open_files.remove(&number));
        }
        let open = open_files
            .entry(file_number)
            .or_insert_with(|| OpenFile { reader, last_used: AtomicU64::new(now) });
        Ok(Arc::clone(&open.reader))
    }

    /// Forgets a file that left the version. Those who read it may finish.
    pub fn evict(&self, file_number: u64) {
        self.open_files.write().remove(&file_number);
    }

    /// How many files are open.
    pub fn open_file_count(&self) -> usize {
        self.open_files.read().len()
    }
}

#[cfg(test)]
mod tests;
