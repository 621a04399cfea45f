//! One part of a compaction: a range of user keys.

use super::{CompactionJob, PreparedInputs};
use crate::blob_file_builder::BlobFileBuilder;
use crate::blob_garbage_meter::BlobFlow;
use crate::compaction_input::{CompactionInput, EntrySource, KeyRange};
use crate::compaction_iterator::{CompactionIterator, IterationContext, checked_filter};
use crate::compaction_outputs::{CompactionOutputs, OutputsContext};
use crate::compaction_stats::CompactionStats;
use crate::created_files::CreatedFiles;
use crate::deeper_levels::DeeperLevels;
use crate::giving_way::time_aside;
use crate::iteration_stats::IterationStats;
use crate::job_environment::OutputFileHint;
use crate::level_input_iterator::{LevelInputIterator, LevelInputOptions};
use crate::merge_kernel::{InputRun, MergeKernel};
use crate::output_splitter::{OutputSplitter, SplitRules};
use crate::output_table::{OutputFile, OutputTableSpec};
use base::compaction_filter::{
    CompactionFilterContext, NamedTableProperties, TableFileCreationReason,
};
use base::sst_partitioner::SstPartitionerContext;
use base::{CompactionFilter, FastPath, InternalIterator, InternalKey, Result, SstPartitioner};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use table::{ReadOptions, TableIterator};
use version::{BlobFileAddition, FileMetaData};

/// After so many entries it is told that they were read.
const ENTRIES_PER_REPORT: u64 = 1024;

pub(super) struct Part<'a> {
    /// Parts count from 0.
    pub(super) index: usize,
    pub(super) job: &'a CompactionJob,
    pub(super) inputs: &'a PreparedInputs,
    pub(super) files: &'a CreatedFiles<'a>,
    pub(super) range: &'a KeyRange,
}

pub(super) struct PartOutcome {
    pub(super) files: Vec<OutputFile>,
    pub(super) blob_files: Vec<BlobFileAddition>,
    pub(super) blob_inflow: BlobFlow,
    pub(super) blob_outflow: BlobFlow,
    pub(super) stats: IterationStats,
    /// None if entries were skipped without being looked at.
    pub(super) entries_passed: Option<u64>,
    pub(super) micros: u64,
    /// Processor time of the thread, and of others that synced for it.
    pub(super) cpu_micros: u64,
}

impl PartOutcome {
    /// What it did of its own; files are read by all parts.
    fn own_stats(&self) -> CompactionStats {
        let mut stats = CompactionStats {
            micros: self.micros,
            part_micros: self.micros,
            cpu_micros: self.cpu_micros,
            num_parts: 1,
            num_input_records: self.stats.input_records,
            bytes_read_blob: self.stats.blob_bytes_read,
            iteration: self.stats,
            ..CompactionStats::default()
        };
        stats.count_outputs(&self.files, &self.blob_files);
        stats.num_dropped_records =
            stats.num_input_records.saturating_sub(stats.num_output_records);
        stats
    }
}

