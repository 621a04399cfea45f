//! Flush: one table of L0 out of memtables.
//!
//! The same rules as in a compaction apply, except that nothing is known of what lies below: no
//! deletion is dropped for want of something to hide.

use crate::blob_file_builder::{BlobFileBuilder, BlobFileOptions};
use crate::cancellation::Cancellation;
use crate::compaction_input::{CompactionInput, EntrySource, KeyRange};
use crate::compaction_iterator::{
    CompactionIterator, IterationContext, checked_filter, preferred_sequence,
};
use crate::created_files::CreatedFiles;
use crate::deeper_levels::DeeperLevels;
use crate::iteration_stats::IterationStats;
use crate::job_environment::{JobEnvironment, OutputFileHint};
use crate::output_table::{
    OutputFile, OutputTable, OutputTableOptions, OutputTableSpec, verify_output,
};
use crate::range_tombstones::{JobRangeTombstones, JobRangeTombstonesBuilder};
use crate::sliced_input::{MemTableSlices, SlicedInput};
use crate::snapshot_rules::SnapshotRules;
use crate::timestamp_stripping_iterator::TimestampStrippingIterator;
use base::dbformat::TRAILER_SIZE;
use base::{
    CompactionFilter, FastPath, InternalIterator, InternalKeyComparator, MergeOperator,
    ParsedInternalKey, Result, Status, ValueType,
};
use iterator::FragmentedRangeTombstoneList;
use std::sync::Arc;
use table::SeqnoToTimeMapping;
use version::{BlobFileAddition, NewFile, VersionEdit};

/// What goes into a table, and how.
pub struct BuildTableInput {
    /// Entries of the memtables, newest memtable first.
    pub iterators: Vec<Box<dyn InternalIterator>>,
    /// How they are divided for a thread that helps to go through them. Default: none helps.
    pub slices: Option<MemTableSlices>,
    /// Their range tombstones.
    pub range_tombstones: Vec<Arc<FragmentedRangeTombstoneList>>,
    /// How many entries the iterators have together, range tombstones not counted: the job fails if
    /// it finds another number (`flush_verify_memtable_count`). Default: none, which is not checked.
    pub expected_entries: Option<u64>,
    /// The live snapshots.
    pub snapshots: SnapshotRules,
    /// Filters entries; seldom wanted in a flush.
    pub compaction_filter: Option<Box<dyn CompactionFilter>>,
    /// Versions with a smaller timestamp need not be told apart.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// The epoch number of the new file.
    pub epoch_number: u64,
    /// When the oldest data was written, seconds since 1970: for a flush, now.
    pub oldest_ancester_time: u64,
    /// When the oldest entry was written, seconds since 1970; 0 if unknown.
    pub oldest_key_time: u64,
    /// When sequence numbers were given out; empty if nobody keeps that.
    pub times: SeqnoToTimeMapping,
    /// What the environment is told of the file.
    pub hint: OutputFileHint,
}

/// What is the same for all flushes of a column family.
pub struct BuildTableOptions {
    /// How tables are made.
    pub tables: OutputTableOptions,
    /// Large values go to blob files; none if they don't (`enable_blob_files`, and
    /// `blob_file_starting_level` is 0).
    pub blob_files: Option<BlobFileOptions>,
    /// Id of the column family.
    pub column_family_id: u32,
    /// Folds merge operands.
    pub merge_operator: Option<Arc<dyn MergeOperator>>,
    /// Deletions of keys that are also deleted singly are errors
    /// (`enforce_single_del_contracts`). Default: true.
    pub enforce_single_del_contracts: bool,
    /// Stops it.
    pub cancellation: Cancellation,
}

/// What was made. The files stay, and are synced with their names.
#[derive(Clone, Debug)]
pub struct BuiltTable {
    /// The table; none if nothing was left to write.
    pub table: Option<OutputFile>,
    /// Blob files.
    pub blob_files: Vec<BlobFileAddition>,
    /// What happened to the entries.
    pub stats: IterationStats,
    /// Processor time of threads that compressed for it, or helped to go through the memtables.
    pub other_cpu_micros: u64,
}

