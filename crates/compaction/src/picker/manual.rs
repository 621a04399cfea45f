//! `CompactRange`: which compactions it takes, one after the other.

use super::PickerInput;
use super::outputs::Draft;
use super::tree::TreeState;
use super::universal;
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::compaction_reason::CompactionReason;
use base::InternalKey;
use base::ValueType;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use version::CompactionStyle;

/// Whether a manual compaction rewrites the files of the last level it reaches. Numbers are
/// RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum BottommostLevelCompaction {
    /// Not for its own sake.
    Skip = 0,
    /// If there is a compaction filter; and not what this compaction wrote.
    #[default]
    IfHaveCompactionFilter = 1,
    /// All of it.
    Force = 2,
    /// But for what this compaction wrote.
    ForceOptimized = 3,
}

/// What a manual compaction does about blob files. Numbers are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum BlobGarbageCollectionPolicy {
    /// Collects.
    Force = 0,
    /// Does not collect.
    Disable = 1,
    /// What `enable_blob_garbage_collection` says.
    #[default]
    UseDefault = 2,
}

/// `rocksdb::CompactRangeOptions`, as far as it decides what is compacted. Defaults are RocksDB's.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactRangeOptions {
    /// Afterwards the files of the last level reached get another level.
    pub change_level: bool,
    /// That level; negative for the uppermost that is empty and large enough.
    pub target_level: i32,
    /// Directory of outputs, an index of `cf_paths`.
    pub target_path_id: u32,
    /// Whether the last level is rewritten.
    pub bottommost_level_compaction: BottommostLevelCompaction,
    /// Most parts that run at once; 0 for the option of that name.
    pub max_subcompactions: u32,
    /// Whether old blob files are emptied.
    pub blob_garbage_collection_policy: BlobGarbageCollectionPolicy,
    /// Which part of them is old; out of 0 to 1 for the option of that name.
    pub blob_garbage_collection_age_cutoff: f64,
}

impl Default for CompactRangeOptions {
    fn default() -> Self {
        Self {
            change_level: false,
            target_level: -1,
            target_path_id: 0,
            bottommost_level_compaction: BottommostLevelCompaction::default(),
            max_subcompactions: 0,
            blob_garbage_collection_policy: BlobGarbageCollectionPolicy::default(),
            blob_garbage_collection_age_cutoff: -1.0,
        }
    }
}

/// What comes next in a manual compaction.
#[derive(Debug)]
pub enum ManualStep {
    /// This compaction runs, is installed, and then the next step is asked for.
    Run(Box<Compaction>),
    /// Something that runs is in the way; to be asked again when it has ended.
    Wait,
    /// With no other compaction running, the files of this level are to change to
    /// `target_level`: see [`refit_level`](super::refit::refit_level). Then it is done.
    RefitLevel(usize),
    /// There is no more to do.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Start,
    /// All files of a universal tree at once.
    AllLevels,
    /// One compaction as FIFO picks it.
    Fifo,
    /// From this level to the next.
    Down(usize),
    /// The last level reached, in itself.
    Bottommost(usize),
    /// L0, in itself, where there is no other level.
    OnlyLevel,
    /// The last level reached may have to change its number.
    Finish(usize),
    End,
}

/// A manual compaction of a range under way. The caller flushes memtables before, and where
/// `exclusive_manual_compaction` is set waits until nothing else runs.
#[derive(Debug)]
pub struct ManualCompaction {
    options: CompactRangeOptions,
    begin: Option<InternalKey>,
    end: Option<InternalKey>,
    /// Files from this number on were written since it began.
    next_file_number: u64,
    trim_timestamp: Vec<u8>,
    stage: Stage,
    /// Where the present stage goes on.
    resume_at: Option<InternalKey>,
}

/// What compacting a level, or the part of it that is next, comes to.
enum LevelOutcome {
    Nothing,
    Conflict,
    /// And the key from which on there is more to compact.
    Picked(Box<Compaction>, Option<InternalKey>),
}

impl ManualCompaction {
    /// From the user key `begin` to `end`, both inclusive, with any timestamp where the family has
    /// them; none for the first or last key.
    ///
    /// `next_file_number` is the number that the next file of the database would get, once
    /// memtables have been flushed.
    pub fn new(
        options: CompactRangeOptions,
        begin: Option<&[u8]>,
        end: Option<&[u8]>,
        next_file_number: u64,
    ) -> Self {
        Self {
            options,
            begin: begin.map(|key| InternalKey::for_seek(key, MAX_SEQUENCE_NUMBER)),
            end: end.map(|key| InternalKey::new(key, 0, ValueType::Deletion)),
            next_file_number,
            trim_timestamp: Vec::new(),
            stage: Stage::Start,
            resume_at: None,
        }
    }

    /// Versions of keys with later timestamps are dropped on the way.
    pub fn set_trim_timestamp(&mut self, timestamp: &[u8]) {
        timestamp.clone_into(&mut self.trim_timestamp);
    }

