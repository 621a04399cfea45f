//! A table of L0 out of memtables.

use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::family_files::{FamilyFiles, Job};
use crate::job_helpers::{HelpedJob, JobHelpers};
use crate::job_io::{JobIo, TimedIo};
use crate::table_builder_options::{compression_options, compression_type};
use base::compaction_filter::{CompactionFilterContext, TableFileCreationReason};
use base::dbformat::extract_user_key;
use base::{CompactionFilter, InternalIterator, Result};
use compaction::{
    BlobFileOptions, BuildTableInput, BuildTableOptions, Cancellation, GivesWay, MemTableSlices,
    OutputFile, OutputFileHint, OutputTableOptions, SnapshotRules, build_table, time_aside,
};
use compression::CompressionType;
use env::{FileOptions, IoPriority, thread_cpu_micros};
use memtable::MemTable;
use options::ColumnFamilyOptions;
use statistics::Statistics;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use version::{Temperature, VersionEdit};

/// Bytes of a slice of memtables that a thread helps with.
const SLICE_SIZE: u64 = 256 << 10;
/// Bytes of memtables that are divided so, at least.
const DIVIDED_SIZE_MIN: u64 = 2 << 20;
/// Bytes of an entry of them on average, at most.
const DIVIDED_ENTRY_SIZE_MAX: u64 = 1 << 10;

/// What memtables became.
#[derive(Debug)]
pub(crate) struct Level0Table {
    pub(crate) edit: VersionEdit,
    /// None if nothing was left to write.
    pub(crate) table: Option<OutputFile>,
    pub(crate) blob_bytes: u64,
    /// Bytes of keys and values of what was in the memtables.
    pub(crate) payload_bytes: u64,
    /// How long it took.
    pub(crate) micros: u64,
    /// Processor time of it.
    pub(crate) cpu_micros: u64,
    /// How its blocks are compressed.
    pub(crate) compression: CompressionType,
    /// How long it was busy with files, if that is wanted.
    pub(crate) io: Option<JobIo>,
}

/// Where large values of outputs of a level go: to blob files, or nowhere special.
pub(crate) fn blob_file_options(
    family: &ColumnFamilyOptions,
    level: usize,
    statistics: Option<&Arc<Statistics>>,
) -> Option<BlobFileOptions> {
    let starting_level = usize::try_from(family.blob_file_starting_level).unwrap_or(0);
    let is_wanted = family.enable_blob_files && level >= starting_level;
    is_wanted.then(|| BlobFileOptions {
        min_blob_size: family.min_blob_size,
        blob_file_size: family.blob_file_size,
        compression: compression_type(family.blob_compression_type),
        compression_options: compression_options(&family.blob_compression_opts),
        statistics: statistics.cloned(),
    })
}

/// The codec of a level's tables: by `compression_per_level` if it is set, where levels count from
/// the base level on, else `compression`. L0 and memtables have the first of them.
pub(crate) fn flush_compression(family: &ColumnFamilyOptions) -> options::CompressionType {
    match family.compression_per_level.first() {
        Some(first) => *first,
        None => family.compression,
    }
}

