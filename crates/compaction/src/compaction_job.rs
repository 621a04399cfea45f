//! Carries out a compaction: merges its input files into new ones.
//!
//! 1. `prepare`: every input is opened once, for its counts and its range tombstones.
//! 2. Each part, a range of user keys, goes over its input by the rules of the compaction iterator
//!    and writes its outputs (`part`). Parts run side by side, in as many threads as may help
//!    (`part_queue`).
//! 3. What went in is compared with what was counted on the way, each output is opened and checked.
//! 4. The names of the new files are synced; the result is an edit for the MANIFEST.
//!
//! After an error all files that were created are removed.

use crate::blob_file_builder::BlobFileOptions;
use crate::blob_garbage_meter::BlobFlow;
use crate::cancellation::Cancellation;
use crate::compaction::Compaction;
use crate::compaction_input::KeyRange;
use crate::compaction_stats::CompactionStats;
use crate::created_files::CreatedFiles;
use crate::job_environment::JobEnvironment;
use crate::output_table::{OutputFile, OutputTableOptions, verify_output};
use crate::range_tombstones::{JobRangeTombstones, JobRangeTombstonesBuilder};
use crate::snapshot_rules::SnapshotRules;
use base::compaction_filter::TableFileCreationReason;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{
    CompactionFilterFactory, InternalKeyComparator, MergeOperator, Result, SequenceNumber,
    SharedCompactionFilter, SstPartitionerFactory, Status, common_prefix_length,
};
use std::sync::Arc;
use std::time::Instant;
use table::seqno_to_time_mapping::PAIRS_MAX;
use table::{RankOrder, SeqnoToTimeMapping};
use version::{BlobFileAddition, NewFile, VersionEdit};

mod boundaries;
mod part;
mod part_queue;

use part::{Part, PartOutcome};
pub use part_queue::Helpers;
use part_queue::run_parts;

/// Old files that get outputs of their own, so that their data can move down for its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtlSplit {
    /// Files older than half of it count as old, in seconds (`ttl`).
    pub ttl_seconds: u64,
    /// Files that are not larger stay as they come, in bytes: half of `target_file_size_base`.
    pub min_file_size: u64,
}

/// How a compaction is carried out: the column family's options, and what is live.
#[derive(Clone)]
pub struct CompactionJobOptions {
    /// How tables are made. Compression, level and times are those of the compaction.
    pub tables: OutputTableOptions,
    /// Large values go to blob files; none if they don't (`enable_blob_files`,
    /// `blob_file_starting_level`).
    pub blob_files: Option<BlobFileOptions>,
    /// Id of the column family.
    pub column_family_id: u32,
    /// Folds merge operands.
    pub merge_operator: Option<Arc<dyn MergeOperator>>,
    /// The filter of all parts, if there is one (`compaction_filter`).
    pub compaction_filter: Option<SharedCompactionFilter>,
    /// Makes the filter of each part, unless there is one for all.
    pub compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>>,
    /// Says where outputs end, unless they go to L0.
    pub sst_partitioner_factory: Option<Arc<dyn SstPartitionerFactory>>,
    /// Deletions of keys that are also deleted singly are errors
    /// (`enforce_single_del_contracts`). Default of RocksDB: true.
    pub enforce_single_del_contracts: bool,
    /// Files may come to be below all others (`allow_ingest_behind`): nothing is dropped for being
    /// at the bottom.
    pub allow_ingest_behind: bool,
    /// Bytes that inputs are read ahead by (`compaction_readahead_size`); 0 for the tables' own
    /// rule.
    pub compaction_readahead_size: u64,
    /// Missing entries are an error (`compaction_verify_record_count`). Default of RocksDB: true.
    pub verify_record_count: bool,
    /// Outputs are no larger than their target, what follows their data included
    /// (`target_file_size_is_upper_bound`).
    pub target_file_size_is_upper_bound: bool,
    /// Old files get outputs of their own: with `ttl` and `kMinOverlappingRatio`.
    pub ttl_split: Option<TtlSplit>,
    /// Sequence numbers given out less than this ago do not become 0 at the bottom, for the times
    /// they stand for (`preserve_internal_time_seconds`, `preclude_last_level_data_seconds`), in
    /// seconds. 0 keeps none.
    pub preserve_seconds: u64,
    /// The live snapshots.
    pub snapshots: SnapshotRules,
    /// Versions with a smaller timestamp need not be told apart.
    pub full_history_ts_low: Option<Vec<u8>>,
    /// Tables with a user-defined index become tables without; otherwise they are refused.
    pub drops_user_defined_indexes: bool,
    /// Threads that work beside the one that runs it.
    pub helpers: Arc<dyn Helpers>,
    /// Stops it.
    pub cancellation: Cancellation,
}

