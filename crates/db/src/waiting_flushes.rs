//! Flushes that are due, and who does them.
//!
//! The threads that flush take the one that has waited longest. Where all of them are busy, writes
//! should not have to wait until one is free: a compaction, or the flush of another column family,
//! then goes aside. It does the flush in its own thread where it looks whether it may go on, which it
//! does every few entries, and goes on afterwards; as many threads run as before. What runs aside
//! goes aside for nothing, and a flush does so at most once for each other column family: so none is
//! held up for ever.
//!
//! Listeners are called in the thread of the flush, and may wait for a compaction there. With
//! listeners nothing goes aside, nor do manual compactions, whose threads are the user's. Compactions do
//! not either where `max_background_flushes` says how many flushes may run.

use crate::background::may_flush;
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::{DbState, FamilyState};
use crate::flow_control::stall_condition::{StallCause, StallCondition};
use crate::flush_job::{FlushPick, ids_of, pick};
use compaction::{Compaction, GivesWay, TimeAside, UrgentWork};
use env::thread_cpu_micros;
use env::thread_pool::Priority;
use parking_lot::Mutex;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// A job works at most so long before it goes aside again, unless writes wait for it.
const WORK_BETWEEN_MAX: Duration = Duration::from_millis(4);

/// Flushes of `due` that find none of the `threads` free of which so many are `busy`.
fn without_thread(due: usize, threads: usize, busy: usize) -> usize {
    due.saturating_sub(threads.saturating_sub(busy))
}

/// What decides whether a job goes aside.
#[derive(Clone, Copy, Debug)]
struct Standing {
    /// Flushes that wait and find no thread free.
    waiting: usize,
    /// How long the job worked since it was aside last, or looked in vain, or began.
    worked: Duration,
    /// How long it was aside then.
    was_aside: Duration,
    /// Whether it is a compaction, and writes wait for compactions.
    is_waited_for: bool,
}

impl Standing {
    /// Whether it goes aside. What writes wait for gets as much time as the flushes in its thread.
    fn goes_aside(&self) -> bool {
        let due = match self.is_waited_for {
            true => self.was_aside,
            false => self.was_aside.min(WORK_BETWEEN_MAX),
        };
        self.waiting > 0 && self.worked >= due
    }
}

/// A job that goes aside for flushes.
#[derive(Debug)]
struct Job {
    db: Weak<DbImpl>,
    is_compaction: bool,
    /// Held by the one of its threads that is aside.
    turn: Mutex<Turn>,
}

#[derive(Debug)]
struct Turn {
    /// When it came back, or began.
    since: Instant,
    was_aside: Duration,
    /// Column families for which a flush was aside, and those that it is of.
    served: Vec<u32>,
    /// It goes aside no more.
    is_over: bool,
}

impl Job {
    fn new(db: &DbImpl, is_compaction: bool, served: Vec<u32>) -> Self {
        let (since, was_aside) = (Instant::now(), Duration::ZERO);
        let turn = Turn { since, was_aside, served, is_over: false };
        Self { db: db.this.clone(), is_compaction, turn: Mutex::new(turn) }
    }
}

impl UrgentWork for Job {
    fn run(&self) -> TimeAside {
        let none = TimeAside::default();
        let Some(mut turn) = self.turn.try_lock().filter(|turn| !turn.is_over) else { return none };
        let began = Instant::now();
        if began - turn.since < turn.was_aside.min(WORK_BETWEEN_MAX) {
            return none;
        }
        let Some(db) = self.db.upgrade() else { return none };
        let Ok(writing) = db.writing() else { return none };
        let Some(picks) = db.take_flush_aside(writing, &turn, self.is_compaction, began) else {
            (turn.since, turn.was_aside) = (began, turn.was_aside.max(WORK_BETWEEN_MAX));
            return none;
        };
        let cpu_began = thread_cpu_micros();
        let ids = ids_of(&picks);
        let result = db.flush_taken(writing, picks, &GivesWay::default());
        // What failed is due again, and not to be tried again and again in between.
        turn.is_over = result.is_err();
        if !self.is_compaction {
            turn.served.extend(ids);
        }
        turn.since = Instant::now();
        turn.was_aside = turn.since - began;
        db.end_flush_aside(writing, self.is_compaction);
        TimeAside {
            micros: u64::try_from(turn.was_aside.as_micros()).unwrap_or(u64::MAX),
            cpu_micros: thread_cpu_micros().saturating_sub(cpu_began),
        }
    }
}

impl DbImpl {
    /// How a compaction goes aside.
    pub(crate) fn compaction_gives_way(
        &self,
        writing: &Writing,
        compaction: &Compaction,
    ) -> GivesWay {
        // Where it is said how many flushes may run, no more do.
        match compaction.is_manual() || self.options().max_background_flushes > 0 {
            true => GivesWay::default(),
            false => self.gives_way(writing, Job::new(self, true, Vec::new())),
        }
    }

    /// How the flush of these column families does.
    pub(crate) fn flush_gives_way(&self, writing: &Writing, ids: Vec<u32>) -> GivesWay {
        self.gives_way(writing, Job::new(self, false, ids))
    }