impl DbImpl {
    /// Writes what memtables hold, from old to new, into a table; returns what the MANIFEST is to
    /// say of it. Nothing if nothing is left to write. The table gets this `number`. Work to which the
    /// job `gives_way` is done meanwhile.
    pub(crate) fn build_level0_table(
        &self,
        family: &Arc<ColumnFamilyData>,
        memtables: &[Arc<MemTable>],
        job: Job,
        number: u64,
        gives_way: &GivesWay,
    ) -> Result<Level0Table> {
        let (start, cpu_start) = (Instant::now(), thread_cpu_micros());
        let aside_before = time_aside();
        let timed_io = TimedIo::begin_if(family.options().report_bg_io_stats);
        let reason = job.reason;
        let writing = self.writing()?;
        let sum = |of: fn(&MemTable) -> u64| memtables.iter().map(|memtable| of(memtable)).sum();
        let (bytes, entries) = (sum(MemTable::data_size_bytes), sum(MemTable::num_point_entries));
        let now_seconds = self.context.clock.now_seconds();
        let files = FamilyFiles::new(
            family.clone(),
            writing.file_numbers.clone(),
            self.output_file_options(),
            job,
        )
        .with_flush(number, bytes)
        .with_rate_limit(writing.job_limit(IoPriority::High));
        let input = BuildTableInput {
            iterators: point_iterators(memtables),
            slices: self.slices(memtables, slice_count(bytes, entries)),
            range_tombstones: memtables
                .iter()
                .filter(|memtable| memtable.num_range_deletes() > 0)
                .map(|memtable| memtable.fragmented_range_tombstones())
                .collect(),
            expected_entries: self.options().flush_verify_memtable_count.then_some(entries),
            snapshots: self.snapshot_rules(writing),
            compaction_filter: compaction_filter(family, reason),
            full_history_ts_low: family.super_version.load().full_history_ts_low.clone(),
            epoch_number: family.epoch_numbers.next(),
            oldest_ancester_time: now_seconds,
            oldest_key_time: now_seconds,
            times: self.sequence_times(&family.options()),
            hint: OutputFileHint {
                temperature: Temperature(family.options().default_write_temperature as u8),
                ..OutputFileHint::default()
            },
        };
        let mut options = self.build_options(writing, family, now_seconds, reason);
        options.cancellation.gives_way = gives_way.clone();
        let built = build_table(&files, &options, input)?;
        let mut edit = VersionEdit::default();
        built.add_to(&mut edit);
        edit.full_history_ts_low = history_cutoff(family, memtables)?;
        let aside = time_aside() - aside_before;
        let micros = start.elapsed().as_micros() as u64;
        Ok(Level0Table {
            edit,
            payload_bytes: built.stats.input_raw_key_bytes + built.stats.input_raw_value_bytes,
            table: built.table,
            blob_bytes: built.blob_files.iter().map(|file| file.total_blob_bytes).sum(),
            micros: micros.saturating_sub(aside.micros),
            cpu_micros: thread_cpu_micros()
                .saturating_sub(cpu_start)
                .saturating_sub(aside.cpu_micros)
                .saturating_add(built.other_cpu_micros),
            compression: options.tables.builder.compression,
            io: timed_io.as_ref().map(TimedIo::so_far),
        })
    }

    /// How memtables are divided for a thread that helps, if they are worth it: into about so many slices.
    fn slices(&self, memtables: &[Arc<MemTable>], count: usize) -> Option<MemTableSlices> {
        if count < 2 {
            return None;
        }
        let largest = memtables.iter().max_by_key(|memtable| memtable.num_point_entries())?.clone();
        let memtables = memtables.to_vec();
        Some(MemTableSlices {
            new_starts: Box::new(move || largest.split_keys(count - 1)),
            new_iterators: Box::new(move || point_iterators(&memtables)),
            helpers: Arc::new(JobHelpers::of(self, HelpedJob::Flush)),
        })
    }

    fn build_options(
        &self,
        writing: &Writing,
        family: &ColumnFamilyData,
        now_seconds: u64,
        reason: TableFileCreationReason,
    ) -> BuildTableOptions {
        let (db, options) = (self.options(), family.options());
        let mut builder = self.table_builder_options(writing, family, &options);
        builder.compression = compression_type(flush_compression(&options));
        builder.compression_options = compression_options(&options.compression_opts);
        builder.reason = reason;
        BuildTableOptions {
            tables: OutputTableOptions {
                builder,
                use_fsync: db.use_fsync,
                paranoid_file_checks: options.paranoid_file_checks,
                now_seconds,
            },
            blob_files: blob_file_options(&options, 0, self.context.statistics.as_ref()),
            column_family_id: family.id,
            merge_operator: options.merge_operator.clone(),
            enforce_single_del_contracts: db.enforce_single_del_contracts,
            cancellation: Cancellation::default(),
        }
    }

