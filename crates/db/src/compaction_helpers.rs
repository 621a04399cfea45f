//! Threads that help with the parts of a compaction, or with a flush. They count as compactions: all together are
//! no more than `max_background_jobs` leaves for these.

use crate::db_impl::DbImpl;
use crate::db_state::DbState;
use compaction::Helpers;
use env::thread_pool::BackgroundJobLimits;
use std::sync::{Arc, Weak};

/// Asks the database for each.
#[derive(Debug)]
pub(crate) struct CompactionHelpers {
    db: Weak<DbImpl>,
}

/// One that helps, until dropped.
struct Engagement {
    db: Arc<DbImpl>,
}

impl CompactionHelpers {
    pub(crate) fn of(db: &DbImpl) -> Self {
        Self { db: db.this.clone() }
    }
}

impl Helpers for CompactionHelpers {
    fn engage(&self) -> Option<Box<dyn Send>> {
        let db = self.db.upgrade()?;
        {
            let mut state = db.writing().ok()?.state.lock();
            let busy = state.scheduled.compaction_threads();
            if busy >= db.background_job_limits().compactions_max {
                return None;
            }
            state.scheduled.helpers += 1;
        }
        Some(Box::new(Engagement { db }))
    }
}

impl Drop for Engagement {
    fn drop(&mut self) {
        let Ok(writing) = self.db.writing() else { return };
        let mut state = writing.state.lock();
        state.scheduled.helpers -= 1;
        // A compaction may have waited for the thread.
        self.db.schedule_work(writing, &mut state);
    }
}

impl DbImpl {
    /// How many flushes and compactions may run at once.
    pub(crate) fn background_job_limits(&self) -> BackgroundJobLimits {
        let options = self.options();
        BackgroundJobLimits::new(
            options.max_background_flushes,
            options.max_background_compactions,
            options.max_background_jobs,
        )
    }

    /// How many automatic compactions could be begun now: a compaction that is divided beyond
    /// `max_subcompactions` has so many parts more.
    pub(crate) fn spare_compactions(&self, state: &DbState) -> usize {
        let begun = state.scheduled.compactions + state.scheduled.helpers;
        self.compactions_max(state).saturating_sub(begun)
    }
}