/// What a compaction did. Its files are there, synced with their names.
#[derive(Clone, Debug)]
pub struct CompactionOutcome {
    /// Inputs deleted, outputs and blob files added, garbage of blob files.
    pub edit: VersionEdit,
    /// The new tables, by key.
    pub files: Vec<OutputFile>,
    /// Counts.
    pub stats: CompactionStats,
}

/// A compaction to be carried out.
pub struct CompactionJob {
    compaction: Arc<Compaction>,
    options: CompactionJobOptions,
    environment: Arc<dyn JobEnvironment>,
    comparator: InternalKeyComparator,
    /// Whether inputs are merged by the kernel, and the rules take shortcuts, where that is possible.
    /// Tests compare it with what is done elsewhere.
    uses_kernel: bool,
    /// Whether data blocks are copied as they are stored, where that is possible. Tests compare it with
    /// what is done without.
    copies_blocks: bool,
}

/// What is known of the inputs before they are read.
struct PreparedInputs {
    tombstones: JobRangeTombstones,
    /// Range tombstones included.
    entry_count: u64,
    tombstone_count: u64,
    /// Whether tables tell apart entries and range tombstones as they do today.
    is_count_exact: bool,
    /// Whether all tables can be gone over by scans, and by which order of keys.
    can_be_scanned: bool,
    order: RankOrder,
    newest_key_time: u64,
    /// When sequence numbers of the inputs were given out.
    times: SeqnoToTimeMapping,
    /// Sequence numbers from here on are kept for the times they stand for.
    preserved_from: SequenceNumber,
}

impl CompactionJob {
    /// Reads nothing yet.
    pub fn new(
        compaction: Arc<Compaction>,
        mut options: CompactionJobOptions,
        environment: Arc<dyn JobEnvironment>,
    ) -> Self {
        let builder = &mut options.tables.builder;
        builder.compression = compaction.output_compression;
        builder.compression_options = compaction.output_compression_options.clone();
        builder.target_file_size = compaction.max_output_file_size;
        builder.reason = TableFileCreationReason::Compaction;
        let comparator = builder.comparator.clone();
        Self {
            compaction,
            options,
            environment,
            comparator,
            uses_kernel: true,
            copies_blocks: true,
        }
    }

    /// Does it, in one part more than there are `boundaries`: user keys, ascending, at which parts
    /// begin. As many of them run at once as threads may help, and one in this thread.
    ///
    /// # Errors
    /// What reading inputs and writing outputs gives; `Corruption` if entries are missing, out of
    /// order, or cannot be read back; as [`Cancellation::check`].
    pub fn run(&self, boundaries: &[Vec<u8>]) -> Result<CompactionOutcome> {
        let start = Instant::now();
        if !self.compaction.trim_timestamp.is_empty() {
            return Err(Status::not_supported("compaction that trims history by timestamp"));
        }
        let inputs = self.prepare()?;
        let files = CreatedFiles::new(&*self.environment);
        let mut outcome = self
            .run_with(&files, &inputs, boundaries)
            .inspect_err(|status| self.environment.job_failed(status))?;
        outcome.stats.micros = start.elapsed().as_micros() as u64;
        files.keep();
        Ok(outcome)
    }

    fn run_with(
        &self,
        files: &CreatedFiles<'_>,
        inputs: &PreparedInputs,
        boundaries: &[Vec<u8>],
    ) -> Result<CompactionOutcome> {
        let outcomes = self.run_parts(boundaries, inputs, files)?;
        self.verify_record_count(inputs, &outcomes)?;
        let outcome = self.combine(inputs, outcomes)?;
        self.options.cancellation.check()?;
        self.environment.sync_directories()?;
        Ok(outcome)
    }

