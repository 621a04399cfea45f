//! Flushing: memtables that take no more writes become a table of L0.
//!
//! ```text
//! take the memtables ─▶ sync finished WALs ─▶ build the tables ─▶ MANIFEST ─▶ show reads the result
//!   ─▶ let go of WALs that hold nothing else
//! ```

use crate::caught_panic::{contain_panic, reason_of};
use crate::column_family::ColumnFamilyData;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::{DbState, Entries};
use crate::event_listener::BackgroundErrorReason;
use crate::events::FlushFacts;
use crate::family_files::Job;
use crate::flush_reason::FlushReason;
use crate::internal_stats::JobPriority;
use crate::level0_table::Level0Table;
use crate::memtable_list::ImmutableMemTable;
use crate::obsolete_files::Deletion;
use crate::wal_tracking::WalsToSync;
use crate::work_stats::{count_flush, count_flush_started};
use base::compaction_filter::TableFileCreationReason;
use base::filename::{blob_file_name, table_file_name};
use base::status::Code;
use base::{Result, SequenceNumber, Status};
use compaction::GivesWay;
use env::thread_status::{
    Operation, OperationGuard, OperationStage, OperationType, flush_property, while_waiting,
};
use statistics::Activity;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use version::{ApplyContext, VersionEdit, VersionSet};

/// Why a flush failed; without a reason it stands as background error already.
type FlushError = (Option<BackgroundErrorReason>, Status);

/// What one flush takes.
#[derive(Debug)]
pub(crate) struct FlushPick {
    pub(crate) family: Arc<ColumnFamilyData>,
    /// From old to new; none any more once they are in tables.
    pub(crate) memtables: Vec<ImmutableMemTable>,
    pub(crate) reason: FlushReason,
}

/// One that runs.
#[derive(Clone, Copy)]
struct FlushRun<'f> {
    job_id: u64,
    /// Where its progress is counted, if threads are tracked.
    operation: Option<&'f Arc<Operation>>,
    gives_way: &'f GivesWay,
}

/// How far a flush came.
#[derive(Debug, Default)]
struct Made {
    /// What is made and certainly not in the MANIFEST.
    edits: Vec<(u32, VersionEdit)>,
    /// Of how many picks it was told that they began.
    started: usize,
}

impl DbImpl {
    /// Flushes `picks`, all of them in one step of the MANIFEST, and has `delete` delete what nothing
    /// needs afterwards. Work to which the flush `gives_way` is done meanwhile.
    ///
    /// # Errors
    /// What building a table or writing the MANIFEST gave; it stands as background error too, and
    /// the memtables wait again.
    pub(crate) fn flush_memtables(
        self: &Arc<Self>,
        mut picks: Vec<FlushPick>,
        gives_way: &GivesWay,
        delete: impl FnOnce(Vec<Deletion>),
    ) -> Result<()> {
        let writing = self.writing()?;
        if picks.is_empty() {
            return Ok(());
        }
        let _activity = Activity::Flush.begin();
        let job_id = writing.info_log.next_job_id();
        let _span =
            tracing::info_span!(target: "touchstone::flush", "flush", job = job_id).entered();
        let outputs = writing.protect_outputs();
        let operation = self.begin_flush_operation(job_id, &picks);
        let mut made = Made::default();
        let families = names(&picks);
        let job = || format!("a flush of {families}");
        let tracked = operation.as_ref().map(OperationGuard::operation);
        let run = || {
            let job = FlushRun { job_id, operation: tracked, gives_way };
            Ok(self.build_and_install(writing, &mut picks, &mut made, job))
        };
        let result = match self.catch_panic(job, run) {
            Ok(result) => result,
            Err(status) => Err((None, status)),
        };
        if let Err((reason, status)) = &result {
            // Whoever hears of the error finds the files gone.
            self.discard_outputs(writing, &picks, &made.edits, job_id);
            if let Some(reason) = reason {
                self.set_background_error(*reason, status);
            }
            for pick in &picks[..made.started] {
                writing.events.flush_failed(job_id, &pick.family, status);
            }
        }
        match result.map_err(|(_, status)| status) {
            Ok(()) => {
                drop((operation, outputs));
                let mut obsolete = self.take_released_wals(writing);
                obsolete.extend(self.take_obsolete_files(job_id));
                delete(obsolete);
                Ok(())
            }
            // What was to be flushed is not wanted any more.
            Err(status) if status.code() == Code::ColumnFamilyDropped => Ok(()),
            Err(status) => {
                self.give_back(writing, &picks);
                Err(status)
            }
        }
    }

