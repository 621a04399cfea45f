//! Background work: which flushes are due, and running them in threads.
//!
//! Work is scheduled under the state's lock whenever something may have become due: a memtable was
//! changed, a job ended, an error is gone. A job looks itself for what to do when it runs, so that
//! one too many does no harm.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use env::thread_pool::Priority;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Jobs that wait for a thread or run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScheduledJobs {
    pub(crate) flushes: usize,
}

impl DbImpl {
    /// Schedules what an open found to be due.
    pub(crate) fn start_background_work(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let mut state = writing.state.lock();
        self.schedule_work(writing, &mut state);
    }

    /// Has the memtables of column families flushed that take no writes any more, however few they
    /// are.
    pub(crate) fn request_flush(self: &Arc<Self>, ids: &[u32]) {
        let Ok(writing) = self.writing() else { return };
        let mut state = writing.state.lock();
        for id in ids {
            if let Some(family) = state.family_mut(*id)
                && family.immutables.len() >= family.min_memtables_to_flush()
            {
                family.is_flush_requested = true;
            }
        }
        self.schedule_work(writing, &mut state);
    }

    /// Schedules what is due and not scheduled.
    pub(crate) fn schedule_work(self: &Arc<Self>, writing: &Writing, state: &mut DbState) {
        if writing.is_closing.load(Ordering::Acquire) || state.errors.write_error().is_some() {
            return;
        }
        let due = flushes_due(state, self.options.atomic_flush).len();
        while state.scheduled.flushes < due {
            let db = self.clone();
            let scheduled = writing.pool.schedule(Priority::High, move || db.background_flush());
            if scheduled.is_err() {
                return;
            }
            state.scheduled.flushes += 1;
        }
    }

    fn background_flush(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let next = flushes_due(&writing.state.lock(), self.options.atomic_flush).into_iter().next();
        if let Some(ids) = next
            && !writing.is_closing.load(Ordering::Acquire)
        {
            // What it gave stands as background error.
            let _ = self.flush_memtables(&ids);
        }
        let mut state = writing.state.lock();
        state.scheduled.flushes -= 1;
        self.schedule_work(writing, &mut state);
        writing.changed.notify_all();
    }
}

/// Column families whose memtables are to be flushed, by flush: each alone, or all together.
fn flushes_due(state: &DbState, atomic: bool) -> Vec<Vec<u32>> {
    let is_due = |family: &&crate::db_state::FamilyState| {
        !family.is_dropped
            && family.is_flush_requested
            && !family.immutables.is_empty()
            && !family.immutables.is_flushing()
    };
    let due: Vec<u32> =
        state.families.values().filter(is_due).map(|family| family.data.id).collect();
    match (atomic, due.is_empty()) {
        (_, true) => Vec::new(),
        (false, _) => due.into_iter().map(|id| vec![id]).collect(),
        (true, _) => {
            let waits = |family: &&crate::db_state::FamilyState| {
                !family.is_dropped && !family.immutables.is_empty()
            };
            let all = state.families.values().filter(waits);
            if all.clone().any(|family| family.immutables.is_flushing()) {
                return Vec::new();
            }
            vec![all.map(|family| family.data.id).collect()]
        }
    }
}
