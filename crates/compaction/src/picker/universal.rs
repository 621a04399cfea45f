//! Universal compaction: neighbouring sorted runs are merged, to bound space, or their number.
//!
//! A run is a file of L0, or a level. Runs stand from the newest to the oldest, and only
//! neighbours are merged, so that the result has its place between those that are left.

use super::PickerInput;
use super::options::CompactionStopStyle;
use super::outputs::Draft;
use super::tree::TreeState;
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::compaction_reason::CompactionReason;
use std::ops::Range;
use std::sync::Arc;
use version::FileMetaData;

/// The next compaction of a universal tree, if it needs one that can run now.
pub(crate) fn pick(input: &PickerInput<'_>) -> Option<Compaction> {
    let picker = UniversalPicker::new(input);
    let has_marked = !input.files_marked_for_periodic_compaction().is_empty()
        || !input.files_marked_for_compaction().is_empty();
    if picker.runs.is_empty() || !(has_marked || picker.is_triggered()) {
        return None;
    }
    picker
        .periodic()
        .or_else(|| picker.reduce_size_amplification())
        .or_else(|| picker.reduce_runs_of_similar_size())
        .or_else(|| picker.reduce_runs())
        .or_else(|| picker.marked_for_compaction())
}

/// Whether there is a reason to call [`pick`], which may still find nothing that can run now.
pub(crate) fn needs_compaction(input: &PickerInput<'_>) -> bool {
    TreeState::new(input).score(0) >= 1.0
        || !input.files_marked_for_periodic_compaction().is_empty()
        || !input.files_marked_for_compaction().is_empty()
}

/// All files of the column family, as a user's full compaction of a universal tree takes them;
/// none if there are none.
pub(crate) fn all_inputs(input: &PickerInput<'_>) -> Vec<CompactionInputFiles> {
    let levels = 0..=input.options.max_output_level();
    levels
        .map(|level| CompactionInputFiles {
            level,
            files: input.version.level_files(level).to_vec(),
        })
        .filter(|input| !input.files.is_empty())
        .collect()
}

/// A file of L0, or a level.
#[derive(Debug)]
struct SortedRun {
    level: usize,
    files: Vec<Arc<FileMetaData>>,
    size: u64,
    compensated_size: u64,
    /// One of its files is being compacted; then all of it is left alone.
    is_taken: bool,
}

impl SortedRun {
    fn new(input: &PickerInput<'_>, level: usize, files: &[Arc<FileMetaData>]) -> Self {
        let sum = |sum: u64, bytes: u64| sum.saturating_add(bytes);
        Self {
            level,
            size: files.iter().map(|file| file.file_size).fold(0, sum),
            compensated_size: files.iter().map(|f| input.compensated_size(f)).fold(0, sum),
            is_taken: files.iter().any(|file| input.is_taken(file)),
            files: files.to_vec(),
        }
    }
}

/// How many neighbours are merged for their sizes, or for their number.
#[derive(Clone, Copy)]
struct RunLimits {
    /// Percent by which the next run may be larger than those before it.
    size_ratio: u32,
    max_runs: usize,
    reason: CompactionReason,
}

struct UniversalPicker<'a> {
    input: &'a PickerInput<'a>,
    score: f64,
    runs: Vec<SortedRun>,
}

impl<'a> UniversalPicker<'a> {
    fn new(input: &'a PickerInput<'a>) -> Self {
        let l0_files = input.version.level_files(0).iter();
        let l0_runs = l0_files.map(|file| SortedRun::new(input, 0, std::slice::from_ref(file)));
        let levels = 1..=input.options.max_output_level();
        let level_runs = levels
            .map(|level| SortedRun::new(input, level, input.version.level_files(level)))
            .filter(|run| !run.files.is_empty());
        let runs = l0_runs.chain(level_runs).collect();
        Self { input, score: TreeState::new(input).score(0), runs }
    }

    /// Whether there are as many runs as `level0_file_num_compaction_trigger` says.
    fn is_triggered(&self) -> bool {
        let trigger = i64::from(self.input.options.levels.level0_file_num_compaction_trigger);
        self.runs.len() as i64 >= trigger
    }