    /// Makes the flush known, where threads are tracked.
    fn begin_flush_operation(&self, job_id: u64, picks: &[FlushPick]) -> Option<OperationGuard> {
        if !self.options().enable_thread_tracking {
            return None;
        }
        let family = picks.first().map(|pick| &pick.family.name);
        let guard = OperationGuard::begin(OperationType::Flush, &self.path, family);
        let memtables = picks.iter().flat_map(|pick| &pick.memtables);
        let bytes: usize =
            memtables.map(|immutable| immutable.memtable.approximate_memory_usage()).sum();
        let operation = guard.operation();
        operation.set_stage(OperationStage::FlushRun);
        operation.set_property(flush_property::JOB_ID, job_id);
        operation.set_property(flush_property::BYTES_MEMTABLES, bytes as u64);
        Some(guard)
    }

    /// What is made meanwhile stands in `made`. Memtables that are in tables then are let go.
    fn build_and_install(
        &self,
        writing: &Writing,
        picks: &mut [FlushPick],
        made: &mut Made,
        FlushRun { job_id, operation, gives_way }: FlushRun<'_>,
    ) -> std::result::Result<(), FlushError> {
        // A table may hold part of what a finished WAL holds for several column families: after a
        // power loss there must not be that part alone.
        if self.families.load().len() > 1 {
            self.sync_wals(writing, WalsToSync::Finished).map_err(|status| (None, status))?;
        }
        let (mut tables, mut numbers) = (Vec::new(), Vec::new());
        for pick in &*picks {
            let memtables: Vec<_> =
                pick.memtables.iter().map(|immutable| immutable.memtable.clone()).collect();
            let facts = FlushFacts { job_id, pick, file_number: writing.file_numbers.next() };
            writing.events.flush_started(&facts);
            made.started += 1;
            if let Some(statistics) = &self.context.statistics {
                count_flush_started(statistics, &memtables, pick.reason);
            }
            let job = Job {
                id: job_id,
                reason: TableFileCreationReason::Flush,
                events: writing.events.clone(),
                compaction: None,
                operation: operation.cloned(),
            };
            let build = || {
                self.build_level0_table(&pick.family, &memtables, job, facts.file_number, gives_way)
            };
            let built = contain_panic(|| format!("a flush of {}", names(picks)), build);
            let flush = || BackgroundErrorReason::flush(has_no_wal(writing));
            let mut built = built.map_err(|status| (Some(reason_of(&status, flush())), status))?;
            writing.events.level0_table_built(job_id, &pick.family, &built);
            built.edit.log_number = pick.memtables.last().map(|newest| newest.next_log_number);
            made.edits.push((pick.family.id, built.edit.clone()));
            numbers.push(facts.file_number);
            tables.push(built);
        }
        let remove_memtables = |state: &mut DbState| {
            for (pick, built) in picks.iter().zip(&tables) {
                let Some(family) = state.family_mut(pick.family.id) else { continue };
                family.compaction.note_outputs(&built.edit, built.table.as_slice());
                family.data.stats.count_flush(built, JobPriority::High);
                if let Some(statistics) = &self.context.statistics {
                    count_flush(statistics, built);
                }
                family.immutables.remove(&pick.memtables);
                family.flushes_untold += 1;
                family.is_flush_requested = !family.immutables.is_empty();
                if let Some(newest) = pick.memtables.last() {
                    family.data.log_number.fetch_max(newest.next_log_number, Ordering::AcqRel);
                }
            }
        };
        if let Some(operation) = operation {
            operation.set_stage(OperationStage::MemtableInstallFlushResults);
        }
        // From here on the MANIFEST may have them.
        let ours = std::mem::take(&mut made.edits);
        let edits = Edits::from_iter(ours.iter().cloned());
        self.log_and_install_same(writing, edits, remove_memtables).map_err(|status| {
            made.edits = ours;
            (Some(BackgroundErrorReason::manifest_write(has_no_wal(writing))), status)
        })?;
        self.tell_finished(writing, picks, &tables, &numbers, job_id);
        Ok(())
    }

