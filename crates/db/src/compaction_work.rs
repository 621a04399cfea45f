//! Compactions: chosen under the state's lock, carried out without, installed in the order of the
//! MANIFEST.
//!
//! ```text
//! queue ─▶ pick, register ─▶ merge into new tables ─▶ MANIFEST ─▶ show reads the result, unregister
//!   ─▶ delete what nobody reads any more
//! ```

use crate::caught_panic::{contain_panic, reason_of};
use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::event_listener::BackgroundErrorReason;
use crate::events::CompactionFacts;
use crate::family_files::{FamilyFiles, Job};
use crate::flush_job::Edits;
use crate::job_helpers::{HelpedJob, JobHelpers};
use crate::level0_table::blob_file_options;
use crate::sequence_times::preserve_seconds;
use crate::work_stats::{cause_of, count_compaction, count_pick};
use base::compaction_filter::TableFileCreationReason;
use base::status::Code;
use base::{Result, Status};
use compaction::picker::options::CompactionPri;
use compaction::{
    Cancellation, Compaction, CompactionId, CompactionJob, CompactionJobOptions, CompactionOutcome,
    GivesWay, JobEnvironment, OutputTableOptions, PickerOptions, RunningCompaction, TtlSplit,
    pick_compaction,
};
use env::IoPriority;
use env::thread_status::{
    Operation, OperationGuard, OperationStage, OperationType, compaction_property,
};
use statistics::{Activity, HistogramType, Statistics};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use version::{CompactionStyle, VersionEdit};

/// A compaction that is registered, to be carried out.
pub(crate) struct PickedCompaction {
    pub(crate) family: Arc<ColumnFamilyData>,
    pub(crate) compaction: Arc<Compaction>,
    id: CompactionId,
    cancellation: Cancellation,
    /// As they were when it was picked.
    options: PickerOptions,
}

/// What became of a compaction, to be installed.
struct Finished {
    edit: VersionEdit,
    /// None if files were only moved or deleted.
    outcome: Option<CompactionOutcome>,
}

impl DbImpl {
    /// Carries out the next compaction of those that are queued, if one can run now.
    pub(crate) fn background_compaction(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        {
            let mut state = writing.state.lock();
            state.scheduled.compactions_waiting -= 1;
            state.scheduled.compactions_running += 1;
        }
        let job = || "a compaction".to_owned();
        let picked = self.catch_panic(job, || {
            let mut state = writing.state.lock();
            let may_run = !writing.is_closing.load(Ordering::Acquire)
                && state.pauses == 0
                && state.compaction_aborts == 0
                && !state.manual.excludes_others()
                && !state.errors.stops_background_work();
            let picked = if may_run { self.pick_queued(writing, &mut state) } else { None };
            self.schedule_work(writing, &mut state);
            Ok(picked)
        });
        if let Ok(Some(picked)) = picked {
            let id = picked.family.id;
            if let Err(status) = self.carry_out(writing, picked) {
                let mut state = writing.state.lock();
                let is_wanted = |code| matches!(code, Code::ColumnFamilyDropped | Code::Incomplete);
                if !is_wanted(status.code()) {
                    self.wait_after_failure(writing, &mut state);
                }
                drop(state);
                // What a panic of the comparator says of it stands as background error.
                let _ = self.catch_panic(job, || {
                    self.queue_if_needed(writing, &mut writing.state.lock(), id);
                    Ok(())
                });
            }
        }
        let mut state = writing.state.lock();
        state.scheduled.compactions -= 1;
        state.scheduled.compactions_running -= 1;
        self.schedule_work(writing, &mut state);
        self.end_job(writing, state);
    }

    /// What only a snapshot that is gone needed may be compacted now.
    pub(crate) fn after_snapshot_release(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let oldest = writing.snapshots.oldest().unwrap_or_else(|| self.visibility.last_sequence());
        if oldest <= writing.bottommost_threshold.load(Ordering::Acquire) {
            return;
        }
        let mut state = writing.state.lock();
        state.oldest_snapshot = state.oldest_snapshot.max(oldest);
        writing.bottommost_threshold.store(u64::MAX, Ordering::Release);
        let ids: Vec<u32> = state.families.keys().copied().collect();
        for id in ids {
            self.queue_if_needed(writing, &mut state, id);
        }
        self.schedule_work(writing, &mut state);
    }

