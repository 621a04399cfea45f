//! How many bytes a second flushes and compactions may write (`rate_limiter`).
//!
//! Bytes become available in equal portions at equal intervals. Whoever finds too few waits in the
//! queue of its priority; the first to wait sleeps until the next portion and hands it out. Requests
//! of users go first; of the others the more urgent ones, except that now and then, one time in
//! [`RateLimiterOptions::fairness`], the order is turned around so that nobody starves.

use crate::clock::{SystemClock, WallClock};
use crate::random::Random;
use base::{Result, Status};
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const MICROS_PER_SECOND: u64 = 1_000_000;

/// How urgent a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoPriority {
    /// Compactions.
    Low,
    /// Between the two.
    Mid,
    /// Flushes.
    High,
    /// Whatever a user waits for. Always first.
    User,
}

impl IoPriority {
    /// All, the least urgent first.
    pub const ALL: [IoPriority; 4] =
        [IoPriority::Low, IoPriority::Mid, IoPriority::High, IoPriority::User];
}

/// What the bytes are requested for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoOperation {
    /// To be read.
    Read,
    /// To be written.
    Write,
}

/// Which operations are limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RateLimiterMode {
    /// Reads (`kReadsOnly`).
    ReadsOnly,
    /// Writes (`kWritesOnly`).
    #[default]
    WritesOnly,
    /// Both (`kAllIo`).
    AllIo,
}

/// How a request went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grant {
    /// How long it waited for a portion, in microseconds; none if it did not wait.
    pub waited_micros: Option<u64>,
    /// How many times it found a portion used up and slept until the next one.
    pub drains: u64,
}

/// Grants bytes.
pub trait RateLimiter: fmt::Debug + Send + Sync {
    /// Waits until `bytes` are granted: at most [`RateLimiter::single_burst_bytes`]. Operations
    /// that are not limited do not wait.
    fn request(&self, bytes: u64, priority: IoPriority, operation: IoOperation);

    /// As [`RateLimiter::request`]; says how it went, none if such operations are not limited.
    /// Default: knows nothing of waits.
    fn request_and_tell(
        &self,
        bytes: u64,
        priority: IoPriority,
        operation: IoOperation,
    ) -> Option<Grant> {
        if !self.is_rate_limited(operation) {
            return None;
        }
        self.request(bytes, priority, operation);
        Some(Grant::default())
    }

    /// Waits for as many of `bytes` as can be granted at once, and says how many. With an
    /// `alignment` (of direct I/O; 0 for none) it is a multiple of that, if need be more than what
    /// can be granted at once.
    fn request_token(
        &self,
        bytes: u64,
        alignment: u64,
        priority: IoPriority,
        operation: IoOperation,
    ) -> u64 {
        if !self.is_rate_limited(operation) {
            return bytes;
        }
        let mut granted = bytes.min(self.single_burst_bytes());
        if alignment > 0 {
            granted = alignment.max(granted - granted % alignment);
        }
        self.request(granted, priority, operation);
        granted
    }

    /// Changes the rate, at least 1.
    fn set_bytes_per_second(&self, bytes_per_second: u64);

    /// The rate.
    fn bytes_per_second(&self) -> u64;

    /// Changes how much can be granted at once; 0 for one portion.
    fn set_single_burst_bytes(&self, bytes: u64);

    /// How much can be granted at once.
    fn single_burst_bytes(&self) -> u64;

    /// Bytes granted, to one priority or (none) to all.
    fn total_bytes_through(&self, priority: Option<IoPriority>) -> u64;

    /// Requests so far.
    fn total_requests(&self, priority: Option<IoPriority>) -> u64;

    /// Requests that wait.
    fn total_pending_requests(&self, priority: Option<IoPriority>) -> u64;

    /// Whether such operations wait at all.
    fn is_rate_limited(&self, operation: IoOperation) -> bool;
}

/// How a [`GenericRateLimiter`] is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimiterOptions {
    /// Bytes per second, at least 1 (`rate_limiter_bytes_per_sec` of the tools).
    pub rate_bytes_per_sec: u64,
    /// Time between portions in microseconds, at least 1. Default: 100 ms.
    pub refill_period_us: u64,
    /// One time in so many (at most 100), less urgent requests go first. At least 1. Default: 10.
    pub fairness: u32,
    /// What is limited. Default: writes.
    pub mode: RateLimiterMode,
    /// Whether the rate follows demand, between a twentieth of `rate_bytes_per_sec` and all of it;
    /// it starts at the half. Default: false.
    pub auto_tuned: bool,
    /// Most bytes granted at once; 0 for one portion. Default: 0.
    pub single_burst_bytes: u64,
}

impl RateLimiterOptions {
    /// The defaults, with a rate.
    pub fn new(rate_bytes_per_sec: u64) -> Self {
        Self {
            rate_bytes_per_sec,
            refill_period_us: 100_000,
            fairness: 10,
            mode: RateLimiterMode::WritesOnly,
            auto_tuned: false,
            single_burst_bytes: 0,
        }
    }
}

