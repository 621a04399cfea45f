//! Spreads delayed writes over time.
//!
//! A sleep costs more than the write that it holds back, and wakes late. So writes may run ahead of
//! their rate for a moment, and one of them then sleeps for all: few writes are slow instead of most.

use std::time::{Duration, Instant};

/// How far behind the clock grants may lag: what was not used is not saved up for longer.
const CREDIT: Duration = Duration::from_millis(1);

/// How far ahead of the clock grants may run before one waits; then it waits for all of it. Who sleeps wakes a tenth
/// of a millisecond late, two or three where processors are busy: slow writes, too, take no more than one.
const AHEAD: Duration = Duration::from_micros(700);

/// When the bytes granted so far will have passed at their rates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    free_at: Option<Instant>,
}

impl Pacer {
    /// When a write of `bytes` may begin if `rate` bytes pass in a second.
    pub(crate) fn grant(&mut self, now: Instant, bytes: u64, rate: u64) -> Instant {
        let earliest = now.checked_sub(CREDIT).unwrap_or(now);
        let begins = self.free_at.map_or(earliest, |free_at| free_at.max(earliest));
        let takes = Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64);
        self.free_at = Some(begins + takes);
        if begins <= now + AHEAD { now } else { begins }
    }
}

#[cfg(test)]
mod tests;