impl BuiltTable {
    /// Records the new files in an edit.
    pub fn add_to(&self, edit: &mut VersionEdit) {
        edit.new_files.extend(
            self.table.iter().map(|table| NewFile { level: 0, file: table.metadata.clone() }),
        );
        edit.blob_file_additions.extend(self.blob_files.iter().cloned());
    }

    /// Bytes written.
    pub fn bytes_written(&self) -> u64 {
        let blobs: u64 = self.blob_files.iter().map(|file| file.total_blob_bytes).sum();
        self.table.as_ref().map_or(0, |table| table.metadata.file_size) + blobs
    }
}

/// Makes a table of `input`.
///
/// # Errors
/// What reading the input and writing files gives; `Corruption` if entries are missing or the table
/// cannot be read back. No file is left behind.
pub fn build_table(
    environment: &dyn JobEnvironment,
    options: &BuildTableOptions,
    input: BuildTableInput,
) -> Result<BuiltTable> {
    let files = CreatedFiles::new(environment);
    let built = build_with(&files, options, input);
    match &built {
        Ok(_) => files.keep(),
        Err(status) => environment.job_failed(status),
    }
    built
}

fn build_with(
    files: &CreatedFiles<'_>,
    options: &BuildTableOptions,
    input: BuildTableInput,
) -> Result<BuiltTable> {
    let environment = files.environment();
    let comparator = options.tables.builder.comparator.clone();
    let tombstones = collect_tombstones(options, &input);
    let spec = OutputTableSpec {
        level: 0,
        hint: input.hint,
        epoch_number: input.epoch_number,
        oldest_ancester_time: input.oldest_ancester_time,
        newest_key_time: options.tables.now_seconds,
        oldest_key_time: input.oldest_key_time,
    };
    let expected_entries = input.expected_entries;
    let times = input.times.clone();
    let mut entries = start_iterator(files, options, input, &tombstones)?;
    let mut output = None;
    entries.seek_to_first()?;
    if entries.valid() || !tombstones.is_empty() {
        let mut table = OutputTable::create(files, &options.tables, &spec)?;
        add_entries(&mut entries, &mut table)?;
        add_tombstones(&tombstones, &mut table)?;
        output = Some(table);
    }
    if let Some(expected) = expected_entries
        && let Some(found) = entries.input().entries_passed()
        && found != expected
    {
        return Err(Status::corruption(format!(
            "Number of entries read from memtables: expected {expected}, found {found}"
        )));
    }
    let blob_files = match entries.take_blob_builder() {
        Some(builder) => builder.finish()?,
        None => Vec::new(),
    };
    let mut other_cpu_micros = entries.end_help();
    let table = match output {
        Some(table) if table.is_empty() => {
            files.discard(table.number());
            None
        }
        Some(table) => {
            let unsynced = table.finish(spec.oldest_ancester_time, &times)?;
            other_cpu_micros += unsynced.other_cpu_micros;
            let file = unsynced.sync()?;
            environment.table_file_finished(&file);
            Some(file)
        }
        None => None,
    };
    if let Some(table) = &table {
        verify_output(files, &comparator, table)?;
        environment.sync_directories()?;
    }
    let stats = *entries.stats();
    Ok(BuiltTable { table, blob_files, stats, other_cpu_micros })
}

/// Size of timestamps that keys in memory have and keys in tables don't.
fn stripped_timestamp_size(options: &BuildTableOptions) -> usize {
    let builder = &options.tables.builder;
    match builder.user_defined_timestamps_persisted {
        true => 0,
        false => builder.comparator.timestamp_size(),
    }
}

fn collect_tombstones(options: &BuildTableOptions, input: &BuildTableInput) -> JobRangeTombstones {
    let comparator = options.tables.builder.comparator.clone();
    let mut builder = JobRangeTombstonesBuilder::new(comparator, input.snapshots.clone());
    builder.strip_timestamps(stripped_timestamp_size(options) > 0);
    for list in &input.range_tombstones {
        builder.add(list);
    }
    builder.build()
}