    /// Flushes are installed. Who waits for them goes on when they are told of; who waited for room has
    /// begun to fill it, so that their memtables go first.
    fn tell_finished(
        &self,
        writing: &Writing,
        picks: &mut [FlushPick],
        tables: &[Level0Table],
        numbers: &[u64],
        job_id: u64,
    ) {
        for immutable in picks.iter_mut().flat_map(|pick| pick.memtables.drain(..)) {
            immutable.memtable.mark_flushed();
        }
        for ((pick, built), file_number) in picks.iter().zip(tables).zip(numbers) {
            let levels = writing.state.lock().level_summary(pick.family.id);
            let facts = FlushFacts { job_id, pick, file_number: *file_number };
            writing.events.flush_finished(&facts, built, &levels);
        }
        let mut state = writing.state.lock();
        for pick in &*picks {
            if let Some(family) = state.family_mut(pick.family.id) {
                family.flushes_untold -= 1;
            }
        }
        writing.changed.notify_all();
    }

    /// Deletes files of a flush that failed, but for those that a MANIFEST may nevertheless have.
    fn discard_outputs(
        &self,
        writing: &Writing,
        picks: &[FlushPick],
        made: &[(u32, VersionEdit)],
        job_id: u64,
    ) {
        if made.is_empty() {
            return;
        }
        for (id, edit) in made {
            let pick = picks.iter().find(|pick| pick.family.id == *id);
            let Some(directory) = pick.and_then(|pick| pick.family.tables.paths.first()) else {
                continue;
            };
            let (fs, events) = (&self.context.file_system, &writing.events);
            let is_certain = |number: u64| !writing.versions.lock().is_in_doubt(number);
            // What cannot be deleted now is found at the next open.
            for number in edit.new_files.iter().map(|new| new.file.number) {
                if is_certain(number) {
                    // The check of the table has opened it.
                    pick.inspect(|pick| pick.family.tables.cache.evict(number));
                    let path = table_file_name(directory, number);
                    events.table_file_deleted(job_id, number, &path, &fs.delete_file(&path));
                }
            }
            for number in edit.blob_file_additions.iter().map(|blob| blob.number) {
                if is_certain(number) {
                    let path = blob_file_name(directory, number);
                    events.blob_file_deleted(job_id, number, &path, &fs.delete_file(&path));
                }
            }
        }
    }

    /// Makes edits permanent and shows reads the result, together with what `change` does to the
    /// state. Results are shown in the order of the MANIFEST. Compactions that become due are queued,
    /// for the caller to schedule.
    ///
    /// # Errors
    /// As [`VersionSet::log_and_apply`](version::VersionSet::log_and_apply); then nothing changed.
    pub(crate) fn log_and_install(
        &self,
        writing: &Writing,
        edits: Edits,
        change: impl FnOnce(&mut DbState),
    ) -> Result<()> {
        self.log_and_install_as_of(writing, edits, self.visibility.last_sequence(), change)
    }

