//! What is done now and then while a database is open, by a thread of its own that sleeps until
//! something is due.
//!
//! ```text
//! flush the info log     every ten seconds
//! dump statistics        stats_dump_period_sec
//! take a slice of them   stats_persist_period_sec
//! look for compactions   that have become due by time alone: ttl, periodic_compaction_seconds
//! give back memory       that memtables left, a second after there are no more of them
//! sample sequence times  for column families with preserve_internal_time_seconds
//! ```
//!
//! What is due is decided by [`PeriodicTasks`], from the time it is given.

use crate::db_impl::{DbImpl, Writing};
use crate::sequence_times::cadence_seconds;
use env::SystemClock;
use options::{ColumnFamilyOptions, DbOptions};
use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use table::block_memory::trim_block_memory;
use table::filter::release_kept_hashes;

const SECOND_MICROS: u64 = 1_000_000;
/// Lines of the info log reach the operating system after so long, whatever else happens.
const FLUSH_INFO_LOG_SECONDS: u64 = 10;
/// What memtables left is looked at so often.
const TRIM_MEMORY_SECONDS: u64 = 1;
/// A compaction that is due by time begins at most this part of its time too late.
const LATENESS_PARTS: u64 = 5;

/// What there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeriodicTask {
    DumpStats,
    PersistStats,
    FlushInfoLog,
    SampleSequenceTimes,
    TriggerCompaction,
    TrimMemory,
}

/// When it is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Schedule {
    task: PeriodicTask,
    period_micros: u64,
    due_micros: u64,
}

/// What is to be done when. Times are microseconds of one clock that does not go back.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeriodicTasks {
    schedules: Vec<Schedule>,
}

impl PeriodicTasks {
    /// Does `task` every `period_secs` from now on, for the first time after that time; never if it
    /// is 0. One that has this period already goes on as it does.
    pub(crate) fn set(&mut self, task: PeriodicTask, period_secs: u64, now_micros: u64) {
        let period_micros = period_secs.saturating_mul(SECOND_MICROS);
        let is_same = |other: &Schedule| other.task == task && other.period_micros == period_micros;
        if self.schedules.iter().any(is_same) {
            return;
        }
        self.schedules.retain(|schedule| schedule.task != task);
        if period_micros > 0 {
            let due_micros = now_micros.saturating_add(period_micros);
            self.schedules.push(Schedule { task, period_micros, due_micros });
        }
    }

    /// What is to be done now. It is due again after its period, however late it was.
    pub(crate) fn take_due(&mut self, now_micros: u64) -> Vec<PeriodicTask> {
        let mut due = Vec::new();
        for schedule in &mut self.schedules {
            if schedule.due_micros <= now_micros {
                schedule.due_micros = now_micros.saturating_add(schedule.period_micros);
                due.push(schedule.task);
            }
        }
        due
    }

    /// When something is due next; none if nothing ever is.
    pub(crate) fn next_due_micros(&self) -> Option<u64> {
        self.schedules.iter().map(|schedule| schedule.due_micros).min()
    }
}

/// How often to look for compactions that are due by time alone, in seconds: by RocksDB's rule often
/// enough for the shortest time that a column family has, and as often as statistics are dumped
/// anyway.
pub(crate) fn trigger_compaction_secs<'f>(
    options: &DbOptions,
    families: impl Iterator<Item = &'f ColumnFamilyOptions>,
) -> u64 {
    let by_families = families.filter_map(shortest_time_secs).min();
    let dumps = u64::from(options.stats_dump_period_sec);
    let at_most = options.max_compaction_trigger_wakeup_seconds;
    [Some(at_most), Some(dumps).filter(|secs| *secs > 0), by_families.map(|s| s / LATENESS_PARTS)]
        .into_iter()
        .flatten()
        .fold(u64::MAX, u64::min)
        .max(1)
}

/// The shortest time after which files of a column family are compacted for their age alone.
fn shortest_time_secs(family: &ColumnFamilyOptions) -> Option<u64> {
    /// RocksDB's values for "whatever fits" are close to the largest number.
    const UNSET_FROM: u64 = u64::MAX / 2;
    let by_temperature = &family.compaction_options_fifo.file_temperature_age_thresholds;
    [
        family.ttl,
        family.periodic_compaction_seconds,
        by_temperature.first().map_or(0, |threshold| threshold.age),
        u64::from(family.bottommost_file_compaction_delay),
    ]
    .into_iter()
    .filter(|secs| (1..UNSET_FROM).contains(secs))
    .min()
}

/// A thread that does what is due.
#[derive(Debug)]
pub(crate) struct PeriodicWork {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    /// Told when the state changed.
    changed: Condvar,
    clock: Arc<dyn SystemClock>,
}

#[derive(Debug, Default)]
struct State {
    tasks: PeriodicTasks,
    is_stopped: bool,
    /// How often the thread found nothing left to do.
    rests: u64,
}

