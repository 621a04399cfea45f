//! Moments, to measure how long something takes.
//!
//! They are read from the processor's time stamp counter where that runs at one rate and is the same
//! on all processors, else from the operating system: what is timed takes a microsecond, and asking
//! the system would be a good part of that.

use quanta::Clock;
use std::num::NonZeroU64;
use std::sync::OnceLock;

/// A moment. Only differences of two mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment(NonZeroU64);

/// Reads moments.
#[derive(Clone, Debug)]
pub struct MomentClock(Clock);

impl Default for MomentClock {
    /// The first one of a process finds out how fast the counter runs, which takes some
    /// milliseconds.
    fn default() -> Self {
        Self(Clock::new())
    }
}

impl MomentClock {
    /// That of this process.
    #[inline]
    pub fn get() -> &'static Self {
        static CLOCK: OnceLock<MomentClock> = OnceLock::new();
        CLOCK.get_or_init(Self::default)
    }

    /// This moment.
    #[inline]
    pub fn now(&self) -> Moment {
        Moment(NonZeroU64::new(self.0.raw()).unwrap_or(NonZeroU64::MIN))
    }

    /// Nanoseconds since `start`.
    #[inline]
    pub(crate) fn nanos_since(&self, start: Moment) -> u64 {
        self.nanos_between(start, self.now())
    }

    /// Nanoseconds from `start` to `end`; 0 if that is not later.
    #[inline]
    pub fn nanos_between(&self, start: Moment, end: Moment) -> u64 {
        self.0.delta_as_nanos(start.0.get(), end.0.get())
    }
}

#[cfg(test)]
mod tests;
