//! Flushing on request, and waiting for it.

use crate::column_family::ColumnFamilyHandle;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::event_listener::ManualFlushInfo;
use crate::events::Hold;
use crate::flush_reason::FlushReason;
use crate::work_stats::count_atomic_flush_request;
use base::{Result, Status};
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

base::call_options! {
    /// How a flush is done (`rocksdb::FlushOptions`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct FlushOptions;
    rows {
        /// Return when it is done. Default: true.
        wait: bool = true, honoured;
        /// Begin at once, even if writes stall for it; otherwise wait until they would not. Default:
        /// false.
        allow_write_stall: bool = false, honoured;
        /// Flush all column families together, as with `atomic_flush`. Default: false.
        force_atomic_flush: bool = false, refused;
        /// Return only when listeners have been told. A flush that is waited for always does. Default:
        /// false.
        listener_wait: bool = false, honoured;
    }
}

/// How often what ends a wait is looked at where nobody is told.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long a flush is waited for.
pub(crate) struct Patience<'p> {
    /// Whether to go on waiting.
    pub(crate) may_wait: &'p dyn Fn(&DbState) -> Result<()>,
    /// That may change without a word.
    pub(crate) polls: bool,
}

/// Whether what somebody waits for may still come.
///
/// # Errors
/// The error that stops writes; `ShutdownInProgress`.
pub(crate) fn may_go_on(writing: &Writing, state: &DbState) -> Result<()> {
    if writing.is_closing.load(Ordering::Acquire) {
        return Err(Status::shutdown_in_progress("the database is closing"));
    }
    match state.errors.write_error() {
        Some(error) => Err(error.clone()),
        None => Ok(()),
    }
}

/// Waits until something has changed, or may have where nobody is told.
pub(crate) fn wait_for_change(writing: &Writing, state: &mut MutexGuard<'_, DbState>, polls: bool) {
    if polls {
        writing.changed.wait_for(state, POLL_INTERVAL);
    } else {
        writing.changed.wait(state);
    }
}

impl DbImpl {
    /// Brings what is in the memtables of `families` now into tables.
    pub(crate) fn flush(
        self: &Arc<Self>,
        options: &FlushOptions,
        families: &[&ColumnFamilyHandle],
        reason: FlushReason,
    ) -> Result<()> {
        let writing = self.writing()?;
        let patience = Patience { may_wait: &|state| may_go_on(writing, state), polls: false };
        self.flush_while(options, families, reason, &patience)
    }

    /// As [`DbImpl::flush`], with its own rule for how long to wait.
    pub(crate) fn flush_while(
        self: &Arc<Self>,
        options: &FlushOptions,
        families: &[&ColumnFamilyHandle],
        reason: FlushReason,
        patience: &Patience<'_>,
    ) -> Result<()> {
        let writing = self.writing()?;
        let mut ids: Vec<u32> = families.iter().map(|family| family.id()).collect();
        if !options.allow_write_stall {
            self.wait_until_flush_would_not_stall(writing, &ids, patience)?;
        }
        let hold = Hold::begin();
        let lead = writing.write_thread.enter_exclusively();
        let mut stage = writing.stage.lock();
        if self.options().atomic_flush {
            ids = stage.memtables.families().iter().map(|family| family.data.id).collect();
        }
        let stats = self.lagging_stats_family(&stage, &ids, |id| !ids.contains(&id));
        let flushed: Vec<u32> = ids.iter().copied().chain(stats).collect();
        self.switch_memtables(&mut stage, &flushed)?;
        drop(stage);
        drop(lead);
        drop(hold);
        writing.events.deliver_waiting();
        let newest = self.request_flush_of_all(writing, &flushed, reason)?;
        self.tell_scheduled(writing, &ids, reason);
        if options.wait { self.wait_for_flush(writing, &newest, patience) } else { Ok(()) }
    }

    /// Column families that are flushed together are told of together.
    fn tell_scheduled(&self, writing: &Writing, ids: &[u32], reason: FlushReason) {
        let families = ids.iter().filter_map(|id| self.family(*id).ok());
        let info = families.map(|family| ManualFlushInfo {
            cf_id: family.id,
            cf_name: family.name.clone(),
            flush_reason: reason,
        });
        match self.options().atomic_flush {
            true => writing.events.manual_flush_scheduled(info.collect()),
            false => info.for_each(|one| writing.events.manual_flush_scheduled(vec![one])),
        }
    }

    /// Requests the flush of all that waits in `ids`; returns the newest memtable of each.
    pub(crate) fn request_flush_of_all(
        self: &Arc<Self>,
        writing: &Writing,
        ids: &[u32],
        reason: FlushReason,
    ) -> Result<Vec<(u32, u64)>> {
        let mut state = writing.state.lock();
        if let Some(error) = state.errors.write_error() {
            return Err(error.clone());
        }
        if let Some(statistics) = &self.context.statistics
            && self.options().atomic_flush
        {
            count_atomic_flush_request(statistics, reason);
        }
        let mut newest = Vec::new();
        for id in ids {
            let Some(family) = state.family_mut(*id) else { continue };
            if let Some(memtable) = family.immutables.newest_first().next() {
                newest.push((*id, memtable.id()));
                family.is_flush_requested = true;
                family.flush_reason = reason;
            }
        }
        self.schedule_work(writing, &mut state);
        Ok(newest)
    }

    /// Waits until memtables are in tables, of each family up to one of a number, and listeners know.
    pub(crate) fn wait_for_flush(
        &self,
        writing: &Writing,
        newest: &[(u32, u64)],
        patience: &Patience<'_>,
    ) -> Result<()> {
        let mut state = writing.state.lock();
        let mut newest = newest.iter();
        let mut next = newest.next();
        loop {
            // What is in a table stays there, so that it is looked at once.
            while let Some((id, memtable_id)) = next {
                let family = state.families.get(id);
                let memtables = family.map(|family| family.immutables.oldest_first());
                let waits = memtables.is_some_and(|mut memtables| {
                    memtables.any(|immutable| immutable.memtable.id() <= *memtable_id)
                });
                let is_told = family.is_none_or(|family| family.flushes_untold == 0);
                if waits || !is_told {
                    break;
                }
                next = newest.next();
            }
            if next.is_none() {
                return Ok(());
            }
            (patience.may_wait)(&state)?;
            wait_for_change(writing, &mut state, patience.polls);
        }
    }

    /// A flush makes one more memtable wait: not before there is room for it.
    fn wait_until_flush_would_not_stall(
        &self,
        writing: &Writing,
        ids: &[u32],
        patience: &Patience<'_>,
    ) -> Result<()> {
        let mut state = writing.state.lock();
        loop {
            let is_full = |id: &u32| {
                state.families.get(id).is_some_and(|family| {
                    let max = family.compaction.options.max_write_buffer_number;
                    !family.active.is_empty()
                        && family.immutables.len() + 1 >= usize::try_from(max).unwrap_or(usize::MAX)
                })
            };
            if !ids.iter().any(is_full) {
                return Ok(());
            }
            (patience.may_wait)(&state)?;
            wait_for_change(writing, &mut state, patience.polls);
        }
    }
}