    /// Picks for the first column family in the queue that has something that can run now.
    fn pick_queued(&self, writing: &Writing, state: &mut DbState) -> Option<PickedCompaction> {
        let oldest_snapshot = state.oldest_snapshot;
        while let Some(id) = state.compaction_queue.pop_front() {
            let Some(family) = state.families.get_mut(&id) else { continue };
            family.compaction.is_queued = false;
            if family.compaction.options.disable_auto_compactions {
                continue;
            }
            let version = family.data.super_version.load().version.clone();
            let input = family.compaction.picker_input(&family.data, &version, oldest_snapshot);
            let Some(compaction) = pick_compaction(&input) else { continue };
            if let Some(statistics) = &self.context.statistics {
                count_pick(statistics, &compaction);
            }
            let picked = register(writing, state, id, compaction, None);
            // There may be more that can run beside it.
            self.queue_if_needed(writing, state, id);
            return picked;
        }
        None
    }

    /// Carries out a compaction that is registered, and unregisters it.
    ///
    /// # Errors
    /// What reading, writing and the MANIFEST give; it stands as background error too.
    pub(crate) fn carry_out(
        self: &Arc<Self>,
        writing: &Writing,
        picked: PickedCompaction,
    ) -> Result<()> {
        let job_id = writing.info_log.next_job_id();
        let _span =
            tracing::info_span!(target: "touchstone::compaction", "compaction", job = job_id)
                .entered();
        let outputs = writing.protect_outputs();
        let operation = self.begin_compaction_operation(job_id, &picked);
        let begun = Cell::new(None);
        let result = self.catch_panic(
            || name_of(&picked),
            || {
                let tracked = operation.as_ref().map(OperationGuard::operation);
                self.compact(writing, &picked, job_id, &begun, tracked).map_err(
                    |(reason, status)| {
                        if status.code() != Code::Incomplete {
                            self.set_background_error(reason, &status);
                        }
                        status
                    },
                )
            },
        );
        if result.is_err()
            && let Some(family) = writing.state.lock().family_mut(picked.family.id)
        {
            family.compaction.in_progress.unregister(picked.id);
        }
        if let (Err(status), Some(start)) = (&result, begun.get()) {
            let facts = CompactionFacts {
                took: start.elapsed(),
                status: Some(status),
                ..facts(&picked, job_id)
            };
            writing.events.compaction_finished(&facts, "");
        }
        drop((operation, outputs));
        // It holds a version, and with it the files that have become obsolete.
        let has_user = picked.compaction.is_manual();
        drop(picked);
        let obsolete = self.take_obsolete_files(job_id);
        match has_user {
            // Who asked for it finds its inputs gone.
            true => self.delete(obsolete),
            false => self.delete_later(writing, obsolete),
        }
        result
    }

    /// Makes the compaction known, where threads are tracked.
    fn begin_compaction_operation(
        &self,
        job_id: u64,
        picked: &PickedCompaction,
    ) -> Option<OperationGuard> {
        if !self.options().enable_thread_tracking {
            return None;
        }
        let (name, compaction) = (&picked.family.name, &picked.compaction);
        let guard = OperationGuard::begin(OperationType::Compaction, &self.path, Some(name));
        let levels = (compaction.start_level as u64) << 32 | compaction.output_level as u64;
        let flags = u64::from(compaction.is_manual())
            | u64::from(compaction.is_deletion_only) << 1
            | u64::from(compaction.is_trivial_move) << 2;
        let operation = guard.operation();
        operation.set_stage(OperationStage::CompactionPrepare);
        operation.set_property(compaction_property::JOB_ID, job_id);
        operation.set_property(compaction_property::INPUT_OUTPUT_LEVEL, levels);
        operation.set_property(compaction_property::PROP_FLAGS, flags);
        let total = compaction.total_input_size();
        operation.set_property(compaction_property::TOTAL_INPUT_BYTES, total);
        Some(guard)
    }

