//! What seeks of one iterator came to: data blocks read, and values taken from them.
//!
//! A seek is so short that reaching its thread's counters for each of these would show. So an iterator
//! counts in itself, and adds that up now and then, and when it is dropped.

use crate::block_based::table_stats::TableStats;
use std::cell::Cell;

/// After so many seeks they are added up.
const SEEKS_MAX: u32 = 32;

/// What seeks of one iterator came to that is not added up yet.
#[derive(Debug)]
pub(super) struct SeekTally {
    last: Cell<LastSeek>,
    /// Of these, blocks were read.
    with_data: Cell<u32>,
    /// Of these, values were taken, where the filter was not asked, and where it was.
    with_value: [Cell<u32>; 2],
}

/// How far the last seek has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastSeek {
    /// Nobody counts, or all is counted.
    Settled,
    /// No block was read yet. Whether the filter was asked.
    Begun { was_filtered: bool },
    /// A block was read, and no value taken yet.
    WithData { was_filtered: bool },
}

impl SeekTally {
    pub(super) fn new() -> Self {
        let with_value = [Cell::new(0), Cell::new(0)];
        Self { last: Cell::new(LastSeek::Settled), with_data: Cell::new(0), with_value }
    }

    /// A seek begins that counts.
    #[inline]
    pub(super) fn begin(&self, was_filtered: bool) {
        self.last.set(LastSeek::Begun { was_filtered });
    }

    /// A block was read.
    #[inline]
    pub(super) fn note_block(&self, stats: &TableStats) {
        if let LastSeek::Begun { was_filtered } = self.last.get() {
            self.last.set(LastSeek::WithData { was_filtered });
            self.with_data.set(self.with_data.get() + 1);
            if self.with_data.get() == SEEKS_MAX {
                self.add_up(stats);
            }
        }
    }

    /// A value was taken.
    #[inline]
    pub(super) fn note_value(&self) {
        if let LastSeek::WithData { was_filtered } = self.last.get() {
            self.last.set(LastSeek::Settled);
            let count = &self.with_value[usize::from(was_filtered)];
            count.set(count.get() + 1);
        }
    }

    /// Adds all up; the last seek may still go on.
    #[inline(never)]
    pub(super) fn add_up(&self, stats: &TableStats) {
        let with_data = u64::from(self.with_data.take());
        let with_value = self.with_value.each_ref().map(|count| u64::from(count.take()));
        stats.count_seeks(with_data, with_value);
    }

    /// Whether there is nothing to be added up.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        // What has a value has data, but that may be added up already.
        self.with_data.get() | self.with_value[0].get() | self.with_value[1].get() == 0
    }
}