    fn prepare(&self) -> Result<PreparedInputs> {
        let snapshots = self.options.snapshots.clone();
        let mut builder = JobRangeTombstonesBuilder::new(self.comparator.clone(), snapshots);
        let (mut entry_count, mut tombstone_count, mut newest_key_time) = (0, 0, 0);
        let (mut is_count_exact, mut can_be_scanned) = (true, self.uses_kernel);
        let mut times = SeqnoToTimeMapping::default();
        for input in &self.compaction.inputs {
            let units = input.atomic_compaction_units(&self.comparator);
            for (index, file) in input.files.iter().enumerate() {
                self.options.cancellation.check()?;
                let table = self.environment.open_table(file, input.level)?;
                if !self.options.drops_user_defined_indexes {
                    table.check_can_be_rewritten()?;
                }
                can_be_scanned &= table.can_be_scanned();
                let properties = table.properties();
                entry_count += properties.num_entries;
                tombstone_count += properties.num_range_deletions;
                newest_key_time = match properties.newest_key_time {
                    0 => file.file_creation_time,
                    time => time,
                }
                .max(newest_key_time);
                // One that is malformed tells nothing, and is no reason to hold up the data.
                if let Ok(of_file) = properties.seqno_to_time_mapping() {
                    times.merge(&of_file);
                }
                let Some(list) = table.range_tombstones() else { continue };
                let (smallest, largest) = match units.get(index) {
                    Some(unit) => (&unit.smallest, &unit.largest),
                    None => (&file.smallest, &file.largest),
                };
                builder.add_file(list, smallest, largest);
                // Before 6.0 range tombstones did not count as entries, or not as range
                // tombstones. Tables of such releases do not say which session made them.
                is_count_exact &= !properties.db_session_id.is_empty();
            }
        }
        let tombstones = builder.build();
        let preserved_from = self.preserved_from(&mut times);
        times.limit(PAIRS_MAX);
        Ok(PreparedInputs {
            tombstones,
            entry_count,
            tombstone_count,
            is_count_exact,
            can_be_scanned,
            order: self.rank_order(),
            newest_key_time,
            times,
            preserved_from,
        })
    }

    /// Ranks are made of what follows the bytes that all keys of the inputs begin with.
    fn rank_order(&self) -> RankOrder {
        let files = || self.compaction.input_files().map(|(_, file)| file);
        let smallest = files().map(|file| file.smallest.user_key()).min().unwrap_or_default();
        let largest = files().map(|file| file.largest.user_key()).max().unwrap_or_default();
        RankOrder::new(&smallest[..common_prefix_length(smallest, largest)])
    }

    /// From where on sequence numbers are kept; what is older `times` forgets. Where nothing is
    /// preserved, what the inputs knew is handed on nevertheless.
    fn preserved_from(&self, times: &mut SeqnoToTimeMapping) -> SequenceNumber {
        let (now, seconds) = (self.options.tables.now_seconds, self.options.preserve_seconds);
        if seconds == 0 {
            return MAX_SEQUENCE_NUMBER;
        }
        times.keep_since(now, seconds);
        times.proximal_seqno_before_time(now.saturating_sub(seconds)) + 1
    }

    fn run_parts(
        &self,
        boundaries: &[Vec<u8>],
        inputs: &PreparedInputs,
        files: &CreatedFiles<'_>,
    ) -> Result<Vec<PartOutcome>> {
        let strip = |key: &Vec<u8>| self.comparator.strip_timestamp(key).to_vec();
        let ranges: Vec<_> = (0..=boundaries.len())
            .map(|index| KeyRange {
                start: index.checked_sub(1).map(|before| strip(&boundaries[before])),
                end: boundaries.get(index).map(strip),
            })
            .collect();
        let parts: Vec<Part<'_>> = (0..)
            .zip(&ranges)
            .map(|(index, range)| Part { index, job: self, inputs, files, range })
            .collect();
        run_parts(&parts, &*self.options.helpers)
    }

