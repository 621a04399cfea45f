//! The files of a column family that one flush or compaction reads and writes.

use crate::column_family::ColumnFamilyData;
use crate::events::{CompactionFacts, Events, FileFacts};
use crate::job_io::{JobIo, TimedIo};
use crate::read::blob_reads::BlobReads;
use crate::warm_outputs::{is_flush_kept_warm, is_kept_warm};
use base::compaction_filter::TableFileCreationReason;
use base::filename::{blob_file_name, table_file_name};
use base::{PinnableSlice, Result, Status};
use blob::{BlobReadOptions, BlobReference};
use cache::{Cache, Priority};
use compaction::{
    Compaction, CompactionStats, JobEnvironment, NewOutputFile, OutputFile, OutputFileHint,
};
use env::thread_status::{Operation, OperationStage, compaction_property, flush_property};
use env::{
    CountedFileKind, CountedWritableFile, FileOptions, FileSystem, IoPriority,
    RateLimitedWritableFile, RateLimiter, ReadTerms, TrackedFile,
};
use options::PrepopulateBlockCache;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use table::{BlockBasedTable, CacheWarming};
use version::{BlobFileAddition, FileMetaData, FileNumbers};

/// A job, as far as events are concerned.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) reason: TableFileCreationReason,
    pub(crate) events: Arc<Events>,
    /// None of a flush.
    pub(crate) compaction: Option<Arc<Compaction>>,
    /// Where its progress is counted, if threads are tracked.
    pub(crate) operation: Option<Arc<Operation>>,
}

/// Whom a job's reads and writes ask, and how urgent they are.
#[derive(Clone, Debug)]
pub(crate) struct JobLimit {
    pub(crate) limiter: Arc<dyn RateLimiter>,
    /// While writes flow.
    pub(crate) priority: IoPriority,
    /// Whether writes wait for flushes and compactions, which makes these as urgent.
    pub(crate) has_obstacle: Arc<AtomicBool>,
}

impl JobLimit {
    fn priority(&self) -> IoPriority {
        // Relaxed: roughly is enough.
        match self.has_obstacle.load(Ordering::Relaxed) {
            true => IoPriority::User,
            false => self.priority,
        }
    }
}

/// A file that a job created.
#[derive(Clone, Copy, Debug)]
struct CreatedFile {
    is_blob: bool,
    is_finished: bool,
}

/// What one job reads and writes.
#[derive(Debug)]
pub(crate) struct FamilyFiles {
    pub(crate) family: Arc<ColumnFamilyData>,
    pub(crate) file_numbers: Arc<FileNumbers>,
    /// Where blob references lead.
    pub(crate) blobs: BlobReads,
    /// How outputs are written.
    pub(crate) file_options: FileOptions,
    limit: Option<JobLimit>,
    job: Job,
    measures_io: bool,
    /// The number of the first table, where it was taken beforehand.
    first_table: Mutex<Option<u64>>,
    /// Bytes of the memtables of a flush.
    flushed_bytes: u64,
    created: Mutex<BTreeMap<u64, CreatedFile>>,
    /// Why the job failed, if it did.
    failure: Mutex<Option<Status>>,
    /// How long its parts were busy with files, if that is wanted: when those that go on began, and
    /// what all came to.
    io: Mutex<(BTreeMap<usize, TimedIo>, JobIo)>,
    /// Directories in which names were made.
    directories: Mutex<BTreeSet<PathBuf>>,
    /// Whether outputs go to the block cache although nobody asked for it.
    is_kept_warm: OnceLock<bool>,
}

impl FamilyFiles {
    pub(crate) fn new(
        family: Arc<ColumnFamilyData>,
        file_numbers: Arc<FileNumbers>,
        file_options: FileOptions,
        job: Job,
    ) -> Self {
        let blobs = family.super_version.load().resolver.blobs.clone();
        let measures_io = family.options().report_bg_io_stats;
        Self {
            family,
            measures_io,
            file_numbers,
            blobs,
            file_options,
            limit: None,
            job,
            first_table: Mutex::default(),
            flushed_bytes: 0,
            created: Mutex::default(),
            failure: Mutex::default(),
            io: Mutex::default(),
            directories: Mutex::default(),
            is_kept_warm: OnceLock::new(),
        }
    }

    /// Reads and writes ask `limiter`, if there is one.
    pub(crate) fn with_rate_limit(mut self, limit: Option<JobLimit>) -> Self {
        self.limit = limit;
        self
    }

    /// The table of memtables with so many bytes, which gets this number.
    pub(crate) fn with_flush(mut self, number: u64, flushed_bytes: u64) -> Self {
        *self.first_table.lock() = Some(number);
        self.flushed_bytes = flushed_bytes;
        self
    }

