//! `change_level`: the files of a level get another one.

use super::PickerInput;
use super::outputs::Draft;
use super::tree::TreeState;
use crate::compaction::{Compaction, CompactionInputFiles};
use crate::compaction_reason::CompactionReason;
use base::{Result, Status};
use std::cmp::Ordering;

/// The move of all files of `level` to `target_level`; a negative one stands for the uppermost
/// level that is empty, as are those between, and may be that large. None if there is nothing to
/// move. Nothing else must run.
///
/// # Errors
/// `InvalidArgument` if there is no such level; `NotSupported` from L0 down, and if files are in
/// the way or will be; `Aborted` to L0 for more than one file.
pub fn refit_level(
    input: &PickerInput<'_>,
    level: usize,
    target_level: i32,
) -> Result<Option<Compaction>> {
    let target =
        usize::try_from(target_level).unwrap_or_else(|_| minimum_empty_level_fitting(input, level));
    if target >= input.version.num_levels() {
        return Err(Status::invalid_argument("Target level exceeds number of levels"));
    }
    let files = input.version.level_files(level).to_vec();
    if files.is_empty() || target == level {
        return Ok(None);
    }
    let between = match target.cmp(&level) {
        Ordering::Greater if level == 0 => {
            return Err(Status::not_supported("Cannot change from level 0 to other levels."));
        }
        Ordering::Greater => level + 1..target + 1,
        _ if target == 0 && files.len() > 1 => {
            return Err(Status::aborted(
                "Moving more than 1 file from non-L0 to L0 is not allowed as it does not bring any \
                 benefit to read nor write throughput.",
            ));
        }
        _ => target..level,
    };
    let inputs = vec![CompactionInputFiles { level, files }];
    for other in between {
        if !input.version.level_files(other).is_empty() {
            return Err(Status::not_supported(
                "Levels between source and target are not empty for a move.",
            ));
        }
        if input.conflicts_with_running(&inputs, other) {
            return Err(Status::not_supported(
                "Levels between source and target will have some ongoing compaction's output.",
            ));
        }
    }
    if input.are_taken(&inputs[0]) {
        return Err(Status::not_supported("A file of the level is being compacted."));
    }
    let mut compaction = input.compaction(Draft {
        inputs,
        output_level: target,
        reason: CompactionReason::RefitLevel,
        score: -1.0,
        grandparents: Vec::new(),
        base_level: TreeState::new(input).base_level(),
        is_compressed: true,
        output_path_id: 0,
        max_compaction_bytes: u64::MAX,
        l0_files_might_overlap: false,
        may_move: false,
    });
    compaction.is_trivial_move = true;
    compaction.is_bottommost_level = false;
    Ok(Some(compaction))
}

fn minimum_empty_level_fitting(input: &PickerInput<'_>, level: usize) -> usize {
    let tree = TreeState::new(input);
    let bytes = input.version.level_size_bytes(level);
    let is_fitting = |candidate: &usize| {
        let target = tree.targets.target_bytes.get(*candidate).copied().unwrap_or(0);
        input.version.level_files(*candidate).is_empty() && target >= bytes
    };
    (1..level).rev().take_while(is_fitting).last().unwrap_or(level)
}
