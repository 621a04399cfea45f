//! Sizes, targets and scores of a version's levels.

use crate::property::compaction_need::FileAges;
use crate::sanitize::level_target_options;
use compaction::PickerInput;
use compaction::picker::tree::TreeState;
use options::{ColumnFamilyOptions, CompactionStyle};
use version::level_targets::{compaction_scores, estimated_compaction_needed_bytes};
use version::{LevelSize, LevelTargetRule, LevelTargets, Version};

/// Levels as compaction sees them.
#[derive(Clone, Debug)]
pub(crate) struct LevelState {
    /// As large as they are, and with deletions counted in.
    pub(crate) sizes: Vec<LevelSize>,
    /// As large as they should be.
    pub(crate) targets: LevelTargets,
    /// From L0 on; levels beyond the end have none.
    pub(crate) scores: Vec<f64>,
    /// Bytes that compactions would rewrite until every level is within its target.
    pub(crate) pending_compaction_bytes: u64,
    style: CompactionStyle,
}

impl LevelState {
    /// The state of a version under sanitized options.
    pub(crate) fn new(
        version: &Version,
        options: &ColumnFamilyOptions,
        ages: &FileAges<'_>,
        rule: LevelTargetRule,
    ) -> Self {
        let sizes = ages.tables.level_sizes(version);
        let target_options = level_target_options(options, version.num_levels(), rule);
        let targets = LevelTargets::new(&target_options, &sizes);
        let mut scores = compaction_scores(&target_options, &sizes, &targets);
        if let (CompactionStyle::Fifo, Some(score)) = (options.compaction_style, scores.first_mut())
        {
            *score = fifo_score(*score, version, options, ages, rule);
        }
        let pending_compaction_bytes =
            estimated_compaction_needed_bytes(&target_options, &sizes, &targets);
        let style = options.compaction_style;
        Self { sizes, targets, scores, pending_compaction_bytes, style }
    }

    /// The state of a version under compactions that run.
    pub(crate) fn live(input: &PickerInput<'_>, style: CompactionStyle) -> Self {
        let TreeState { sizes, targets, scores } = TreeState::new(input);
        let options = &input.options.levels;
        let pending_compaction_bytes = estimated_compaction_needed_bytes(options, &sizes, &targets);
        Self { sizes, targets, scores, pending_compaction_bytes, style }
    }

    /// The scores that RocksDB's statistics show. It keeps one for every level but the last, in
    /// universal compaction under L0's number, where the last of them stays: 0.
    pub(crate) fn shown_score(&self, level: usize) -> f64 {
        let is_overwritten = match self.style {
            CompactionStyle::Level | CompactionStyle::Fifo => false,
            CompactionStyle::Universal | CompactionStyle::None => self.sizes.len() != 2,
        };
        let score = self.scores.get(level).copied().unwrap_or(0.0);
        if is_overwritten { 0.0 } else { score }
    }

    /// Runs that slow writes down: files of L0, and in universal compaction levels with files.
    pub(crate) fn delaying_runs(&self) -> usize {
        let Some((l0, deeper)) = self.sizes.split_first() else { return 0 };
        let levels = match self.style {
            CompactionStyle::Universal => deeper.iter().filter(|level| level.files > 0).count(),
            _ => 0,
        };
        l0.files + levels
    }
}

/// In FIFO compaction files that are too old, or too many, need compaction as well as bytes beyond
/// the maximum. Later releases look at one only where those before it find no need.
fn fifo_score(
    by_size: f64,
    version: &Version,
    options: &ColumnFamilyOptions,
    ages: &FileAges<'_>,
    rule: LevelTargetRule,
) -> f64 {
    let files = version.level_files(0);
    let fifo = &options.compaction_options_fifo;
    let looks_at_all = rule != LevelTargetRule::Draining;
    let mut score = by_size;
    if looks_at_all && (fifo.allow_compaction || fifo.age_for_warm > 0) {
        score =
            score.max(files.len() as f64 / f64::from(options.level0_file_num_compaction_trigger));
    }
    if options.ttl > 0 && (looks_at_all || score < 1.0) {
        let expired = files.iter().filter(|file| ages.is_expired(file, options.ttl)).count();
        score = score.max(expired as f64);
    }
    score
}
