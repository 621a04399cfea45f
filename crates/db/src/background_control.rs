//! Waiting for background work, pausing it and ending it.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::flush::FlushOptions;
use crate::flush_reason::FlushReason;
use base::status::Code;
use base::{Result, Status};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

base::call_options! {
    /// What [`Db::wait_for_compact`](crate::Db::wait_for_compact) waits for
    /// (`rocksdb::WaitForCompactOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WaitForCompactOptions;
    rows {
        /// Give up where background work is paused. Default: false, wait until it continues.
        abort_on_pause: bool = false, honoured;
        /// Flush all column families first. Default: false.
        flush: bool = false, honoured;
        /// Wait until files that nothing needs any more are deleted, too, which it does anyhow. Default:
        /// false.
        wait_for_purge: bool = false, honoured;
        /// Close the database afterwards. Default: false.
        close_db: bool = false, honoured;
        /// Give up after so long. Default: none, never.
        timeout: Option<Duration> = None, honoured;
    }
}

impl DbImpl {
    pub(crate) fn wait_for_compact(
        self: &Arc<Self>,
        options: &WaitForCompactOptions,
    ) -> Result<()> {
        let writing = self.writing()?;
        let deadline = options.timeout.map(|timeout| Instant::now() + timeout);
        if options.flush {
            self.flush_all(FlushReason::ManualFlush)?;
        }
        let mut state = writing.state.lock();
        loop {
            if writing.is_closing.load(Ordering::Acquire) {
                return Err(Status::shutdown_in_progress("the database is closing"));
            }
            if state.pauses > 0 && options.abort_on_pause {
                return Err(Status::aborted("background work is paused"));
            }
            // What is tried again for want of space may take for ever.
            if let Some(error) = state.errors.error() {
                return Err(error.clone());
            }
            if state.is_settled() {
                break;
            }
            match deadline {
                None => writing.changed.wait(&mut state),
                Some(deadline) => {
                    if writing.changed.wait_until(&mut state, deadline).timed_out() {
                        return Err(Status::new(Code::TimedOut, "background work goes on"));
                    }
                }
            }
        }
        drop(state);
        if options.close_db { self.close() } else { Ok(()) }
    }

    pub(crate) fn flush_all(self: &Arc<Self>, reason: FlushReason) -> Result<()> {
        let families: Vec<_> =
            self.families.load().iter().cloned().map(crate::ColumnFamilyHandle).collect();
        let families: Vec<_> = families.iter().collect();
        let options = FlushOptions::default().allow_write_stall(true);
        self.flush(&options, &families, reason)
    }

    pub(crate) fn pause_background_work(&self) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        state.pauses += 1;
        // What waits for space on a full disk begins nothing while the pause lasts.
        while state.scheduled.is_working() || state.errors.is_recovering() {
            writing.changed.wait(&mut state);
        }
        Ok(())
    }

    pub(crate) fn continue_background_work(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        if state.pauses == 0 {
            return Err(Status::invalid_argument("background work is not paused"));
        }
        state.pauses -= 1;
        self.schedule_work(writing, &mut state);
        writing.changed.notify_all();
        Ok(())
    }

    pub(crate) fn cancel_all_background_work(self: &Arc<Self>, wait: bool) -> Result<()> {
        let writing = self.writing()?;
        self.flush_what_no_wal_has()?;
        let mut state = writing.state.lock();
        writing.is_closing.store(true, Ordering::Release);
        writing.has_obstacle.store(true, Ordering::Release);
        writing.changed.notify_all();
        if wait {
            wait_until_idle(writing, &mut state);
        }
        Ok(())
    }
}

/// Waits until nothing runs and nothing waits for a thread.
pub(crate) fn wait_until_idle(writing: &Writing, state: &mut MutexGuard<'_, DbState>) {
    while !state.scheduled.is_idle() {
        writing.changed.wait(state);
    }
}

impl DbState {
    /// Whether there is nothing to do in the background.
    fn is_settled(&self) -> bool {
        let is_flush_due =
            || self.families.values().any(|f| f.is_flush_requested && !f.immutables.is_empty());
        self.scheduled.is_idle()
            && self.compaction_queue.is_empty()
            && self.manual.is_idle()
            && !is_flush_due()
    }
}
