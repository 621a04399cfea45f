use super::*;
use crate::build_table::{BuildTableInput, BuildTableOptions, build_table};
use crate::compaction::CompactionInputFiles;
use crate::compaction_reason::CompactionReason;
use crate::job_environment::OutputFileHint;
use crate::test_environment::{COLUMN_FAMILY_ID, TestEnvironment};
use base::{InternalKey, RangeTombstone, ValueType};
use compression::{CompressionOptions, CompressionType};
use helpers::Crew;
use iterator::{FragmentedRangeTombstoneList, VecIterator};
use version::{
    CompactionStyle, FileMetaData, Temperature, Version, VersionBuilder, VersionOptions,
};

mod blobs;
mod copied;
mod errors;
mod helpers;
mod histories;
mod parallel_blocks;
mod peer;
mod syncs;
mod times;

pub(crate) type Entry = (InternalKey, Vec<u8>);

pub(super) fn table_options(environment: &TestEnvironment) -> OutputTableOptions {
    let builder = table::TableBuilderOptions { block_size: 200, ..environment.builder_options() };
    OutputTableOptions {
        builder,
        use_fsync: false,
        paranoid_file_checks: true,
        now_seconds: 1_700_000_000,
    }
}

/// Flushes entries, range tombstones among them.
pub(crate) fn flush(
    environment: &TestEnvironment,
    entries: &[Entry],
    snapshots: &[u64],
    epoch_number: u64,
    blob_files: Option<BlobFileOptions>,
) -> Option<FileMetaData> {
    let is_tombstone = |key: &InternalKey| key.trailer() as u8 == ValueType::RangeDeletion as u8;
    let comparator = &environment.comparator;
    let tombstones = entries.iter().filter(|(key, _)| is_tombstone(key)).map(|(key, end)| {
        let (start_key, end_key) = (key.user_key().to_vec(), end.clone());
        RangeTombstone { start_key, end_key, sequence: key.trailer() >> 8 }
    });
    let list = FragmentedRangeTombstoneList::new(tombstones.collect(), comparator);
    let points: Vec<_> = entries
        .iter()
        .filter(|(key, _)| !is_tombstone(key))
        .map(|(key, value)| (key.as_bytes().to_vec(), value.clone()))
        .collect();
    let options = BuildTableOptions {
        tables: table_options(environment),
        blob_files,
        column_family_id: COLUMN_FAMILY_ID,
        merge_operator: base::merge_operator::builtin("stringappend"),
        enforce_single_del_contracts: true,
        cancellation: Cancellation::default(),
    };
    let input = BuildTableInput {
        expected_entries: Some(points.len() as u64),
        iterators: vec![Box::new(VecIterator::new(comparator.clone(), points))],
        slices: None,
        range_tombstones: vec![Arc::new(list)],
        snapshots: SnapshotRules::new(snapshots.to_vec()),
        compaction_filter: None,
        full_history_ts_low: None,
        epoch_number,
        oldest_ancester_time: 1_600_000_000 + epoch_number,
        oldest_key_time: 0,
        times: SeqnoToTimeMapping::default(),
        hint: OutputFileHint::default(),
    };
    let built = build_table(environment, &options, input).unwrap();
    built.table.map(|table| table.metadata)
}

pub(super) fn version(
    comparator: &InternalKeyComparator,
    files: &[(u32, FileMetaData)],
    blob_files: &[BlobFileAddition],
) -> Arc<Version> {
    let mut builder = VersionBuilder::new();
    let new_files =
        files.iter().map(|(level, file)| NewFile { level: *level, file: file.clone() }).collect();
    let blob_file_additions = blob_files.to_vec();
    builder
        .apply(VersionEdit { new_files, blob_file_additions, ..VersionEdit::default() })
        .unwrap();
    Arc::new(builder.build(&VersionOptions::new(comparator.clone()), false).unwrap())
}

/// A compaction of all files of `levels` to `output_level`.
pub(super) fn compaction(
    version: Arc<Version>,
    levels: &[usize],
    output_level: usize,
    is_bottommost_level: bool,
) -> Compaction {
    let inputs: Vec<_> = levels
        .iter()
        .map(|&level| CompactionInputFiles { level, files: version.level_files(level).to_vec() })
        .filter(|input| !input.files.is_empty())
        .collect();
    Compaction {
        start_level: inputs[0].level,
        inputs,
        input_version: version,
        compaction_style: CompactionStyle::Level,
        output_level,
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
        max_subcompactions: 4,
        is_trivial_move: false,
        is_deletion_only: false,
        is_bottommost_level,
        is_full_compaction: false,
        l0_files_might_overlap: true,
        trim_timestamp: Vec::new(),
        enable_blob_garbage_collection: false,
        blob_garbage_collection_age_cutoff: 0.25,
        compact_cursor: None,
        is_round_robin: false,
    }
}

pub(super) fn job_options(
    environment: &TestEnvironment,
    snapshots: &[u64],
) -> CompactionJobOptions {
    CompactionJobOptions {
        tables: table_options(environment),
        blob_files: None,
        column_family_id: COLUMN_FAMILY_ID,
        merge_operator: base::merge_operator::builtin("stringappend"),
        compaction_filter: None,
        compaction_filter_factory: None,
        sst_partitioner_factory: None,
        enforce_single_del_contracts: true,
        allow_ingest_behind: false,
        compaction_readahead_size: 0,
        verify_record_count: true,
        target_file_size_is_upper_bound: false,
        ttl_split: None,
        preserve_seconds: 0,
        snapshots: SnapshotRules::new(snapshots.to_vec()),
        full_history_ts_low: None,
        drops_user_defined_indexes: false,
        helpers: Arc::new(Crew::of(usize::MAX)),
        cancellation: Cancellation::default(),
    }
}