impl PeriodicWork {
    /// With nothing to do yet, and no thread.
    pub(crate) fn new(clock: Arc<dyn SystemClock>) -> Self {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), clock };
        Self { shared: Arc::new(shared), thread: Mutex::default() }
    }

    /// As [`PeriodicTasks::set`].
    pub(crate) fn set(&self, task: PeriodicTask, period_secs: u64) {
        let now = self.shared.clock.now_micros_monotonic();
        self.shared.state.lock().tasks.set(task, period_secs, now);
        self.shared.changed.notify_all();
    }

    /// Starts the thread, which calls `work` with what is due until that says that it is over. If
    /// the system has no thread for it, nothing is ever done.
    fn start(&self, work: impl Fn(PeriodicTask) -> bool + Send + 'static) {
        let shared = self.shared.clone();
        let started = thread::Builder::new()
            .name("touchstone:timer".to_owned())
            .spawn(move || shared.run(&work));
        *self.thread.lock() = started.ok();
    }

    /// Ends the thread, when it has done what it is doing.
    pub(crate) fn stop(&self) {
        self.shared.state.lock().is_stopped = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // What it panicked with it said itself.
            let _ = thread.join();
        }
    }

    /// How often a task is done; 0 for never.
    #[cfg(test)]
    pub(crate) fn period_secs(&self, task: PeriodicTask) -> u64 {
        let state = self.shared.state.lock();
        let schedule = state.tasks.schedules.iter().find(|schedule| schedule.task == task);
        schedule.map_or(0, |schedule| schedule.period_micros / SECOND_MICROS)
    }

    /// Has the thread look at a clock that was moved, and waits until it has done what is due.
    #[cfg(test)]
    pub(crate) fn catch_up(&self) {
        let mut state = self.shared.state.lock();
        let rests = state.rests;
        while state.rests == rests {
            self.shared.changed.notify_all();
            self.shared.changed.wait_for(&mut state, Duration::from_millis(1));
        }
    }
}

impl Shared {
    fn run(&self, work: &dyn Fn(PeriodicTask) -> bool) {
        let mut state = self.state.lock();
        while !state.is_stopped {
            let now = self.clock.now_micros_monotonic();
            let due = state.tasks.take_due(now);
            if due.is_empty() {
                state.rests += 1;
                match state.tasks.next_due_micros() {
                    None => self.changed.wait(&mut state),
                    Some(next) => {
                        let time = Duration::from_micros(next.saturating_sub(now));
                        self.changed.wait_for(&mut state, time);
                    }
                }
                continue;
            }
            drop(state);
            if !due.into_iter().all(work) {
                return;
            }
            state = self.state.lock();
        }
    }
}

impl DbImpl {
    /// Begins to do what is to be done now and then.
    pub(crate) fn start_periodic_work(self: &Arc<Self>) {
        let Ok(writing) = self.writing() else { return };
        let periodic = &writing.periodic_work;
        periodic.set(PeriodicTask::FlushInfoLog, FLUSH_INFO_LOG_SECONDS);
        self.schedule_stats();
        self.schedule_by_families();
        let db: Weak<Self> = Arc::downgrade(self);
        periodic.start(move |task| {
            let Some(db) = db.upgrade() else { return false };
            db.do_safely(task);
            true
        });
    }

    /// To be called when `stats_dump_period_sec` or `stats_persist_period_sec` has changed.
    pub(crate) fn schedule_stats(&self) {
        let Ok(writing) = self.writing() else { return };
        let (periodic, options) = (&writing.periodic_work, self.options());
        periodic.set(PeriodicTask::DumpStats, u64::from(options.stats_dump_period_sec));
        periodic.set(PeriodicTask::PersistStats, u64::from(options.stats_persist_period_sec));
    }

    /// To be called when there are other column families.
    pub(crate) fn schedule_by_families(&self) {
        let Ok(writing) = self.writing() else { return };
        let state = writing.state.lock();
        let families = || state.families.values().map(|family| &family.compaction.options);
        let trigger_secs = trigger_compaction_secs(&self.options(), families());
        let sample_secs = cadence_seconds(families());
        drop(state);
        writing.periodic_work.set(PeriodicTask::TriggerCompaction, trigger_secs);
        writing.periodic_work.set(PeriodicTask::SampleSequenceTimes, sample_secs);
    }

    /// Keeps what flushed memtables leave for those that follow, until none has for a while.
    pub(crate) fn keep_memory_of_memtables(&self, writing: &Writing) {
        writing.memtable_memory.keep_freed();
        writing.periodic_work.set(PeriodicTask::TrimMemory, TRIM_MEMORY_SECONDS);
    }

    /// A task that panics is not done, and others are.
    fn do_safely(self: &Arc<Self>, task: PeriodicTask) {
        let Ok(writing) = self.writing() else { return };
        if catch_unwind(AssertUnwindSafe(|| self.do_periodic(task))).is_err() {
            writing.info_log.error(format_args!("The periodic task {task:?} panicked"));
        }
    }

    fn do_periodic(self: &Arc<Self>, task: PeriodicTask) {
        let Ok(writing) = self.writing() else { return };
        match task {
            PeriodicTask::DumpStats => {
                let statistics = self.context.statistics.as_deref();
                writing.info_log.stats(&self.stats_text(), statistics);
            }
            PeriodicTask::PersistStats => self.persist_stats(),
            PeriodicTask::FlushInfoLog => writing.info_log.flush(),
            PeriodicTask::SampleSequenceTimes => self.sample_sequence_times(),
            PeriodicTask::TrimMemory => {
                // In this order: who opens it again meanwhile finds the task set, or sets it.
                writing.periodic_work.set(task, 0);
                let are_memtables_done = writing.memtable_memory.trim_kept();
                if are_memtables_done {
                    release_kept_hashes();
                }
                if !trim_block_memory() || !are_memtables_done {
                    writing.periodic_work.set(task, TRIM_MEMORY_SECONDS);
                }
            }
            PeriodicTask::TriggerCompaction => {
                let mut state = writing.state.lock();
                let ids: Vec<u32> = state.families.keys().copied().collect();
                for id in ids {
                    self.queue_if_needed(writing, &mut state, id);
                }
                self.schedule_work(writing, &mut state);
            }
        }
    }
}

#[cfg(test)]
mod tests;
