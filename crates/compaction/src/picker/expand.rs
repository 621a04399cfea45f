//! From the files that were picked to all files that must, or may well, go with them.

use super::PickerInput;
use super::overlap::KeyRange;
use crate::compaction::{CompactionInputFiles, total_file_size};
use std::sync::Arc;
use version::FileMetaData;

/// Inputs of the start level and the output level.
#[derive(Debug)]
pub(crate) struct TwoLevels {
    pub(crate) start: CompactionInputFiles,
    /// May be empty.
    pub(crate) output: CompactionInputFiles,
}

impl TwoLevels {
    /// Those that have files.
    pub(crate) fn into_inputs(self) -> Vec<CompactionInputFiles> {
        let inputs = [self.start, self.output].into_iter();
        inputs.filter(|input| !input.files.is_empty()).collect()
    }

    fn range(&self, input: &PickerInput<'_>) -> Option<KeyRange> {
        input.key_range([&self.start, &self.output])
    }
}

impl PickerInput<'_> {
    /// All files of L0 that overlap `start`, or one another: older and newer versions of a key go
    /// down together. None if files of the output level in that range are taken.
    pub(crate) fn with_overlapping_l0_files(
        &self,
        start: &CompactionInputFiles,
        output_level: usize,
    ) -> Option<CompactionInputFiles> {
        let start = self.overlapping(0, &self.key_range([start])?);
        let below = self.overlapping(output_level, &self.key_range([&start])?);
        (!self.are_taken(&start) && !self.are_taken(&below)).then_some(start)
    }

    /// The files of the output level that `start` overlaps; and more files of the start level
    /// where they add none of the output level. None if files needed are taken.
    ///
    /// `only_to_the_right`: more files of the start level come after those there are, unless they
    /// lie within the files of the output level.
    pub(crate) fn with_output_level_files(
        &self,
        start: CompactionInputFiles,
        output_level: usize,
        only_to_the_right: bool,
    ) -> Option<TwoLevels> {
        let nothing = CompactionInputFiles { level: output_level, files: Vec::new() };
        if start.level == output_level {
            return Some(TwoLevels { start, output: nothing });
        }
        let range = self.key_range([&start])?;
        let output = self.overlapping(output_level, &range);
        if output.files.is_empty() {
            return Some(TwoLevels { start, output });
        }
        let output = self.expanded_to_clean_cut(output)?;
        let mut levels = TwoLevels { start, output };
        let whole_range = levels.range(self)?;
        let smallest = if only_to_the_right { &range.smallest } else { &whole_range.smallest };
        let wanted = KeyRange { smallest: smallest.clone(), largest: whole_range.largest.clone() };
        let expanded = self.start_that_keeps_output(&levels, &wanted);
        if let Some(expanded) = expanded.or_else(|| self.start_within(&levels, &whole_range)) {
            levels.start = expanded;
        }
        Some(levels)
    }

    /// Every file of the start level that overlaps the range, if that needs no other file of the
    /// output level.
    fn start_that_keeps_output(
        &self,
        levels: &TwoLevels,
        range: &KeyRange,
    ) -> Option<CompactionInputFiles> {
        let expanded = self.overlapping(levels.start.level, range);
        let expanded = self.expanded_to_clean_cut(expanded)?;
        if !self.is_worth_it(levels, &expanded) {
            return None;
        }
        let output = self.overlapping(levels.output.level, &self.key_range([&expanded])?);
        let output = self.expanded_to_clean_cut(output)?;
        (output.files.len() == levels.output.files.len()).then_some(expanded)
    }

    /// The files of the start level that lie within the range.
    fn start_within(&self, levels: &TwoLevels, range: &KeyRange) -> Option<CompactionInputFiles> {
        let level = levels.start.level;
        if level == 0 {
            return None;
        }
        let expanded = self.clean_inputs_within(level, range);
        self.is_worth_it(levels, &expanded).then_some(expanded)
    }

    /// More files than before, all free, and not too much altogether: within twice
    /// `max_compaction_bytes`, as it saves a compaction of its own.
    fn is_worth_it(&self, levels: &TwoLevels, expanded: &CompactionInputFiles) -> bool {
        let limit = self.options.max_compaction_bytes().saturating_mul(2);
        let bytes = levels.output.size_bytes().saturating_add(expanded.size_bytes());
        expanded.files.len() > levels.start.files.len()
            && !self.are_taken(expanded)
            && bytes < limit
    }

    /// Files of the first level below the outputs that has any in the range of the inputs.
    pub(crate) fn grandparents(
        &self,
        inputs: &[CompactionInputFiles],
        output_level: usize,
    ) -> Vec<Arc<FileMetaData>> {
        let Some(range) = self.key_range(inputs) else {
            return Vec::new();
        };
        (output_level + 1..self.version.num_levels())
            .map(|below| self.overlapping(below, &range).files)
            .find(|files| !files.is_empty())
            .unwrap_or_default()
    }

    /// Whether moving one of the files down would make a compaction of more than `max_bytes` of it
    /// and the files below it.
    pub(crate) fn has_costly_grandparents(
        &self,
        files: &[Arc<FileMetaData>],
        output_level: usize,
        max_bytes: u64,
    ) -> bool {
        let below = output_level + 1;
        below < self.version.num_levels()
            && files.iter().any(|file| {
                let overlapping = self.overlapping(below, &KeyRange::of(file));
                file.file_size.saturating_add(total_file_size(&overlapping.files)) > max_bytes
            })
    }
}
