//! Where writes wait: while too much is left for flushes and compactions to do.

use crate::db_impl::{DbImpl, Writing};
use crate::db_state::DbState;
use crate::flow_control::pacer::Pacer;
use crate::flow_control::stall_condition::StallCondition;
use crate::work_stats::count_stall;
use crate::write::write_options::WriteOptions;
use crate::write::write_thread::write_stall;
use base::{Result, Status};
use perf_context::{PerfMetric, Timer};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Longest a delayed writer sleeps before it looks again whether the delay still stands.
const NAP: Duration = Duration::from_millis(1);

impl DbImpl {
    /// Waits until the next group may be written: where writes are slowed down, until the bytes of the last one
    /// have passed, as in RocksDB, for who joins this one is not known yet. No lock is held meanwhile.
    ///
    /// # Errors
    /// The error that stops writes; `Incomplete` if the options do not allow to wait.
    #[inline]
    pub(crate) fn wait_for_permission(&self, options: &WriteOptions) -> Result<()> {
        let writing = self.writing()?;
        match writing.has_obstacle.load(Ordering::Acquire) {
            false => Ok(()),
            true => {
                let (begun, mut has_waited) = (Instant::now(), false);
                let result = self.wait_behind_obstacle(writing, options, &mut has_waited);
                if let Some(statistics) = self.context.statistics.as_deref().filter(|_| has_waited)
                {
                    count_stall(statistics, begun.elapsed());
                }
                result
            }
        }
    }

    /// What a write asks before it joins the queue, where it could stand behind one that waits: for a
    /// flush or compaction, or, with writes stopped by an error, for the recovery from that.
    ///
    /// # Errors
    /// The error that stops writes; `Incomplete` if it would have to wait and must not
    /// (`no_slowdown`).
    #[inline]
    pub(crate) fn check_before_queue(
        &self,
        writing: &Writing,
        options: &WriteOptions,
    ) -> Result<()> {
        if options.no_slowdown
            && let Some(manager) = &self.context.write_buffer_manager
            && manager.should_stall()
        {
            return Err(write_stall());
        }
        match writing.has_obstacle.load(Ordering::Acquire) {
            false => Ok(()),
            true => check_obstacle(writing, options),
        }
    }

    /// Slows down a write of `bytes` with `low_pri` while compactions lag. No lock is held meanwhile.
    ///
    /// # Errors
    /// `Incomplete` if the options do not allow to wait.
    #[cold]
    pub(crate) fn wait_as_low_priority(&self, options: &WriteOptions, bytes: u64) -> Result<()> {
        let writing = self.writing()?;
        let mut state = writing.state.lock();
        if !state.write_controller.needs_speedup_compaction() {
            return Ok(());
        }
        if options.no_slowdown {
            return Err(Status::incomplete("Low priority write stall"));
        }
        let rate = state.write_controller.low_pri_rate();
        let begin = Instant::now();
        let number = writing.stats.batches();
        let at = state.low_pri_pacer.begins_at(begin, number);
        state.low_pri_pacer.charge(begin, bytes, rate);
        // Others may ask while this one waits.
        if Pacer::is_long(at - begin) {
            state.low_pri_pacer.count_long_wait(number, 1);
        }
        while Instant::now() < at
            && state.write_controller.needs_speedup_compaction()
            && !writing.is_closing.load(Ordering::Acquire)
        {
            writing.changed.wait_until(&mut state, at);
        }
        state.stall_times.add_low_pri(begin.elapsed());
        Ok(())
    }

    #[cold]
    fn wait_behind_obstacle(
        &self,
        writing: &Writing,
        options: &WriteOptions,
        has_waited: &mut bool,
    ) -> Result<()> {
        let _timer = Timer::start(PerfMetric::WriteDelayTime);
        let number = writing.stats.batches();
        let mut state = writing.state.lock();
        // When the pacer was asked, and from when on it lets the write go.
        let mut granted: Option<(Instant, Instant)> = None;
        let mut stall = None;
        let mut held = Held::begin();
        loop {
            held.go_on(&mut state);
            if let Some(error) = state.errors.write_error() {
                return Err(error.clone());
            }
            if writing.is_closing.load(Ordering::Acquire) {
                return Err(Status::shutdown_in_progress("the database is closing"));
            }
            let is_stopped = state.write_controller.is_stopped();
            let rate = state.write_controller.actual_delayed_write_rate();
            let now = Instant::now();
            if !is_stopped && rate == 0 {
                break;
            }
            if options.no_slowdown {
                return Err(write_stall());
            }
            stall.get_or_insert_with(|| writing.write_thread.begin_stall());
            if is_stopped {
                *has_waited = true;
                let _timer = Timer::start(PerfMetric::DbConditionWaitNanos);
                writing.changed.wait(&mut state);
                continue;
            }
            let (_, at) = *granted.get_or_insert_with(|| {
                state.pacer.charge(now, writing.stats.take_last_group_bytes(), rate);
                (now, state.pacer.begins_at(now, number))
            });
            if now >= at {
                break;
            }
            *has_waited = true;
            let _timer = Timer::start(PerfMetric::DbConditionWaitNanos);
            writing.changed.wait_for(&mut state, NAP.min(at - now));
        }
        if granted.is_some_and(|(begin, at)| Pacer::is_long(at.min(Instant::now()) - begin)) {
            let writes = 1 + writing.write_thread.waiting_count() as u64;
            state.pacer.count_long_wait(number, writes);
        }
        Ok(())
    }
}

/// What a write has waited for since some moment.
struct Held {
    condition: StallCondition,
    since: Instant,
    /// Its wait under this condition was counted.
    is_counted: bool,
}

impl Held {
    fn begin() -> Self {
        Self { condition: StallCondition::Normal, since: Instant::now(), is_counted: false }
    }

    /// Counts the time so far, for what has held the write back until now.
    fn go_on(&mut self, state: &mut DbState) {
        let (now, condition) = (Instant::now(), state.write_controller.condition());
        state.stall_times.add(self.condition, !self.is_counted, now - self.since);
        *self = Self { condition, since: now, is_counted: condition == self.condition };
    }
}

#[cold]
fn check_obstacle(writing: &Writing, options: &WriteOptions) -> Result<()> {
    let state = writing.state.lock();
    if let Some(error) = state.errors.write_error() {
        return Err(error.clone());
    }
    let controller = &state.write_controller;
    let is_held_back = controller.is_stopped() || controller.actual_delayed_write_rate() > 0;
    if options.no_slowdown && is_held_back { Err(write_stall()) } else { Ok(()) }
}