    /// What comes next, given the tree as it is now.
    pub fn next_step(&mut self, input: &PickerInput<'_>) -> ManualStep {
        loop {
            let outcome = match self.stage {
                Stage::Start => {
                    self.stage = self.first_stage(input);
                    continue;
                }
                Stage::Finish(level) => {
                    self.stage = Stage::End;
                    let is_refit = self.options.change_level;
                    return if is_refit { ManualStep::RefitLevel(level) } else { ManualStep::Done };
                }
                Stage::End => return ManualStep::Done,
                Stage::Fifo => {
                    self.stage = Stage::End;
                    let picked = super::fifo::pick(input);
                    return picked.map_or(ManualStep::Done, |c| ManualStep::Run(Box::new(c)));
                }
                Stage::AllLevels => self.all_levels(input),
                Stage::Down(level) => self.level(input, level, output_level_of(input, level)),
                Stage::Bottommost(level) => self.level(input, level, level),
                Stage::OnlyLevel => self.level(input, 0, 0),
            };
            match outcome {
                LevelOutcome::Conflict => return ManualStep::Wait,
                LevelOutcome::Nothing => self.advance(input, None),
                LevelOutcome::Picked(compaction, Some(resume_at)) => {
                    self.resume_at = Some(resume_at);
                    return ManualStep::Run(compaction);
                }
                LevelOutcome::Picked(compaction, None) => {
                    self.advance(input, Some(compaction.output_level));
                    return ManualStep::Run(compaction);
                }
            }
        }
    }

    fn first_stage(&self, input: &PickerInput<'_>) -> Stage {
        let num_levels = input.version.num_levels();
        match input.options.style() {
            CompactionStyle::Fifo => return Stage::Fifo,
            CompactionStyle::Universal if num_levels > 1 => return Stage::AllLevels,
            _ => {}
        }
        let first = (0..num_levels).find(|level| {
            let files = input.overlapping_between(*level, self.range());
            !files.files.is_empty()
        });
        match first {
            None => Stage::End,
            Some(_) if num_levels < 2 || input.options.style() == CompactionStyle::Universal => {
                Stage::OnlyLevel
            }
            // L0 always goes down, and so does what has something below it.
            Some(0) => Stage::Down(0),
            Some(level) => self.stage_at(input, level),
        }
    }

    fn range(&self) -> (Option<&InternalKey>, Option<&InternalKey>) {
        (self.resume_at.as_ref().or(self.begin.as_ref()), self.end.as_ref())
    }

    /// The stage after the present one, which wrote to `output_level` or found nothing to do.
    fn advance(&mut self, input: &PickerInput<'_>, output_level: Option<usize>) {
        self.resume_at = None;
        self.stage = match self.stage {
            Stage::Down(level) => {
                let reached = output_level.unwrap_or_else(|| output_level_of(input, level));
                self.stage_at(input, reached)
            }
            Stage::Bottommost(level) => Stage::Finish(level),
            Stage::AllLevels => Stage::Finish(input.options.max_output_level()),
            _ => Stage::Finish(0),
        };
    }

    /// What to do with a level below L0 once all above it in the range is in it.
    fn stage_at(&self, input: &PickerInput<'_>, level: usize) -> Stage {
        let is_last = if input.options.levels.level_compaction_dynamic_level_bytes {
            level + 1 >= input.version.num_levels()
        } else {
            level + 1 >= input.num_non_empty_levels()
        };
        let is_forced = match self.options.bottommost_level_compaction {
            BottommostLevelCompaction::Skip => false,
            BottommostLevelCompaction::IfHaveCompactionFilter => {
                input.options.has_compaction_filter
            }
            BottommostLevelCompaction::Force | BottommostLevelCompaction::ForceOptimized => true,
        };
        match (is_last, is_forced) {
            (false, _) => Stage::Down(level),
            (true, true) => Stage::Bottommost(level),
            (true, false) => Stage::Finish(level),
        }
    }

    fn all_levels(&self, input: &PickerInput<'_>) -> LevelOutcome {
        let inputs = universal::all_inputs(input);
        let Some(first) = inputs.first() else {
            return LevelOutcome::Nothing;
        };
        let output_level = input.options.max_output_level();
        let has_conflict = (first.level == 0 && input.in_progress.has_level0())
            || inputs.iter().any(|files| input.are_taken(files))
            || input.conflicts_with_running(&inputs, output_level);
        if has_conflict {
            return LevelOutcome::Conflict;
        }
        let draft = Draft {
            max_compaction_bytes: u64::MAX,
            grandparents: Vec::new(),
            may_move: false,
            ..self.draft(input, inputs, output_level)
        };
        LevelOutcome::Picked(Box::new(self.compaction(input, draft)), None)
    }

