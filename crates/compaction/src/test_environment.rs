//! An environment over a file system in memory.

use crate::Cancellation;
use crate::compaction_iterator::IterationContext;
use crate::deeper_levels::DeeperLevels;
use crate::job_environment::{JobEnvironment, NewOutputFile, OutputFileHint};
use crate::range_tombstones::Cover;
use crate::snapshot_rules::SnapshotRules;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::filename::{blob_file_name, table_file_name};
use base::{InternalKey, InternalKeyComparator, PinnableSlice, Result, ValueType};
use blob::{BlobFileCache, BlobReadOptions, BlobReference, BlobSource, OpenBlobFiles};
use env::{FileOptions, FileSystem, MemFileSystem};
use iterator::VecIterator;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use table::{BlockBasedTable, TableBuilderOptions, TableOptions};
use version::FileMetaData;

pub(crate) const COLUMN_FAMILY_ID: u32 = 3;

pub(crate) struct TestEnvironment {
    pub(crate) file_system: Arc<dyn FileSystem>,
    pub(crate) directory: PathBuf,
    pub(crate) comparator: InternalKeyComparator,
    next_file_number: AtomicU64,
    blobs: BlobSource,
    pub(crate) discarded: Mutex<Vec<u64>>,
}

impl TestEnvironment {
    pub(crate) fn new(comparator: InternalKeyComparator) -> Self {
        Self::over(Arc::new(MemFileSystem::new()), PathBuf::from("/db"), comparator)
    }

    pub(crate) fn over(
        file_system: Arc<dyn FileSystem>,
        directory: PathBuf,
        comparator: InternalKeyComparator,
    ) -> Self {
        file_system.create_dir_if_missing(&directory).unwrap();
        let files = BlobFileCache::new(
            Arc::clone(&file_system),
            directory.clone(),
            FileOptions::default(),
            COLUMN_FAMILY_ID,
            Arc::new(OpenBlobFiles::new(100)),
        );
        Self {
            file_system,
            directory,
            comparator,
            next_file_number: AtomicU64::new(10),
            blobs: BlobSource::new(files, None),
            discarded: Mutex::default(),
        }
    }

    pub(crate) fn builder_options(&self) -> TableBuilderOptions {
        TableBuilderOptions {
            comparator: self.comparator.clone(),
            // The latest that the peers read.
            format_version: 5,
            db_id: "6a36e9ee-4d72-4bf9-9a34-4d1ce1ba6e92".to_owned(),
            db_session_id: "7XKSAJLDHMEJ4ZXTTR8B".to_owned(),
            column_family_id: u64::from(COLUMN_FAMILY_ID),
            column_family_name: "default".to_owned(),
            ..TableBuilderOptions::default()
        }
    }

    pub(crate) fn file_names(&self) -> Vec<String> {
        let mut names = self.file_system.get_children(&self.directory).unwrap();
        names.sort();
        names
    }

    fn create(&self, name: fn(&Path, u64) -> PathBuf) -> Result<NewOutputFile> {
        let number = self.next_file_number.fetch_add(1, Ordering::Relaxed);
        let path = name(&self.directory, number);
        let file = self.file_system.new_writable_file(&path, &FileOptions::default())?;
        Ok(NewOutputFile { number, path, file })
    }
}

impl JobEnvironment for TestEnvironment {
    fn open_table(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        let path = table_file_name(&self.directory, file.number);
        let reader = self.file_system.new_random_access_file(&path, &FileOptions::default())?;
        let options = TableOptions {
            comparator: self.comparator.clone(),
            file_number: file.number,
            level: Some(level),
            largest_sequence: Some(file.largest_seqno),
            expected_unique_id: file.unique_id,
            user_defined_timestamps_persisted: file.user_defined_timestamps_persisted,
            ..TableOptions::default()
        };
        BlockBasedTable::open(reader, file.file_size, &options)
    }

    fn new_table_file(&self, _hint: &OutputFileHint) -> Result<NewOutputFile> {
        self.create(table_file_name)
    }

    fn new_blob_file(&self) -> Result<NewOutputFile> {
        self.create(blob_file_name)
    }

    fn discard_file(&self, number: u64, path: &Path) {
        self.discarded.lock().unwrap().push(number);
        let _ = self.file_system.delete_file(path);
    }

    fn sync_directories(&self) -> Result<()> {
        self.file_system.new_directory(&self.directory)?.fsync()
    }

    fn read_blob(&self, user_key: &[u8], reference: &BlobReference) -> Result<PinnableSlice> {
        self.blobs.get(&BlobReadOptions::default(), user_key, reference)
    }
}

/// Parses `key@sequence:TYPE=value`, for instance `a@5:SET=x`.
pub(crate) fn parse_entry(text: &str) -> (InternalKey, Vec<u8>) {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let (user_key, rest) = key.split_once('@').expect("key@sequence:TYPE");
    let (sequence, value_type) = rest.split_once(':').expect("key@sequence:TYPE");
    let sequence = match sequence {
        "max" => MAX_SEQUENCE_NUMBER,
        number => number.parse().expect("a sequence number"),
    };
    let value_type = match value_type {
        "SET" => ValueType::Value,
        "DEL" => ValueType::Deletion,
        "SINGLEDEL" => ValueType::SingleDeletion,
        "MERGE" => ValueType::Merge,
        "BLOB" => ValueType::BlobIndex,
        "ENTITY" => ValueType::WideColumnEntity,
        "DELTS" => ValueType::DeletionWithTimestamp,
        "TIMED" => ValueType::ValuePreferredSeqno,
        "RANGEDEL" => ValueType::RangeDeletion,
        other => panic!("type {other}"),
    };
    (InternalKey::new(user_key.as_bytes(), sequence, value_type), value.as_bytes().to_vec())
}

pub(crate) fn type_name(value_type: ValueType) -> &'static str {
    match value_type {
        ValueType::Value => "SET",
        ValueType::Deletion => "DEL",
        ValueType::SingleDeletion => "SINGLEDEL",
        ValueType::Merge => "MERGE",
        ValueType::BlobIndex => "BLOB",
        ValueType::WideColumnEntity => "ENTITY",
        ValueType::DeletionWithTimestamp => "DELTS",
        ValueType::ValuePreferredSeqno => "TIMED",
        ValueType::RangeDeletion => "RANGEDEL",
        _ => "?",
    }
}

/// What an iteration over entries at level 0 knows that has neither objects of users nor blob files.
pub(crate) fn iteration_context(
    environment: &TestEnvironment,
    cover: Cover,
    snapshots: SnapshotRules,
) -> IterationContext<'_> {
    let comparator = environment.comparator.clone();
    IterationContext {
        comparator: comparator.clone(),
        cover,
        zeroes_sequences_up_to: snapshots.earliest(),
        snapshots,
        merge_operator: None,
        filter: None,
        full_history_ts_low: None,
        enforce_single_del_contracts: true,
        level: 0,
        is_bottommost: false,
        deeper_levels: DeeperLevels::unknown(comparator),
        blob_cutoff: None,
        cancellation: Cancellation::default(),
        environment,
        blob_builder: None,
        statistics: None,
        takes_shortcuts: true,
    }
}

pub(crate) fn vec_iterator(
    comparator: &InternalKeyComparator,
    entries: &[(InternalKey, Vec<u8>)],
) -> VecIterator {
    let mut entries: Vec<_> =
        entries.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.clone())).collect();
    entries.sort_by(|a, b| comparator.compare(&a.0, &b.0));
    VecIterator::new(comparator.clone(), entries)
}