    fn compact(
        self: &Arc<Self>,
        writing: &Writing,
        picked: &PickedCompaction,
        job_id: u64,
        begun: &Cell<Option<Instant>>,
        operation: Option<&Arc<Operation>>,
    ) -> std::result::Result<(), (BackgroundErrorReason, Status)> {
        let _activity = Activity::Compaction(cause_of(picked.compaction.reason)).begin();
        let start = Instant::now();
        let job = Job {
            id: job_id,
            reason: TableFileCreationReason::Compaction,
            events: writing.events.clone(),
            compaction: Some(picked.compaction.clone()),
            operation: operation.cloned(),
        };
        let files = Arc::new(
            FamilyFiles::new(
                picked.family.clone(),
                writing.file_numbers.clone(),
                self.output_file_options(),
                job,
            )
            .with_rate_limit(writing.job_limit(IoPriority::Low)),
        );
        let failed = |status| (reason_of(&status, BackgroundErrorReason::Compaction), status);
        picked.cancellation.check().map_err(failed)?;
        begun.set(Some(start));
        writing.events.compaction_started(&facts(picked, job_id), writing.snapshots.oldest());
        let merge = || self.merge(writing, picked, &files, job_id);
        let finished = contain_panic(|| name_of(picked), merge).map_err(failed)?;
        let before_commit = CompactionFacts {
            edit: Some(&finished.edit),
            stats: finished.outcome.as_ref().map(|outcome| &outcome.stats),
            io: files.io(),
            took: start.elapsed(),
            ..facts(picked, job_id)
        };
        writing.events.compaction_before_commit(&before_commit);
        if let Some(operation) = operation {
            operation.set_stage(OperationStage::CompactionInstall);
        }
        let installed = self.install_compaction(writing, picked, &finished);
        if let Err(status) = installed {
            discard_outputs(writing, &files, &finished);
            let reason = match status.code() {
                Code::IoError => BackgroundErrorReason::ManifestWrite,
                _ => BackgroundErrorReason::Compaction,
            };
            return Err((reason, status));
        }
        let (family, compaction) = (&picked.family, &picked.compaction);
        let stats = finished.outcome.as_ref().map(|outcome| &outcome.stats);
        let took = start.elapsed();
        family.stats.count_compaction(compaction, stats, took);
        if let (Some(statistics), Some(stats)) = (&self.context.statistics, stats) {
            count_compaction(statistics, stats, took);
        }
        let levels = writing.state.lock().level_summary(family.id);
        writing.events.compaction_finished(&CompactionFacts { took, ..before_commit }, &levels);
        Ok(())
    }

    /// Shows reads what became of a compaction.
    fn install_compaction(
        &self,
        writing: &Writing,
        picked: &PickedCompaction,
        finished: &Finished,
    ) -> Result<()> {
        let edits = Edits::from([(picked.family.id, finished.edit.clone())]);
        let change = |state: &mut DbState| {
            let Some(family) = state.family_mut(picked.family.id) else { return };
            let outputs = finished.outcome.as_ref().map_or(&[][..], |outcome| &outcome.files[..]);
            family.compaction.note_outputs(&finished.edit, outputs);
            family.compaction.in_progress.unregister(picked.id);
        };
        match picked.compaction.is_deletion_only {
            true => self.log_and_install(writing, edits, change),
            false => self.log_and_install_same(writing, edits, change),
        }
    }

    /// Makes the outputs, if there need be any.
    fn merge(
        self: &Arc<Self>,
        writing: &Writing,
        picked: &PickedCompaction,
        files: &Arc<FamilyFiles>,
        job_id: u64,
    ) -> Result<Finished> {
        let compaction = &picked.compaction;
        let mut edit = VersionEdit::default();
        if compaction.is_deletion_only {
            compaction.delete_inputs(&mut edit);
            return Ok(Finished { edit, outcome: None });
        }
        if compaction.is_trivial_move {
            compaction.move_inputs(&picked.family.comparator, &mut edit);
            return Ok(Finished { edit, outcome: None });
        }
        let environment: Arc<dyn JobEnvironment> = files.clone();
        let options = self.compaction_job_options(writing, picked);
        let job = CompactionJob::new(compaction.clone(), options, environment);
        let spare_threads = self.spare_compactions(&writing.state.lock());
        let boundaries = self.divide(&job, compaction, spare_threads)?;
        let outcome = job.run(&boundaries)?;
        let name = &picked.family.name.to_string();
        writing.info_log.compaction_outputs_built(job_id, name, compaction, &outcome);
        Ok(Finished { edit: outcome.edit.clone(), outcome: Some(outcome) })
    }

    /// Where the parts of a compaction begin that run at the same time.
    fn divide(
        &self,
        job: &CompactionJob,
        compaction: &Compaction,
        spare_threads: usize,
    ) -> Result<Vec<Vec<u8>>> {
        let statistics = self.context.statistics.as_deref();
        let statistics = statistics.filter(|_| compaction.should_form_subcompactions());
        let start = statistics.and_then(Statistics::start_timer);
        let boundaries = job.boundaries(spare_threads)?;
        if let Some(statistics) = statistics {
            statistics.stop_timer(HistogramType::SubcompactionSetupTime, start);
        }
        Ok(boundaries)
    }