    /// From the oldest run up to the first that is taken; with that, everything becomes new.
    fn periodic(&self) -> Option<Compaction> {
        let marked = self.input.files_marked_for_periodic_compaction();
        let start = self.runs.iter().rposition(|run| run.is_taken).map_or(0, |taken| taken + 1);
        if marked.is_empty() || start == self.runs.len() {
            return None;
        }
        let is_one_run = start + 1 == self.runs.len();
        let is_marked = |run: &SortedRun| {
            run.files.iter().any(|file| marked.iter().any(|(_, other)| other.number == file.number))
        };
        if is_one_run && !is_marked(&self.runs[start]) {
            return None;
        }
        self.compaction(start..self.runs.len(), CompactionReason::PeriodicCompaction)
    }

    /// Where the runs before the oldest are together too large a part of it, all are merged.
    fn reduce_size_amplification(&self) -> Option<Compaction> {
        let (oldest, newer) = self.runs.split_last().filter(|_| self.is_triggered())?;
        if oldest.is_taken {
            return None;
        }
        let start = newer.iter().rposition(|run| run.is_taken).map_or(0, |taken| taken + 1);
        if start == newer.len() {
            return None;
        }
        let start = start + self.new_l0_files_to_leave(start);
        let newer_bytes = compensated_size(&newer[start..]);
        self.is_amplification_reached(newer_bytes).then(|| {
            let all = start..self.runs.len();
            self.compaction(all, CompactionReason::UniversalSizeAmplification)
        })?
    }

    fn is_amplification_reached(&self, newer_bytes: u64) -> bool {
        let percent = self.input.options.universal.max_size_amplification_percent;
        let base_bytes = self.runs.last().map_or(0, |run| run.size);
        u128::from(newer_bytes) * 100 >= u128::from(percent) * u128::from(base_bytes)
    }

    /// How many of the newest L0 files a long compaction should leave to others, so that a few
    /// more flushes do not bring writers to a stop (`level0_stop_writes_trigger`): as long as it
    /// still takes nine tenths of the bytes, and would run without them.
    fn new_l0_files_to_leave(&self, start: usize) -> usize {
        let options = &self.input.options.universal;
        let newer = &self.runs[start..self.runs.len() - 1];
        let l0_count = newer.iter().filter(|run| run.level == 0).count();
        let max_left = l0_count.saturating_sub(1).min(newer.len() - 1);
        let stop_trigger = usize::try_from(self.input.options.level0_stop_writes_trigger);
        let room = stop_trigger.unwrap_or(0).saturating_sub(newer.len() + 1);
        let wanted = |width: u32| (width as usize).saturating_sub(room).min(max_left);
        let all_bytes = compensated_size(newer);
        let can_leave = |count: usize| {
            let bytes = compensated_size(&newer[count..]);
            self.is_amplification_reached(bytes)
                && u128::from(bytes) >= u128::from(all_bytes) * 9 / 10
        };
        if l0_count == 0 {
            return 0;
        }
        (wanted(options.min_merge_width)..=wanted(options.max_merge_width))
            .take_while(|count| can_leave(*count))
            .last()
            .unwrap_or(0)
    }

    fn reduce_runs_of_similar_size(&self) -> Option<Compaction> {
        self.pick_neighbours(RunLimits {
            size_ratio: self.input.options.universal.size_ratio,
            max_runs: usize::MAX,
            reason: CompactionReason::UniversalSizeRatio,
        })
    }

    /// Where there are too many runs, whatever their sizes.
    fn reduce_runs(&self) -> Option<Compaction> {
        let idle = self.runs.iter().filter(|run| !run.is_taken).count();
        let surplus = idle.checked_sub(self.max_runs()).filter(|surplus| *surplus > 0)?;
        self.pick_neighbours(RunLimits {
            size_ratio: u32::MAX,
            max_runs: surplus + 1,
            reason: CompactionReason::UniversalSortedRunNum,
        })
    }

    /// `max_read_amp`, or what stands for it.
    fn max_runs(&self) -> usize {
        let options = self.input.options;
        let universal = &options.universal;
        match usize::try_from(universal.max_read_amp) {
            Ok(0) if universal.stop_style == CompactionStopStyle::TotalSize => {
                // As many as it takes to the largest run, if each is as large as all before it may
                // be without being merged with them.
                let largest = self.runs.iter().map(|run| run.size).max().unwrap_or(0) as f64;
                let growth = (100.0 + f64::from(universal.size_ratio)) / 100.0;
                let mut size = options.write_buffer_size.max(1) as f64;
                let (mut total, mut runs) = (0.0, 1);
                while size < largest {
                    total += size;
                    size = growth * total;
                    runs += 1;
                }
                runs
            }
            Ok(runs) if runs > 0 => runs,
            _ => usize::try_from(options.levels.level0_file_num_compaction_trigger).unwrap_or(0),
        }
    }

