//! What to compact next: pure functions from a version, options and what runs already.
//!
//! A picker's choice is a [`Compaction`](crate::Compaction); the caller registers it with
//! [`CompactionsInProgress`] and lets a job carry it out.

pub mod options;

use crate::in_progress::CompactionsInProgress;
use base::{InternalKeyComparator, SequenceNumber};
use options::PickerOptions;
use std::collections::HashMap;
use std::sync::Arc;
use version::{FileMetaData, LevelSize, Version};

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
    /// Sizes of table files by number with what their deletions will free counted in, see
    /// [`compensated_file_size`]. A file that is not there counts with its size and its
    /// `compensated_range_deletion_size`.
    pub compensated_file_sizes: &'a HashMap<u64, u64>,
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
        let size = self.compensated_file_sizes.get(&file.number).copied();
        size.unwrap_or_else(|| file.file_size.saturating_add(file.compensated_range_deletion_size))
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
                idle_files: idle().count(),
                idle_compensated_bytes: idle().map(|file| self.compensated_size(file)).fold(0, sum),
            }
        };
        (0..self.version.num_levels()).map(level_size).collect()
    }
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
