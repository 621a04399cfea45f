//! The open blob files of a column family, out of a number that all column families share.

use crate::blob_file_reader::BlobFileReader;
use base::Result;
use base::filename::blob_file_name;
use env::{
    CountedFileKind, CountedRandomAccessFile, FileOptions, FileSystem, ReadCounting, ReadGate,
    ReadGroup, ReadLatency,
};
use parking_lot::RwLock;
use statistics::{Statistics, Ticker};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The open blob files of a database: its column families number their files together.
#[derive(Debug)]
pub struct OpenBlobFiles {
    /// Files kept open; the one not used for longest is closed for another.
    max: AtomicUsize,
    files: RwLock<HashMap<u64, OpenFile>>,
    count: Arc<AtomicUsize>,
    /// Counts uses. Relaxed: it only orders files by age, and roughly is enough.
    clock: AtomicU64,
}

#[derive(Debug)]
struct OpenFile {
    reader: Arc<BlobFileReader>,
    last_used: AtomicU64,
}

impl OpenBlobFiles {
    /// None yet, and up to `max` later (at least one).
    pub fn new(max: usize) -> Self {
        let (files, count, clock) = Default::default();
        Self { max: AtomicUsize::new(max.max(1)), files, count, clock }
    }

    /// How many there are, as it changes.
    pub fn count(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.count)
    }

    /// Bytes that the open files take, about: readers, paths, and their places in the map.
    pub fn memory_bytes(&self) -> usize {
        /// What the file system has of an open file: its path, and what counts its reads.
        const FILE_BYTES: usize = 256;
        let each = size_of::<BlobFileReader>() + size_of::<OpenFile>() + FILE_BYTES;
        self.files.read().capacity() * size_of::<(u64, OpenFile)>()
            + self.count.load(Ordering::Relaxed) * each
    }

    /// Keeps up to `max` files open from now on (at least one). Those that are too many are closed.
    pub fn set_max(&self, max: usize) {
        self.max.store(max.max(1), Ordering::Relaxed);
        let mut files = self.files.write();
        let mut by_age: Vec<(u64, u64)> = files
            .iter()
            .map(|(number, open)| (open.last_used.load(Ordering::Relaxed), *number))
            .collect();
        by_age.sort_unstable();
        by_age.truncate(files.len().saturating_sub(max.max(1)));
        by_age.iter().for_each(|(_, number)| drop(files.remove(number)));
        self.count.store(files.len(), Ordering::Relaxed);
    }

    fn get_or_open(
        &self,
        file_number: u64,
        open: impl FnOnce() -> Result<BlobFileReader>,
    ) -> Result<Arc<BlobFileReader>> {
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(open) = self.files.read().get(&file_number) {
            open.last_used.store(now, Ordering::Relaxed);
            return Ok(Arc::clone(&open.reader));
        }
        // Not under the lock: opening may take long. Whoever comes second keeps the first's.
        let reader = Arc::new(open()?);
        let mut files = self.files.write();
        if files.len() >= self.max.load(Ordering::Relaxed) && !files.contains_key(&file_number) {
            let oldest = files
                .iter()
                .min_by_key(|(_, open)| open.last_used.load(Ordering::Relaxed))
                .map(|(&number, _)| number);
            oldest.map(|number| files.remove(&number));
        }
        let open = files
            .entry(file_number)
            .or_insert_with(|| OpenFile { reader, last_used: AtomicU64::new(now) });
        let reader = Arc::clone(&open.reader);
        self.count.store(files.len(), Ordering::Relaxed);
        Ok(reader)
    }

    /// Closes a file that left the version. Those who read it may finish.
    pub fn evict(&self, file_number: u64) {
        let mut files = self.files.write();
        let evicted = files.remove(&file_number);
        self.count.store(files.len(), Ordering::Relaxed);
        drop(files);
        drop(evicted);
    }
}

/// Opens blob files of a column family when they are first read and keeps them open.
#[derive(Debug)]
pub struct BlobFileCache {
    file_system: Arc<dyn FileSystem>,
    /// Where the blob files are: the first path of the column family.
    directory: PathBuf,
    file_options: FileOptions,
    column_family_id: u32,
    open_files: Arc<OpenBlobFiles>,
    statistics: Option<Arc<Statistics>>,
    read_gate: ReadGate,
    read_latency: Arc<ReadLatency>,
}

impl BlobFileCache {
    /// A cache that keeps its files among `open_files`.
    pub fn new(
        file_system: Arc<dyn FileSystem>,
        directory: PathBuf,
        file_options: FileOptions,
        column_family_id: u32,
        open_files: Arc<OpenBlobFiles>,
    ) -> Self {
        Self {
            file_system,
            directory,
            file_options,
            column_family_id,
            open_files,
            statistics: None,
            read_gate: ReadGate::default(),
            read_latency: Arc::default(),
        }
    }

    /// Counts what is read.
    pub fn with_statistics(mut self, statistics: Option<Arc<Statistics>>) -> Self {
        self.statistics = statistics;
        self
    }

    /// Reads with terms ask `gate`.
    pub fn with_read_gate(mut self, gate: ReadGate) -> Self {
        self.read_gate = gate;
        self
    }

    /// The open files, those of other column families among them.
    pub fn open_files(&self) -> &Arc<OpenBlobFiles> {
        &self.open_files
    }

    /// How long reads of blob files take; nothing without statistics.
    pub fn read_latency(&self) -> &ReadLatency {
        &self.read_latency
    }

    pub(crate) fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_deref()
    }

    /// The file of this number, opened if it is not open.
    ///
    /// # Errors
    /// As [`BlobFileReader::open`] and the file system.
    pub fn get(&self, file_number: u64) -> Result<Arc<BlobFileReader>> {
        self.open_files.get_or_open(file_number, || {
            let opened = self.open(file_number);
            if let Some(statistics) = &self.statistics {
                statistics.record(|recorder| {
                    recorder.tick(Ticker::NoFileOpens, 1);
                    recorder.tick(Ticker::NoFileErrors, u64::from(opened.is_err()));
                });
            }
            opened
        })
    }

    fn open(&self, file_number: u64) -> Result<BlobFileReader> {
        let path = blob_file_name(&self.directory, file_number);
        let file = self.file_system.new_random_access_file(&path, &self.file_options)?;
        let counting = ReadCounting {
            kind: CountedFileKind::Blob,
            level: ReadGroup::NON_LAST_LEVEL,
            temperature: ReadGroup::UNKNOWN_NON_LAST_LEVEL,
            latency: Some(self.read_latency.clone()),
        };
        let file = CountedRandomAccessFile::wrap(file, self.statistics.as_ref(), counting);
        let reader = BlobFileReader::open(file, self.column_family_id)?;
        let reader = reader.with_statistics(self.statistics.clone());
        Ok(reader.with_read_gate(self.read_gate.clone()))
    }

    /// Forgets a file that left the version. Those who read it may finish.
    pub fn evict(&self, file_number: u64) {
        self.open_files.evict(file_number);
    }

    /// How many files are open, of all column families.
    pub fn open_file_count(&self) -> usize {
        self.open_files.count.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