    /// How long the parts that ended were busy with files, if that is wanted.
    pub(crate) fn io(&self) -> Option<JobIo> {
        self.measures_io.then(|| self.io.lock().1)
    }

    fn facts<'f>(&'f self, number: u64, path: &'f Path) -> FileFacts<'f> {
        let Job { id, reason, .. } = self.job;
        FileFacts { job_id: id, family: &self.family, reason, number, path }
    }

    /// Of a part of the job, if it is a compaction.
    fn part_facts<'f>(
        &'f self,
        stats: Option<&'f CompactionStats>,
        status: Option<&'f Status>,
        io: Option<JobIo>,
    ) -> Option<CompactionFacts<'f>> {
        Some(CompactionFacts {
            job_id: self.job.id,
            family: &self.family,
            compaction: self.job.compaction.as_deref()?,
            edit: None,
            stats,
            io,
            took: Duration::from_micros(stats.map_or(0, |stats| stats.micros)),
            status,
        })
    }

    fn set_stage(&self, stage: OperationStage) {
        if let Some(operation) = &self.job.operation {
            operation.set_stage(stage);
        }
    }

    fn table_path(&self, path_id: u32, number: u64) -> PathBuf {
        let paths = &self.family.tables.paths;
        let directory = paths.get(path_id as usize).or(paths.last());
        table_file_name(directory.map_or(Path::new("."), PathBuf::as_path), number)
    }

    fn blob_path(&self, number: u64) -> PathBuf {
        let directory = self.family.tables.paths.first();
        blob_file_name(directory.map_or(Path::new("."), PathBuf::as_path), number)
    }

    /// Removes a table that no version got to have.
    pub(crate) fn discard_table(&self, file: &FileMetaData) {
        self.discard_file(file.number, &self.table_path(file.path_id, file.number));
    }

    /// Removes a blob file that no version got to have.
    pub(crate) fn discard_blob(&self, number: u64) {
        self.discard_file(number, &self.blob_path(number));
    }

    fn file_system(&self) -> &dyn FileSystem {
        &*self.family.tables.file_system
    }

    fn note_finished(&self, number: u64) {
        if let Some(file) = self.created.lock().get_mut(&number) {
            file.is_finished = true;
        }
    }

    /// Tells that a file that nobody will refer to was to be deleted, or that one was given up.
    fn tell_discarded(&self, number: u64, path: &Path, result: &Result<()>) {
        let Some(file) = self.created.lock().remove(&number) else { return };
        let events = &self.job.events;
        match (file.is_finished, file.is_blob) {
            (true, true) => events.blob_file_deleted(self.job.id, number, path, result),
            (true, false) => events.table_file_deleted(self.job.id, number, path, result),
            (false, is_blob) => {
                let failure = self.failure.lock().clone();
                let status = failure.unwrap_or_else(|| Status::aborted("Empty SST file not kept"));
                let facts = self.facts(number, path);
                match is_blob {
                    true => events.blob_file_created(&facts, Err(&status)),
                    false => events.table_file_given_up(&facts, &status),
                }
                // Of a flush RocksDB does not tell it.
                if self.job.compaction.is_some() && !is_blob && result.is_ok() {
                    events.table_file_deleted(self.job.id, number, path, result);
                }
            }
        }
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
        let is_blob = kind == CountedFileKind::Blob;
        self.created.lock().insert(number, CreatedFile { is_blob, is_finished: false });
        self.directories.lock().insert(env::parent_directory(&path));
        let file = match &self.job.operation {
            None => file,
            Some(operation) => {
                let property = match self.job.compaction {
                    None => flush_property::BYTES_WRITTEN,
                    Some(_) => compaction_property::BYTES_WRITTEN,
                };
                Box::new(TrackedFile::new(file, operation.clone(), property))
            }
        };
        let file = match &self.limit {
            None => file,
            Some(limit) => {
                let limiter = limit.limiter.clone();
                Box::new(RateLimitedWritableFile::new(file, limiter, limit.priority()))
            }
        };
        let options = self.family.tables.options.load();
        let statistics = options.statistics.as_ref();
        let file = CountedWritableFile::wrap(file, statistics, kind);
        Ok(NewOutputFile { number, path, file })
    }
}

impl FamilyFiles {
    /// As it was when the first output began.
    fn is_kept_warm(&self, cache: &dyn Cache) -> bool {
        *self.is_kept_warm.get_or_init(|| {
            self.family.options().table.keep_blocks_warm
                && match &self.job.compaction {
                    None => is_flush_kept_warm(&self.family, self.flushed_bytes, cache),
                    Some(compaction) => is_kept_warm(&self.family, compaction, cache),
                }
        })
    }
}

impl JobEnvironment for FamilyFiles {
    fn open_table(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        self.family.tables.open(file, level)
    }

