//! Spreads delayed writes over time.
//!
//! A sleep costs more than the write that it holds back, and wakes late. So writes may run ahead of
//! their rate for a moment, and one of them then sleeps for all: few writes are slow instead of most.
//! In a short slowdown few are slow among all writes of the database, and in a long one each a little
//! (docs/background-work.md has what that gave).

use std::time::{Duration, Instant};

/// How far behind the clock grants may lag: what was not used is not saved up for longer.
const CREDIT: Duration = Duration::from_millis(1);

/// How far ahead of the clock grants may run before one waits; then it waits for all of it. Who sleeps wakes a tenth
/// of a millisecond late, two or three where processors are busy: slow writes, too, take no more than one.
const AHEAD: Duration = Duration::from_micros(700);

/// How far ahead they may run while few have waited: a short slowdown has waits that are longer and so few that the
/// slowest thousandth of all writes hardly knows of them.
const AHEAD_OF_FEW: Duration = Duration::from_millis(3);

/// Of so many writes one may have waited that long.
const WRITES_PER_LONG_WAIT: u64 = 2500;

/// Long waits that may follow each other.
const LONG_WAITS_MAX: u64 = 200;

/// A write that has to ask.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DelayedWrite {
    /// About how many there were before in the database.
    pub(crate) number: u64,
    pub(crate) bytes: u64,
    /// How many others wait behind it, and as long.
    pub(crate) followers: u64,
}

/// When the bytes granted so far will have passed at their rates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pacer {
    free_at: Option<Instant>,
    /// Writes of the database for which others had long waits, or may have none any more.
    spent: u64,
}

impl Pacer {
    /// When `write` may begin if `rate` bytes pass in a second.
    pub(crate) fn grant(&mut self, now: Instant, write: DelayedWrite, rate: u64) -> Instant {
        let earliest = now.checked_sub(CREDIT).unwrap_or(now);
        let begins = self.free_at.map_or(earliest, |free_at| free_at.max(earliest));
        let takes = Duration::from_secs_f64(write.bytes as f64 / rate.max(1) as f64);
        self.free_at = Some(begins + takes);
        let forgotten = write.number.saturating_sub(LONG_WAITS_MAX * WRITES_PER_LONG_WAIT);
        self.spent = self.spent.max(forgotten);
        let price = (1 + write.followers) * WRITES_PER_LONG_WAIT;
        let may_be_long = write.number >= self.spent + price;
        if begins <= now + if may_be_long { AHEAD_OF_FEW } else { AHEAD } {
            return now;
        }
        if may_be_long {
            self.spent += price;
        }
        begins
    }
}

#[cfg(test)]
mod tests;