    /// The first run that has enough neighbours, each not much larger than those before it.
    fn pick_neighbours(&self, limits: RunLimits) -> Option<Compaction> {
        let options = &self.input.options.universal;
        if !self.is_triggered() {
            return None;
        }
        let max_runs = limits.max_runs.min(options.max_merge_width as usize);
        let min_runs = options.min_merge_width.max(2) as usize;
        let starts = (0..self.runs.len()).filter(|start| !self.runs[*start].is_taken);
        let mut picked = starts.map(|start| start..self.end_of_neighbours(start, limits, max_runs));
        let picked = picked.find(|picked| picked.len() >= min_runs)?;
        self.compaction(picked, limits.reason)
    }

    fn end_of_neighbours(&self, start: usize, limits: RunLimits, max_runs: usize) -> usize {
        let is_similar =
            self.input.options.universal.stop_style == CompactionStopStyle::SimilarSize;
        let grown = |bytes: u64| bytes as f64 * (100.0 + f64::from(limits.size_ratio)) / 100.0;
        let mut candidate = self.runs[start].compensated_size;
        let mut end = start + 1;
        while end - start < max_runs
            && let Some(next) = self.runs.get(end)
        {
            let is_too_large = grown(candidate) < next.size as f64;
            let is_too_small = is_similar && grown(next.size) < candidate as f64;
            if next.is_taken || is_too_large || is_too_small {
                break;
            }
            candidate = if is_similar {
                next.compensated_size
            } else {
                candidate.saturating_add(next.compensated_size)
            };
            end += 1;
        }
        end
    }

    /// Where the result of merging these runs goes: just above the next older run, or to the end.
    fn output_level_before(&self, end: usize) -> usize {
        let next = self.runs.get(end);
        next.map_or(self.input.options.max_output_level(), |next| next.level.saturating_sub(1))
    }

    fn compaction(&self, runs: Range<usize>, reason: CompactionReason) -> Option<Compaction> {
        let input = self.input;
        let output_level = self.output_level_before(runs.end);
        let mut inputs: Vec<CompactionInputFiles> = Vec::new();
        for run in &self.runs[runs.clone()] {
            match inputs.last_mut().filter(|last| last.level == run.level) {
                Some(last) => last.files.extend(run.files.iter().cloned()),
                None => {
                    inputs
                        .push(CompactionInputFiles { level: run.level, files: run.files.clone() });
                }
            }
        }
        if output_level != 0 && input.conflicts_with_running(&inputs, output_level) {
            return None;
        }
        let by_size = matches!(
            reason,
            CompactionReason::UniversalSizeRatio | CompactionReason::UniversalSortedRunNum
        );
        let first = if by_size { 0 } else { runs.start };
        let output_bytes = total_size(&self.runs[first..runs.end]);
        let mut compaction = input.compaction(Draft {
            is_compressed: !by_size || self.is_compressed_before(runs.end),
            ..self.draft(inputs, output_level, reason, output_bytes)
        });
        compaction.is_trivial_move =
            reason != CompactionReason::PeriodicCompaction && self.is_allowed_move(&compaction);
        Some(compaction)
    }

    fn draft(
        &self,
        inputs: Vec<CompactionInputFiles>,
        output_level: usize,
        reason: CompactionReason,
        output_bytes: u64,
    ) -> Draft {
        Draft {
            inputs,
            output_level,
            reason,
            score: self.score,
            grandparents: Vec::new(),
            base_level: 1,
            is_compressed: true,
            output_path_id: self.path_id(output_bytes),
            max_compaction_bytes: u64::MAX,
            l0_files_might_overlap: true,
            may_move: false,
        }
    }

    /// Whether compressed data, which is the oldest, would not yet be
    /// `compression_size_percent` of all without runs before `end`.
    fn is_compressed_before(&self, end: usize) -> bool {
        let Ok(percent) = u64::try_from(self.input.options.universal.compression_size_percent)
        else {
            return true;
        };
        let older_bytes = total_size(&self.runs[end..]);
        let all_bytes = compensated_size(&self.runs);
        // Without older runs there is nothing yet that could be compressed.
        end == self.runs.len()
            || u128::from(older_bytes) * 100 < u128::from(all_bytes) * u128::from(percent)
    }

