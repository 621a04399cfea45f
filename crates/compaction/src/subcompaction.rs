//! Where a compaction is divided into ranges that run at the same time.

use crate::compaction::Compaction;
use base::{InternalKeyComparator, Result};
use version::FileMetaData;

/// A key of a table and how many bytes there are from the anchor before to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAnchor {
    /// The user key, with its timestamp.
    pub user_key: Vec<u8>,
    /// Bytes up to it.
    pub range_size: u64,
}

/// The user keys that divide `compaction` into ranges of about equal size: at most one less than
/// `max_subcompactions`, or for round-robin than files of the start level if those are more and
/// as many as `spare_threads` run the surplus. Ascending; each is the first key of a range. Empty
/// where it should not be divided.
///
/// `anchors` gives for a file keys that divide it evenly, about 128 of them, in order, the last
/// being its largest key; empty if that is not known.
///
/// # Errors
/// Those of `anchors`.
pub fn generate_subcompaction_boundaries(
    compaction: &Compaction,
    comparator: &InternalKeyComparator,
    spare_threads: usize,
    mut anchors: impl FnMut(&FileMetaData) -> Result<Vec<KeyAnchor>>,
) -> Result<Vec<Vec<u8>>> {
    if !compaction.should_form_subcompactions() {
        return Ok(Vec::new());
    }
    let planned = planned(compaction, spare_threads);
    if planned <= 1 {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (_, file) in compaction.input_files() {
        let of_file = anchors(file)?;
        if of_file.is_empty() {
            let user_key = file.largest.user_key().to_vec();
            all.push(KeyAnchor { user_key, range_size: file.file_size });
        }
        all.extend(of_file);
    }
    let total = all.iter().fold(0_u64, |sum, anchor| sum.saturating_add(anchor.range_size));
    all.sort_by(|a, b| comparator.compare_without_timestamp(&a.user_key, &b.user_key));
    all.dedup_by(|b, a| comparator.compare_without_timestamp(&a.user_key, &b.user_key).is_eq());
    Ok(divide(&all, total, planned, compaction.target_output_file_size))
}

/// How many ranges there may be.
fn planned(compaction: &Compaction, spare_threads: usize) -> u64 {
    let max = u64::from(compaction.max_subcompactions.max(1));
    max + compaction.surplus_subcompactions().min(spare_threads) as u64
}

/// Ranges of the same size, but not smaller than a file.
fn divide(anchors: &[KeyAnchor], total: u64, planned: u64, target_file_size: u64) -> Vec<Vec<u8>> {
    let range_size = (total / planned).max(target_file_size).max(1);
    let mut boundaries = Vec::new();
    if range_size >= total {
        return boundaries;
    }
    let (mut cumulative, mut threshold) = (0_u64, range_size);
    for anchor in anchors {
        if boundaries.len() as u64 + 1 >= planned {
            break;
        }
        cumulative = cumulative.saturating_add(anchor.range_size);
        if cumulative > threshold {
            threshold = threshold.saturating_add(range_size);
            boundaries.push(anchor.user_key.clone());
        }
    }
    boundaries
}

#[cfg(test)]
mod tests;
