//! Files that want compaction for what they are and not for the size of their level.

use super::PickerInput;
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData};

/// Files with their levels, upper levels first.
pub(crate) type LevelFiles = Vec<(usize, Arc<FileMetaData>)>;

impl PickerInput<'_> {
    fn idle_files(
        &self,
        levels: usize,
        wants: impl Fn(usize, usize, &FileMetaData) -> bool,
    ) -> LevelFiles {
        let positions = (0..levels).flat_map(|level| {
            self.version.level_files(level).iter().enumerate().map(move |file| (level, file))
        });
        positions
            .filter(|(level, (position, file))| {
                !self.is_taken(file) && wants(*level, *position, file)
            })
            .map(|(level, (_, file))| (level, Arc::clone(file)))
            .collect()
    }

    /// `marked_for_compaction`, by a table properties collector or `SuggestCompactRange`. Not those
    /// of the last level with files: there is nowhere to take them.
    pub(crate) fn files_marked_for_compaction(&self) -> LevelFiles {
        let non_empty = self.num_non_empty_levels().min(self.options.max_output_level() + 1);
        self.idle_files(non_empty.saturating_sub(1).max(1), |_, _, file| file.marked_for_compaction)
    }

    /// Files with nothing below them whose sequence numbers no snapshot needs any more: rewritten
    /// in place, they lose old versions and deletions.
    pub(crate) fn bottommost_files_marked_for_compaction(&self) -> LevelFiles {
        if self.options.allow_ingest_behind || self.oldest_snapshot == 0 {
            return Vec::new();
        }
        let delay = u64::from(self.options.bottommost_file_compaction_delay_seconds);
        self.idle_files(self.version.num_levels(), |level, position, file| {
            let range = (file.smallest.user_key(), file.largest.user_key());
            let is_old_enough = delay == 0
                || file.file_creation_time == 0
                || file.file_creation_time <= self.now_seconds.saturating_sub(delay);
            // 0 if it was rewritten already and nothing had to be kept.
            file.largest_seqno != 0
                && file.largest_seqno < self.oldest_snapshot
                && is_old_enough
                && !self.range_might_exist_below(range, level, position)
        })
    }

    /// Files with data older than `ttl`; leveled only, and not those of the last level.
    pub(crate) fn expired_ttl_files(&self) -> LevelFiles {
        let ttl = self.options.ttl_seconds;
        if ttl == 0 || self.options.style() != CompactionStyle::Level {
            return Vec::new();
        }
        let expired_before = self.now_seconds.saturating_sub(ttl);
        self.idle_files(self.version.num_levels().saturating_sub(1), |_, _, file| {
            file.oldest_ancester_time > 0 && file.oldest_ancester_time < expired_before
        })
    }

    /// Files written longer than `periodic_compaction_seconds` ago. A file whose times are unknown
    /// is not one of them.
    pub(crate) fn files_marked_for_periodic_compaction(&self) -> LevelFiles {
        let seconds = self.options.periodic_compaction_seconds;
        if seconds == 0 || seconds > self.now_seconds {
            return Vec::new();
        }
        let due_before = self.now_seconds - seconds;
        self.idle_files(self.options.max_output_level() + 1, |_, _, file| {
            let written = match file.file_creation_time {
                0 => file.oldest_ancester_time,
                time => time,
            };
            written > 0 && written < due_before
        })
    }

    /// The tables that refer to the oldest blob files, where those that are old
    /// (`blob_garbage_collection_age_cutoff`) hold too much garbage
    /// (`blob_garbage_collection_force_threshold`).
    pub(crate) fn files_marked_for_forced_blob_gc(&self) -> LevelFiles {
        let cutoff = self.options.blob_garbage_collection_age_cutoff;
        let threshold = self.options.blob_garbage_collection_force_threshold;
        let blob_files = self.version.blob_files();
        // Written so that a NaN from an OPTIONS file means no.
        let is_on = self.options.enable_blob_garbage_collection && cutoff > 0.0 && threshold < 1.0;
        let old_count = (cutoff * blob_files.len() as f64) as usize;
        let old_files = &blob_files[..old_count.min(blob_files.len())];
        let Some(oldest) = old_files.first().filter(|_| is_on) else {
            return Vec::new();
        };
        let sum = |bytes: fn(&version::BlobFileMetaData) -> u64| {
            old_files.iter().fold(0_u64, |sum, file| sum.saturating_add(bytes(file)))
        };
        let total = sum(|file| file.addition.total_blob_bytes);
        let garbage = sum(|file| file.garbage_blob_bytes);
        if (garbage as f64) < threshold * total as f64 {
            return Vec::new();
        }
        self.idle_files(self.version.num_levels(), |_, _, file| {
            oldest.linked_ssts.contains(&file.number)
        })
    }
}
