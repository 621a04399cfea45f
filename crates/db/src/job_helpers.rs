//! Threads that help with the parts of a compaction, or with a flush. They count as compactions: all together are
//! no more than `max_background_jobs` leaves for these.

use crate::background::ScheduledJobs;
use crate::db_impl::DbImpl;
use crate::db_state::DbState;
use compaction::Helpers;
use env::thread_pool::BackgroundJobLimits;
use std::sync::{Arc, Weak};

/// Asks the database for each.
#[derive(Debug)]
pub(crate) struct JobHelpers {
    db: Weak<DbImpl>,
    job: HelpedJob,
}

/// What is helped with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HelpedJob {
    Compaction,
    Flush,
}

/// One that helps, until dropped.
struct Engagement {
    db: Arc<DbImpl>,
    job: HelpedJob,
}

impl JobHelpers {
    pub(crate) fn of(db: &DbImpl, job: HelpedJob) -> Self {
        Self { db: db.this.clone(), job }
    }
}

impl ScheduledJobs {
    fn helpers_mut(&mut self, job: HelpedJob) -> &mut usize {
        match job {
            HelpedJob::Compaction => &mut self.helpers,
            HelpedJob::Flush => &mut self.flush_helpers,
        }
    }

    /// How many automatic compactions could be begun now, of `wanted` at one time by so many `threads`. Who
    /// helps with a flush takes a thread, and is none of them.
    fn spare_compactions(&self, wanted: usize, threads: usize) -> usize {
        let begun = self.compactions + self.helpers;
        wanted.saturating_sub(begun).min(threads.saturating_sub(begun + self.flush_helpers))
    }
}

impl Helpers for JobHelpers {
    fn engage(&self) -> Option<Box<dyn Send>> {
        let (db, job) = (self.db.upgrade()?, self.job);
        {
            let mut state = db.writing().ok()?.state.lock();
            let busy = state.scheduled.compaction_threads();
            if busy >= db.background_job_limits().compactions_max {
                return None;
            }
            *state.scheduled.helpers_mut(job) += 1;
        }
        Some(Box::new(Engagement { db, job }))
    }
}

impl Drop for Engagement {
    fn drop(&mut self) {
        let Ok(writing) = self.db.writing() else { return };
        let mut state = writing.state.lock();
        *state.scheduled.helpers_mut(self.job) -= 1;
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
        let threads = self.background_job_limits().compactions_max;
        state.scheduled.spare_compactions(self.compactions_max(state), threads)
    }
}

#[cfg(test)]
mod tests;
