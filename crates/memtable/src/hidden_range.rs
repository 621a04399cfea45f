//! Keys that need not be looked at again, since nothing of them shows.
//!
//! A table whose first keys are consumed gathers deletions at its front, and every scan from there
//! goes over all of them. The memtable that takes writes can keep what scans have learned: that of
//! no user key in a range anything shows, as of a sequence number. That stays so for later reads
//! of the same state until somebody writes into the range what is not a deletion, and whoever
//! writes looks. Many queues may be in one table: the longest ranges are kept, up to sixty-four. Three steps make
//! sure that no record is missed:
//!
//! | | |
//! |---|---|
//! | watch | under the writer's lock: who writes from here on breaks the range |
//! | look | through the memtable for records that came between the scan and the watch |
//! | show | under the lock, if the range is still watched and not broken |
//!
//! Who reads learns its sequence number first and then looks for a range.
//!
//! The next state of the column family has the same entries where a memtable was flushed, files were
//! merged, or another memtable takes the writes. What was known holds there, too, and is handed on.

mod slot;

pub(crate) use slot::HiddenRanges;
pub use slot::{HiddenRange, HiddenSlot, Unconverted};

/// Ranges that one memtable keeps.
pub(crate) const RANGES_MAX: usize = if cfg!(test) { 3 } else { 64 };

#[cfg(test)]
mod tests;