impl Part<'_> {
    /// Goes over the range and writes its outputs. The environment is told when it begins and ends.
    /// Instructions of compactions are counted by the name of this function.
    #[inline(never)]
    pub(super) fn run_and_tell(&self) -> Result<PartOutcome> {
        let environment = self.files.environment();
        environment.part_started(self.index);
        let result = self.run();
        match &result {
            Ok(outcome) => environment.part_finished(self.index, Ok(&outcome.own_stats())),
            Err(status) => environment.part_finished(self.index, Err(status)),
        }
        result
    }

    fn run(&self) -> Result<PartOutcome> {
        let (start, cpu_start) = (Instant::now(), env::thread_cpu_micros());
        let aside_before = time_aside();
        let mut entries = self.start_iterator()?;
        let mut outputs = CompactionOutputs::new(self.outputs_context());
        entries.seek_to_first()?;
        let mut told = 0;
        while entries.valid() {
            let mut read = told;
            while entries.valid() && read - told < ENTRIES_PER_REPORT {
                if !copy_block(&mut entries, &mut outputs)? {
                    outputs.add(&entries.parsed_key(), entries.key(), entries.value())?;
                    if let Some(mut block) = outputs.open_block() {
                        entries.pass_newest_values(&mut block)?;
                    }
                }
                entries.next()?;
                read = entries.stats().input_records;
            }
            self.files.environment().entries_read(read - told, self.inputs.entry_count);
            told = read;
        }
        self.job.options.cancellation.check()?;
        let outputs = outputs.finish()?;
        let blob_files = match entries.take_blob_builder() {
            Some(builder) => builder.finish()?,
            None => Vec::new(),
        };
        self.job.verify_outputs(self.files, &outputs.files)?;
        let mut stats = *entries.stats();
        stats.add(&outputs.stats);
        let aside = time_aside() - aside_before;
        let micros = start.elapsed().as_micros() as u64;
        Ok(PartOutcome {
            files: outputs.files,
            blob_files,
            blob_inflow: entries.input().blob_flow().cloned().unwrap_or_default(),
            blob_outflow: outputs.blob_flow.unwrap_or_default(),
            stats,
            entries_passed: entries.input().entries_passed(),
            micros: micros.saturating_sub(aside.micros),
            cpu_micros: env::thread_cpu_micros()
                .saturating_sub(cpu_start)
                .saturating_sub(aside.cpu_micros)
                .saturating_add(outputs.other_cpu_micros),
        })
    }

    fn start_iterator(&self) -> Result<CompactionIterator<'_>> {
        let Self { job, inputs, files, range, .. } = self;
        let options = &job.options;
        let counts_blobs = job.compaction.references_blob_files();
        let source = self.entry_source();
        let input = CompactionInput::new(source, job.comparator.clone(), range, counts_blobs);
        let history = options.full_history_ts_low.as_deref();
        let context = IterationContext {
            comparator: job.comparator.clone(),
            snapshots: options.snapshots.clone(),
            cover: inputs.tombstones.cover(&options.snapshots, history),
            merge_operator: options.merge_operator.clone(),
            filter: checked_filter(self.compaction_filter())?,
            full_history_ts_low: options.full_history_ts_low.clone(),
            enforce_single_del_contracts: options.enforce_single_del_contracts,
            level: job.compaction.start_level,
            is_bottommost: job.is_bottommost(),
            deeper_levels: self.deeper_levels(),
            zeroes_sequences_up_to: job.zeroes_sequences_up_to(inputs),
            blob_cutoff: job.blob_cutoff(),
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
            takes_shortcuts: job.uses_kernel && FastPath::MergeKernel.is_on(),
        };
        Ok(CompactionIterator::new(input, context))
    }

    fn deeper_levels(&self) -> DeeperLevels {
        let compaction = &self.job.compaction;
        if self.job.options.allow_ingest_behind {
            return DeeperLevels::unknown(self.job.comparator.clone());
        }
        DeeperLevels::new(
            self.job.comparator.clone(),
            &compaction.input_version,
            compaction.compaction_style,
            compaction.output_level,
            compaction.is_bottommost_level,
        )
    }

    fn compaction_filter(&self) -> Option<Box<dyn CompactionFilter>> {
        if let Some(filter) = &self.job.options.compaction_filter {
            return Some(Box::new(filter.clone()));
        }
        let factory = self.job.options.compaction_filter_factory.as_ref()?;
        let reason = TableFileCreationReason::Compaction;
        if !factory.should_filter_table_file_creation(reason) {
            return None;
        }
        let compaction = &self.job.compaction;
        factory.create(&CompactionFilterContext {
            is_full_compaction: compaction.is_full_compaction,
            is_manual_compaction: compaction.is_manual(),
            input_start_level: Some(compaction.start_level),
            column_family_id: self.job.options.column_family_id,
            reason,
            input_table_properties: self.input_table_properties().unwrap_or_default(),
        })
    }

    /// What the input tables say of themselves, by their paths.
    ///
    /// # Errors
    /// Of opening one: going over its entries will say so again.
    fn input_table_properties(&self) -> Result<BTreeMap<PathBuf, Arc<dyn NamedTableProperties>>> {
        let open = |level: usize, file: &FileMetaData| {
            let table = self.job.environment.open_table(file, level)?;
            let properties: Arc<dyn NamedTableProperties> = table.properties().clone();
            Ok((table.file().path().to_owned(), properties))
        };
        let inputs = self.job.compaction.inputs.iter();
        let files = inputs.flat_map(|input| input.files.iter().map(|file| (input.level, file)));
        files.map(|(level, file)| open(level, file)).collect()
    }

    fn partitioner(&self) -> Option<Box<dyn SstPartitioner>> {
        let compaction = &self.job.compaction;
        if compaction.output_level == 0 {
            return None;
        }
        self.job.options.sst_partitioner_factory.as_ref()?.create(&SstPartitionerContext {
            is_full_compaction: compaction.is_full_compaction,
            is_manual_compaction: compaction.is_manual(),
            output_level: compaction.output_level,
            smallest_user_key: &compaction.smallest_user_key,
            largest_user_key: &compaction.largest_user_key,
        })
    }

    fn entry_source(&self) -> EntrySource {
        let options = LevelInputOptions {
            environment: Arc::clone(&self.job.environment),
            comparator: self.job.comparator.clone(),
            reads: Arc::new(ReadOptions {
                total_order_seek: true,
                fill_cache: false,
                readahead_size: self.job.options.compaction_readahead_size,
                iterate_upper_bound: self.range.end.clone(),
                rate_limiter_priority: self.job.environment.read_priority(),
                ..ReadOptions::default()
            }),
            order: self.inputs.order.clone(),
        };
        if self.inputs.can_be_scanned && FastPath::MergeKernel.is_on() {
            return EntrySource::Kernel(MergeKernel::new(
                &options,
                self.input_runs(),
                self.job.copies_blocks && FastPath::BlockCopy.is_on(),
            ));
        }
        let input = |(level, files)| -> Box<dyn InternalIterator> {
            Box::new(LevelInputIterator::<TableIterator>::new(options.clone(), level, files))
        };
        let inputs = self.input_runs().into_iter().map(input).collect();
        EntrySource::Iterator(iterator::merge(&self.job.comparator, inputs))
    }

    /// One for each L0 file, and one for each other level.
    fn input_runs(&self) -> Vec<InputRun> {
        let mut runs: Vec<InputRun> = Vec::new();
        for input in &self.job.compaction.inputs {
            match input.level {
                0 => runs.extend(input.files.iter().map(|file| (0, vec![Arc::clone(file)]))),
                level => runs.push((level, input.files.clone())),
            }
        }
        runs
    }

    fn outputs_context(&self) -> OutputsContext<'_> {
        let job = self.job;
        let compaction = &job.compaction;
        let rules = SplitRules {
            style: compaction.compaction_style,
            output_level: compaction.output_level,
            target_file_size: compaction.target_output_file_size,
            max_file_size: compaction.max_output_file_size,
            max_compaction_bytes: compaction.max_compaction_bytes,
        };
        OutputsContext {
            files: self.files,
            comparator: job.comparator.clone(),
            tables: &job.options.tables,
            spec: self.output_spec(),
            splitter: OutputSplitter::new(
                job.comparator.clone(),
                rules,
                &compaction.grandparents,
                self.split_key(),
                self.old_files(),
            )
            .with_partitioner(self.partitioner()),
            counts_tail: job.options.target_file_size_is_upper_bound,
            range: self.range.padded(&job.comparator),
            fragments: self.inputs.tombstones.fragments(),
            snapshots: job.options.snapshots.clone(),
            full_history_ts_low: job.options.full_history_ts_low.clone(),
            is_bottommost: job.is_bottommost(),
            deeper_levels: self.deeper_levels(),
            inputs: compaction.input_files().map(|(_, file)| Arc::clone(file)).collect(),
            counts_blobs: compaction.references_blob_files(),
            times: &self.inputs.times,
        }
    }

    fn output_spec(&self) -> OutputTableSpec {
        let compaction = &self.job.compaction;
        let oldest = match compaction.min_input_file_oldest_ancester_time() {
            0 => self.job.options.tables.now_seconds,
            time => time,
        };
        OutputTableSpec {
            level: compaction.output_level,
            hint: OutputFileHint {
                preallocation_size: compaction.output_file_preallocation_size(),
                path_id: compaction.output_path_id,
                temperature: compaction.output_temperature,
            },
            epoch_number: compaction.min_input_file_epoch_number(),
            oldest_ancester_time: oldest,
            newest_key_time: self.inputs.newest_key_time,
            oldest_key_time: 0,
        }
    }

    /// The key to split outputs at, if it lies within the range.
    fn split_key(&self) -> Option<&InternalKey> {
        let comparator = &self.job.comparator;
        let range = self.range.padded(comparator);
        let order = |bound: &[u8], key: &InternalKey| {
            comparator.compare_without_timestamp(key.user_key(), bound)
        };
        self.job.compaction.output_split_key.as_ref().filter(|key| {
            range.start.as_deref().is_none_or(|start| order(start, key).is_gt())
                && range.end.as_deref().is_none_or(|end| order(end, key).is_lt())
        })
    }

    /// Files of the output level that are old enough to move down on their own.
    fn old_files(&self) -> Vec<Arc<FileMetaData>> {
        let compaction = &self.job.compaction;
        let now = self.job.options.tables.now_seconds;
        let Some(split) = self.job.options.ttl_split else { return Vec::new() };
        let Some(age_limit) = now.checked_sub(split.ttl_seconds / 2) else { return Vec::new() };
        if now < split.ttl_seconds || compaction.inputs.len() < 2 || compaction.is_bottommost_level
        {
            return Vec::new();
        }
        let last = compaction.inputs.last();
        let files = last.into_iter().flat_map(|input| &input.files).filter(|file| {
            file.oldest_ancester_time < age_limit && file.file_size > split.min_file_size
        });
        files.cloned().collect()
    }
}

/// Copies the data block that the current entry begins to the output, if that may be. Returns whether it
/// did; the current entry is then the block's last.
#[inline]
fn copy_block(
    entries: &mut CompactionIterator<'_>,
    outputs: &mut CompactionOutputs<'_>,
) -> Result<bool> {
    let Some(block) = entries.whole_block() else { return Ok(false) };
    let Some(sums) = outputs.add_block(&block, entries.zeroed_up_to())? else { return Ok(false) };
    entries.pass_block(&sums)?;
    Ok(true)
}