    /// Which versions must stay.
    pub(crate) fn snapshot_rules(&self, writing: &Writing) -> SnapshotRules {
        SnapshotRules::new(writing.snapshots.sequences())
            .with_uncommitted(self.visibility.uncommitted.to_vec())
    }

    /// How tables and blob files are written.
    pub(crate) fn output_file_options(&self) -> FileOptions {
        let options = self.options();
        FileOptions {
            use_direct_writes: options.use_direct_io_for_flush_and_compaction,
            writable_file_max_buffer_size: usize::try_from(options.writable_file_max_buffer_size)
                .unwrap_or(usize::MAX),
            bytes_per_sync: options.bytes_per_sync,
            strict_bytes_per_sync: options.strict_bytes_per_sync,
            is_synced_when_complete: true,
            allow_fallocate: options.allow_fallocate,
            ..FileOptions::default()
        }
    }
}

/// Into how many slices memtables are divided, with so many bytes in so many entries.
fn slice_count(bytes: u64, entries: u64) -> usize {
    // Values that are long are copied for longer than one waits for them.
    let is_worth_it = bytes >= DIVIDED_SIZE_MIN && bytes / entries.max(1) <= DIVIDED_ENTRY_SIZE_MAX;
    if is_worth_it { usize::try_from(bytes / SLICE_SIZE).unwrap_or(usize::MAX) } else { 1 }
}

/// What filters a table made of memtables: what the user's factory makes, if it wants such tables
/// filtered. The filter that compactions share has no say here.
fn compaction_filter(
    family: &ColumnFamilyData,
    reason: TableFileCreationReason,
) -> Option<Box<dyn CompactionFilter>> {
    let options = family.options();
    let factory = options.compaction_filter_factory.as_ref()?;
    if !factory.should_filter_table_file_creation(reason) {
        return None;
    }
    factory.create(&CompactionFilterContext {
        is_full_compaction: false,
        is_manual_compaction: false,
        input_start_level: None,
        column_family_id: family.id,
        reason,
        input_table_properties: BTreeMap::new(),
    })
}

/// Where tables keep no timestamps, what was true before a flush is forgotten by it: the first time
/// that can still be asked for, if it is later than before.
fn history_cutoff(
    family: &ColumnFamilyData,
    memtables: &[Arc<MemTable>],
) -> Result<Option<Vec<u8>>> {
    let size = family.comparator.timestamp_size();
    if size != size_of::<u64>() || family.options().persist_user_defined_timestamps {
        return Ok(None);
    }
    // The timestamps whose tables can do without them are numbers (`u64ts`).
    let as_number = |bytes: &[u8]| bytes.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mut newest = None;
    for memtable in memtables {
        let mut entries = memtable.new_iterator();
        entries.seek_to_first()?;
        while entries.valid() {
            newest = newest.max(Some(as_number(extract_user_key(entries.key()))));
            entries.next()?;
        }
        for fragment in memtable.fragmented_range_tombstones().fragments() {
            let timestamps = fragment.tombstones.iter().map(|one| as_number(one.timestamp));
            newest = newest.max(timestamps.max());
        }
    }
    let Some(newest) = newest else { return Ok(None) };
    let before = family.super_version.load().full_history_ts_low.as_deref().map(as_number);
    let cutoff = newest.saturating_add(1);
    Ok((before.unwrap_or(0) < cutoff).then(|| cutoff.to_le_bytes().to_vec()))
}

/// Newest memtable first, without those that have only range tombstones.
fn point_iterators(memtables: &[Arc<MemTable>]) -> Vec<Box<dyn InternalIterator>> {
    let with_points = memtables.iter().rev().filter(|memtable| memtable.num_point_entries() > 0);
    with_points.map(|memtable| memtable.new_iterator()).collect()
}

#[cfg(test)]
mod tests;
