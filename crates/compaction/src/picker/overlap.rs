//! Which files of a level a range of keys touches, and where a level can be cut.

use super::PickerInput;
use crate::compaction::{CompactionInputFiles, compare_boundaries};
use base::InternalKey;
use std::ops::Range;
use std::sync::Arc;
use version::FileMetaData;

/// From the smallest to the largest key of some files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    pub(crate) smallest: InternalKey,
    pub(crate) largest: InternalKey,
}

impl KeyRange {
    pub(crate) fn of(file: &FileMetaData) -> Self {
        Self { smallest: file.smallest.clone(), largest: file.largest.clone() }
    }

    fn ends(&self) -> (Option<&InternalKey>, Option<&InternalKey>) {
        (Some(&self.smallest), Some(&self.largest))
    }
}

impl PickerInput<'_> {
    /// From the smallest to the largest key of the files of any levels; none without files.
    pub(crate) fn key_range<'f>(
        &self,
        inputs: impl IntoIterator<Item = &'f CompactionInputFiles>,
    ) -> Option<KeyRange> {
        inputs.into_iter().flat_map(|input| &input.files).fold(None, |range, file| {
            let Some(mut range) = range else {
                return Some(KeyRange::of(file));
            };
            if self.compare_keys(&file.smallest, &range.smallest).is_lt() {
                range.smallest = file.smallest.clone();
            }
            if self.compare_keys(&file.largest, &range.largest).is_gt() {
                range.largest = file.largest.clone();
            }
            Some(range)
        })
    }

    /// The files of `level` that hold user keys of the range. In L0 the range grows with each
    /// file found, and so takes in all files that overlap one another.
    pub(crate) fn overlapping(&self, level: usize, range: &KeyRange) -> CompactionInputFiles {
        self.overlapping_between(level, range.ends())
    }

    /// [`PickerInput::overlapping`] for a range that may be open at either end.
    pub(crate) fn overlapping_between(
        &self,
        level: usize,
        ends: (Option<&InternalKey>, Option<&InternalKey>),
    ) -> CompactionInputFiles {
        if level == 0 {
            return CompactionInputFiles { level, files: self.overlapping_l0(ends) };
        }
        let files = self.version.level_files(level)[self.overlapping_indexes(level, ends)].to_vec();
        CompactionInputFiles { level, files }
    }

    fn overlapping_l0(
        &self,
        (begin, end): (Option<&InternalKey>, Option<&InternalKey>),
    ) -> Vec<Arc<FileMetaData>> {
        let compare = |a: &[u8], b: &[u8]| self.comparator.compare_without_timestamp(a, b);
        let mut begin = begin.map(InternalKey::user_key);
        let mut end = end.map(InternalKey::user_key);
        let files = self.version.level_files(0);
        let mut is_in = vec![false; files.len()];
        loop {
            let mut found = false;
            for (file, is_in) in files.iter().zip(&mut is_in).filter(|(_, is_in)| !**is_in) {
                let (smallest, largest) = (file.smallest.user_key(), file.largest.user_key());
                let is_before = begin.is_some_and(|begin| compare(largest, begin).is_lt());
                let is_after = end.is_some_and(|end| compare(smallest, end).is_gt());
                if is_before || is_after {
                    continue;
                }
                (*is_in, found) = (true, true);
                begin = begin.map(|at| if compare(smallest, at).is_lt() { smallest } else { at });
                end = end.map(|at| if compare(largest, at).is_gt() { largest } else { at });
            }
            if !found {
                break;
            }
        }
        files.iter().zip(is_in).filter(|(_, is_in)| *is_in).map(|(f, _)| Arc::clone(f)).collect()
    }

    /// Positions of the files of a level below L0 that hold user keys of the range.
    fn overlapping_indexes(
        &self,
        level: usize,
        (begin, end): (Option<&InternalKey>, Option<&InternalKey>),
    ) -> Range<usize> {
        let files = self.version.level_files(level);
        let start = begin.map_or(0, |begin| {
            files
                .partition_point(|f| compare_boundaries(self.comparator, &f.largest, begin).is_lt())
        });
        let end = end.map_or(files.len(), |end| {
            files.partition_point(|f| compare_boundaries(self.comparator, &f.smallest, end).is_le())
        });
        start..end.max(start)
    }

    /// The files of a level below L0 that lie within the range and share no user key with files
    /// outside of it.
    pub(crate) fn clean_inputs_within(
        &self,
        level: usize,
        range: &KeyRange,
    ) -> CompactionInputFiles {
        let files = self.version.level_files(level);
        let shares_key = |left: usize| self.shares_user_key(&files[left], &files[left + 1]);
        let compare = |a: &InternalKey, b: &InternalKey| compare_boundaries(self.comparator, a, b);
        let mut start =
            files.partition_point(|file| compare(&file.smallest, &range.smallest).is_lt());
        while start > 0 && start < files.len() && shares_key(start - 1) {
            start += 1;
        }
        let mut end = files.partition_point(|file| compare(&file.largest, &range.largest).is_le());
        while end > start && end < files.len() && shares_key(end - 1) {
            end -= 1;
        }
        CompactionInputFiles { level, files: files[start..end.max(start)].to_vec() }
    }

    /// Whether a user key may be in both of two neighbouring files.
    pub(crate) fn shares_user_key(&self, left: &FileMetaData, right: &FileMetaData) -> bool {
        compare_boundaries(self.comparator, &left.largest, &right.smallest).is_eq()
    }

    /// `inputs` with all neighbours that share user keys with it; the versions of a key must move
    /// down together. None if one of the files is taken by another compaction.
    pub(crate) fn expanded_to_clean_cut(
        &self,
        inputs: CompactionInputFiles,
    ) -> Option<CompactionInputFiles> {
        let mut inputs = inputs;
        while inputs.level > 0 {
            let range = self.key_range([&inputs])?;
            let expanded = self.overlapping(inputs.level, &range);
            let is_final = expanded.files.len() <= inputs.files.len();
            inputs = expanded;
            if is_final {
                break;
            }
        }
        // Files of L0 are taken whole, with all that overlap them.
        (inputs.level == 0 || !self.are_taken(&inputs)).then_some(inputs)
    }

    /// Whether another compaction reads one of the files.
    pub(crate) fn are_taken(&self, inputs: &CompactionInputFiles) -> bool {
        inputs.files.iter().any(|file| self.is_taken(file))
    }

    /// Whether a running compaction writes into the range of these inputs at `level`.
    pub(crate) fn conflicts_with_running<'f>(
        &self,
        inputs: impl IntoIterator<Item = &'f CompactionInputFiles>,
        level: usize,
    ) -> bool {
        self.key_range(inputs).is_some_and(|range| {
            let (smallest, largest) = (range.smallest.user_key(), range.largest.user_key());
            self.in_progress.writes_to_range(self.comparator, level, smallest, largest)
        })
    }

    /// Levels up to the last that has files.
    pub(crate) fn num_non_empty_levels(&self) -> usize {
        let levels = 0..self.version.num_levels();
        levels.rev().find(|level| !self.version.level_files(*level).is_empty()).map_or(0, |l| l + 1)
    }

    /// Whether keys of the range may be in older runs than those up to `level`; of an L0 file,
    /// `level0_position` is its place. RocksDB takes no L0 file for the bottom but the oldest, and
    /// only where all other levels are empty.
    pub(crate) fn range_might_exist_below(
        &self,
        (smallest, largest): (&[u8], &[u8]),
        level: usize,
        level0_position: usize,
    ) -> bool {
        if level == 0 && level0_position + 1 != self.version.level_files(0).len() {
            return true;
        }
        let compare = |a: &[u8], b: &[u8]| self.comparator.compare_without_timestamp(a, b);
        (level + 1..self.version.num_levels()).any(|below| {
            let files = self.version.level_files(below);
            let at = files.partition_point(|f| compare(f.largest.user_key(), smallest).is_lt());
            !files.is_empty()
                && (level == 0
                    || files
                        .get(at)
                        .is_some_and(|f| compare(f.smallest.user_key(), largest).is_le()))
        })
    }
}
