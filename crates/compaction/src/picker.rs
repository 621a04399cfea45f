//! What to compact next: pure functions from a version, options and what runs already.
//!
//! A picker's choice is a [`Compaction`]; the caller registers it with
//! [`CompactionsInProgress`] and lets a job carry it out.

pub mod compact_files;
mod expand;
mod fifo;
mod intra_l0;
mod leveled;
pub mod manual;
mod marked;
pub mod options;
mod outputs;
mod overlap;
mod priority;
pub mod refit;
#[cfg(test)]
mod test_tree;
#[cfg(test)]
mod tests;
pub mod tree;
mod universal;

use crate::compaction::Compaction;
use crate::in_progress::CompactionsInProgress;
use base::{InternalKeyComparator, SequenceNumber};
use options::PickerOptions;
use std::collections::HashMap;
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData, LevelSize, Version};

/// The next compaction that the column family needs and that can run beside those that do. None if
/// there is nothing to do, or what there is has to wait for one of those.
///
/// Whether automatic compactions are on (`disable_auto_compactions`) is the caller's to know.
pub fn pick_compaction(input: &PickerInput<'_>) -> Option<Compaction> {
    match input.options.style() {
        CompactionStyle::Level => leveled::pick(input),
        CompactionStyle::Universal => universal::pick(input),
        CompactionStyle::Fifo => fifo::pick(input),
        CompactionStyle::None => None,
    }
}

/// Whether something wants compaction, be it that [`pick_compaction`] cannot let it run now.
pub fn needs_compaction(input: &PickerInput<'_>) -> bool {
    match input.options.style() {
        CompactionStyle::Level => leveled::needs_compaction(input),
        CompactionStyle::Universal => universal::needs_compaction(input),
        CompactionStyle::Fifo => fifo::needs_compaction(input),
        CompactionStyle::None => false,
    }
}

/// All that a picker looks at.
#[derive(Clone, Copy, Debug)]
pub struct PickerInput<'a> {
    /// The current version.
    pub version: &'a Arc<Version>,
    /// Order of its keys.
    pub comparator: &'a InternalKeyComparator,
    /// Options of the column family.
    pub options: &'a PickerOptions,
    /// What runs already in this column family.
    pub in_progress: &'a CompactionsInProgress,
    /// What is known from the properties of table files, by number. A file need not be there.
    pub table_facts: &'a HashMap<u64, TableFacts>,
    /// Sequence number of the oldest snapshot, or the last sequence number without one, as of when
    /// a snapshot was last released; 0 if none ever was. RocksDB rewrites bottommost files only
    /// then, and not because there never was a snapshot.
    pub oldest_snapshot: SequenceNumber,
    /// Seconds since 1970.
    pub now_seconds: u64,
}

impl PickerInput<'_> {
    /// Whether a running compaction reads the file.
    pub(crate) fn is_taken(&self, file: &FileMetaData) -> bool {
        self.in_progress.has_file(file.number)
    }

    /// Size of the file with what its deletions will free.
    pub(crate) fn compensated_size(&self, file: &FileMetaData) -> u64 {
        let facts = self.table_facts.get(&file.number);
        facts.map_or_else(
            || file.file_size.saturating_add(file.compensated_range_deletion_size),
            |facts| facts.compensated_file_size,
        )
    }

    /// What each level holds and how much of it is idle: the input of targets and scores.
    pub fn level_sizes(&self) -> Vec<LevelSize> {
        let sum = |sum: u64, bytes: u64| sum.saturating_add(bytes);
        let level_size = |level| {
            let files = self.version.level_files(level);
            let idle = || files.iter().filter(|file| !self.is_taken(file));
            LevelSize {
                files: files.len(),
                size_bytes: files.iter().map(|file| file.file_size).fold(0, sum),
                compensated_bytes: files
                    .iter()
                    .map(|file| self.compensated_size(file))
                    .fold(0, sum),
                idle_files: idle().count(),
                idle_compensated_bytes: idle().map(|file| self.compensated_size(file)).fold(0, sum),
            }
        };
        (0..self.version.num_levels()).map(level_size).collect()
    }
}

/// What a picker wants to know of a table that only its properties say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableFacts {
    /// Its size with what its deletions will free counted in, see [`compensated_file_size`];
    /// without it, the size and the `compensated_range_deletion_size` of the MANIFEST count.
    pub compensated_file_size: u64,
    /// When its newest entry was written (`rocksdb.newest.key.time`), in seconds since 1970.
    pub newest_key_time: Option<u64>,
}

/// A table's counts, from its properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileEntryCounts {
    /// Entries, deletions included.
    pub entries: u64,
    /// Deletions, range deletions included.
    pub deletions: u64,
    /// Range deletions.
    pub range_deletions: u64,
}

/// A file's size with what its deletions will free counted in: where more than half of its entries
/// are deletions, each above that frees two values of average size.
pub fn compensated_file_size(
    file: &FileMetaData,
    counts: FileEntryCounts,
    average_value_size: u64,
) -> u64 {
    let FileEntryCounts { entries, deletions, range_deletions } = counts;
    let twice_deletions = deletions.saturating_sub(range_deletions).saturating_mul(2);
    let surplus = twice_deletions.saturating_sub(entries);
    file.file_size
        .saturating_add(surplus.saturating_mul(average_value_size).saturating_mul(2))
        .saturating_add(file.compensated_range_deletion_size)
}