fn start_iterator<'a>(
    files: &'a CreatedFiles<'a>,
    options: &BuildTableOptions,
    input: BuildTableInput,
    tombstones: &JobRangeTombstones,
) -> Result<CompactionIterator<'a>> {
    let comparator = options.tables.builder.comparator.clone();
    let stripped_timestamp_size = stripped_timestamp_size(options);
    let merged = merged_input(&comparator, stripped_timestamp_size, input.iterators);
    // A slice has keys as they are in memtables.
    let divides = stripped_timestamp_size == 0 && FastPath::FlushSlices.is_on();
    let source = match input.slices.filter(|_| divides) {
        Some(slices) => match SlicedInput::begin(&comparator, slices, merged) {
            Ok(sliced) => EntrySource::Slices(sliced),
            Err(merged) => EntrySource::Iterator(merged),
        },
        None => EntrySource::Iterator(merged),
    };
    let bound = input.full_history_ts_low.as_deref();
    let context = IterationContext {
        cover: tombstones.cover(&input.snapshots, bound),
        deeper_levels: DeeperLevels::unknown(comparator.clone()),
        comparator: comparator.clone(),
        snapshots: input.snapshots,
        merge_operator: options.merge_operator.clone(),
        filter: checked_filter(input.compaction_filter)?,
        full_history_ts_low: input.full_history_ts_low,
        enforce_single_del_contracts: options.enforce_single_del_contracts,
        level: 0,
        is_bottommost: false,
        zeroes_sequences_up_to: 0,
        blob_cutoff: None,
        cancellation: options.cancellation.clone(),
        environment: files.environment(),
        blob_builder: options.blob_files.as_ref().map(|blob_options| {
            BlobFileBuilder::new(
                files,
                options.column_family_id,
                blob_options.clone(),
                options.tables.builder.file_checksum_gen_factory.clone(),
            )
        }),
        statistics: options.tables.builder.statistics.clone(),
        takes_shortcuts: true,
    };
    let input = CompactionInput::new(source, comparator, &KeyRange::all(), false);
    Ok(CompactionIterator::new(input, context))
}

fn merged_input(
    comparator: &InternalKeyComparator,
    stripped_timestamp_size: usize,
    iterators: Vec<Box<dyn InternalIterator>>,
) -> Box<dyn InternalIterator> {
    if stripped_timestamp_size == 0 {
        return iterator::merge(comparator, iterators);
    }
    let stripped = iterators.into_iter().map(|inner| {
        let stripped = TimestampStrippingIterator::new(inner, stripped_timestamp_size);
        Box::new(stripped) as Box<dyn InternalIterator>
    });
    iterator::merge(comparator, stripped.collect())
}

fn add_entries(entries: &mut CompactionIterator<'_>, table: &mut OutputTable) -> Result<()> {
    while entries.valid() {
        if entries.parsed_key().value_type == ValueType::ValuePreferredSeqno {
            add_timed_put(entries, table)?;
        } else {
            table.add(&entries.parsed_key(), entries.key(), entries.value())?;
        }
        if let Some(mut block) = table.open_block() {
            entries.pass_newest_values(&mut block)?;
        }
        entries.next()?;
    }
    Ok(())
}

/// In memory such a value is followed by the time it was written, in tables by the sequence number
/// it prefers. Which one that is only a record of times could tell; without one it prefers none and
/// becomes a plain value.
fn add_timed_put(entries: &CompactionIterator<'_>, table: &mut OutputTable) -> Result<()> {
    let value = entries.value();
    if preferred_sequence(value).is_none() {
        return Err(Status::corruption(format!(
            "value of {} bytes is too short for a write time: {:?}",
            value.len(),
            entries.parsed_key()
        )));
    }
    let mut key = entries.key().to_vec();
    let type_at = key.len() - TRAILER_SIZE;
    key[type_at] = ValueType::Value as u8;
    let parsed = ParsedInternalKey { value_type: ValueType::Value, ..entries.parsed_key() };
    table.add(&parsed, &key, &value[..value.len() - size_of::<u64>()])
}

fn add_tombstones(tombstones: &JobRangeTombstones, table: &mut OutputTable) -> Result<()> {
    for fragment in tombstones.fragments() {
        let range = (&fragment.start_key[..], &fragment.end_key[..]);
        for (sequence, timestamp) in &fragment.tombstones {
            table.add_range_tombstone(range, (*sequence, timestamp), range)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
