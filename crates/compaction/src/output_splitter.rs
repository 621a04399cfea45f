//! Where one output file of a compaction ends and the next begins.
//!
//! A file ends before a key when
//!
//! - the user's partitioner says so;
//! - it has the size that it may have;
//! - the key is at or after the cursor of round-robin compaction;
//! - the key is in or behind an old file whose range is to move down for its age (`ttl`);
//! - the key is at the border of a grandparent (a file of the next level), and either the file and
//!   the grandparents it overlaps would be too much for a later compaction, or a grandparent would
//!   be overlapped by a gap between keys alone, or the file has a fair size: half the target and
//!   more, the more borders it has crossed.
//!
//! Never between versions of one user key, and never in L0.

use base::dbformat::extract_user_key;
use base::sst_partitioner::{PartitionerRequest, SstPartitioner};
use base::{InternalKey, InternalKeyComparator};
use std::cmp::Ordering;
use std::sync::Arc;
use version::{CompactionStyle, FileMetaData};

/// Sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SplitRules {
    pub(crate) style: CompactionStyle,
    pub(crate) output_level: usize,
    pub(crate) target_file_size: u64,
    pub(crate) max_file_size: u64,
    pub(crate) max_compaction_bytes: u64,
}

/// The file that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpenFile {
    /// Bytes so far.
    pub(crate) size: u64,
    /// Bytes that count against the size it may have: perhaps with what follows the data.
    pub(crate) full_size: u64,
}

pub(crate) struct OutputSplitter<'a> {
    comparator: InternalKeyComparator,
    rules: SplitRules,
    grandparents: &'a [Arc<FileMetaData>],
    /// The grandparent that the last key is in, or else the next one.
    grandparent: usize,
    is_in_gap: bool,
    has_seen_key: bool,
    /// Bytes of grandparents that the file overlaps.
    overlapped_bytes: u64,
    /// Borders of grandparents that the file has crossed.
    borders_crossed: u64,
    /// Still to be split at.
    split_key: Option<&'a InternalKey>,
    old_files: OldFiles,
    partition: Option<Partition>,
}

/// The user's rule, and the last user key that it was asked about.
#[derive(Debug)]
struct Partition {
    partitioner: Box<dyn SstPartitioner>,
    last_key: Vec<u8>,
}

impl Partition {
    /// Moves to `user_key`. Returns whether a file of `size` bytes ends before it.
    fn cross(&mut self, user_key: &[u8], open: Option<OpenFile>) -> bool {
        let divides = open.is_some_and(|open| {
            self.partitioner.should_partition(&PartitionerRequest {
                prev_user_key: &self.last_key,
                current_user_key: user_key,
                current_output_file_size: open.size,
            })
        });
        self.last_key.clear();
        self.last_key.extend_from_slice(user_key);
        divides
    }
}

/// Files of the output level whose ranges get outputs of their own.
#[derive(Debug, Default)]
pub(crate) struct OldFiles {
    files: Vec<Arc<FileMetaData>>,
    next: usize,
    is_inside: bool,
}

impl<'a> OutputSplitter<'a> {
    pub(crate) fn new(
        comparator: InternalKeyComparator,
        rules: SplitRules,
        grandparents: &'a [Arc<FileMetaData>],
        split_key: Option<&'a InternalKey>,
        old_files: Vec<Arc<FileMetaData>>,
    ) -> Self {
        Self {
            comparator,
            rules,
            grandparents,
            grandparent: 0,
            is_in_gap: true,
            has_seen_key: false,
            overlapped_bytes: 0,
            borders_crossed: 0,
            split_key,
            old_files: OldFiles { files: old_files, next: 0, is_inside: false },
            partition: None,
        }
    }

    /// Files end where `partitioner` wants them to, too.
    pub(crate) fn with_partitioner(mut self, partitioner: Option<Box<dyn SstPartitioner>>) -> Self {
        self.partition =
            partitioner.map(|partitioner| Partition { partitioner, last_key: Vec::new() });
        self
    }