/// RocksDB's limiter (`NewGenericRateLimiter`).
#[derive(Debug)]
pub struct GenericRateLimiter {
    options: RateLimiterOptions,
    clock: Arc<dyn SystemClock>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    rate_bytes_per_sec: u64,
    single_burst_bytes: u64,
    available_bytes: u64,
    next_refill_us: u64,
    queues: [VecDeque<Waiting>; 4],
    bytes_through: [u64; 4],
    requests: [u64; 4],
    /// Whether somebody sleeps until the next portion.
    refill_awaited: bool,
    random: Random,
    /// Times that somebody had to wait for a portion since the rate was tuned.
    drains: u64,
    tuned_us: u64,
}

#[derive(Debug)]
struct Waiting {
    bytes: u64,
    missing_bytes: u64,
    ticket: Arc<Ticket>,
}

/// How a waiting request hears that it is granted, or needed to hand out the next portion.
#[derive(Debug, Default)]
struct Ticket {
    granted: AtomicBool,
    wake: Condvar,
}

impl GenericRateLimiter {
    /// One that goes by the time of the operating system.
    ///
    /// # Errors
    ///
    /// `InvalidArgument` if the rate, the period or the fairness is 0.
    pub fn new(options: RateLimiterOptions) -> Result<Self> {
        Self::with_clock(options, Arc::new(WallClock))
    }

    /// One that goes by `clock`.
    ///
    /// # Errors
    ///
    /// As [`GenericRateLimiter::new`].
    pub fn with_clock(options: RateLimiterOptions, clock: Arc<dyn SystemClock>) -> Result<Self> {
        let rate = options.rate_bytes_per_sec;
        if rate == 0 || options.refill_period_us == 0 || options.fairness == 0 {
            return Err(Status::invalid_argument(
                "a rate limiter's rate, refill period and fairness are at least 1",
            ));
        }
        let now = clock.now_micros_monotonic();
        let state = State {
            rate_bytes_per_sec: if options.auto_tuned { (rate / 2).max(1) } else { rate },
            single_burst_bytes: options.single_burst_bytes,
            available_bytes: 0,
            next_refill_us: now,
            queues: Default::default(),
            bytes_through: [0; 4],
            requests: [0; 4],
            refill_awaited: false,
            random: Random::new(now),
            drains: 0,
            tuned_us: now,
        };
        Ok(Self { options, clock, state: Mutex::new(state) })
    }

    /// What one portion is at the present rate; at least a byte, or nothing would ever be granted.
    fn refill_bytes(&self, state: &State) -> u64 {
        let bytes = u128::from(state.rate_bytes_per_sec)
            * u128::from(self.options.refill_period_us)
            / u128::from(MICROS_PER_SECOND);
        u64::try_from(bytes).unwrap_or(u64::MAX).max(1)
    }

    fn tune(&self, state: &mut State) {
        /// The rate is tuned after so many portions.
        const REFILLS_PER_TUNE: u64 = 100;
        let (now, period) = (self.clock.now_micros_monotonic(), self.options.refill_period_us);
        let elapsed = now.saturating_sub(state.tuned_us);
        if elapsed < period.saturating_mul(REFILLS_PER_TUNE) {
            return;
        }
        let drained_pct = state.drains.saturating_mul(100) / elapsed.div_ceil(period).max(1);
        let rate =
            tuned_rate(state.rate_bytes_per_sec, self.options.rate_bytes_per_sec, drained_pct);
        state.rate_bytes_per_sec = rate;
        state.drains = 0;
        state.tuned_us = now;
    }

    /// Waits in the queue until all of `bytes` are granted.
    fn wait(&self, state: &mut MutexGuard<'_, State>, bytes: u64, priority: IoPriority) -> Grant {
        let (mut waits_since, mut drains) = (None, 0);
        let ticket = Arc::new(Ticket::default());
        let waiting = Waiting { bytes, missing_bytes: bytes, ticket: Arc::clone(&ticket) };
        state.queues[priority as usize].push_back(waiting);
        // The lock is held around every access; the flag is atomic only to be shared.
        while !ticket.granted.load(Ordering::Relaxed) {
            let now = self.clock.now_micros_monotonic();
            let until_refill = state.next_refill_us.saturating_sub(now);
            if until_refill > 0 {
                waits_since.get_or_insert(now);
            }
            if until_refill == 0 {
                let refill_bytes = self.refill_bytes(state);
                state.next_refill_us =
                    self.clock.now_micros_monotonic().saturating_add(self.options.refill_period_us);
                state.refill(refill_bytes, self.options.fairness.min(100));
            } else if state.refill_awaited {
                ticket.wake.wait(state);
            } else {
                state.drains += 1;
                drains += 1;
                state.refill_awaited = true;
                let duration = self.clock.begin_wait(until_refill);
                if !duration.is_zero() {
                    ticket.wake.wait_for(state, duration);
                }
                state.refill_awaited = false;
            }
        }
        // Somebody who still waits takes over the sleeping and handing out.
        if let Some(front) = state.queues.iter().rev().find_map(VecDeque::front) {
            front.ticket.wake.notify_one();
        }
        let waited = |since| self.clock.now_micros_monotonic().saturating_sub(since);
        Grant { waited_micros: waits_since.map(waited), drains }
    }
}

