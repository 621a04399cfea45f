//! Taking in tables that were made apart from the database.
//!
//! ```text
//! look at the files ─▶ copy or link them in ─▶ stop writes ─▶ flush memtables with their keys
//!   ─▶ choose levels and sequence numbers ─▶ MANIFEST ─▶ show reads the result ─▶ let writes go on
//! ```

mod commit;
mod external_file;
mod global_seqno;
mod level_choice;
mod overlap;
mod placement;
mod preparation;

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use crate::db_impl::DbImpl;
use crate::ingest_options::IngestExternalFileOptions;
use base::{InternalKey, ParsedInternalKey, Result, SequenceNumber, Status};
use compaction::CompactionId;
use external_file::ExternalFile;
use overlap::UserKeyRange;
use perf_context::{PerfMetric, Timer};
use statistics::{HistogramType, Statistics};
use std::path::PathBuf;
use std::sync::Arc;
use table::properties::names;
use version::{FileChecksum, FileMetaData, Temperature};

/// Tables for one column family (`rocksdb::IngestExternalFileArg`).
#[derive(Clone, Debug)]
pub struct IngestExternalFileArg {
    /// The column family.
    pub column_family: ColumnFamilyHandle,
    /// The tables. Of those with a key in common a later one counts.
    pub external_files: Vec<PathBuf>,
    /// How they are taken in.
    pub options: IngestExternalFileOptions,
    /// Their checksums by `file_checksum_gen_factory`, or none for all of them.
    pub files_checksums: Vec<FileChecksum>,
    /// The temperature of the tables where they are, which those keep that are linked in.
    pub file_temperature: Temperature,
    /// A range of user keys, from the first up to before the last, that the tables are to replace;
    /// without bounds all of the column family. Refused: this engine cannot do it in one step.
    pub atomic_replace_range: Option<ReplacedRange>,
}

/// First key and the one after the last, or none for all keys.
pub type ReplacedRange = Option<(Vec<u8>, Vec<u8>)>;

impl IngestExternalFileArg {
    /// Tables without checksums, taken in by the default options.
    pub fn new(column_family: &ColumnFamilyHandle, external_files: &[PathBuf]) -> Self {
        Self {
            column_family: column_family.clone(),
            external_files: external_files.to_vec(),
            options: IngestExternalFileOptions::default(),
            files_checksums: Vec::new(),
            file_temperature: Temperature::UNKNOWN,
            atomic_replace_range: None,
        }
    }
}

impl Db {
    /// Makes tables that an [`SstFileWriter`](crate::SstFileWriter) wrote, ours or RocksDB's, part of a
    /// column family, all of them or none: as if their entries were written now, without going through
    /// the WAL and memtables.
    ///
    /// # Errors
    /// As [`Db::ingest_external_files`].
    pub fn ingest_external_file(
        &self,
        family: &ColumnFamilyHandle,
        files: &[PathBuf],
        options: &IngestExternalFileOptions,
    ) -> Result<()> {
        let arg = IngestExternalFileArg {
            options: *options,
            ..IngestExternalFileArg::new(family, files)
        };
        self.ingest_external_files(&[arg])
    }

    /// As [`Db::ingest_external_file`], for several column families in one step.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no file, one was made for another order of keys or column family, or
    /// the options forbid what would be necessary; `Corruption` if one is damaged or was not made to be
    /// ingested; `TryAgain` if the last level cannot have it and no other one may; `NotSupported` if
    /// the database is open for reading only, and for options that this engine refuses; `IoError`.
    pub fn ingest_external_files(&self, args: &[IngestExternalFileArg]) -> Result<()> {
        for arg in args {
            self.inner.check_call(&arg.options)?;
        }
        self.inner.ingest_external_files(args)
    }
}

/// A file on its way into the database.
#[derive(Debug)]
struct IngestedFile {
    external: ExternalFile,
    /// Its number and path in the database.
    number: u64,
    path: PathBuf,
    /// Its bytes were copied, rather than given another name.
    is_copy: bool,
    checksum: FileChecksum,
    temperature: Temperature,
    level: usize,
    /// Of all its keys; 0 for none of their own.
    sequence: SequenceNumber,
}