    fn compaction_job_options(
        self: &Arc<Self>,
        writing: &Writing,
        picked: &PickedCompaction,
    ) -> CompactionJobOptions {
        let (family, compaction) = (&*picked.family, &*picked.compaction);
        let (db, options) = (self.options(), family.options());
        let mut builder = self.table_builder_options(writing, family, &options);
        if options.optimize_filters_for_hits && compaction.is_bottommost_level {
            builder.filter_policy = None;
        }
        CompactionJobOptions {
            tables: OutputTableOptions {
                builder,
                use_fsync: db.use_fsync,
                paranoid_file_checks: options.paranoid_file_checks,
                now_seconds: self.context.clock.now_seconds(),
            },
            blob_files: blob_file_options(
                &options,
                compaction.output_level,
                self.context.statistics.as_ref(),
            ),
            column_family_id: family.id,
            merge_operator: options.merge_operator.clone(),
            compaction_filter: options.compaction_filter.clone(),
            compaction_filter_factory: options.compaction_filter_factory.clone(),
            sst_partitioner_factory: options.sst_partitioner_factory.clone(),
            enforce_single_del_contracts: db.enforce_single_del_contracts,
            allow_ingest_behind: picked.options.allow_ingest_behind,
            compaction_readahead_size: db.compaction_readahead_size,
            verify_record_count: db.compaction_verify_record_count,
            target_file_size_is_upper_bound: options.target_file_size_is_upper_bound,
            ttl_split: ttl_split(&picked.options),
            preserve_seconds: preserve_seconds(&options),
            snapshots: self.snapshot_rules(writing),
            full_history_ts_low: family.super_version.load().full_history_ts_low.clone(),
            drops_user_defined_indexes: self.context.drops_user_defined_indexes,
            helpers: Arc::new(JobHelpers::of(self, HelpedJob::Compaction)),
            cancellation: Cancellation {
                gives_way: self.compaction_gives_way(writing, compaction),
                ..picked.cancellation.clone()
            },
        }
    }
}

/// What a compaction is called in messages.
fn name_of(picked: &PickedCompaction) -> String {
    let (family, compaction) = (&picked.family, &picked.compaction);
    format!("a compaction of column family {}: {}", family.name, compaction.summary())
}

/// What is known of a compaction before it runs.
fn facts(picked: &PickedCompaction, job_id: u64) -> CompactionFacts<'_> {
    CompactionFacts {
        job_id,
        family: &picked.family,
        compaction: &picked.compaction,
        edit: None,
        stats: None,
        io: None,
        took: Duration::ZERO,
        status: None,
    }
}

fn ttl_split(options: &PickerOptions) -> Option<TtlSplit> {
    let is_wanted = options.style() == CompactionStyle::Level
        && options.compaction_pri == CompactionPri::MinOverlappingRatio
        && options.ttl_seconds > 0;
    is_wanted.then_some(TtlSplit {
        ttl_seconds: options.ttl_seconds,
        min_file_size: options.target_file_size_base / 2,
    })
}

/// Takes the files of a compaction, so that no other one does. None if the column family was
/// dropped.
pub(crate) fn register(
    writing: &Writing,
    state: &mut DbState,
    id: u32,
    compaction: Compaction,
    canceled: Option<Arc<AtomicBool>>,
) -> Option<PickedCompaction> {
    let family = state.family_mut(id)?;
    let running = RunningCompaction::of(&compaction);
    Some(PickedCompaction {
        family: family.data.clone(),
        compaction: Arc::new(compaction),
        id: family.compaction.in_progress.register(running),
        cancellation: Cancellation {
            shutting_down: writing.is_closing.clone(),
            column_family_dropped: family.compaction.dropped.clone(),
            compactions_aborted: writing.compactions_aborted.clone(),
            manual_compaction_canceled: canceled,
            gives_way: GivesWay::default(),
        },
        options: family.compaction.picker_options.clone(),
    })
}

/// Removes the outputs of a compaction that could not be installed, but for those that a MANIFEST
/// may nevertheless have.
fn discard_outputs(writing: &Writing, files: &FamilyFiles, finished: &Finished) {
    let Some(outcome) = &finished.outcome else { return };
    let versions = writing.versions.lock();
    for new in &outcome.edit.new_files {
        if !versions.is_in_doubt(new.file.number) {
            files.discard_table(&new.file);
        }
    }
    for blob in &outcome.edit.blob_file_additions {
        if !versions.is_in_doubt(blob.number) {
            files.discard_blob(blob.number);
        }
    }
}
