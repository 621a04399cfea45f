//! `rocksdb.compaction-pending`: whether some compaction is due.

use crate::property::table_stats::TableStats;
use base::Result;
use options::{ColumnFamilyOptions, CompactionStyle};
use version::{FileMetaData, Version};

/// What tells how old the files of a version are.
pub(crate) struct FileAges<'a> {
    pub(crate) tables: &'a TableStats,
    /// When a file was last written, by the file system.
    pub(crate) modification_time: &'a dyn Fn(&FileMetaData) -> Result<u64>,
    /// Seconds since 1970.
    pub(crate) now: u64,
}

impl FileAges<'_> {
    /// When the oldest data of a file was written; 0 if unknown.
    pub(crate) fn oldest_ancester_time(&self, file: &FileMetaData) -> u64 {
        match (file.oldest_ancester_time, self.tables.file(file.number)) {
            (0, Some(stats)) => stats.creation_time,
            (time, _) => time,
        }
    }

    fn file_creation_time(&self, file: &FileMetaData) -> u64 {
        match (file.file_creation_time, self.tables.file(file.number)) {
            (0, Some(stats)) => stats.file_creation_time,
            (time, _) => time,
        }
    }

    /// Whether a file's data is older than `ttl` seconds; 0 is no limit.
    pub(crate) fn is_expired(&self, file: &FileMetaData, ttl: u64) -> bool {
        let time = self.oldest_ancester_time(file);
        // Before `ttl` seconds have passed since 1970, RocksDB's subtraction wraps.
        ttl > 0 && time > 0 && time < self.now.wrapping_sub(ttl)
    }

    fn is_due(&self, file: &FileMetaData, period: u64) -> bool {
        if period == 0 || period > self.now {
            return false;
        }
        let times = [self.file_creation_time(file), self.oldest_ancester_time(file)];
        let known = times.into_iter().find(|&time| time > 0);
        let time = known.or_else(|| (self.modification_time)(file).ok()).unwrap_or(0);
        time > 0 && time < self.now - period
    }
}

/// Whether RocksDB would compact something, under sanitized options. `scores` are those of the
/// levels from L0 on.
pub(crate) fn is_compaction_pending(
    version: &Version,
    options: &ColumnFamilyOptions,
    scores: &[f64],
    ages: &FileAges<'_>,
) -> bool {
    let is_due = || {
        let mut files = version.files();
        files.any(|(_, file)| ages.is_due(file, options.periodic_compaction_seconds))
    };
    match options.compaction_style {
        CompactionStyle::Level => {
            let above_last =
                || version.files().filter(|(level, _)| level + 1 < version.num_levels());
            scores.iter().any(|&score| score >= 1.0)
                || above_last().any(|(_, file)| ages.is_expired(file, options.ttl))
                || is_due()
                || has_marked_file(version)
                || needs_blob_garbage_collection(version, options)
        }
        CompactionStyle::Universal => {
            scores.first().is_some_and(|&score| score >= 1.0)
                || is_due()
                || has_marked_file(version)
        }
        CompactionStyle::Fifo => scores.first().is_some_and(|&score| score >= 1.0),
        CompactionStyle::None => false,
    }
}

/// Whether a table properties collector asked for the compaction of a file above the last level
/// that has any.
fn has_marked_file(version: &Version) -> bool {
    let last =
        (1..version.num_levels()).rev().find(|&level| !version.level_files(level).is_empty());
    let levels = 0..last.unwrap_or(1);
    levels
        .into_iter()
        .any(|level| version.level_files(level).iter().any(|file| file.marked_for_compaction))
}

/// Whether the blob files that the oldest one's tables keep alive hold too much garbage.
fn needs_blob_garbage_collection(version: &Version, options: &ColumnFamilyOptions) -> bool {
    let cutoff = options.blob_garbage_collection_age_cutoff;
    let threshold = options.blob_garbage_collection_force_threshold;
    let blobs = version.blob_files();
    if !options.enable_blob_garbage_collection || cutoff <= 0.0 || threshold >= 1.0 {
        return false;
    }
    let old_enough = ((cutoff * blobs.len() as f64) as usize).min(blobs.len());
    if old_enough == 0 {
        return false;
    }
    // The batch ends before the next file that some table is linked to.
    let starts_batch = |index: usize| blobs.get(index).is_none_or(|b| !b.linked_ssts.is_empty());
    let batch = (1..old_enough).find(|&index| starts_batch(index)).unwrap_or(old_enough);
    if !starts_batch(batch) {
        return false;
    }
    let sum = |bytes: fn(&version::BlobFileMetaData) -> u64| {
        blobs[..batch].iter().fold(0_u64, |sum, file| sum.saturating_add(bytes(file)))
    };
    let (garbage, total) =
        (sum(|file| file.garbage_blob_bytes), sum(|file| file.addition.total_blob_bytes));
    garbage as f64 >= threshold * total as f64
}