    /// The files of `level` in the range, or the first of them if they are too many for one
    /// compaction, with what they overlap at `output_level`.
    fn level(&self, input: &PickerInput<'_>, level: usize, output_level: usize) -> LevelOutcome {
        let mut files = input.overlapping_between(level, self.range());
        if files.files.is_empty() {
            return LevelOutcome::Nothing;
        }
        if level == 0 && input.in_progress.has_level0() {
            return LevelOutcome::Conflict;
        }
        let mut is_all = level == 0 || !self.cut_to_size(input, &mut files, output_level);
        if level == output_level && level > 0 {
            is_all &= !self.leave_new_files(&mut files);
            if files.files.is_empty() {
                return LevelOutcome::Nothing;
            }
        }
        let Some(files) = input.expanded_to_clean_cut(files) else {
            return LevelOutcome::Conflict;
        };
        let resume_at = if is_all { None } else { key_after(input, &files) };
        let levels = input.with_output_level_files(files, output_level, false);
        let Some(inputs) = levels.map(super::expand::TwoLevels::into_inputs) else {
            return LevelOutcome::Conflict;
        };
        let has_conflict = inputs.iter().any(|files| input.are_taken(files))
            || (output_level != 0 && input.conflicts_with_running(&inputs, output_level));
        if has_conflict {
            return LevelOutcome::Conflict;
        }
        let draft = self.draft(input, inputs, output_level);
        LevelOutcome::Picked(Box::new(self.compaction(input, draft)), resume_at)
    }

    /// Keeps to `max_compaction_bytes`, but for the first file. Whether files were cut off.
    fn cut_to_size(
        &self,
        input: &PickerInput<'_>,
        files: &mut CompactionInputFiles,
        output_level: usize,
    ) -> bool {
        let limit = input.options.max_compaction_bytes();
        let smallest = files.files[0].smallest.clone();
        let mut bytes: u64 = 0;
        let fitting = files.files.iter().enumerate().take_while(|(index, file)| {
            bytes = bytes.saturating_add(file.file_size);
            let ends = (Some(&smallest), Some(&file.largest));
            let output_bytes = input.overlapping_between(output_level, ends).size_bytes();
            *index == 0 || bytes.saturating_add(output_bytes) <= limit
        });
        let count = fitting.count();
        let is_cut = count < files.files.len();
        files.files.truncate(count);
        is_cut
    }

    /// Leaves out files that were written since the compaction began, and what comes after the
    /// first of those that follows an older one. Whether older files were left out.
    fn leave_new_files(&self, files: &mut CompactionInputFiles) -> bool {
        use BottommostLevelCompaction::{ForceOptimized, IfHaveCompactionFilter};
        if !matches!(
            self.options.bottommost_level_compaction,
            ForceOptimized | IfHaveCompactionFilter
        ) {
            return false;
        }
        let is_old = |number: u64| number < self.next_file_number;
        let all = std::mem::take(&mut files.files);
        let mut rest = all.into_iter().skip_while(|file| !is_old(file.number)).peekable();
        while let Some(file) = rest.next_if(|file| is_old(file.number)) {
            files.files.push(file);
        }
        rest.any(|file| is_old(file.number))
    }

    fn draft(
        &self,
        input: &PickerInput<'_>,
        inputs: Vec<CompactionInputFiles>,
        output_level: usize,
    ) -> Draft {
        let is_universal = input.options.style() == CompactionStyle::Universal;
        let is_rewrite = matches!(self.stage, Stage::Bottommost(_) | Stage::OnlyLevel);
        Draft {
            grandparents: input.grandparents(&inputs, output_level),
            output_level,
            reason: CompactionReason::ManualCompaction,
            score: -1.0,
            base_level: if is_universal { 1 } else { TreeState::new(input).base_level() },
            is_compressed: true,
            output_path_id: self.options.target_path_id,
            max_compaction_bytes: input.options.max_compaction_bytes(),
            l0_files_might_overlap: true,
            may_move: !is_rewrite && self.trim_timestamp.is_empty(),
            inputs,
        }
    }

    fn compaction(&self, input: &PickerInput<'_>, draft: Draft) -> Compaction {
        let options = &self.options;
        let mut compaction = input.compaction(draft);
        compaction.trim_timestamp.clone_from(&self.trim_timestamp);
        if options.max_subcompactions > 0 {
            compaction.max_subcompactions = options.max_subcompactions;
        }
        match options.blob_garbage_collection_policy {
            BlobGarbageCollectionPolicy::Force => compaction.enable_blob_garbage_collection = true,
            BlobGarbageCollectionPolicy::Disable => {
                compaction.enable_blob_garbage_collection = false;
            }
            BlobGarbageCollectionPolicy::UseDefault => {}
        }
        if (0.0..=1.0).contains(&options.blob_garbage_collection_age_cutoff) {
            compaction.blob_garbage_collection_age_cutoff =
                options.blob_garbage_collection_age_cutoff;
        }
        compaction
    }
}

/// Where files of `level` go on their way down.
fn output_level_of(input: &PickerInput<'_>, level: usize) -> usize {
    let is_dynamic = input.options.levels.level_compaction_dynamic_level_bytes;
    if level == 0 && is_dynamic { TreeState::new(input).base_level() } else { level + 1 }
}

/// The smallest key of the file after `files`; none at the end of the level.
fn key_after(input: &PickerInput<'_>, files: &CompactionInputFiles) -> Option<InternalKey> {
    let last = files.files.last()?.number;
    let level_files = input.version.level_files(files.level);
    let position = level_files.iter().position(|file| file.number == last)?;
    level_files.get(position + 1).map(|file| file.smallest.clone())
}