    fn new_table_file(&self, hint: &OutputFileHint) -> Result<NewOutputFile> {
        let first = self.first_table.lock().take();
        let number = first.unwrap_or_else(|| self.file_numbers.next());
        let path = self.table_path(hint.path_id, number);
        self.job.events.table_file_creation_started(&self.facts(number, &path));
        if self.job.compaction.is_none() {
            self.set_stage(OperationStage::FlushWriteL0);
        }
        let created =
            self.create(number, path.clone(), hint.preallocation_size, CountedFileKind::Table);
        created.inspect_err(|status| {
            self.job.events.table_file_given_up(&self.facts(number, &path), status);
        })
    }

    fn new_blob_file(&self) -> Result<NewOutputFile> {
        let number = self.file_numbers.next();
        let path = self.blob_path(number);
        self.job.events.blob_file_creation_started(&self.facts(number, &path));
        self.create(number, path.clone(), 0, CountedFileKind::Blob).inspect_err(|status| {
            self.job.events.blob_file_created(&self.facts(number, &path), Err(status));
        })
    }

    fn discard_file(&self, number: u64, path: &Path) {
        self.family.tables.cache.evict(number);
        // What cannot be deleted now is found at the next open.
        let result = self.file_system().delete_file(path);
        self.tell_discarded(number, path, &result);
    }

    fn read_priority(&self) -> Option<IoPriority> {
        self.limit.as_ref().map(JobLimit::priority)
    }

    fn cache_warming(&self, number: u64) -> Option<CacheWarming> {
        let cache = self.family.tables.options.load().block_cache.clone()?;
        let mode = self.family.options().table.prepopulate_block_cache;
        let (is_asked_for, priority) = match self.job.reason {
            TableFileCreationReason::Flush => {
                (mode != PrepopulateBlockCache::Disable, Priority::Low)
            }
            TableFileCreationReason::Compaction => {
                (mode == PrepopulateBlockCache::FlushAndCompaction, Priority::Bottom)
            }
            _ => return None,
        };
        if !is_asked_for && !self.is_kept_warm(&*cache) {
            return None;
        }
        let cache_id = self.family.tables.cache.cache_id(number, &cache);
        let priority = if is_asked_for { priority } else { Priority::Low };
        Some(CacheWarming { cache, cache_id, priority })
    }

    fn sync_directories(&self) -> Result<()> {
        let directories = self.directories.lock().clone();
        directories.iter().try_for_each(|path| self.file_system().new_directory(path)?.fsync())
    }

    fn read_blob(&self, user_key: &[u8], reference: &BlobReference) -> Result<PinnableSlice> {
        let options = BlobReadOptions {
            fill_cache: false,
            terms: ReadTerms { priority: self.read_priority(), ..ReadTerms::NONE },
            ..BlobReadOptions::default()
        };
        self.blobs.source.get(&options, user_key, reference)
    }

    fn table_file_finished(&self, file: &OutputFile) {
        let metadata = &file.metadata;
        self.note_finished(metadata.number);
        let path = self.table_path(metadata.path_id, metadata.number);
        self.job.events.table_file_created(&self.facts(metadata.number, &path), file);
    }

    fn blob_file_finished(&self, file: &BlobFileAddition) {
        self.note_finished(file.number);
        let path = self.blob_path(file.number);
        self.job.events.blob_file_created(&self.facts(file.number, &path), Ok(file));
    }

    fn entries_read(&self, count: u64, entry_count: u64) {
        if let (Some(operation), Some(compaction)) = (&self.job.operation, &self.job.compaction) {
            let share = count as f64 / entry_count.max(1) as f64;
            let bytes = compaction.total_input_size() as f64 * share;
            operation.increase_property(compaction_property::BYTES_READ, bytes as u64);
        }
    }

    fn part_started(&self, part: usize) {
        self.set_stage(OperationStage::CompactionProcessKv);
        if let Some(timed) = TimedIo::begin_if(self.measures_io) {
            self.io.lock().0.insert(part, timed);
        }
        if let Some(facts) = self.part_facts(None, None, None) {
            self.job.events.part_started(&facts, part);
        }
    }

    fn part_finished(&self, part: usize, result: std::result::Result<&CompactionStats, &Status>) {
        let io = self.measures_io.then(|| {
            let mut io = self.io.lock();
            let part_io = io.0.remove(&part).as_ref().map(TimedIo::so_far).unwrap_or_default();
            io.1 += part_io;
            part_io
        });
        if let Some(facts) = self.part_facts(result.ok(), result.err(), io) {
            self.job.events.part_finished(&facts, part);
        }
    }

    fn job_failed(&self, status: &Status) {
        self.failure.lock().get_or_insert_with(|| status.clone());
    }
}
