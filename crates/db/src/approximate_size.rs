//! About how many bytes of table files lie between two keys (`GetApproximateSizes`).
//!
//! Of each file that a range covers in part the index says where in the file its ends are, so the
//! numbers are RocksDB's only as long as blocks are cut alike.

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use base::dbformat::{MAX_SEQUENCE_NUMBER, hex};
use base::{InternalKey, Result, Status};
use std::ops::Range;
use version::{FileMetaData, Version};

impl Db {
    /// About how many bytes the keys of each range take in table files: from its start on, without
    /// its end. What is only in memory does not count. Keys have no timestamps.
    ///
    /// # Errors
    /// `InvalidArgument` if a range ends before it starts; `Corruption` or `IoError` if an index
    /// cannot be read.
    pub fn approximate_sizes<K: AsRef<[u8]>>(
        &self,
        family: &ColumnFamilyHandle,
        ranges: &[Range<K>],
    ) -> Result<Vec<u64>> {
        let size =
            |range: &Range<K>| size_of_range(&family.0, range.start.as_ref(), range.end.as_ref());
        ranges.iter().map(size).collect()
    }
}

fn size_of_range(family: &ColumnFamilyData, start: &[u8], end: &[u8]) -> Result<u64> {
    let user_keys = [start, end].map(|key| with_timestamp(family, key));
    if family.comparator.compare_user_keys(&user_keys[0], &user_keys[1]).is_gt() {
        return Err(Status::invalid_argument(format!(
            "range ends at {}, before its start {}",
            hex(end),
            hex(start)
        )));
    }
    let [start, end] = user_keys.map(|key| InternalKey::for_seek(&key, MAX_SEQUENCE_NUMBER));
    let version = &family.super_version.load().version;
    let range = KeyRange { family, version, start: start.as_bytes(), end: end.as_bytes() };
    (0..version.num_levels())
        .try_fold(0_u64, |sum, level| Ok(sum.saturating_add(range.size_in_level(level)?)))
}

/// The key with the greatest timestamp, which comes before all versions of it.
fn with_timestamp(family: &ColumnFamilyData, key: &[u8]) -> Vec<u8> {
    let mut key = key.to_vec();
    key.resize(key.len() + family.comparator.timestamp_size(), 0xff);
    key
}

/// A range of internal keys, which are in order.
struct KeyRange<'a> {
    family: &'a ColumnFamilyData,
    version: &'a Version,
    start: &'a [u8],
    end: &'a [u8],
}

impl KeyRange<'_> {
    fn size_in_level(&self, level: usize) -> Result<u64> {
        let version = self.version;
        let files = version.level_files(level);
        if level == 0 {
            return files.iter().try_fold(0_u64, |sum, file| {
                Ok(sum.saturating_add(self.size_in_file(level, file)?))
            });
        }
        let Some(last) = files.len().checked_sub(1) else { return Ok(0) };
        let position = |key| version.find_file(&self.family.comparator, level, key).min(last);
        let (first, last) = (position(self.start), position(self.end));
        let mut size = self.size_in_file(level, &files[first])?;
        if first < last {
            for file in &files[first + 1..last] {
                size = size.saturating_add(file.file_size);
            }
            size = size.saturating_add(self.offset_in_file(level, &files[last], self.end)?);
        }
        Ok(size)
    }

    fn size_in_file(&self, level: usize, file: &FileMetaData) -> Result<u64> {
        let compare = |a: &[u8], b: &[u8]| self.family.comparator.compare(a, b);
        let (smallest, largest) = (file.smallest.as_bytes(), file.largest.as_bytes());
        if compare(largest, self.start).is_le() || compare(smallest, self.end).is_gt() {
            Ok(0)
        } else if compare(smallest, self.start).is_ge() {
            self.offset_in_file(level, file, self.end)
        } else if compare(largest, self.end).is_lt() {
            let offset = self.offset_in_file(level, file, self.start)?;
            Ok(file.file_size.saturating_sub(offset))
        } else {
            self.family.tables.open(file, level)?.approximate_size(self.start, self.end)
        }
    }

    /// About how much of a file is before `key`.
    fn offset_in_file(&self, level: usize, file: &FileMetaData, key: &[u8]) -> Result<u64> {
        let comparator = &self.family.comparator;
        if comparator.compare(file.largest.as_bytes(), key).is_le() {
            Ok(file.file_size)
        } else if comparator.compare(file.smallest.as_bytes(), key).is_gt() {
            Ok(0)
        } else {
            self.family.tables.open(file, level)?.approximate_offset_of(key)
        }
    }
}
