//! Where the files of a sorted run end, side by side, so that looking for the file of a key goes through
//! one array rather than through the files' metadata. (RocksDB has a `LevelFilesBrief` for the same.)

use base::dbformat::extract_user_key;
use base::{InternalKeyComparator, common_prefix_length, key_prefix};
use std::cmp::Ordering;
use std::sync::Arc;
use version::FileMetaData;

/// The files' keys as numbers. For keys that are ordered as bytes; for others it has nothing to say, and
/// the files are asked.
#[derive(Debug)]
pub(crate) struct LevelFilesBrief {
    /// How many bytes all largest user keys begin with alike; none of a single file's, which are its
    /// whole key.
    common: usize,
    /// Of what follows in each, [`key_prefix()`].
    largest: Box<[u64]>,
    /// [`key_prefix()`] of the smallest user keys, from their first bytes on.
    smallest: Box<[u64]>,
}

impl LevelFilesBrief {
    pub(crate) fn new(files: &[Arc<FileMetaData>]) -> Self {
        let common = match files {
            // Keys between two that begin alike begin like both, where keys are ordered as bytes.
            [first, .., last] => {
                common_prefix_length(first.largest.user_key(), last.largest.user_key())
            }
            _ => 0,
        };
        let number = |file: &Arc<FileMetaData>| {
            key_prefix(file.largest.user_key().get(common..).unwrap_or_default())
        };
        let smallest = files.iter().map(|file| key_prefix(file.smallest.user_key())).collect();
        Self { common, largest: files.iter().map(number).collect(), smallest }
    }

    /// The first of `files`, which are those it was made from, whose largest key is not before the
    /// internal key `target`; their number if there is none.
    #[inline]
    pub(crate) fn first_at_or_after(
        &self,
        files: &[Arc<FileMetaData>],
        comparator: &InternalKeyComparator,
        target: &[u8],
    ) -> usize {
        let candidates = match comparator.is_bytewise() {
            true => self.candidates(files, extract_user_key(target)),
            false => 0..files.len(),
        };
        let ends_before =
            |file: &Arc<FileMetaData>| comparator.compare(file.largest.as_bytes(), target).is_lt();
        candidates.start + files[candidates].partition_point(ends_before)
    }

    /// Whether the smallest user key of the file at `index` is at or before `user_key`; none where numbers
    /// do not tell.
    #[inline]
    pub(crate) fn begins_by(
        &self,
        index: usize,
        comparator: &InternalKeyComparator,
        user_key: &[u8],
    ) -> Option<bool> {
        let (smallest, number) = (*self.smallest.get(index)?, key_prefix(user_key));
        (comparator.is_bytewise() && smallest != number).then_some(smallest < number)
    }

    /// The files of which the numbers say nothing: those before end before `user_key`, those after do
    /// not.
    #[inline]
    fn candidates(&self, files: &[Arc<FileMetaData>], user_key: &[u8]) -> std::ops::Range<usize> {
        if self.common > 0 {
            let (head, common) = match files.first() {
                Some(file) => (
                    &user_key[..user_key.len().min(self.common)],
                    &file.largest.user_key()[..self.common],
                ),
                None => return 0..0,
            };
            match head.cmp(common) {
                Ordering::Less => return 0..0,
                Ordering::Greater => return files.len()..files.len(),
                Ordering::Equal => {}
            }
        }
        let number = key_prefix(&user_key[self.common..]);
        // As files of level 0 are.
        if let [largest] = &*self.largest {
            return usize::from(*largest < number)..usize::from(*largest <= number);
        }
        let start = self.largest.partition_point(|largest| *largest < number);
        let count = self.largest[start..].iter().take_while(|largest| **largest == number).count();
        start..start + count
    }
}

#[cfg(test)]
mod tests;
