//! Spreads delayed writes over time.

use std::time::{Duration, Instant};

/// How far behind the clock grants may lag: what was not used is not saved up for longer.
const CREDIT: Duration = Duration::from_millis(1);

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
        begins.max(now)
    }
}

#[cfg(test)]
mod tests;
