//! Spreads delayed writes over time.
//!
//! A sleep costs more than the write that it holds back, and wakes late. So writes may run ahead of
//! their rate for a moment, and one of them then sleeps for all: few writes are slow instead of most.
//! In a short slowdown few are slow among all writes of the database, and in a long one each a little
//! (docs/background-work.md has what that gave).

use std::time::{Duration, Instant};

/// How far behind the clock what was charged may lag: what was not used is not saved up for longer.
const CREDIT: Duration = Duration::from_millis(1);

/// How far ahead of the clock writes may run before one waits; then it waits for all of it. Who sleeps wakes a tenth
/// of a millisecond late, two or three where processors are busy: slow writes, too, take no more than one.
const AHEAD: Duration = Duration::from_micros(700);

/// How far ahead they may run while few have waited: a short slowdown has waits that are longer and so few that the
/// slowest thousandth of all writes hardly knows of them.
const AHEAD_OF_FEW: Duration = Duration::from_millis(3);

/// What is longer counts as such a wait.
const LONG_WAIT: Duration = Duration::from_micros(1400);

/// Of so many writes one may have waited that long.
const WRITES_PER_LONG_WAIT: u64 = 2500;

/// Writes that count: so many long waits may follow each other.
const REMEMBERED_WRITES: u64 = 200 * WRITES_PER_LONG_WAIT;

/// When the bytes charged so far will have passed at their rates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    free_at: Option<Instant>,
    /// Writes of the database for which there were long waits; where many wait at once, more than there were.
    spent: u64,
}

impl Pacer {
    /// When a write, before which there were `number` since the database was opened, may begin: once what was charged
    /// has passed, or at once if that is soon.
    pub(crate) fn begins_at(&self, now: Instant, number: u64) -> Instant {
        let free_at = self.free_at(now);
        let may_be_long = number >= self.spent_before(number) + WRITES_PER_LONG_WAIT;
        let ahead = if may_be_long { AHEAD_OF_FEW } else { AHEAD };
        if free_at <= now + ahead { now } else { free_at }
    }

    /// `bytes` are written, of which `rate` pass in a second.
    pub(crate) fn charge(&mut self, now: Instant, bytes: u64, rate: u64) {
        let takes = Duration::from_secs_f64(bytes as f64 / rate.max(1) as f64);
        self.free_at = Some(self.free_at(now) + takes);
    }

    fn free_at(&self, now: Instant) -> Instant {
        let earliest = now.checked_sub(CREDIT).unwrap_or(now);
        self.free_at.map_or(earliest, |free_at| free_at.max(earliest))
    }

    /// Whether a wait is one of those that few writes may have.
    pub(crate) fn is_long(wait: Duration) -> bool {
        wait > LONG_WAIT
    }

    /// Takes note that so many `writes` have a long wait because the one of that `number` does.
    pub(crate) fn count_long_wait(&mut self, number: u64, writes: u64) {
        let spent = self.spent_before(number) + writes * WRITES_PER_LONG_WAIT;
        self.spent = spent.min(number + REMEMBERED_WRITES);
    }

    fn spent_before(&self, number: u64) -> u64 {
        self.spent.max(number.saturating_sub(REMEMBERED_WRITES))
    }
}

#[cfg(test)]
mod tests;