    /// Whether nothing below what is written can hold a key that is read.
    fn is_bottommost(&self) -> bool {
        self.compaction.is_bottommost_level && !self.options.allow_ingest_behind
    }

    /// Sequence numbers up to this one become 0 at the bottom.
    fn zeroes_sequences_up_to(&self, inputs: &PreparedInputs) -> SequenceNumber {
        inputs.preserved_from.saturating_sub(1).min(self.options.snapshots.earliest())
    }

    /// Values in blob files with a smaller number are moved.
    fn blob_cutoff(&self) -> Option<u64> {
        if !self.compaction.enable_blob_garbage_collection {
            return None;
        }
        let blob_files = self.compaction.input_version.blob_files();
        let age_cutoff = self.compaction.blob_garbage_collection_age_cutoff;
        let index = (age_cutoff * blob_files.len() as f64) as usize;
        Some(blob_files.get(index).map_or(u64::MAX, |file| file.number()))
    }

    fn verify_record_count(&self, inputs: &PreparedInputs, outcomes: &[PartOutcome]) -> Result<()> {
        // Entries that a filter had skipped were not counted.
        let found: Option<u64> = outcomes.iter().map(|outcome| outcome.entries_passed).sum();
        let expected = inputs.entry_count.saturating_sub(inputs.tombstone_count);
        match found {
            Some(found)
                if found != expected
                    && inputs.is_count_exact
                    && self.options.verify_record_count =>
            {
                Err(Status::corruption(format!(
                    "Compaction number of input keys does not match number of keys processed. \
                     Expected {expected} but processed {found}. Compaction summary: {}",
                    self.compaction.summary()
                )))
            }
            _ => Ok(()),
        }
    }

    fn combine(
        &self,
        inputs: &PreparedInputs,
        outcomes: Vec<PartOutcome>,
    ) -> Result<CompactionOutcome> {
        let (mut inflow, mut outflow) = (BlobFlow::default(), BlobFlow::default());
        let mut stats = self.input_stats(inputs);
        let mut files = Vec::new();
        let mut blob_files: Vec<BlobFileAddition> = Vec::new();
        for outcome in outcomes {
            inflow.merge(&outcome.blob_inflow);
            outflow.merge(&outcome.blob_outflow);
            stats.iteration.add(&outcome.stats);
            stats.part_micros += outcome.micros;
            stats.cpu_micros += outcome.cpu_micros;
            stats.num_parts += 1;
            files.extend(outcome.files);
            blob_files.extend(outcome.blob_files);
        }
        stats.count_outputs(&files, &blob_files);
        stats.bytes_read_blob = stats.iteration.blob_bytes_read;
        stats.num_dropped_records = inputs
            .entry_count
            .saturating_sub(inputs.tombstone_count)
            .saturating_sub(stats.num_output_records);
        let level = self.compaction.output_level as u32;
        let mut edit = VersionEdit::default();
        self.compaction.delete_inputs(&mut edit);
        edit.column_family = self.options.column_family_id;
        edit.new_files
            .extend(files.iter().map(|file| NewFile { level, file: file.metadata.clone() }));
        edit.blob_file_additions = blob_files;
        edit.blob_file_garbages = inflow.garbage(&outflow)?;
        Ok(CompactionOutcome { edit, files, stats })
    }

    fn input_stats(&self, inputs: &PreparedInputs) -> CompactionStats {
        let mut stats =
            CompactionStats { num_input_records: inputs.entry_count, ..Default::default() };
        for (level, file) in self.compaction.input_files() {
            if level == self.compaction.output_level {
                stats.num_input_files_in_output_level += 1;
                stats.bytes_read_output_level += file.file_size;
            } else {
                stats.num_input_files_in_non_output_levels += 1;
                stats.bytes_read_non_output_levels += file.file_size;
            }
        }
        stats
    }

    fn verify_outputs(&self, files: &CreatedFiles<'_>, outputs: &[OutputFile]) -> Result<()> {
        outputs.iter().try_for_each(|output| {
            self.options.cancellation.check()?;
            verify_output(files, &self.comparator, output)
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