    /// As [`DbImpl::log_and_install`], for edits after which reads see the same entries as before.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn log_and_install_same(
        &self,
        writing: &Writing,
        edits: Edits,
        change: impl FnOnce(&mut DbState),
    ) -> Result<()> {
        let last_sequence = self.visibility.last_sequence();
        self.log_and_install_entries(writing, edits, (last_sequence, Entries::Same), change)
    }

    /// As [`DbImpl::log_and_install`] for edits with keys up to `last_sequence`, which reads do not see
    /// yet.
    pub(crate) fn log_and_install_as_of(
        &self,
        writing: &Writing,
        edits: Edits,
        last_sequence: SequenceNumber,
        change: impl FnOnce(&mut DbState),
    ) -> Result<()> {
        self.log_and_install_entries(writing, edits, (last_sequence, Entries::Other), change)
    }

    fn log_and_install_entries(
        &self,
        writing: &Writing,
        edits: Edits,
        (last_sequence, entries): (SequenceNumber, Entries),
        change: impl FnOnce(&mut DbState),
    ) -> Result<()> {
        let mut versions = while_waiting(|| writing.versions.lock());
        let state = writing.state.lock();
        let oldest_prepared = state.oldest_prepared_log;
        for (id, family) in &state.families {
            versions.advance_log_number(*id, family.data.log_number.load(Ordering::Acquire));
        }
        drop(state);
        let edits = with_min_log_number(&versions, edits, oldest_prepared);
        let context = ApplyContext { atomic: true, last_sequence };
        let installed = versions.log_and_apply(edits, &context)?;
        let mut state = writing.state.lock();
        change(&mut state);
        let touched: Vec<u32> = installed.iter().map(|(id, _)| *id).collect();
        let mut retired = Vec::new();
        for (id, version) in installed {
            let entry = versions.column_family(id);
            let history = entry.and_then(|entry| entry.state().full_history_ts_low.clone());
            if let Some(family) = state.family_mut(id) {
                retired.push(family.install(version, history, entries));
            }
        }
        for id in touched {
            state.update_stall_of_version(writing, id);
            self.queue_if_needed(writing, &mut state, id);
        }
        writing.changed.notify_all();
        drop(state);
        drop(versions);
        drop(retired);
        Ok(())
    }

    fn give_back(&self, writing: &Writing, picks: &[FlushPick]) {
        let mut state = writing.state.lock();
        for pick in picks {
            if let Some(family) = state.family_mut(pick.family.id) {
                family.immutables.give_back(&pick.memtables);
            }
        }
        writing.changed.notify_all();
    }

    /// Lets go of the WALs that hold nothing that is not in a table: those that the MANIFEST says
    /// are not needed. Others would be replayed if their deletion were undone by a power loss, or
    /// their content written over.
    pub(crate) fn release_wals(&self, writing: &Writing) {
        self.delete(self.take_released_wals(writing));
    }

    /// As [`DbImpl::release_wals`], for the caller to delete.
    fn take_released_wals(&self, writing: &Writing) -> Vec<Deletion> {
        let number_min = writing.versions.lock().min_log_number_to_keep();
        let obsolete = self.take_obsolete_wals(writing, number_min).unwrap_or_default();
        obsolete.into_iter().map(Deletion::Wal).collect()
    }
}

/// Whether no WAL holds anything: what fails then has to wait in memory.
fn has_no_wal(writing: &Writing) -> bool {
    writing.stage.lock().wal.total_size_bytes() == 0
}

/// Edits of column families, by id.
pub(crate) type Edits = BTreeMap<u32, VersionEdit>;

/// Edits in the order of ids, of which one says which WALs are needed at all afterwards.
pub(crate) fn with_min_log_number(
    versions: &VersionSet,
    edits: Edits,
    oldest_prepared: Option<u64>,
) -> Vec<(u32, VersionEdit)> {
    let mut edits: Vec<_> = edits.into_iter().collect();
    let number = versions.min_log_number_after(&edits, oldest_prepared);
    if let Some((_, edit)) = edits.last_mut() {
        edit.min_log_number_to_keep = Some(number);
    }
    if versions.wals().wals().range(..number).next().is_some() {
        // The MANIFEST keeps account of WALs, or did once: those that go now need not be there.
        let deletion = VersionEdit { wal_deletion: Some(number), ..VersionEdit::default() };
        edits.push((0, deletion));
    }
    edits
}

/// Of the column families, for a message.
fn names(picks: &[FlushPick]) -> String {
    let names: Vec<_> = picks.iter().map(|pick| pick.family.name.to_string()).collect();
    match names.len() {
        1 => format!("column family {}", names[0]),
        _ => format!("column families {}", names.join(", ")),
    }
}

/// The column families that `picks` are of.
pub(crate) fn ids_of(picks: &[FlushPick]) -> Vec<u32> {
    picks.iter().map(|pick| pick.family.id).collect()
}

/// Takes what waits in the column families `ids`; those that are dropped have nothing. Under the same
/// lock as `ids` were chosen where they are flushed together: what waits in others from then on
/// belongs to what waits in these from then on.
pub(crate) fn pick(state: &mut DbState, ids: &[u32]) -> Vec<FlushPick> {
    let mut picks = Vec::new();
    for id in ids {
        let Some(family) = state.family_mut(*id) else { continue };
        let memtables = family.immutables.pick_to_flush();
        if !memtables.is_empty() {
            let reason = family.flush_reason;
            picks.push(FlushPick { family: family.data.clone(), memtables, reason });
        }
    }
    picks
}
