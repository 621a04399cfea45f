//! Which operations are timed, of those that are short and happen often.
//!
//! Reading the clock twice takes a few percent of a lookup. So at the default level only some
//! operations are timed, and each also stands for those up to the next one that is timed. A histogram
//! has as many values as there were operations. Its percentiles and its sum are right in the mean,
//! since the gaps are random and know nothing of the times; of rare outliers it tells less than if all
//! were timed, as they are at levels above the default.
//!
//! ```text
//! operations   t t t t … t . . . . . t . t . . . . . . . . . t . . .     t timed   . as the t before
//!              the first few          then one in MEAN_GAP
//! ```

use crate::Moment;
use std::cell::Cell;

/// At the default level one operation in so many is timed.
pub(crate) const MEAN_GAP: u64 = 64;

/// The first operations of a thread are all timed, so many of each kind.
pub(crate) const ALL_TIMED: u64 = 32;

/// An operation that runs in this thread;
/// [`Recorder::start_operation`](crate::Recorder::start_operation).
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "it is to be given to `end_operation`"]
pub struct OperationTimer {
    /// None if it is not timed.
    pub(crate) start: Option<Moment>,
}

/// How many operations the one stands for that ended now, beside itself: evenly from 0 to twice the
/// mean.
pub(crate) fn random_gap() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = const { Cell::new(0x9e37_79b9_7f4a_7c15) };
    }
    let mut random = STATE.get();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    STATE.set(random);
    ((random >> 32) * (2 * MEAN_GAP - 1)) >> 32
}

#[cfg(test)]
mod tests;
