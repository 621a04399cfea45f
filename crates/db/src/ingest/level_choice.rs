//! Which level and sequence number the files get, and what that depends on.

use super::external_file::ranges_meet;
use super::overlap::UserKeyRange;
use super::placement::{LevelView, Placement, Rules, place};
use super::{IngestedFile, Ingestion, overlap_with_timestamps, to_dropped};
use crate::db_impl::{DbImpl, Writing};
use crate::db_state::FamilyState;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{Result, SequenceNumber, Status};
use compaction::picker::tree::TreeState;
use options::CompactionStyle;
use std::sync::Arc;
use table::ReadOptions;
use version::{FileMetaData, Version};

impl DbImpl {
    /// Chooses a level and a sequence number for each file, and keeps compactions from writing there.
    /// Returns the last sequence number given out.
    pub(super) fn place_files(
        &self,
        writing: &Writing,
        ingestion: &mut Ingestion,
    ) -> Result<SequenceNumber> {
        loop {
            let family = ingestion.family.clone();
            let version = family.super_version.load().version.clone();
            // Reads files, so that no lock may be held.
            let keys = ingestion.levels_with_keys(&version)?;
            let mut state = writing.state.lock();
            let oldest_snapshot = state.oldest_snapshot;
            let found = state.family_mut(family.id).ok_or_else(to_dropped)?;
            if !Arc::ptr_eq(&version, &found.data.super_version.load().version) {
                // A compaction has ended meanwhile.
                continue;
            }
            let tree =
                TreeState::new(&found.compaction.picker_input(&family, &version, oldest_snapshot));
            let rules = Rules {
                base_level: tree.targets.base_level.unwrap_or(0),
                hides_from_snapshots: ingestion.options.snapshot_consistency
                    && writing.snapshots.count() > 0,
                files_overlap: ingestion.files_overlap,
                has_one_level: found.compaction.options.compaction_style == CompactionStyle::Fifo,
                above_level: None,
                only_last_level: ingestion.options.fail_if_not_bottommost_level,
            };
            let last = self.visibility.last_sequence();
            let last = ingestion.place(found, &version, &keys, rules, last)?;
            ingestion.register(found);
            return Ok(last);
        }
    }
}

impl Ingestion {
    /// For each file and level whether there are keys within the file's range, down to the first level
    /// that has some.
    fn levels_with_keys(&self, version: &Version) -> Result<Vec<Vec<bool>>> {
        let read = ReadOptions {
            fill_cache: self.options.fill_cache,
            total_order_seek: true,
            ..ReadOptions::default()
        };
        let of_file = |file: &IngestedFile| {
            let mut levels = vec![false; version.num_levels()];
            for (level, has_keys) in levels.iter_mut().enumerate() {
                *has_keys = file.range().is_in_level(&self.family, version, level, &read)?;
                if *has_keys {
                    break;
                }
            }
            Ok(levels)
        };
        self.files.iter().map(of_file).collect()
    }

    /// Chooses for each file. Returns the last sequence number given out, at least `last`.
    fn place(
        &mut self,
        family: &FamilyState,
        version: &Version,
        keys: &[Vec<bool>],
        mut rules: Rules,
        mut last: SequenceNumber,
    ) -> Result<SequenceNumber> {
        let comparator = &self.family.comparator;
        // Files with keys in common go one above the other, those that come later further up.
        let mut batch_start = 0;
        for (index, keys) in keys.iter().enumerate() {
            let (before, file) = self.files.split_at(index);
            let mut batch = before[batch_start..].iter();
            if self.files_overlap
                && batch.any(|other| other.external.overlaps(&file[0].external, comparator))
            {
                rules.above_level = before[batch_start..].iter().map(|other| other.level).min();
                batch_start = index;
            }
            let view = |level: usize| self.level_view(family, version, level, &file[0], keys);
            let views: Vec<LevelView> = (0..version.num_levels()).map(view).collect();
            let placement = match self.options.ingest_behind {
                true => place_behind(version, &views)?,
                false => place(&views, &rules)?,
            };
            if placement.needs_sequence && comparator.timestamp_size() > 0 {
                return Err(overlap_with_timestamps("db"));
            }
            if placement.needs_sequence && !self.options.allow_global_seqno {
                return Err(Status::invalid_argument("Global seqno is required, but disabled"));
            }
            if placement.needs_sequence {
                last += 1;
                if last > MAX_SEQUENCE_NUMBER {
                    return Err(Status::aborted("there are no sequence numbers left"));
                }
            }
            let file = &mut self.files[index];
            file.level = placement.level;
            file.sequence = if placement.needs_sequence { last } else { 0 };
        }
        Ok(last)
    }

    fn level_view(
        &self,
        family: &FamilyState,
        version: &Version,
        level: usize,
        file: &IngestedFile,
        keys: &[bool],
    ) -> LevelView {
        let (comparator, external) = (&self.family.comparator, &file.external);
        let UserKeyRange { first, last } = file.range();
        let in_progress = &family.compaction.in_progress;
        let is_written = in_progress.writes_to_range(comparator, level, first, last);
        let bounds = (&external.smallest, &external.largest);
        let is_in_the_way = |other: &Arc<FileMetaData>| {
            ranges_meet(comparator, bounds, (&other.smallest, &other.largest))
        };
        LevelView {
            overlaps: keys.get(level).copied().unwrap_or(false) || is_written,
            fits: level == 0
                || !is_written && !version.level_files(level).iter().any(is_in_the_way),
        }
    }
}

/// Where a file goes that is to be under all data there is.
fn place_behind(version: &Version, levels: &[LevelView]) -> Result<Placement> {
    let last = levels.len().saturating_sub(1);
    if !levels.last().is_some_and(|view| view.fits) {
        return Err(Status::invalid_argument(
            "Can't ingest_behind file as it doesn't fit at the last level!",
        ));
    }
    let mut upper = (0..last).flat_map(|level| version.level_files(level));
    if upper.any(|file| file.smallest_seqno == 0) {
        return Err(Status::invalid_argument(
            "Can't ingest_behind file as despite cf_allow_ingest_behind=true there are files with 0 \
             seqno in database at upper levels!",
        ));
    }
    Ok(Placement { level: last, needs_sequence: false })
}
