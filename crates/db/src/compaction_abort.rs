//! Ending all compactions, and letting none begin, until they are resumed. Flushes and writes go on.

use crate::db::Db;
use crate::db_impl::DbImpl;
use base::{Result, Status};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Db {
    /// Ends automatic and manual compactions, waits for that, and lets none begin
    /// (`AbortAllCompactions`). What they wrote is removed; manual ones fail with `Incomplete`, subcode
    /// `CompactionAborted`. To be undone as often.
    ///
    /// # Errors
    /// `NotSupported` if the database is open for reading only.
    pub fn abort_all_compactions(&self) -> Result<()> {
        self.inner.abort_all_compactions()
    }

    /// Undoes one [`Db::abort_all_compactions`] (`ResumeAllCompactions`).
    ///
    /// # Errors
    /// `InvalidArgument` if there was none; `NotSupported` if the database is open for reading only.
    pub fn resume_all_compactions(&self) -> Result<()> {
        self.inner.resume_all_compactions()
    }
}

impl DbImpl {
    fn abort_all_compactions(&self) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        state.compaction_aborts += 1;
        writing.compactions_aborted.store(true, Ordering::Release);
        writing.changed.notify_all();
        while state.scheduled.compactions_running > 0 || !state.manual.is_idle() {
            writing.changed.wait(&mut state);
        }
        Ok(())
    }

    fn resume_all_compactions(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        let Some(left) = state.compaction_aborts.checked_sub(1) else {
            return Err(Status::invalid_argument("compactions are not aborted"));
        };
        state.compaction_aborts = left;
        if left == 0 {
            writing.compactions_aborted.store(false, Ordering::Release);
            let ids: Vec<u32> = state.families.keys().copied().collect();
            for id in ids {
                self.queue_if_needed(writing, &mut state, id);
            }
            self.schedule_work(writing, &mut state);
        }
        writing.changed.notify_all();
        Ok(())
    }
}
