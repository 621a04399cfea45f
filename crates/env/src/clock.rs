//! Time, behind a trait so that tests can set it.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tells the time of day.
pub trait SystemClock: fmt::Debug + Send + Sync {
    /// Microseconds since 1970.
    fn now_micros(&self) -> u64;

    /// Seconds since 1970.
    fn now_seconds(&self) -> u64 {
        self.now_micros() / 1_000_000
    }

    /// Microseconds since some moment, never going back: for spans, where the time of day could
    /// jump.
    fn now_micros_monotonic(&self) -> u64 {
        self.now_micros()
    }

    /// Says that somebody is about to wait for `micros` of this clock, and answers how long that
    /// really takes. A clock that tests move goes on by itself here, and nobody waits.
    fn begin_wait(&self, micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    /// Waits for `micros` of this clock.
    fn sleep_micros(&self, micros: u64) {
        let duration = self.begin_wait(micros);
        if !duration.is_zero() {
            thread::sleep(duration);
        }
    }
}

/// The operating system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock;

impl SystemClock for WallClock {
    fn now_micros(&self) -> u64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }

    fn now_micros_monotonic(&self) -> u64 {
        static START: OnceLock<Instant> = OnceLock::new();
        let elapsed = START.get_or_init(Instant::now).elapsed();
        u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX)
    }
}

/// Microseconds of processor time that this thread has used.
pub fn thread_cpu_micros() -> u64 {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    part(used.tv_sec) * 1_000_000 + part(used.tv_nsec) / 1000
}

/// A clock that stands still until it is moved, or somebody waits for it: then it jumps to the end
/// of the wait.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// Starts at `micros` since 1970.
    pub fn new(micros: u64) -> Self {
        Self(AtomicU64::new(micros))
    }

    /// Sets the time, forwards or backwards.
    pub fn set_micros(&self, micros: u64) {
        self.0.store(micros, Ordering::Relaxed);
    }

    /// Moves the time forwards.
    pub fn advance_micros(&self, micros: u64) {
        self.0.fetch_add(micros, Ordering::Relaxed);
    }
}

impl SystemClock for ManualClock {
    fn now_micros(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn begin_wait(&self, micros: u64) -> Duration {
        self.advance_micros(micros);
        Duration::ZERO
    }
}

#[cfg(test)]
mod tests;