    /// The directory for a run: one that has room for it, and for what will be there by the time
    /// it is merged again.
    fn path_id(&self, bytes: u64) -> u32 {
        let options = self.input.options;
        let percent = 100_u64.saturating_sub(u64::from(options.universal.size_ratio));
        let future_bytes = u128::from(bytes) * u128::from(percent) / 100;
        let mut accumulated: u128 = 0;
        let last = options.path_target_sizes.len().saturating_sub(1);
        for (path_id, target) in options.path_target_sizes[..last].iter().enumerate() {
            let room = u128::from(target.saturating_sub(bytes));
            if *target > bytes && accumulated + room > future_bytes {
                return path_id as u32;
            }
            accumulated += u128::from(*target);
        }
        last as u32
    }

    /// `allow_trivial_move`: where no two of all the files overlap.
    fn is_allowed_move(&self, compaction: &Compaction) -> bool {
        let compare = |a: &[u8], b: &[u8]| self.input.comparator.compare_without_timestamp(a, b);
        let mut files: Vec<_> = compaction.input_files().map(|(_, file)| file).collect();
        files.sort_by(|a, b| compare(a.smallest.user_key(), b.smallest.user_key()));
        self.input.options.universal.allow_trivial_move
            && compaction.output_level != compaction.start_level
            && (compaction.start_level > 0 || self.input.is_level0_non_overlapping())
            && files.windows(2).all(|pair| {
                compare(pair[0].largest.user_key(), pair[1].smallest.user_key()).is_lt()
            })
    }

    /// Files that a table properties collector marked, usually for their many deletions: as in a
    /// leveled tree, with what they overlap in the next level that has files.
    fn marked_for_compaction(&self) -> Option<Compaction> {
        let input = self.input;
        if input.version.num_levels() == 1 {
            return self.marked_in_single_level();
        }
        let marked = input.files_marked_for_compaction();
        let start = marked.iter().find_map(|(level, file)| {
            let is_blocked = *level == 0 && input.in_progress.has_level0();
            let start = CompactionInputFiles { level: *level, files: vec![Arc::clone(file)] };
            (!is_blocked).then(|| input.expanded_to_clean_cut(start))?
        })?;
        let max_output_level = input.options.max_output_level();
        let next_level = (start.level + 1..=max_output_level)
            .find(|level| !input.version.level_files(*level).is_empty());
        // Below the last level there is nothing that deletions could be merged with.
        let output_level = next_level.or((start.level == 0).then_some(max_output_level))?;
        let start = if start.level == 0 {
            input.with_overlapping_l0_files(&start, output_level)?
        } else {
            start
        };
        let inputs = input.with_output_level_files(start, output_level, false)?.into_inputs();
        if input.conflicts_with_running(&inputs, output_level) {
            return None;
        }
        let output_bytes = input.version.level_size_bytes(output_level);
        let reason = CompactionReason::FilesMarkedForCompaction;
        let mut compaction = input.compaction(Draft {
            grandparents: input.grandparents(&inputs, output_level),
            may_move: !input.options.universal.allow_trivial_move,
            ..self.draft(inputs, output_level, reason, output_bytes)
        });
        compaction.is_trivial_move |= self.is_allowed_move(&compaction);
        Some(compaction)
    }

    /// In L0 alone: from the first marked file on all that are older.
    fn marked_in_single_level(&self) -> Option<Compaction> {
        let newer = &self.runs[..self.runs.len().saturating_sub(1)];
        let is_marked = |run: &SortedRun| !run.is_taken && run.files[0].marked_for_compaction;
        let start = newer.iter().position(is_marked)?;
        let older = self.runs[start..].iter().take_while(|run| !run.is_taken);
        let files: Vec<_> = older.flat_map(|run| run.files.iter().cloned()).collect();
        let inputs = vec![CompactionInputFiles { level: 0, files }];
        let reason = CompactionReason::FilesMarkedForCompaction;
        let output_bytes = self.input.version.level_size_bytes(0);
        (inputs[0].files.len() > 1)
            .then(|| self.input.compaction(self.draft(inputs, 0, reason, output_bytes)))
    }
}

fn total_size(runs: &[SortedRun]) -> u64 {
    runs.iter().fold(0, |sum, run| sum.saturating_add(run.size))
}

fn compensated_size(runs: &[SortedRun]) -> u64 {
    runs.iter().fold(0, |sum, run| sum.saturating_add(run.compensated_size))
}
