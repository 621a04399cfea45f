//! The files of each level in one line.

use compaction::PickerInput;
use compaction::picker::tree::TreeState;
use env::JsonObject;
use version::Version;

/// For people: `files[1 0 4 0 0 0 0] max score 0.25`, before that how large levels should be where
/// that depends on what is there.
pub(crate) fn level_summary(input: &PickerInput<'_>) -> String {
    let tree = TreeState::new(input);
    let mut text = String::new();
    if let Some(base_level) = tree.targets.base_level
        && tree.targets.multiplier != 0.0
    {
        let base_bytes = tree.targets.target_bytes.get(base_level).copied().unwrap_or(0);
        text = format!(
            "base level {base_level} level multiplier {:.2} max bytes base {base_bytes} ",
            tree.targets.multiplier
        );
    }
    let files: Vec<String> = tree.sizes.iter().map(|level| level.files.to_string()).collect();
    let score_max = tree.scores.iter().copied().fold(0.0, f64::max);
    format!("{text}files[{}] max score {score_max:.2}", files.join(" "))
}

/// For programs.
pub(super) fn lsm_state(event: &mut JsonObject, version: &Version) {
    let levels = 0..version.num_levels();
    event.array("lsm_state", levels.map(|level| version.level_files(level).len()));
    let blobs = version.blob_files();
    if let (Some(first), Some(last)) = (blobs.first(), blobs.last()) {
        event.field("blob_file_head", first.addition.number);
        event.field("blob_file_tail", last.addition.number);
    }
}