    /// Whether the open file, if there is one, ends before `key`. `last_key` is the last internal
    /// key in it, empty if there is none. Keys must ascend.
    #[inline]
    pub(crate) fn should_stop_before(
        &mut self,
        key: &[u8],
        open: Option<OpenFile>,
        last_key: &[u8],
    ) -> bool {
        if self.rules.output_level == 0 {
            return false;
        }
        if self.goes_by_size_alone() {
            return open.is_some_and(|open| open.full_size >= self.rules.max_file_size)
                && !self.is_same_user_key(key, last_key);
        }
        let previously_overlapped = self.overlapped_bytes;
        let borders = self.cross_borders(key);
        let crosses_old_file = self.old_files.cross(key, &self.comparator);
        let is_divided = self
            .partition
            .as_mut()
            .is_some_and(|partition| partition.cross(extract_user_key(key), open));
        let Some(open) = open else { return false };
        let wants_to = is_divided
            || crosses_old_file
            || open.full_size >= self.rules.max_file_size
            || self
                .split_key
                .is_some_and(|split| self.comparator.compare(key, split.as_bytes()).is_ge())
            || borders > 0 && self.should_stop_at_border(open.size, borders, previously_overlapped);
        if !wants_to || self.is_same_user_key(key, last_key) {
            return false;
        }
        if let Some(split) = self.split_key
            && self.comparator.compare(key, split.as_bytes()).is_ge()
        {
            self.split_key = None;
        }
        true
    }

    /// Whether it may depend on the size of the open file, which counts at most so many bytes, whether
    /// that ends before `key`.
    pub(crate) fn depends_on_size(&self, key: &[u8], full_size_max: u64) -> bool {
        self.rules.output_level > 0
            && (full_size_max >= self.rules.max_file_size
                || self.partition.is_some()
                || self.reaches_border(key))
    }

    /// Whether a file of this size goes on, whatever key comes.
    #[inline]
    pub(crate) fn goes_on(&self, size: u64) -> bool {
        self.rules.output_level == 0 || self.goes_by_size_alone() && size < self.rules.max_file_size
    }

    /// Whether from where the last key was up to the internal key `key` there is nothing at which a file
    /// might end before its time.
    pub(crate) fn crosses_nothing(&self, key: &[u8]) -> bool {
        if self.rules.output_level == 0 || self.goes_by_size_alone() {
            return true;
        }
        !self.reaches_border(key)
            && self.old_files.crosses_nothing(key, &self.comparator)
            && self
                .split_key
                .is_none_or(|split| self.comparator.compare(key, split.as_bytes()).is_lt())
            && self.partition.is_none()
    }

    /// Whether there is nothing, or nothing any more, at which a file might end before its time.
    #[inline]
    fn goes_by_size_alone(&self) -> bool {
        self.grandparent >= self.grandparents.len()
            && self.old_files.next >= self.old_files.files.len()
            && self.split_key.is_none()
            && self.partition.is_none()
    }

    /// Whether the next border of a grandparent is at or before `key`.
    fn reaches_border(&self, key: &[u8]) -> bool {
        self.grandparents.get(self.grandparent).is_some_and(|file| {
            let border = if self.is_in_gap { &file.smallest } else { &file.largest };
            self.compare(key, border).is_ge()
        })
    }

    fn is_same_user_key(&self, key: &[u8], last_key: &[u8]) -> bool {
        !last_key.is_empty()
            && self
                .comparator
                .compare_without_timestamp(extract_user_key(key), extract_user_key(last_key))
                .is_eq()
    }

    fn should_stop_at_border(&self, size: u64, borders: u64, previously_overlapped: u64) -> bool {
        let SplitRules { target_file_size, max_compaction_bytes, .. } = self.rules;
        if self.overlapped_bytes.saturating_add(size) > max_compaction_bytes {
            return true;
        }
        if self.rules.style != CompactionStyle::Level {
            return false;
        }
        // From within a grandparent to the gap behind the next one, or from a gap into the one
        // after the next, a whole grandparent is skipped.
        let skipping = if self.is_in_gap { 2 } else { 3 };
        if borders >= skipping
            && self.overlapped_bytes - previously_overlapped > target_file_size / 8
        {
            return true;
        }
        let percent = 50 + (self.borders_crossed * 5).min(40);
        size >= target_file_size.div_ceil(100).saturating_mul(percent)
    }

