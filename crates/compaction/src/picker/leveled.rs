//! Leveled compaction: the level with the highest score first, then files that want compaction for
//! what they are.

use super::PickerInput;
use super::expand::TwoLevels;
use super::intra_l0;
use super::marked::LevelFiles;
use super::options::CompactionPri;
use super::outputs::{Draft, leveled_path_id};
use super::overlap::KeyRange;
use super::tree::TreeState;
use crate::compaction::{Compaction, CompactionInputFiles, total_file_size};
use crate::compaction_reason::CompactionReason;
use std::sync::Arc;

/// A move takes at most this many files at once, so as not to press on the next level.
const MAX_MULTI_TRIVIAL_MOVE: usize = 4;

/// What is compacted, before the files that have to go with it are looked for.
#[derive(Debug)]
struct Initial {
    start: CompactionInputFiles,
    output_level: usize,
    reason: CompactionReason,
    score: f64,
    /// Files of L0 that overlap neither one another nor the output level: nothing else is needed.
    is_l0_trivial_move: bool,
}

/// Where a file that wants compaction goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    /// It is rewritten in its level.
    SameLevel,
    /// To the next one; from the last level with files to itself.
    NextLevel,
    /// To the next one; from the last not at all.
    NextLevelButLast,
}

/// The next compaction of a leveled tree, if it needs one that can run now.
pub(crate) fn pick(input: &PickerInput<'_>) -> Option<Compaction> {
    if input.version.num_levels() < 2 {
        return None;
    }
    let picker = LeveledPicker { input, tree: TreeState::new(input) };
    picker.finish(picker.initial_files()?)
}

/// Whether there is a reason to call [`pick`], which may still find nothing that can run now.
pub(crate) fn needs_compaction(input: &PickerInput<'_>) -> bool {
    input.version.num_levels() >= 2
        && (TreeState::new(input).scores.iter().any(|score| *score >= 1.0)
            || !input.expired_ttl_files().is_empty()
            || !input.files_marked_for_periodic_compaction().is_empty()
            || !input.bottommost_files_marked_for_compaction().is_empty()
            || !input.files_marked_for_compaction().is_empty()
            || !input.files_marked_for_forced_blob_gc().is_empty())
}

struct LeveledPicker<'a> {
    input: &'a PickerInput<'a>,
    tree: TreeState,
}

