//! Ending: background work stops, and everything goes to the operating system.

use crate::db_impl::{DbImpl, Writing};
use crate::event_listener::BackgroundErrorReason;
use crate::events::Hold;
use crate::flush_reason::FlushReason;
use crate::wal_tracking::WalsToSync;
use crate::work_stats::count_wal_sync;
use base::Result;
use env::IoPriority;
use env::rate_limited_file::wait_for;
use env::rate_limiter::IoOperation;
use std::sync::Arc;
use std::sync::atomic::Ordering;

base::call_options! {
    /// Options of [`Db::flush_wal_with`](crate::Db::flush_wal_with) (`rocksdb::FlushWALOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FlushWalOptions;
    rows {
        /// Sync the WAL too, so that it outlives a power loss. Default: false.
        sync: bool = false, honoured;
        /// How urgent what is in the buffer is to the rate limiter. Default: none, it does not ask it.
        rate_limiter_priority: Option<IoPriority> = None, honoured;
    }
}

impl DbImpl {
    /// Hands the WAL to the operating system, or to the disk.
    pub(crate) fn flush_wal(&self, options: &FlushWalOptions) -> Result<()> {
        self.check_call(options)?;
        let writing = self.writing()?;
        if let (Some(priority), Some(limiter)) =
            (options.rate_limiter_priority, &writing.rate_limiter)
        {
            // Before the lock is taken, where no write waits behind it.
            let bytes = writing.stage.lock().wal.unflushed_bytes();
            wait_for(&**limiter, bytes, priority, IoOperation::Write);
        }
        if options.sync {
            let result = self.sync_wals(writing, WalsToSync::All);
            writing.events.deliver_waiting();
            if result.is_ok()
                && let Some(statistics) = &self.context.statistics
            {
                count_wal_sync(statistics);
            }
            return result;
        }
        let hold = Hold::begin();
        let mut stage = writing.stage.lock();
        let result = self.check_wals_known(writing).and_then(|()| {
            stage.wal.flush().inspect_err(|status| {
                self.set_background_error(BackgroundErrorReason::WriteCallback, status);
            })
        });
        drop(stage);
        drop(hold);
        writing.events.deliver_waiting();
        result
    }

    /// After a failed write it is unknown what the WALs hold. To be called with the stage held.
    ///
    /// # Errors
    /// The error that stops writes.
    pub(crate) fn check_wals_known(&self, writing: &Writing) -> Result<()> {
        match writing.state.lock().errors.write_error() {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Closes a database; does nothing if it is closed.
    pub(crate) fn close(self: &Arc<Self>) -> Result<()> {
        let Ok(writing) = self.writing() else { return Ok(()) };
        let mut result = Ok(());
        {
            // A change of options is over, with its OPTIONS file, or comes too late.
            let _changing = writing.options_change.lock();
            let mut state = writing.state.lock();
            if std::mem::replace(&mut state.is_closed, true) {
                return Ok(());
            }
        }
        writing.events.closing();
        if !writing.is_closing.load(Ordering::Acquire) {
            result = self.flush_what_no_wal_has();
        }
        {
            let mut state = writing.state.lock();
            writing.is_closing.store(true, Ordering::Release);
            writing.has_obstacle.store(true, Ordering::Release);
            writing.changed.notify_all();
            while !state.manual.is_idle() {
                writing.changed.wait(&mut state);
            }
        }
        writing.periodic_work.stop();
        writing.pool.shutdown();
        result = result.and(self.write_due_options_file(writing));
        // A write that was let in before is over when the lead is free.
        let hold = Hold::begin();
        let lead = writing.write_thread.enter_exclusively();
        result = result.and(writing.stage.lock().wal.close());
        writing.memtable_memory.release_kept();
        // Jobs that nobody began are gone with the pool, and what they were to do is not.
        self.delete_what_is_due(writing);
        self.delete_obsolete_files(writing.info_log.next_job_id());
        result = result.and(writing.versions.lock().close());
        drop(lead);
        drop(hold);
        writing.events.closed(&result);
        writing.info_log.flush();
        result
    }

    pub(crate) fn flush_what_no_wal_has(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        let is_wanted = writing.stage.lock().has_unlogged_writes
            && !self.options().avoid_flush_during_shutdown
            && {
                let state = writing.state.lock();
                state.errors.write_error().is_none() && state.pauses == 0
            };
        if !is_wanted {
            return Ok(());
        }
        self.flush_all(FlushReason::Shutdown)
    }
}
