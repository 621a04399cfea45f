//! Targets and scores of a tree, with what runs taken into account.

use super::PickerInput;
use version::level_targets::compaction_scores;
use version::{LevelSize, LevelTargets};

/// How far each level is from where it should be.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeState {
    /// What each level holds, and how much of it is idle.
    pub sizes: Vec<LevelSize>,
    /// How large each should be.
    pub targets: LevelTargets,
    /// How much each needs compaction, by level; none for the last.
    pub scores: Vec<f64>,
}

impl TreeState {
    /// Computes it.
    pub fn new(input: &PickerInput<'_>) -> Self {
        let options = &input.options.levels;
        let sizes = input.level_sizes();
        let targets = LevelTargets::new(options, &sizes);
        let scores = compaction_scores(options, &sizes, &targets);
        Self { sizes, targets, scores }
    }

    /// The score of a level; 0 where there is none.
    pub fn score(&self, level: usize) -> f64 {
        self.scores.get(level).copied().unwrap_or(0.0)
    }

    /// Levels and their scores, the neediest first; of equal ones the upper first. Options of 0 can
    /// make a score NaN: such a level needs nothing.
    pub fn by_score(&self) -> Vec<(usize, f64)> {
        let scores = self.scores.iter().copied().enumerate();
        let mut levels: Vec<_> = scores.filter(|(_, score)| !score.is_nan()).collect();
        levels.sort_by(|a, b| b.1.total_cmp(&a.1));
        levels
    }

    /// The level that L0 is compacted to.
    pub fn base_level(&self) -> usize {
        self.targets.base_level.unwrap_or(1)
    }
}
