//! Which steps lead from the shape that there is to the one that is wanted.

use super::difference::{differences, is_about};
use super::wanted::{Fill, Settings, Target, Wanted};
use base::{Result, Status};
use record::{FamilyShape, shape_text as text};
use std::fmt;

/// Thousandths of a memtable that surely do not fill it.
const NEARLY_FULL: u64 = 950;

/// Something done to the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The memtable becomes a file of L0.
    Flush,
    /// Everything is compacted into one sorted run.
    CompactAll,
    /// All files of a level are compacted into another.
    CompactLevel {
        /// The level.
        from: usize,
        /// The other one.
        to: usize,
    },
    /// Keys that exist are overwritten and the new entries compacted to a level, until it has so
    /// many bytes.
    FillLevel {
        /// The level.
        level: usize,
        /// Its bytes.
        bytes: u64,
    },
    /// Keys that exist are overwritten until so many memtables were full; each becomes a file of
    /// L0.
    FillMemtables(usize),
    /// Keys that exist are overwritten until the memtable is so full.
    FillMemtable(Fill),
}

impl Step {
    /// Whether data is put into place, after which nothing is left to plan. Other steps gather it.
    pub(crate) fn builds(&self) -> bool {
        matches!(self, Self::FillLevel { .. } | Self::FillMemtables(_) | Self::FillMemtable(_))
    }
}

/// The next steps towards a wanted shape; none if it is reached. First everything is gathered in one
/// sorted run: how large that is decides on the rest, so plan again after it.
///
/// # Errors
/// `InvalidArgument` if options or data do not allow that shape.
pub(crate) fn plan(
    wanted: &Wanted,
    present: &FamilyShape,
    settings: &Settings,
) -> Result<Vec<Step>> {
    let deep = present.levels.iter().filter(|level| level.level > 0 && level.files > 0);
    let deep: Vec<_> = deep.collect();
    let l0_files: u64 =
        present.levels.iter().filter(|level| level.level == 0).map(|level| level.files).sum();
    let in_memory = present.memtable_entries > 0 || present.immutable_memtables > 0;
    let Some(deepest) = deep.last() else {
        return match l0_files > 0 || in_memory {
            true => Ok(gather(in_memory)),
            false => {
                Err(Status::invalid_argument("--shape needs a database with data: fill it first"))
            }
        };
    };
    let is_one_run = deep.len() == 1 && l0_files == 0 && !in_memory;
    let target = match wanted.target(deepest.bytes, settings) {
        Ok(target) => target,
        // What does not fit the last level as it is may fit all data.
        Err(_) if !is_one_run => return Ok(gather(in_memory)),
        Err(error) => return Err(error),
    };
    if differences(&target, present, settings).is_empty() {
        return Ok(Vec::new());
    }
    if !is_one_run {
        return Ok(gather(in_memory));
    }
    if let Some(bytes) = target.last_bytes.filter(|wanted| !is_about(deepest.bytes, *wanted)) {
        return Err(Status::invalid_argument(format!(
            "--shape: the last level is to have {} and all keys; those have {}",
            text::bytes(bytes),
            text::bytes(deepest.bytes)
        )));
    }
    if deepest.level != target.last {
        return Ok(vec![Step::CompactLevel { from: deepest.level, to: target.last }]);
    }
    Ok(build(&target))
}

fn gather(in_memory: bool) -> Vec<Step> {
    match in_memory {
        true => vec![Step::Flush, Step::CompactAll],
        false => vec![Step::CompactAll],
    }
}

/// Puts newer entries over a single run, from the deepest level up: what is above has to be newer.
fn build(target: &Target) -> Vec<Step> {
    let mut steps: Vec<_> = target
        .upper
        .iter()
        .map(|(level, bytes)| Step::FillLevel { level: *level, bytes: *bytes })
        .collect();
    // A memtable is full only once the next one has an entry. Where that is to stay empty, the last
    // file is made before its memtable is quite full.
    let ends_empty = target.memtable == Fill::Entries(0);
    let (l0_full, l0_partial) = match (target.l0_full, target.l0_partial) {
        (1.., None) if ends_empty => (target.l0_full - 1, Some(Fill::PerMille(NEARLY_FULL))),
        as_wanted => as_wanted,
    };
    if l0_full > 0 {
        steps.push(Step::FillMemtables(l0_full));
    }
    if let Some(fill) = l0_partial {
        steps.extend([Step::FillMemtable(fill), Step::Flush]);
    }
    if !ends_empty {
        steps.push(Step::FillMemtable(target.memtable));
    }
    steps
}

/// How many random overwrites of `keys` keys bring a level, that has newer entries of `have` of them,
/// to `want`. Some hit keys that are there already.
pub(crate) fn overwrites(keys: f64, have: f64, want: f64) -> u64 {
    let missing = ((want - have) / (keys - have).max(1.0)).clamp(0.0, 0.999_999);
    (-keys * (-missing).ln_1p()).ceil() as u64
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flush => write!(f, "flush"),
            Self::CompactAll => write!(f, "compact everything"),
            Self::CompactLevel { from, to } => write!(f, "compact L{from} to L{to}"),
            Self::FillLevel { level, bytes } => write!(f, "fill L{level} up to {bytes} bytes"),
            Self::FillMemtables(count) => write!(f, "fill {count} memtables"),
            Self::FillMemtable(Fill::Entries(count)) => {
                write!(f, "fill the memtable up to {count} entries")
            }
            Self::FillMemtable(Fill::PerMille(share)) => {
                write!(f, "fill the memtable up to {share} of 1000")
            }
        }
    }
}

#[cfg(test)]
mod tests;
