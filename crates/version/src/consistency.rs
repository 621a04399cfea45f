//! In which order the files of a level stand, and what must hold between them.
//!
//! A reader relies on this: of two versions of a key it takes the one it meets first. Where the
//! rules do not hold a version is refused, since reading it would return wrong data.

use crate::blob_file_metadata::BlobFileMetaData;
use crate::file_metadata::{FileMetaData, UNKNOWN_EPOCH_NUMBER};
use base::{InternalKeyComparator, Result, Status};
use std::cmp::Ordering;
use std::sync::Arc;

/// How the age of L0 files is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level0Order {
    /// By epoch number, which every file has: what 7.10 and later write.
    Epoch,
    /// By sequence numbers.
    Sequence,
}

impl Level0Order {
    /// The order for a column family: epochs count only where no file, on any level, lacks one.
    pub fn of<'a>(files: impl IntoIterator<Item = &'a FileMetaData>) -> Self {
        let known = files.into_iter().all(|file| file.epoch_number != UNKNOWN_EPOCH_NUMBER);
        if known { Self::Epoch } else { Self::Sequence }
    }

    /// Orders two L0 files, newer first.
    pub fn compare(self, a: &FileMetaData, b: &FileMetaData) -> Ordering {
        let age = |file: &FileMetaData| {
            let epoch = if self == Self::Epoch { file.epoch_number } else { 0 };
            (epoch, file.largest_seqno, file.smallest_seqno, file.number)
        };
        age(b).cmp(&age(a))
    }
}

/// Orders two files of a level below L0.
pub fn compare_by_smallest_key(
    comparator: &InternalKeyComparator,
    a: &FileMetaData,
    b: &FileMetaData,
) -> Ordering {
    comparator
        .compare(a.smallest.as_bytes(), b.smallest.as_bytes())
        .then_with(|| a.number.cmp(&b.number))
}

/// Checks that the boundaries of a file are long enough to be compared.
///
/// # Errors
/// `Corruption` that names the file and the key.
pub fn check_boundary_lengths(
    comparator: &InternalKeyComparator,
    level: usize,
    file: &FileMetaData,
) -> Result<()> {
    for (which, key) in [("smallest", &file.smallest), ("largest", &file.largest)] {
        if !comparator.is_long_enough(key.as_bytes()) {
            return Err(Status::corruption(format!(
                "L{level}, table file {}: {which} key {key:?} is too short for a timestamp of {} \
                 bytes",
                file.number,
                comparator.timestamp_size()
            )));
        }
    }
    Ok(())
}

/// Checks the files of a level, which are in order, against each other
/// (`force_consistency_checks`).
///
/// - No file ends before it begins.
/// - L0 files of the same epoch must not overlap. Ordered by sequence numbers they may.
/// - Deeper files must not overlap: the largest key of one is before the smallest of the next, as
///   internal keys. So two neighbours may share a user key, newer versions in the first.
///
/// # Errors
/// `Corruption` that names level, files and keys.
pub fn check_level(
    comparator: &InternalKeyComparator,
    level: usize,
    order: Level0Order,
    files: &[Arc<FileMetaData>],
) -> Result<()> {
    for file in files {
        let (smallest, largest) = (file.smallest.user_key(), file.largest.user_key());
        if comparator.compare_user_keys(smallest, largest).is_gt() {
            return Err(Status::corruption(format!(
                "L{level}, table file {}: smallest key {:?} is after largest key {:?}",
                file.number, file.smallest, file.largest
            )));
        }
    }
    for pair in files.windows(2) {
        let [first, second] = pair else { continue };
        let wrong = if level > 0 {
            comparator.compare(first.largest.as_bytes(), second.smallest.as_bytes()).is_ge()
        } else {
            order == Level0Order::Epoch
                && first.epoch_number == second.epoch_number
                && overlap(comparator, first, second)
        };
        if wrong {
            return Err(overlap_error(level, first, second));
        }
    }
    Ok(())
}

fn overlap(comparator: &InternalKeyComparator, a: &FileMetaData, b: &FileMetaData) -> bool {
    comparator.compare(a.smallest.as_bytes(), b.largest.as_bytes()).is_le()
        && comparator.compare(a.largest.as_bytes(), b.smallest.as_bytes()).is_ge()
}

#[cold]
fn overlap_error(level: usize, first: &FileMetaData, second: &FileMetaData) -> Status {
    let epochs = if level == 0 {
        format!(" and have the same epoch number {}", first.epoch_number)
    } else {
        String::new()
    };
    Status::corruption(format!(
        "L{level}: table files {} ({:?} to {:?}) and {} ({:?} to {:?}) overlap{epochs}",
        first.number, first.smallest, first.largest, second.number, second.smallest, second.largest
    ))
}

/// Checks that a blob file of a version still holds something: only then may it be there.
///
/// # Errors
/// `Corruption` that names the file.
pub fn check_blob_file(file: &BlobFileMetaData) -> Result<()> {
    let total = file.addition.total_blob_count;
    if file.garbage_blob_count >= total {
        return Err(Status::corruption(format!(
            "blob file {}: all of its {total} blobs are garbage, but table files {:?} refer to it",
            file.number(),
            file.linked_ssts
        )));
    }
    Ok(())
}
