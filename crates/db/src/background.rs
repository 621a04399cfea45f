//! Background work: which flushes and compactions are due, and running them in threads.
//!
//! Work is scheduled under the state's lock whenever something may have become due: a memtable was
//! changed, a job ended, an error is gone. A job looks itself for what to do when it runs, so that
//! one too many does no harm.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::{DbState, FamilyState};
use crate::events::pressure;
use crate::flush_job::{FlushPick, ids_of};
use crate::flush_reason::FlushReason;
use crate::open::prepare_for_compactions;
use crate::sanitize::delayed_write_rate;
use crate::work_stats::count_atomic_flush_request;
use base::Result;
use compaction::GivesWay;
use env::thread_pool::Priority;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// After a job that failed, its thread waits this long before it goes on.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Jobs that wait for a thread or run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScheduledJobs {
    pub(crate) flushes: usize,
    /// Those of them that run.
    pub(crate) flushes_running: usize,
    /// Those of these that run in threads of other jobs, which went aside for them.
    pub(crate) flushes_aside: usize,
    /// Flushes that went aside, and do nothing meanwhile.
    pub(crate) flushes_left: usize,
    /// Automatic ones.
    pub(crate) compactions: usize,
    /// Those of them that wait for a thread.
    pub(crate) compactions_waiting: usize,
    /// Automatic and manual ones that run.
    pub(crate) compactions_running: usize,
    /// Threads that do parts of those beside the thread of each.
    pub(crate) helpers: usize,
    /// Threads that go through memtables for flushes, in place of ones that compact.
    pub(crate) flush_helpers: usize,
    /// Errors are being recovered from.
    pub(crate) recoveries: usize,
    /// Files are being deleted.
    pub(crate) deletions: usize,
    /// A job goes over keys that are deleted in a row, or is about to.
    pub(crate) has_deletion_passes: bool,
}

impl ScheduledJobs {
    /// Whether nothing waits and nothing runs.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_working() && self.recoveries == 0
    }

    /// Whether flushes or compactions wait for a thread or run, or files that they made obsolete are
    /// still to be deleted.
    pub(crate) fn is_working(&self) -> bool {
        self.flushes + self.compactions + self.compactions_running + self.deletions > 0
    }

    /// Threads that compact or are about to, and those that help with flushes in their place.
    pub(crate) fn compaction_threads(&self) -> usize {
        self.compactions_running + self.compactions_waiting + self.helpers + self.flush_helpers
    }
}

impl DbImpl {
    /// Schedules what an open found to be due.
    pub(crate) fn start_background_work(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let mut state = writing.state.lock();
        let ids: Vec<u32> = state.families.keys().copied().collect();
        state.reset_stalls(delayed_write_rate(&self.options()));
        for id in ids {
            state.update_stall_of_version(writing, id);
            self.queue_if_needed(writing, &mut state, id);
            if let Some(family) = state.family_mut(id) {
                family.note_deletions_found();
            }
        }
        self.schedule_work(writing, &mut state);
    }

    /// Has the memtables of column families flushed that take no writes any more: of `full` where
    /// enough of them wait (`min_write_buffer_number_to_merge`), of `forced` however few they are, for
    /// the reason that stands there.
    pub(crate) fn request_flush(self: &Arc<Self>, full: &[u32], forced: &[(u32, FlushReason)]) {
        let Ok(writing) = self.writing() else { return };
        if let Some(statistics) = &self.context.statistics
            && self.options().atomic_flush
        {
            let reason = forced.first().map_or(FlushReason::WriteBufferFull, |(_, reason)| *reason);
            count_atomic_flush_request(statistics, reason);
        }
        let mut state = writing.state.lock();
        for id in full {
            if let Some(family) = state.family_mut(*id)
                && family.immutables.len() >= family.min_memtables_to_flush()
            {
                family.is_flush_requested = true;
                family.flush_reason = reason_of_full(family);
            }
        }
        for (id, reason) in forced {
            if let Some(family) = state.family_mut(*id)
                && !family.immutables.is_empty()
            {
                family.is_flush_requested = true;
                family.flush_reason = *reason;
            }
        }
        self.schedule_work(writing, &mut state);
    }

    /// Schedules what is due and not scheduled.
    pub(crate) fn schedule_work(self: &Arc<Self>, writing: &Writing, state: &mut DbState) {
        if !may_flush(writing, state) {
            return;
        }
        self.schedule_deletion_passes(writing, state);
        let due = self.note_due_flushes(writing, state);
        // What runs is no longer due, and does not stand in the way of what is.
        while state.scheduled.flushes - state.scheduled.flushes_running < due {
            let db = self.clone();
            let scheduled = writing.pool.schedule(Priority::High, move || db.background_flush());
            if scheduled.is_err() {
                return;
            }
            state.scheduled.flushes += 1;
        }
        if state.manual.excludes_others() || state.compaction_aborts > 0 {
            return;
        }
        while self.spare_compactions(state) > 0
            && state.scheduled.compactions_waiting < state.compaction_queue.len()
        {
            if !std::mem::replace(&mut state.has_compacted, true) {
                prepare_for_compactions(&writing.pool, &self.options());
            }
            let db = self.clone();
            let scheduled =
                writing.pool.schedule(Priority::Low, move || db.background_compaction());
            if scheduled.is_err() {
                return;
            }
            state.scheduled.compactions += 1;
            state.scheduled.compactions_waiting += 1;
        }
    }

