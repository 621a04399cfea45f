//! What a compaction takes for each record of its inputs, beside a copy of its bytes: `cargo bench -p
//! touchstone-compaction`, with parts of names to measure those alone, and with `--short`. Files are in memory.
//!
//! What it consists of is measured in other crates: `table: entry scanned` and `table: entry built` in `table`, `loser
//! tree: advance` in `iterator`.

use base::filename::table_file_name;
use base::{InternalKey, InternalKeyComparator, PinnableSlice, Result, Status, ValueType};
use blob::BlobReference;
use compaction::{
    BuildTableInput, BuildTableOptions, Cancellation, Compaction, CompactionInputFiles,
    CompactionJob, CompactionJobOptions, CompactionReason, Helpers, JobEnvironment, NewOutputFile,
    OutputFileHint, OutputTableOptions, SnapshotRules, build_table,
};
use compression::{CompressionOptions, CompressionType};
use env::{FileOptions, FileSystem, MemFileSystem};
use iterator::VecIterator;
use microbench::{Benches, Timed, prepared, scatter};
use std::cell::RefCell;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{BlockBasedTable, FilterPolicy, SeqnoToTimeMapping, TableBuilderOptions, TableOptions};
use version::{
    CompactionStyle, FileMetaData, NewFile, Temperature, Version, VersionBuilder, VersionEdit,
    VersionOptions,
};

const INPUTS: u64 = 4;
/// Of all inputs together.
const RECORDS: u64 = 40_000;
const VALUE: [u8; 100] = [b'v'; 100];
const DIRECTORY: &str = "/db";

/// Files in memory.
struct Environment {
    file_system: MemFileSystem,
    last_number: AtomicU64,
}

impl Environment {
    fn new() -> Self {
        let file_system = MemFileSystem::new();
        file_system.create_dir_if_missing(Path::new(DIRECTORY)).expect("a directory");
        Self { file_system, last_number: AtomicU64::new(0) }
    }

    fn path(number: u64) -> PathBuf {
        table_file_name(Path::new(DIRECTORY), number)
    }
}

impl JobEnvironment for Environment {
    fn open_table(&self, file: &FileMetaData, level: usize) -> Result<Arc<BlockBasedTable>> {
        let path = Self::path(file.number);
        let reader = self.file_system.new_random_access_file(&path, &FileOptions::default())?;
        let options = TableOptions {
            file_number: file.number,
            level: Some(level),
            largest_sequence: Some(file.largest_seqno),
            expected_unique_id: file.unique_id,
            ..TableOptions::default()
        };
        BlockBasedTable::open(reader, file.file_size, &options)
    }

    fn new_table_file(&self, _hint: &OutputFileHint) -> Result<NewOutputFile> {
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let path = Self::path(number);
        let file = self.file_system.new_writable_file(&path, &FileOptions::default())?;
        Ok(NewOutputFile { number, path, file })
    }

    fn new_blob_file(&self) -> Result<NewOutputFile> {
        Err(Status::not_supported("blob files"))
    }

    fn discard_file(&self, _number: u64, path: &Path) {
        self.file_system.delete_file(path).expect("a file");
    }

    fn sync_directories(&self) -> Result<()> {
        Ok(())
    }

    fn read_blob(&self, _user_key: &[u8], _reference: &BlobReference) -> Result<PinnableSlice> {
        Err(Status::not_supported("blob files"))
    }
}

/// All is done in the thread of the job.
#[derive(Debug)]
struct Nobody;

impl Helpers for Nobody {
    fn engage(&self) -> Option<Box<dyn Send>> {
        None
    }
}

fn tables(filter_policy: Option<FilterPolicy>) -> OutputTableOptions {
    OutputTableOptions {
        builder: TableBuilderOptions {
            compression: CompressionType::None,
            filter_policy,
            ..TableBuilderOptions::default()
        },
        use_fsync: false,
        paranoid_file_checks: false,
        now_seconds: 1_700_000_000,
    }
}

/// Which input has which key.
#[derive(Clone, Copy)]
enum Spread {
    /// As memtables leave them that were filled with random keys.
    Scattered,
    /// Each input has keys of its own stretches, longer than blocks.
    Apart,
}

impl Spread {
    const ALL: [Self; 2] = [Self::Scattered, Self::Apart];

    fn name(self) -> &'static str {
        match self {
            Self::Scattered => "scattered",
            Self::Apart => "1000 in a row",
        }
    }

    fn input_of(self, number: u64) -> u64 {
        match self {
            Self::Scattered => scatter(number, INPUTS),
            Self::Apart => number / 1000 % INPUTS,
        }
    }
}

/// As `db_bench` makes them: a number, then zeros.
fn user_key(number: u64) -> [u8; 16] {
    let mut key = [b'0'; 16];
    key[..8].copy_from_slice(&number.to_be_bytes());
    key
}

