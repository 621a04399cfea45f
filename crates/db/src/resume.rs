//! Getting over an error that stopped writes.
//!
//! Nobody writes meanwhile. All that was acknowledged is in memtables or tables, so every memtable
//! is flushed, in one step of the MANIFEST that also says that no WAL so far is needed: what an
//! append that failed may have left in one is never read. Only then a write may go on, with the
//! sequence numbers of those that failed.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::FamilyState;
use crate::event_listener::BackgroundErrorReason;
use crate::events::Hold;
use crate::flush_job::{Edits, pick};
use crate::flush_reason::FlushReason;
use crate::work_stats::{count_recovery_begun, count_recovery_ended};
use base::status::Code;
use base::{Result, Status};
use compaction::GivesWay;
use env::thread_pool::Priority;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use version::VersionEdit;

/// Attempts come less and less often, down to this part of the first ones' rate.
const BACKOFF_MAX: u32 = 64;

impl DbImpl {
    /// Tries to get over the error that stands, if one does.
    ///
    /// # Errors
    /// That error if it is too bad for this, or what the attempt gave; `Busy` if there is another
    /// attempt.
    pub(crate) fn resume(self: &Arc<Self>) -> Result<()> {
        let writing = self.writing()?;
        {
            let mut state = writing.state.lock();
            if state.errors.error().is_none() {
                return Ok(());
            }
            if state.pauses > 0 {
                return Err(Status::new(Code::Busy, "background work is paused"));
            }
            state.errors.begin_recovery()?;
        }
        let (before, is_hard) = {
            let state = writing.state.lock();
            (state.errors.error().cloned(), state.errors.write_error().is_some())
        };
        writing.info_log.info(format_args!("Resuming DB"));
        let flush = || if is_hard { self.flush_for_resume(writing) } else { Ok(()) };
        let result = self.catch_panic(|| "resuming".to_owned(), flush);
        let mut state = writing.state.lock();
        state.errors.end_recovery(result.is_ok());
        let result = match state.errors.write_error() {
            Some(error) if result.is_ok() => Err(error.clone()),
            _ => result,
        };
        writing.refresh_obstacle(&state);
        self.schedule_work(writing, &mut state);
        writing.changed.notify_all();
        drop(state);
        match (&result, before) {
            (Ok(()), Some(before)) => writing.events.error_recovery_ended(before, None),
            (Ok(()), None) => {}
            (Err(status), _) => {
                writing.info_log.error(format_args!("Resuming DB failed: {status}"));
            }
        }
        result
    }

    fn flush_for_resume(self: &Arc<Self>, writing: &Writing) -> Result<()> {
        {
            let mut state = writing.state.lock();
            while state.scheduled.flushes_running > 0 {
                writing.changed.wait(&mut state);
            }
        }
        let hold = Hold::begin();
        let lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        stage.wal.start_after_failure(writing.file_numbers.next())?;
        let wal_number = stage.wal.current_number();
        let ids: Vec<u32> =
            stage.memtables.families().iter().map(|family| family.data.id).collect();
        self.switch_memtables(&mut stage, &ids)?;
        drop(stage);
        let mut state = writing.state.lock();
        for family in state.families.values_mut() {
            family.flush_reason = FlushReason::ErrorRecovery;
        }
        let picks = pick(&mut state, &ids);
        drop(state);
        self.flush_memtables(picks, &GivesWay::default(), |obsolete| self.delete(obsolete))?;
        let edit = VersionEdit { log_number: Some(wal_number), ..VersionEdit::default() };
        let edits: Edits = ids.into_iter().map(|id| (id, edit.clone())).collect();
        let installed = self.log_and_install(writing, edits, |state| {
            for family in state.families.values() {
                family.data.log_number.fetch_max(wal_number, Ordering::AcqRel);
            }
        });
        installed.inspect_err(|status| {
            self.set_background_error(BackgroundErrorReason::ManifestWrite, status);
        })?;
        drop(lead);
        drop(hold);
        self.release_wals(writing);
        self.delete_obsolete_files(writing.info_log.next_job_id());
        Ok(())
    }

    /// Begins to try again and again, as space may become free. To be called when an error stands
    /// that may go away by itself.
    pub(crate) fn schedule_recovery(self: &Arc<Self>, writing: &Writing) {
        let mut state = writing.state.lock();
        if state.scheduled.recoveries > 0
            || self.options().max_bgerror_resume_count <= 0
            || writing.is_closing.load(Ordering::Acquire)
        {
            return;
        }
        let db = self.clone();
        if writing.pool.schedule(Priority::Bottom, move || db.background_recovery()).is_ok() {
            state.scheduled.recoveries += 1;
            if let Some(statistics) = &self.context.statistics {
                count_recovery_begun(statistics);
            }
        }
    }

    fn background_recovery(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let retry_interval = Duration::from_micros(self.options().bgerror_resume_retry_interval);
        let (mut backoff, mut attempts) = (1, 0);
        let (mut succeeded, mut failure) = (false, None);
        for _ in 0..self.options().max_bgerror_resume_count {
            if !self.wait_for_attempt(writing, retry_interval * backoff) {
                break;
            }
            if !self.has_space_to_flush(writing) {
                continue;
            }
            attempts += 1;
            match self.resume() {
                Ok(()) => {
                    (succeeded, failure) = (true, None);
                    break;
                }
                Err(status) => failure = Some(status),
            }
            backoff = (backoff * 2).min(BACKOFF_MAX);
        }
        if let Some(statistics) = &self.context.statistics {
            count_recovery_ended(statistics, attempts, succeeded);
        }
        let mut state = writing.state.lock();
        state.scheduled.recoveries -= 1;
        let standing = state.errors.error().cloned();
        writing.changed.notify_all();
        drop(state);
        if let Some(failure) = failure {
            writing.events.error_recovery_ended(standing.unwrap_or(failure.clone()), Some(failure));
        }
    }

    /// Whether there is still something to recover from, after a time.
    fn wait_for_attempt(&self, writing: &Writing, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = writing.state.lock();
        loop {
            if writing.is_closing.load(Ordering::Acquire) || state.errors.error().is_none() {
                return false;
            }
            // Attempts do not count while work is paused.
            if state.pauses > 0 {
                writing.changed.wait(&mut state);
            } else if writing.changed.wait_until(&mut state, until).timed_out() {
                return true;
            }
        }
    }

    /// Whether what is in memory would fit on the disk, more or less.
    fn has_space_to_flush(&self, writing: &Writing) -> bool {
        let state = writing.state.lock();
        let memtables = state.families.values().flat_map(FamilyState::memtables);
        let needed: usize = memtables.map(|memtable| memtable.approximate_memory_usage()).sum();
        drop(state);
        match self.context.file_system.free_space(&self.path) {
            Ok(free) => free >= needed as u64,
            // Trying tells.
            Err(_) => true,
        }
    }
}