    /// A new file begins at `key`.
    pub(crate) fn start_file(&mut self, key: &[u8]) {
        self.borders_crossed = 0;
        self.overlapped_bytes = self.bytes_overlapped_by(key);
    }

    /// Moves to the grandparent of `key`. Returns how many borders lie between.
    #[inline]
    fn cross_borders(&mut self, key: &[u8]) -> u64 {
        let mut borders = 0;
        while let Some(file) = self.grandparents.get(self.grandparent) {
            if self.is_in_gap {
                if self.compare(key, &file.smallest).is_lt() {
                    break;
                }
                if self.has_seen_key {
                    borders += 1;
                    self.overlapped_bytes = self.overlapped_bytes.saturating_add(file.file_size);
                }
                self.is_in_gap = false;
            } else {
                let order = self.compare(key, &file.largest);
                // Of several files with the key the last one counts.
                let next = self.grandparents.get(self.grandparent + 1);
                let is_last = next.is_none_or(|next| self.compare(key, &next.smallest).is_lt());
                if order.is_lt() || order.is_eq() && is_last {
                    break;
                }
                borders += u64::from(self.has_seen_key);
                self.is_in_gap = true;
                self.grandparent += 1;
            }
        }
        self.borders_crossed += borders;
        if !self.has_seen_key && !self.is_in_gap {
            self.overlapped_bytes = self.bytes_overlapped_by(key);
        }
        self.has_seen_key = true;
        borders
    }

    /// Bytes of the grandparents that hold `key`, which is the last that borders were crossed for.
    fn bytes_overlapped_by(&self, key: &[u8]) -> u64 {
        if self.is_in_gap {
            return 0;
        }
        let Some(file) = self.grandparents.get(self.grandparent) else { return 0 };
        let before = self.grandparents[..self.grandparent].iter().rev();
        let also = before.take_while(|file| self.compare(key, &file.largest).is_eq());
        also.fold(file.file_size, |sum, file| sum.saturating_add(file.file_size))
    }

    /// Orders an internal key and a boundary: by user key without timestamp, an exclusive end
    /// first.
    #[inline]
    fn compare(&self, key: &[u8], boundary: &InternalKey) -> Ordering {
        let order =
            self.comparator.compare_without_timestamp(extract_user_key(key), boundary.user_key());
        if order.is_eq() && boundary.is_range_tombstone_sentinel() {
            return Ordering::Greater;
        }
        order
    }
}

impl OldFiles {
    /// Whether no file is entered or left up to `key`.
    fn crosses_nothing(&self, key: &[u8], comparator: &InternalKeyComparator) -> bool {
        self.files.get(self.next).is_none_or(|file| match self.is_inside {
            true => comparator.compare(key, file.largest.as_bytes()).is_le(),
            false => comparator.compare(key, file.smallest.as_bytes()).is_lt(),
        })
    }

    /// Moves to `key`. Returns whether that enters or leaves a file.
    fn cross(&mut self, key: &[u8], comparator: &InternalKeyComparator) -> bool {
        if self.is_inside {
            let is_left = self
                .files
                .get(self.next)
                .is_some_and(|file| comparator.compare(key, file.largest.as_bytes()).is_gt());
            if is_left {
                self.next += 1;
                self.is_inside = false;
            }
            return is_left;
        }
        while let Some(file) = self.files.get(self.next) {
            if comparator.compare(key, file.smallest.as_bytes()).is_lt() {
                break;
            }
            if comparator.compare(key, file.largest.as_bytes()).is_le() {
                self.is_inside = true;
                return true;
            }
            self.next += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests;
