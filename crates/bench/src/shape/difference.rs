//! What a shape lacks of the one that is wanted, and whether it stayed as it was.

use super::wanted::{Fill, Settings, Target};
use record::{FamilyShape, shape_text as text};
use std::collections::BTreeMap;

/// Bytes of a level may differ by one in this many.
const BYTES_TOLERANCE: u64 = 50;

/// Entries of the memtable may differ by one in this many.
const ENTRIES_TOLERANCE: u64 = 200;

/// What of a wanted shape is not there, in a sentence each; none if it is reached.
pub(crate) fn differences(
    target: &Target,
    present: &FamilyShape,
    settings: &Settings,
) -> Vec<String> {
    let mut found = Vec::new();
    let has = present.memtable_entries;
    match entries(target.memtable, settings) {
        Some(wanted) if has.abs_diff(wanted) > wanted / ENTRIES_TOLERANCE => {
            found.push(format!("memtable: wanted {wanted} entries, has {has}"));
        }
        Some(_) => {}
        None => found.push("memtable: how many entries it holds is not known yet".to_owned()),
    }
    if present.immutable_memtables > 0 {
        let count = present.immutable_memtables;
        found.push(format!("wanted no full memtables that wait to be flushed, has {count}"));
    }
    let mut wanted: BTreeMap<usize, Option<u64>> =
        target.upper.iter().map(|(level, bytes)| (*level, Some(*bytes))).collect();
    wanted.insert(target.last, target.last_bytes);
    let l0_wanted = (target.l0_full + usize::from(target.l0_partial.is_some())) as u64;
    for level in &present.levels {
        let name = format!("L{}", level.level);
        match (level.level, wanted.remove(&level.level)) {
            (0, _) if level.files != l0_wanted => {
                found.push(format!("{name}: wanted {l0_wanted} files, has {}", level.files));
            }
            (0, _) => {}
            (_, None) if level.files > 0 => {
                found.push(format!("{name}: wanted no files, has {}", level.files));
            }
            (_, Some(Some(bytes))) if !is_about(level.bytes, bytes) => {
                let (bytes, has) = (text::bytes(bytes), text::bytes(level.bytes));
                found.push(format!("{name}: wanted {bytes}, has {has}"));
            }
            (_, Some(None)) if level.files == 0 => {
                found.push(format!("{name}: wanted files, has none"));
            }
            _ => {}
        }
    }
    found
        .extend(wanted.keys().map(|level| format!("L{level}: wanted, and there is no such level")));
    found
}

/// Entries that a memtable is to have; `None` while it is not known how many it holds.
pub(crate) fn entries(fill: Fill, settings: &Settings) -> Option<u64> {
    match fill {
        Fill::Entries(count) => Some(count),
        Fill::PerMille(share) => settings.memtable_capacity.map(|capacity| capacity * share / 1000),
    }
}

/// Whether a level's bytes are close enough to those that were wanted.
pub(crate) fn is_about(bytes: u64, wanted: u64) -> bool {
    bytes.abs_diff(wanted) <= wanted / BYTES_TOLERANCE
}

/// How a shape changed while only reads ran; none if it did not.
pub(crate) fn change(before: &FamilyShape, after: &FamilyShape) -> Option<String> {
    // Memory is left out: what holds it may grow while entries are read.
    let content = |shape: &FamilyShape| FamilyShape { memtable_bytes: 0, ..shape.clone() };
    (content(before) != content(after))
        .then(|| format!("before: {}; after: {}", text::line(before), text::line(after)))
}

#[cfg(test)]
mod tests;