impl IngestedFile {
    fn range(&self) -> UserKeyRange<'_> {
        UserKeyRange {
            first: self.external.smallest.user_key(),
            last: self.external.largest.user_key(),
        }
    }

    /// A key of it as it reads from now on.
    fn stamped(&self, key: &InternalKey) -> Result<InternalKey> {
        let parsed = ParsedInternalKey::parse(key.as_bytes())?;
        match parsed.sequence {
            0 => Ok(InternalKey::new(parsed.user_key, self.sequence, parsed.value_type)),
            _ => Ok(key.clone()),
        }
    }

    /// What the MANIFEST is to say of it.
    fn metadata(&self, epoch_number: u64, now_seconds: u64) -> Result<FileMetaData> {
        let ExternalFile { size, properties, .. } = &self.external;
        let (smallest, largest) =
            (self.stamped(&self.external.smallest)?, self.stamped(&self.external.largest)?);
        let mut metadata = FileMetaData::new(self.number, *size, smallest, largest);
        (metadata.smallest_seqno, metadata.largest_seqno) = (self.sequence, self.sequence);
        metadata.temperature = self.temperature;
        metadata.oldest_ancester_time = now_seconds;
        metadata.file_creation_time = now_seconds;
        metadata.epoch_number = epoch_number;
        metadata.file_checksum = Some(self.checksum.clone());
        metadata.unique_id = self.external.unique_id;
        metadata.tail_size = size.saturating_sub(properties.tail_start_offset);
        if properties.tail_start_offset == 0 {
            metadata.tail_size = 0;
        }
        // A range deletion alone is to do its work soon.
        metadata.marked_for_compaction =
            properties.num_range_deletions == 1 && properties.num_entries == 1;
        metadata.user_defined_timestamps_persisted =
            properties.user_defined_timestamps_persisted != 0;
        let collected = |name| properties.user_collected(name).unwrap_or_default().to_vec();
        metadata.min_timestamp = collected(names::TIMESTAMP_MIN);
        metadata.max_timestamp = collected(names::TIMESTAMP_MAX);
        Ok(metadata)
    }
}

/// The files for one column family.
#[derive(Debug)]
struct Ingestion {
    family: Arc<ColumnFamilyData>,
    options: IngestExternalFileOptions,
    files: Vec<IngestedFile>,
    /// Some of them have keys in common.
    files_overlap: bool,
    /// What is protected from compactions meanwhile.
    registered: Vec<CompactionId>,
}

fn overlap_with_timestamps(place: &str) -> Status {
    Status::invalid_argument(format!(
        "Column family enables user-defined timestamps, please make sure the key range (without \
         timestamp) of external file does not overlap with key range in the {place}"
    ))
}

fn to_dropped() -> Status {
    Status::invalid_argument("cannot ingest an external file into a dropped CF")
}

impl DbImpl {
    fn ingest_external_files(self: &Arc<Self>, args: &[IngestExternalFileArg]) -> Result<()> {
        let writing = self.writing()?;
        let _timer = Timer::start(PerfMetric::FileIngestionNanos);
        let statistics = self.context.statistics.as_deref();
        let start = statistics.and_then(Statistics::start_timer);
        let outputs = writing.protect_outputs();
        let mut ingestions = self.prepare_ingestions(writing, args)?;
        ingestions.sort_by_key(|ingestion| ingestion.family.id);
        if let Some(statistics) = statistics {
            statistics.stop_timer(HistogramType::IngestExternalFilePrepareTime, start);
        }
        let start = statistics.and_then(Statistics::start_timer);
        let committed = self.commit_ingestions(writing, &mut ingestions);
        drop(outputs);
        // What had to wait for the locks.
        writing.events.deliver_waiting();
        if let Err(status) = committed {
            self.discard_ingestions(writing, &ingestions);
            return Err(status);
        }
        if let Some(statistics) = statistics {
            statistics.stop_timer(HistogramType::IngestExternalFileRunTime, start);
        }
        self.finish_ingestions(writing, &ingestions);
        Ok(())
    }
}

impl Ingestion {
    fn new(
        family: &Arc<ColumnFamilyData>,
        options: IngestExternalFileOptions,
        files: Vec<IngestedFile>,
    ) -> Self {
        let comparator = &family.comparator;
        let mut sorted: Vec<&ExternalFile> = files.iter().map(|file| &file.external).collect();
        sorted.sort_by(|a, b| comparator.compare(a.smallest.as_bytes(), b.smallest.as_bytes()));
        let files_overlap = sorted.windows(2).any(|pair| pair[0].overlaps(pair[1], comparator));
        Self { family: family.clone(), options, files, files_overlap, registered: Vec::new() }
    }
}
