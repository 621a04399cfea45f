//! How often and how long writes were held back, by cause.

use crate::flow_control::stall_condition::{StallCause, StallCondition};
use std::time::Duration;

/// Writes that had to wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeldWrites {
    /// Groups of writes.
    pub(crate) count: u64,
    pub(crate) time: Duration,
}

impl HeldWrites {
    fn add(&mut self, begins: bool, time: Duration) {
        self.count += u64::from(begins);
        self.time += time;
    }
}

/// Flushes that waited for a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FlushWaits {
    pub(crate) count: u64,
    pub(crate) time: Duration,
    pub(crate) longest: Duration,
}

/// What was counted since the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StallTimes {
    delayed: [HeldWrites; StallCause::ALL.len()],
    stopped: [HeldWrites; StallCause::ALL.len()],
    /// Writes with `low_pri`, slowed down before others are.
    pub(crate) low_pri: HeldWrites,
    /// Writes that waited for the memory of all memtables.
    pub(crate) memory: HeldWrites,
    /// How long flushes waited until a thread took them up.
    pub(crate) flush_waits: FlushWaits,
}

impl StallTimes {
    /// A write waited for `time` under a condition; `begins` if this is where its wait under it
    /// began.
    pub(crate) fn add(&mut self, condition: StallCondition, begins: bool, time: Duration) {
        match condition {
            StallCondition::Normal => {}
            StallCondition::Delayed(cause) => self.delayed[cause as usize].add(begins, time),
            StallCondition::Stopped(cause) => self.stopped[cause as usize].add(begins, time),
        }
    }

    /// A write with `low_pri` waited for `time`.
    pub(crate) fn add_low_pri(&mut self, time: Duration) {
        self.low_pri.add(true, time);
    }

    /// A write waited for `time` for the memory of all memtables.
    pub(crate) fn add_memory(&mut self, time: Duration) {
        self.memory.add(true, time);
    }

    /// A flush waited for `time` until a thread took it up.
    pub(crate) fn add_flush_wait(&mut self, time: Duration) {
        let waits = &mut self.flush_waits;
        waits.count += 1;
        waits.time += time;
        waits.longest = waits.longest.max(time);
    }

    /// Writes delayed for that cause.
    pub(crate) fn delayed(&self, cause: StallCause) -> HeldWrites {
        self.delayed[cause as usize]
    }

    /// Writes stopped for that cause.
    pub(crate) fn stopped(&self, cause: StallCause) -> HeldWrites {
        self.stopped[cause as usize]
    }

    /// Time that writes waited, without those with `low_pri`, in microseconds.
    pub(crate) fn micros(&self) -> u64 {
        let held = self.delayed.iter().chain(&self.stopped).chain([&self.memory]);
        let time: Duration = held.map(|held| held.time).sum();
        u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests;
