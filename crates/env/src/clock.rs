//! Time, behind a trait so that tests can set it.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time of day.
pub trait SystemClock: fmt::Debug + Send + Sync {
    /// Microseconds since 1970.
    fn now_micros(&self) -> u64;

    /// Seconds since 1970.
    fn now_seconds(&self) -> u64 {
        self.now_micros() / 1_000_000
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
}

/// A clock that stands still until it is moved.
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
}

#[cfg(test)]
mod tests;