    fn gives_way(&self, writing: &Writing, job: Job) -> GivesWay {
        GivesWay { is_wanted: writing.flushes_wait.clone(), work: Some(Arc::new(job)) }
    }

    /// How many flushes are due. From now on they wait for a thread.
    pub(crate) fn note_due_flushes(&self, writing: &Writing, state: &mut DbState) -> usize {
        let atomic = self.options().atomic_flush;
        let flushes: Vec<Vec<u32>> = flushes_due(state, atomic).collect();
        let now = Instant::now();
        for id in flushes.iter().flatten() {
            if let Some(family) = state.family_mut(*id) {
                family.flush_due_since.get_or_insert(now);
            }
        }
        let waiting = waiting(writing, state, flushes.len());
        let is_wanted = waiting > 0 && !writing.events.has_listeners();
        writing.flushes_wait.store(is_wanted, Ordering::Relaxed);
        flushes.len()
    }

    /// Takes the flush that has waited longest, for the caller to do: of column families of which none
    /// are `excepted`. None if none may begin.
    pub(crate) fn take_due_flush(
        &self,
        writing: &Writing,
        state: &mut DbState,
        excepted: &[u32],
    ) -> Option<Vec<FlushPick>> {
        if !may_flush(writing, state) {
            return None;
        }
        let since = |ids: &Vec<u32>| {
            let families = ids.iter().filter_map(|id| state.families.get(id));
            families.filter_map(|family| family.flush_due_since).min()
        };
        let wanted = |ids: &Vec<u32>| !ids.iter().any(|id| excepted.contains(id));
        let due = flushes_due(state, self.options().atomic_flush).filter(wanted);
        let now = Instant::now();
        let (since, ids) = due.map(|ids| (since(&ids).unwrap_or(now), ids)).min()?;
        state.stall_times.add_flush_wait(now - since);
        for id in &ids {
            if let Some(family) = state.family_mut(*id) {
                family.flush_due_since = None;
            }
        }
        Some(pick(state, &ids))
    }

    /// As [`DbImpl::take_due_flush`], for a job that goes aside for it if it should.
    fn take_flush_aside(
        &self,
        writing: &Writing,
        turn: &Turn,
        is_compaction: bool,
        now: Instant,
    ) -> Option<Vec<FlushPick>> {
        let mut state = writing.state.lock();
        let due = flushes_due(&state, self.options().atomic_flush).count();
        let standing = Standing {
            waiting: waiting(writing, &state, due),
            worked: now - turn.since,
            was_aside: turn.was_aside,
            is_waited_for: is_compaction && compactions_hold_writes(&state),
        };
        if !standing.goes_aside() {
            return None;
        }
        let picks = self.take_due_flush(writing, &mut state, &turn.served)?;
        state.scheduled.flushes += 1;
        state.scheduled.flushes_running += 1;
        state.scheduled.flushes_aside += 1;
        state.scheduled.flushes_left += usize::from(!is_compaction);
        // This one does not wait any more.
        writing.flushes_wait.store(standing.waiting > 1, Ordering::Relaxed);
        Some(picks)
    }

    fn end_flush_aside(self: &Arc<Self>, writing: &Writing, is_compaction: bool) {
        let mut state = writing.state.lock();
        state.scheduled.flushes -= 1;
        state.scheduled.flushes_running -= 1;
        state.scheduled.flushes_aside -= 1;
        state.scheduled.flushes_left -= usize::from(!is_compaction);
        self.schedule_work(writing, &mut state);
        self.end_job(writing, state);
    }
}

/// Flushes that wait and find no thread free, of so many that are `due`.
fn waiting(writing: &Writing, state: &DbState, due: usize) -> usize {
    let busy = state.scheduled.flushes_running - state.scheduled.flushes_aside;
    without_thread(due, writing.pool.background_threads(Priority::High), busy)
}

/// Whether writes wait until compactions have done something, and not for flushes alone.
fn compactions_hold_writes(state: &DbState) -> bool {
    match state.write_controller.condition() {
        StallCondition::Normal => false,
        StallCondition::Delayed(cause) | StallCondition::Stopped(cause) => {
            cause != StallCause::Memtables
        }
    }
}

/// Column families whose memtables are to be flushed, by flush: each alone, or all together. There may
/// be thousands, each looked at only when it is asked for.
fn flushes_due(state: &DbState, atomic: bool) -> impl Iterator<Item = Vec<u32>> {
    let is_due = |family: &&FamilyState| {
        family.is_flush_requested
            && !family.immutables.is_empty()
            && !family.immutables.is_flushing()
    };
    let mut due = state.families.values().filter(is_due);
    let alone = (!atomic).then(|| due.clone().map(|family| vec![family.data.id]));
    let waits = |family: &&FamilyState| !family.immutables.is_empty();
    let all = state.families.values().filter(waits);
    let together = atomic && due.next().is_some() && {
        !all.clone().any(|family| family.immutables.is_flushing())
    };
    let together = together.then(|| all.map(|family| family.data.id).collect());
    alone.into_iter().flatten().chain(together)
}

#[cfg(test)]
mod tests;
