//! The order of L0 files: each flush and each ingestion takes the next number of its column family.

use crate::file_metadata::INGESTED_BEHIND_EPOCH_NUMBER;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives out the epoch numbers of a column family, each once. Needs no lock.
///
/// A flush takes its number when it picks its memtables, so that the numbers grow with the data's
/// age even where flushes end in another order. The output of a compaction has the smallest number
/// of its inputs.
#[derive(Debug)]
pub struct EpochNumbers {
    /// Relaxed: order comes from the lock under which memtables are picked.
    next: AtomicU64,
}

impl EpochNumbers {
    /// Starts at `next`, and never with a number that is reserved: 0 is "unknown", and 1 is for
    /// files ingested behind all others where `allow_ingest_behind` is set.
    pub fn new(next: u64, allow_ingest_behind: bool) -> Self {
        Self { next: AtomicU64::new(next.max(first_epoch_number(allow_ingest_behind))) }
    }

    /// A number larger than all given out before.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The number that would be given out next.
    pub fn peek(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Never gives out `number`, nor any below it.
    pub fn mark_used(&self, number: u64) {
        self.next.fetch_max(number.saturating_add(1), Ordering::Relaxed);
    }
}

/// The smallest number that a flush may get.
pub(crate) fn first_epoch_number(allow_ingest_behind: bool) -> u64 {
    if allow_ingest_behind { INGESTED_BEHIND_EPOCH_NUMBER + 1 } else { 1 }
}

#[cfg(test)]
mod tests;