    /// How many automatic compactions may run: one alone, unless they lag.
    pub(crate) fn compactions_max(&self, state: &DbState) -> usize {
        match state.write_controller.needs_speedup_compaction() {
            true => self.background_job_limits().compactions_max,
            false => 1,
        }
    }

    /// Puts a column family that needs compaction into the queue of those.
    pub(crate) fn queue_if_needed(&self, writing: &Writing, state: &mut DbState, id: u32) {
        let oldest_snapshot = state.oldest_snapshot;
        let Some(family) = state.families.get_mut(&id) else { return };
        lower_bottommost_threshold(writing, family, oldest_snapshot);
        if family.compaction.is_queued {
            return;
        }
        let version = family.data.super_version.load().version.clone();
        let input = family.compaction.picker_input(&family.data, &version, oldest_snapshot);
        if family.compaction.needs_compaction(&input) {
            family.compaction.is_queued = true;
            state.compaction_queue.push_back(id);
        }
    }

    /// Carries out a flush that is due, if one still is.
    fn background_flush(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let picks = {
            let mut state = writing.state.lock();
            state.scheduled.flushes_running += 1;
            self.take_due_flush(writing, &mut state, &[])
        };
        let result = picks.map_or(Ok(()), |picks| {
            let gives_way = self.flush_gives_way(writing, ids_of(&picks));
            self.flush_taken(writing, picks, &gives_way)
        });
        let mut state = writing.state.lock();
        if result.is_err() {
            self.wait_after_failure(writing, &mut state);
        }
        state.scheduled.flushes -= 1;
        state.scheduled.flushes_running -= 1;
        self.schedule_work(writing, &mut state);
        self.end_job(writing, state);
    }

    /// Flushes what [`DbImpl::take_due_flush`] gave.
    ///
    /// # Errors
    /// What went wrong; it stands as background error.
    pub(crate) fn flush_taken(
        self: &Arc<Self>,
        writing: &Writing,
        picks: Vec<FlushPick>,
        gives_way: &GivesWay,
    ) -> Result<()> {
        self.catch_panic(
            || "a flush".to_owned(),
            || {
                let delete = |obsolete| self.delete_later(writing, obsolete);
                self.flush_memtables(picks, gives_way, delete)
            },
        )
    }

    /// A job is done: who waits hears of it, and listeners of what is left to do.
    pub(crate) fn end_job(&self, writing: &Writing, state: MutexGuard<'_, DbState>) {
        let pressure = writing.events.has_listeners().then(|| pressure(&state));
        writing.changed.notify_all();
        drop(state);
        match pressure {
            Some(pressure) => writing.events.background_job_ended(pressure),
            None => writing.events.deliver_waiting(),
        }
    }

    /// So that what fails at once does not fail all the time. Ends early where nothing would be
    /// tried again.
    pub(crate) fn wait_after_failure(
        &self,
        writing: &Writing,
        state: &mut MutexGuard<'_, DbState>,
    ) {
        let until = Instant::now() + PAUSE_AFTER_FAILURE;
        let is_over = |state: &DbState| {
            writing.is_closing.load(Ordering::Acquire)
                || state.pauses > 0
                || state.errors.stops_background_work()
        };
        while !is_over(state) && Instant::now() < until {
            writing.changed.wait_until(state, until);
        }
    }
}

/// Whether flushes may begin.
pub(crate) fn may_flush(writing: &Writing, state: &DbState) -> bool {
    !writing.is_closing.load(Ordering::Acquire)
        && state.pauses == 0
        && !state.errors.stops_background_work()
}

/// Why the newest memtable that takes no writes any more is full.
fn reason_of_full(family: &FamilyState) -> FlushReason {
    let limit = u64::from(family.data.options().memtable_max_range_deletions);
    let newest = family.immutables.newest_first().next();
    match newest.is_some_and(|newest| limit > 0 && newest.num_range_deletes() >= limit) {
        true => FlushReason::MemtableMaxRangeDeletions,
        false => FlushReason::WriteBufferFull,
    }
}

/// The next release of a snapshot has to look at files of this column family if the oldest snapshot
/// left is beyond the newest entry of one that it was not beyond before.
fn lower_bottommost_threshold(writing: &Writing, family: &FamilyState, oldest_snapshot: u64) {
    let version = &family.data.super_version.load().version;
    let candidates = version.files().map(|(_, file)| file.largest_seqno);
    if let Some(next) = candidates.filter(|number| *number >= oldest_snapshot.max(1)).min() {
        writing.bottommost_threshold.fetch_min(next, Ordering::AcqRel);
    }
}
