//! Which level takes a file, and whether its keys need a sequence number: pure decisions.
//!
//! A file goes as deep as nothing above it has keys that it has too, and where no file of the level is
//! in the way. Where something below has such keys, and where snapshots must not see it, its keys need a
//! sequence number, which they get together.

use base::{Result, Status};

/// A level, as one file sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LevelView {
    /// It has keys within the file's range, or a compaction writes there.
    pub(super) overlaps: bool,
    /// No file of it is in the way.
    pub(super) fits: bool,
}

/// What counts beside the levels.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rules {
    /// The first level below 0 that is in use (dynamic level sizes).
    pub(super) base_level: usize,
    /// Snapshots must not see the file.
    pub(super) hides_from_snapshots: bool,
    /// Files that are ingested together have keys in common.
    pub(super) files_overlap: bool,
    /// All files belong into level 0 (FIFO compaction).
    pub(super) has_one_level: bool,
    /// The level that files before it, which it has keys in common with, did not get below.
    pub(super) above_level: Option<usize>,
    /// Only the last level will do (`fail_if_not_bottommost_level`).
    pub(super) only_last_level: bool,
}

/// Where a file goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement {
    pub(super) level: usize,
    /// Its keys get a sequence number of their own.
    pub(super) needs_sequence: bool,
}

/// Where a file goes that sees `levels`.
///
/// # Errors
/// `TryAgain` if only the last level will do and another one takes it.
pub(super) fn place(levels: &[LevelView], rules: &Rules) -> Result<Placement> {
    let must_be_on_top = rules.has_one_level || rules.above_level == Some(0);
    let mut level = 0;
    let mut overlaps = must_be_on_top;
    if !must_be_on_top {
        let end = rules.above_level.unwrap_or(levels.len()).min(levels.len());
        for (index, view) in levels[..end].iter().enumerate() {
            if index > 0 && index < rules.base_level {
                continue;
            }
            if view.overlaps {
                overlaps = true;
                break;
            }
            if view.fits {
                level = index;
            }
        }
    }
    if rules.only_last_level && level + 1 < levels.len() {
        return Err(Status::try_again(
            "Files cannot be ingested to Lmax: files there, or a compaction that writes there, have \
             keys of the files to ingest",
        ));
    }
    let needs_sequence = overlaps || rules.hides_from_snapshots || rules.files_overlap;
    Ok(Placement { level, needs_sequence })
}

#[cfg(test)]
mod tests;