/// The rate after a time in which `drained_pct` of the portions were used up with requests waiting.
fn tuned_rate(rate: u64, rate_max: u64, drained_pct: u64) -> u64 {
    const LOW_WATERMARK_PCT: u64 = 50;
    const HIGH_WATERMARK_PCT: u64 = 90;
    const ADJUST_FACTOR_PCT: u64 = 5;
    const ALLOWED_RANGE_FACTOR: u64 = 20;
    let rate_min = (rate_max / ALLOWED_RANGE_FACTOR).max(1);
    if drained_pct == 0 {
        rate_min
    } else if drained_pct < LOW_WATERMARK_PCT {
        (rate.min(u64::MAX / 100) * 100 / (100 + ADJUST_FACTOR_PCT)).max(rate_min)
    } else if drained_pct > HIGH_WATERMARK_PCT {
        let factor = 100 + ADJUST_FACTOR_PCT;
        (rate.min(u64::MAX / factor) * factor / 100).min(rate_max)
    } else {
        rate
    }
}

impl State {
    /// Adds a portion and hands it out.
    fn refill(&mut self, refill_bytes: u64, fairness: u32) {
        self.available_bytes = refill_bytes;
        for priority in self.next_order(fairness) {
            let queue = &mut self.queues[priority as usize];
            while let Some(front) = queue.front_mut() {
                let granted = front.missing_bytes.min(self.available_bytes);
                front.missing_bytes -= granted;
                self.available_bytes -= granted;
                if front.missing_bytes > 0 {
                    return;
                }
                self.bytes_through[priority as usize] += front.bytes;
                front.ticket.granted.store(true, Ordering::Relaxed);
                front.ticket.wake.notify_one();
                queue.pop_front();
            }
        }
    }

    fn next_order(&mut self, fairness: u32) -> [IoPriority; 4] {
        let high_last = self.random.one_in(u64::from(fairness));
        let low_before_mid = self.random.one_in(u64::from(fairness));
        let [first, second] = if low_before_mid {
            [IoPriority::Low, IoPriority::Mid]
        } else {
            [IoPriority::Mid, IoPriority::Low]
        };
        if high_last {
            [IoPriority::User, first, second, IoPriority::High]
        } else {
            [IoPriority::User, IoPriority::High, first, second]
        }
    }
}

/// One entry, or the sum of all.
fn one_or_all(values: [u64; 4], priority: Option<IoPriority>) -> u64 {
    priority.map_or_else(|| values.iter().sum(), |priority| values[priority as usize])
}

impl RateLimiter for GenericRateLimiter {
    fn request(&self, bytes: u64, priority: IoPriority, operation: IoOperation) {
        self.request_and_tell(bytes, priority, operation);
    }

    fn request_and_tell(
        &self,
        mut bytes: u64,
        priority: IoPriority,
        operation: IoOperation,
    ) -> Option<Grant> {
        if !self.is_rate_limited(operation) {
            return None;
        }
        let mut state = self.state.lock();
        if self.options.auto_tuned {
            self.tune(&mut state);
        }
        state.requests[priority as usize] += 1;
        let granted = bytes.min(state.available_bytes);
        state.available_bytes -= granted;
        state.bytes_through[priority as usize] += granted;
        bytes -= granted;
        let grant =
            if bytes > 0 { self.wait(&mut state, bytes, priority) } else { Grant::default() };
        Some(grant)
    }

    fn set_bytes_per_second(&self, bytes_per_second: u64) {
        self.state.lock().rate_bytes_per_sec = bytes_per_second.max(1);
    }

    fn bytes_per_second(&self) -> u64 {
        self.state.lock().rate_bytes_per_sec
    }

    fn set_single_burst_bytes(&self, bytes: u64) {
        self.state.lock().single_burst_bytes = bytes;
    }

    fn single_burst_bytes(&self) -> u64 {
        let state = self.state.lock();
        match state.single_burst_bytes {
            0 => self.refill_bytes(&state),
            bytes => bytes,
        }
    }

    fn total_bytes_through(&self, priority: Option<IoPriority>) -> u64 {
        one_or_all(self.state.lock().bytes_through, priority)
    }

    fn total_requests(&self, priority: Option<IoPriority>) -> u64 {
        one_or_all(self.state.lock().requests, priority)
    }

    fn total_pending_requests(&self, priority: Option<IoPriority>) -> u64 {
        let state = self.state.lock();
        let lengths = state.queues.each_ref().map(|queue| queue.len() as u64);
        one_or_all(lengths, priority)
    }

    fn is_rate_limited(&self, operation: IoOperation) -> bool {
        match self.options.mode {
            RateLimiterMode::ReadsOnly => operation == IoOperation::Read,
            RateLimiterMode::WritesOnly => operation == IoOperation::Write,
            RateLimiterMode::AllIo => true,
        }
    }
}

#[cfg(test)]
mod tests;