impl LeveledPicker<'_> {
    fn output_level_of(&self, level: usize) -> usize {
        if level == 0 { self.tree.base_level() } else { level + 1 }
    }

    fn initial_files(&self) -> Option<Initial> {
        self.by_score()
            .or_else(|| self.marked_for_compaction())
            .or_else(|| {
                let files = self.input.bottommost_files_marked_for_compaction();
                self.pick_listed(&files, To::SameLevel, CompactionReason::BottommostFiles)
            })
            .or_else(|| self.expired())
            .or_else(|| {
                let files = self.input.files_marked_for_periodic_compaction();
                let is_dynamic = self.input.options.levels.level_compaction_dynamic_level_bytes;
                let to = if is_dynamic { To::NextLevel } else { To::SameLevel };
                self.pick_listed(&files, to, CompactionReason::PeriodicCompaction)
            })
            .or_else(|| {
                let files = self.input.files_marked_for_forced_blob_gc();
                self.pick_listed(&files, To::SameLevel, CompactionReason::ForcedBlobGc)
            })
    }

    fn by_score(&self) -> Option<Initial> {
        let mut is_l0_waiting = false;
        for (level, score) in self.tree.by_score() {
            if score < 1.0 {
                break;
            }
            // Otherwise L0 might wait for the base level for ever.
            if is_l0_waiting && level == self.tree.base_level() {
                continue;
            }
            let reason = if level == 0 {
                CompactionReason::LevelL0FilesNum
            } else {
                CompactionReason::LevelMaxLevelSize
            };
            if let Some(initial) = self.pick_in_level(level, score, reason) {
                return Some(initial);
            }
            if level == 0 {
                is_l0_waiting = true;
                // The way down is blocked, but fewer files in L0 keep writers going.
                if let Some(start) = intra_l0::while_blocked(self.input) {
                    return Some(Initial::new(start, 0, reason, score));
                }
            }
        }
        None
    }

    /// The file of `level` that goes first among those that can go now.
    fn pick_in_level(&self, level: usize, score: f64, reason: CompactionReason) -> Option<Initial> {
        let output_level = self.output_level_of(level);
        if level == 0 {
            let is_free = !self.input.in_progress.has_level0();
            let moved = is_free.then(|| self.l0_trivial_move(output_level)).flatten();
            if let Some(start) = moved {
                let initial = Initial::new(start, output_level, reason, score);
                return Some(Initial { is_l0_trivial_move: true, ..initial });
            }
            if let Some(start) = intra_l0::before_large_base(self.input, output_level) {
                return Some(Initial::new(start, 0, reason, score));
            }
            if !is_free {
                // L0 files overlap: those that are being compacted may cover what others hold.
                return None;
            }
        }
        let is_round_robin = self.input.options.compaction_pri == CompactionPri::RoundRobin;
        for index in self.input.files_by_compaction_pri(level) {
            if let Some(start) = self.pick_file(level, index, output_level) {
                return Some(Initial::new(start, output_level, reason, score));
            }
            if is_round_robin {
                break;
            }
        }
        None
    }

    /// The file at `index` with what cannot be cut off from it; none if something there is taken.
    fn pick_file(
        &self,
        level: usize,
        index: usize,
        output_level: usize,
    ) -> Option<CompactionInputFiles> {
        let input = self.input;
        let file = &input.version.level_files(level)[index];
        if input.is_taken(file) {
            return None;
        }
        let start = CompactionInputFiles { level, files: vec![Arc::clone(file)] };
        let start = input.expanded_to_clean_cut(start)?;
        if input.conflicts_with_running([&start], output_level) {
            return None;
        }
        let output = input.overlapping(output_level, &input.key_range([&start])?);
        if output.files.is_empty() {
            return Some(self.with_moved_neighbours(start, index, output_level));
        }
        input.expanded_to_clean_cut(output).map(|_| start)
    }

    /// L0 files, the oldest first, as long as they overlap neither one another nor the output
    /// level. Not where that is empty: then a move follows anyway, of single files.
    fn l0_trivial_move(&self, output_level: usize) -> Option<CompactionInputFiles> {
        let input = self.input;
        if !input.options.compression_per_level.is_empty()
            || input.options.has_several_paths()
            || input.version.level_files(output_level).is_empty()
        {
            return None;
        }
        let mut files: Vec<_> = Vec::new();
        let mut range: Option<KeyRange> = None;
        for file in input.version.level_files(0).iter().rev() {
            let wider = match range {
                None => KeyRange::of(file),
                Some(range) if input.compare_keys(&file.largest, &range.smallest).is_lt() => {
                    KeyRange { smallest: file.smallest.clone(), ..range }
                }
                Some(range) if input.compare_keys(&file.smallest, &range.largest).is_gt() => {
                    KeyRange { largest: file.largest.clone(), ..range }
                }
                Some(_) => break,
            };
            if !input.overlapping(output_level, &wider).files.is_empty() {
                break;
            }
            files.push(Arc::clone(file));
            range = Some(wider);
        }
        files.sort_by(|a, b| input.compare_keys(&a.smallest, &b.smallest));
        (!files.is_empty()).then_some(CompactionInputFiles { level: 0, files })
    }

    /// A file that can be moved, with neighbours that can be moved as well.
    fn with_moved_neighbours(
        &self,
        start: CompactionInputFiles,
        index: usize,
        output_level: usize,
    ) -> CompactionInputFiles {
        let input = self.input;
        let options = input.options;
        if start.level == 0
            || start.files.len() != 1
            || options.has_several_paths()
            || !options.compression_per_level.is_empty()
        {
            return start;
        }
        let files = input.version.level_files(start.level);
        let (mut left, mut right) = (index, index + 1);
        let can_move = |left: usize, right: usize| {
            let range = KeyRange {
                smallest: files[left].smallest.clone(),
                largest: files[right - 1].largest.clone(),
            };
            let is_cut = (left == 0 || !input.shares_user_key(&files[left - 1], &files[left]))
                && (right == files.len()
                    || !input.shares_user_key(&files[right - 1], &files[right]));
            right - left <= MAX_MULTI_TRIVIAL_MOVE
                && !files[left..right].iter().any(|file| input.is_taken(file))
                && is_cut
                && total_file_size(&files[left..right]) <= options.max_compaction_bytes()
                && input.overlapping(output_level, &range).files.is_empty()
                && !input.in_progress.writes_to_range(
                    input.comparator,
                    output_level,
                    range.smallest.user_key(),
                    range.largest.user_key(),
                )
        };
        while right < files.len() && can_move(left, right + 1) {
            right += 1;
        }
        let only_to_the_right = options.compaction_pri == CompactionPri::RoundRobin;
        while !only_to_the_right && left > 0 && can_move(left - 1, right) {
            left -= 1;
        }
        CompactionInputFiles { level: start.level, files: files[left..right].to_vec() }
    }

    fn marked_for_compaction(&self) -> Option<Initial> {
        self.input.files_marked_for_compaction().iter().find_map(|(level, file)| {
            if *level == 0 && self.input.in_progress.has_level0() {
                return None;
            }
            let start = CompactionInputFiles { level: *level, files: vec![Arc::clone(file)] };
            let start = self.input.expanded_to_clean_cut(start)?;
            let reason = CompactionReason::FilesMarkedForCompaction;
            Some(Initial::new(start, self.output_level_of(*level), reason, self.tree.score(*level)))
        })
    }

    fn expired(&self) -> Option<Initial> {
        let files = self.input.expired_ttl_files();
        let level = files.first()?.0;
        let is_round_robin = self.input.options.compaction_pri == CompactionPri::RoundRobin;
        let in_turn = (is_round_robin && level > 0)
            .then(|| {
                let score = self.tree.score(level);
                self.pick_in_level(level, score, CompactionReason::RoundRobinTtl)
            })
            .flatten();
        in_turn.or_else(|| self.pick_listed(&files, To::NextLevelButLast, CompactionReason::Ttl))
    }

    /// The first of `files` that can go where it should.
    fn pick_listed(&self, files: &LevelFiles, to: To, reason: CompactionReason) -> Option<Initial> {
        let last_level = self.input.num_non_empty_levels().saturating_sub(1);
        files.iter().find_map(|(level, file)| {
            let is_last = *level >= last_level;
            if (is_last && to == To::NextLevelButLast)
                || (*level == 0 && self.input.in_progress.has_level0())
            {
                return None;
            }
            let goes_down = to != To::SameLevel && !is_last;
            let output_level = if goes_down { self.output_level_of(*level) } else { *level };
            let start = CompactionInputFiles { level: *level, files: vec![Arc::clone(file)] };
            let start = self.input.expanded_to_clean_cut(start)?;
            Some(Initial::new(start, output_level, reason, self.tree.score(*level)))
        })
    }

    /// Adds what has to go with the files picked, unless something of that is taken.
    fn finish(&self, initial: Initial) -> Option<Compaction> {
        let input = self.input;
        let Initial { start, output_level, reason, score, is_l0_trivial_move } = initial;
        let start_level = start.level;
        let levels = if output_level == 0 || is_l0_trivial_move {
            let files = Vec::new();
            TwoLevels { start, output: CompactionInputFiles { level: output_level, files } }
        } else {
            self.with_other_inputs(start, output_level, reason)?
        };
        let inputs = levels.into_inputs();
        if output_level != 0 && input.conflicts_with_running(&inputs, output_level) {
            return None;
        }
        let needs_grandparents = output_level != 0 && !is_l0_trivial_move;
        let grandparents =
            if needs_grandparents { input.grandparents(&inputs, output_level) } else { Vec::new() };
        let is_one_file = inputs.len() == 1 && inputs[0].files.len() == 1;
        Some(input.compaction(Draft {
            grandparents,
            output_level,
            reason,
            score,
            base_level: self.tree.base_level(),
            is_compressed: true,
            output_path_id: leveled_path_id(input.options, output_level),
            max_compaction_bytes: input.options.max_compaction_bytes(),
            l0_files_might_overlap: start_level == 0 && !is_l0_trivial_move && !is_one_file,
            may_move: true,
            inputs,
        }))
    }

    fn with_other_inputs(
        &self,
        start: CompactionInputFiles,
        output_level: usize,
        reason: CompactionReason,
    ) -> Option<TwoLevels> {
        let input = self.input;
        let start = if start.level == 0 {
            input.with_overlapping_l0_files(&start, output_level)?
        } else {
            start
        };
        let is_round_robin = input.options.compaction_pri == CompactionPri::RoundRobin
            && reason == CompactionReason::LevelMaxLevelSize;
        let start =
            if is_round_robin { self.round_robin_expanded(start, output_level) } else { start };
        input.with_output_level_files(start, output_level, is_round_robin)
    }

    /// As many of the files that follow as the level has too many, within `max_compaction_bytes`.
    fn round_robin_expanded(
        &self,
        start: CompactionInputFiles,
        output_level: usize,
    ) -> CompactionInputFiles {
        let input = self.input;
        let level = start.level;
        let files = input.version.level_files(level);
        let idle_bytes = files
            .iter()
            .filter(|file| !input.is_taken(file))
            .fold(0_u64, |sum, file| sum.saturating_add(file.file_size));
        let target = self.tree.targets.target_bytes.get(level).copied().unwrap_or(u64::MAX);
        let surplus = idle_bytes.saturating_sub(target);
        let is_move = |start: &CompactionInputFiles| {
            let range = input.key_range([start]);
            range.is_some_and(|range| input.overlapping(output_level, &range).files.is_empty())
        };
        if is_move(&start) && start.files.len() > 1 {
            return start;
        }
        let mut expanded = start;
        if expanded.size_bytes() >= surplus {
            return expanded;
        }
        loop {
            let last = expanded.files.last().map(|file| file.number);
            let position = files.iter().position(|file| Some(file.number) == last);
            let Some(next) = position.and_then(|position| files.get(position + 1)) else {
                break;
            };
            let mut wider = expanded.clone();
            wider.files.push(Arc::clone(next));
            match self.round_robin_step(wider, output_level) {
                Some(wider) => expanded = wider,
                None => break,
            }
            if expanded.size_bytes() > surplus {
                break;
            }
        }
        expanded
    }

    /// `wider` up to a clean cut, if nothing of it is taken and it is not too much.
    fn round_robin_step(
        &self,
        wider: CompactionInputFiles,
        output_level: usize,
    ) -> Option<CompactionInputFiles> {
        let input = self.input;
        if input.are_taken(&wider) {
            return None;
        }
        let wider = input.expanded_to_clean_cut(wider)?;
        if input.conflicts_with_running([&wider], output_level) {
            return None;
        }
        let output = input.overlapping(output_level, &input.key_range([&wider])?);
        let output = input.expanded_to_clean_cut(output)?;
        let bytes = wider.size_bytes().saturating_add(output.size_bytes());
        (bytes <= input.options.max_compaction_bytes()).then_some(wider)
    }
}

impl Initial {
    fn new(
        start: CompactionInputFiles,
        output_level: usize,
        reason: CompactionReason,
        score: f64,
    ) -> Self {
        Self { start, output_level, reason, score, is_l0_trivial_move: false }
    }
}
