//! Operations that begin at a given rate, whatever the engine does: an open loop.
//!
//! In a closed loop, an engine that stalls is asked for less meanwhile, and its latencies look better
//! than those of users who go on asking. Here each operation has a moment at which it should begin. Who
//! is early waits; who is late goes on at once, and the latency counts from when it should have begun.

use std::thread;
use std::time::{Duration, Instant};

/// How long before an operation is due the thread stops sleeping: what a timer may be late.
const AWAKE: Duration = Duration::from_micros(100);

/// When the operations of a thread are due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// From one operation of the thread to its next, in seconds.
    interval_seconds: f64,
    /// Threads that share the rate.
    threads: usize,
}

impl Arrivals {
    /// `rate` operations a second, of so many threads together. Neither is 0.
    pub fn new(rate: u64, threads: usize) -> Self {
        Self { interval_seconds: threads as f64 / rate as f64, threads }
    }

    /// When a thread that began at `start` should begin its next operation, after it has ended
    /// `operations`. Threads take turns, so that they do not begin all at once.
    pub fn due(&self, start: Instant, thread: usize, operations: u64) -> Instant {
        let turn = (thread % self.threads) as f64 / self.threads as f64;
        start + Duration::from_secs_f64((operations as f64 + turn) * self.interval_seconds)
    }

    /// Returns when it is due.
    pub fn wait_until(due: Instant) {
        let left = due.saturating_duration_since(Instant::now());
        if let Some(asleep) = left.checked_sub(AWAKE) {
            thread::sleep(asleep);
        }
        while Instant::now() < due {
            thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests;