/// A table of L0 with the records of one input.
fn flush(environment: &Environment, spread: Spread, input: u64) -> FileMetaData {
    let entry = |number: u64| {
        let key = InternalKey::new(&user_key(number), number + 1, ValueType::Value);
        (key.as_bytes().to_vec(), VALUE.to_vec())
    };
    let numbers = (0..RECORDS).filter(|&number| spread.input_of(number) == input);
    let entries: Vec<_> = numbers.map(entry).collect();
    let options = BuildTableOptions {
        tables: tables(None),
        blob_files: None,
        column_family_id: 0,
        merge_operator: None,
        enforce_single_del_contracts: true,
        cancellation: Cancellation::default(),
    };
    let input = BuildTableInput {
        expected_entries: Some(entries.len() as u64),
        iterators: vec![Box::new(VecIterator::new(InternalKeyComparator::bytewise(), entries))],
        slices: None,
        range_tombstones: Vec::new(),
        snapshots: SnapshotRules::new(Vec::new()),
        compaction_filter: None,
        full_history_ts_low: None,
        epoch_number: input + 1,
        oldest_ancester_time: 1_600_000_000,
        oldest_key_time: 0,
        times: SeqnoToTimeMapping::default(),
        hint: OutputFileHint::default(),
    };
    let built = build_table(environment, &options, input).expect("a flush");
    built.table.expect("a table").metadata
}

fn version(files: Vec<FileMetaData>) -> Arc<Version> {
    let mut builder = VersionBuilder::new();
    let new_files = files.into_iter().map(|file| NewFile { level: 0, file }).collect();
    builder.apply(VersionEdit { new_files, ..VersionEdit::default() }).expect("files");
    let options = VersionOptions::new(InternalKeyComparator::bytewise());
    Arc::new(builder.build(&options, false).expect("a version"))
}

/// All files of L0 to L1, with something below.
fn compaction(version: &Arc<Version>) -> Compaction {
    let files = version.level_files(0).to_vec();
    Compaction {
        start_level: 0,
        inputs: vec![CompactionInputFiles { level: 0, files }],
        input_version: Arc::clone(version),
        compaction_style: CompactionStyle::Level,
        output_level: 1,
        reason: CompactionReason::ManualCompaction,
        score: -1.0,
        smallest_user_key: Vec::new(),
        largest_user_key: Vec::new(),
        target_output_file_size: 64 << 20,
        max_output_file_size: 64 << 20,
        max_compaction_bytes: 1 << 40,
        grandparents: Vec::new(),
        output_split_key: None,
        output_path_id: 0,
        output_compression: CompressionType::None,
        output_compression_options: CompressionOptions::default(),
        output_temperature: Temperature::UNKNOWN,
        max_subcompactions: 1,
        is_trivial_move: false,
        is_deletion_only: false,
        is_bottommost_level: false,
        is_full_compaction: false,
        l0_files_might_overlap: true,
        trim_timestamp: Vec::new(),
        enable_blob_garbage_collection: false,
        blob_garbage_collection_age_cutoff: 0.25,
        compact_cursor: None,
        is_round_robin: false,
    }
}

fn job_options(filter_policy: Option<FilterPolicy>) -> CompactionJobOptions {
    CompactionJobOptions {
        tables: tables(filter_policy),
        blob_files: None,
        column_family_id: 0,
        merge_operator: None,
        compaction_filter: None,
        compaction_filter_factory: None,
        sst_partitioner_factory: None,
        enforce_single_del_contracts: true,
        allow_ingest_behind: false,
        compaction_readahead_size: 2 << 20,
        verify_record_count: true,
        target_file_size_is_upper_bound: false,
        ttl_split: None,
        preserve_seconds: 0,
        snapshots: SnapshotRules::new(Vec::new()),
        full_history_ts_low: None,
        drops_user_defined_indexes: false,
        helpers: Arc::new(Nobody),
        cancellation: Cancellation::default(),
    }
}

/// Rounds of one merge, each of which removes first what the one before it made.
fn merges(environment: &Environment, job: CompactionJob) -> Timed<'_> {
    let made = Rc::new(RefCell::new(Vec::new()));
    let discarded = Rc::clone(&made);
    let discard = move || {
        for number in discarded.borrow_mut().drain(..) {
            environment.discard_file(number, &Environment::path(number));
        }
    };
    let merge = move |_: &mut ()| {
        let outcome = job.run(&[]).expect("a compaction");
        assert_eq!(outcome.stats.num_output_records, RECORDS, "records merged");
        made.borrow_mut().extend(outcome.files.iter().map(|file| file.metadata.number));
    };
    prepared(RECORDS, discard, merge)
}

/// A copy of each record's bytes, from one stretch of memory to another.
fn copies() -> Timed<'static> {
    const RECORD_SIZE: usize = 16 + 8 + VALUE.len();
    let source = vec![b'r'; RECORDS as usize * RECORD_SIZE];
    let mut target = vec![0; source.len()];
    prepared(
        RECORDS,
        || (),
        move |()| {
            let records = source.chunks_exact(RECORD_SIZE);
            for (copy, record) in target.chunks_exact_mut(RECORD_SIZE).zip(records) {
                copy.copy_from_slice(black_box(record));
            }
            black_box(&target);
        },
    )
}

fn main() {
    let benches = Benches::from_arguments();
    let bloom = Some(FilterPolicy::Bloom { bits_per_key: 10.0 });
    for spread in Spread::ALL {
        for (filter, policy) in [("no filter", None), ("a filter", bloom)] {
            let name = format!("compaction: {INPUTS} inputs {}, {filter}", spread.name());
            if !benches.wants(&name) {
                continue;
            }
            let environment = Arc::new(Environment::new());
            let files = (0..INPUTS).map(|input| flush(&environment, spread, input)).collect();
            let job = CompactionJob::new(
                Arc::new(compaction(&version(files))),
                job_options(policy),
                Arc::clone(&environment) as Arc<dyn JobEnvironment>,
            );
            benches.compare(&name, merges(&environment, job), "a copy of its bytes", copies());
        }
    }
}
