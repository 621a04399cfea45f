//! The files of a column family that one flush or compaction reads and writes.

use crate::column_family::ColumnFamilyData;
use crate::read::blob_reads::BlobReads;
use base::filename::{blob_file_name, table_file_name};
use base::{PinnableSlice, Result};
use blob::{BlobReadOptions, BlobReference};
use compaction::{JobEnvironment, NewOutputFile, OutputFileHint};
use env::{
    CountedFileKind, CountedWritableFile, FileOptions, FileSystem, IoPriority, RateLimitedFile,
    RateLimiter,
};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::BlockBasedTable;
use version::{FileMetaData, FileNumbers};

/// What one job reads and writes.
#[derive(Debug)]
pub(crate) struct FamilyFiles {
    pub(crate) family: Arc<ColumnFamilyData>,
    pub(crate) file_numbers: Arc<FileNumbers>,
    /// Where blob references lead.
    pub(crate) blobs: BlobReads,
    /// How outputs are written.
    pub(crate) file_options: FileOptions,
    /// Whom writes ask, and how urgent they are.
    limit: Option<(Arc<dyn RateLimiter>, IoPriority)>,
    /// Directories in which names were made.
    directories: Mutex<BTreeSet<PathBuf>>,
}

impl FamilyFiles {
    pub(crate) fn new(
        family: Arc<ColumnFamilyData>,
        file_numbers: Arc<FileNumbers>,
        file_options: FileOptions,
    ) -> Self {
        let blobs = family.super_version.load().resolver.blobs.clone();
        Self {
            family,
            file_numbers,
            blobs,
            file_options,
            limit: None,
            directories: Mutex::default(),
        }
    }

    /// Writes ask `limiter`, if there is one.
    pub(crate) fn with_rate_limit(
        mut self,
        limiter: Option<Arc<dyn RateLimiter>>,
        priority: IoPriority,
    ) -> Self {
        self.limit = limiter.map(|limiter| (limiter, priority));
        self
    }

    /// Removes a table that no version got to have.
    pub(crate) fn discard_table(&self, file: &FileMetaData) {
        let paths = &self.family.tables.paths;
        if let Some(directory) = paths.get(file.path_id as usize).or(paths.last()) {
            self.discard_file(file.number, &table_file_name(directory, file.number));
        }
    }

    /// Removes a blob file that no version got to have.
    pub(crate) fn discard_blob(&self, number: u64) {
        if let Some(directory) = self.family.tables.paths.first() {
            // What cannot be deleted now is found at the next open.
            let _ = self.file_system().delete_file(&blob_file_name(directory, number));
        }
    }

    fn file_system(&self) -> &dyn FileSystem {
        &*self.family.tables.file_system
    }

    fn create(
        &self,
        number: u64,
        path: PathBuf,
        preallocation: u64,
        kind: CountedFileKind,
    ) -> Result<NewOutputFile> {
        let options = FileOptions { preallocation_block_size: preallocation, ..self.file_options };
        let file = self.file_system().new_writable_file(&path, &options)?;
        self.directories.lock().insert(env::parent_directory(&path));
        let file = match &self.limit {
            None => file,
            Some((limiter, priority)) => {
                Box::new(RateLimitedFile::new(file, limiter.clone(), *priority))
            }
        };
        let options = self.family.tables.options.load();
        let statistics = options.statistics.as_ref();
        let file = CountedWritableFile::wrap(file, statistics, kind);
        Ok(NewOutputFile { number, path, file })
    }
}

impl JobEnvironment for FamilyFiles {
    fn open_table(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        self.family.tables.open(file, level)
    }

    fn new_table_file(&self, hint: &OutputFileHint) -> Result<NewOutputFile> {
        let paths = &self.family.tables.paths;
        let directory = paths.get(hint.path_id as usize).or(paths.last());
        let directory = directory.map_or(Path::new("."), PathBuf::as_path);
        let number = self.file_numbers.next();
        let kind = CountedFileKind::Table;
        self.create(number, table_file_name(directory, number), hint.preallocation_size, kind)
    }

    fn new_blob_file(&self) -> Result<NewOutputFile> {
        let directory = self.family.tables.paths.first().map_or(Path::new("."), PathBuf::as_path);
        let number = self.file_numbers.next();
        self.create(number, blob_file_name(directory, number), 0, CountedFileKind::Blob)
    }

    fn discard_file(&self, number: u64, path: &Path) {
        self.family.tables.cache.evict(number);
        // What cannot be deleted now is found at the next open.
        let _ = self.file_system().delete_file(path);
    }

    fn sync_directories(&self) -> Result<()> {
        let directories = self.directories.lock().clone();
        directories.iter().try_for_each(|path| self.file_system().new_directory(path)?.fsync())
    }

    fn read_blob(&self, user_key: &[u8], reference: &BlobReference) -> Result<PinnableSlice> {
        let options = BlobReadOptions { fill_cache: false, ..BlobReadOptions::default() };
        self.blobs.source.get(&options, user_key, reference)
    }
}
