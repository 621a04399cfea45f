//! `rocksdb.estimate-live-data-size`: how many bytes hold what reads can still see.
//!
//! Files count that no file below them, nor one in their own level that counts already, overlaps.
//! The less compacted a tree is, the more this is below the truth.

use base::InternalKeyComparator;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use version::{FileMetaData, Version};

/// A file's largest key in the order of keys.
struct LargestKey<'a> {
    key: &'a [u8],
    comparator: &'a InternalKeyComparator,
}

impl Ord for LargestKey<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.comparator.compare(self.key, other.key)
    }
}

impl PartialOrd for LargestKey<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for LargestKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for LargestKey<'_> {}

/// The estimate; of blob files, what is not garbage counts.
pub(crate) fn estimate(version: &Version, comparator: &InternalKeyComparator) -> u64 {
    let mut counted: BTreeMap<LargestKey<'_>, &FileMetaData> = BTreeMap::new();
    let mut bytes = 0_u64;
    for level in (0..version.num_levels()).rev() {
        // Files of a deeper level ascend: once one is after all that counts, so are the rest.
        let mut after_all = false;
        for file in version.level_files(level) {
            if !(after_all && level > 0) {
                let smallest = LargestKey { key: file.smallest.as_bytes(), comparator };
                let next = counted.range(smallest..).next().map(|(_, next)| *next);
                after_all = next.is_none();
                let overlaps = next.is_some_and(|next| {
                    comparator.compare(file.largest.as_bytes(), next.smallest.as_bytes()).is_ge()
                });
                if overlaps {
                    continue;
                }
            }
            counted.insert(LargestKey { key: file.largest.as_bytes(), comparator }, file);
            bytes = bytes.saturating_add(file.file_size);
        }
    }
    version.blob_files().iter().fold(bytes, |bytes, file| {
        let live = file.addition.total_blob_bytes.saturating_sub(file.garbage_blob_bytes);
        bytes.saturating_add(live)
    })
}
