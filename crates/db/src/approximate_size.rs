//! About how many bytes of table files lie between two keys (`GetApproximateSizes`).
//!
//! Of each file that a range covers in part the index says where in the file its ends are, so the
//! numbers are RocksDB's only as long as blocks are cut alike.

use crate::column_family::{ColumnFamilyData, ColumnFamilyHandle};
use crate::db::Db;
use crate::property::source::blob_file_size;
use crate::super_version::SuperVersion;
use base::dbformat::{MAX_SEQUENCE_NUMBER, hex};
use base::{InternalKey, Result, Status};
use std::ops::Range;
use version::{FileMetaData, Version};

base::call_options! {
    /// What [`Db::approximate_sizes_with`] counts (`rocksdb::SizeApproximationOptions`).
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SizeApproximationOptions;
    rows {
        /// What is in memtables. Default: false.
        include_memtables: bool = false, honoured;
        /// What is in tables. Default: true.
        include_files: bool = true, honoured;
        /// What is in blob files: their bytes, by the share of the bytes of tables that the range has.
        /// Default: false.
        include_blob_files: bool = false, honoured;
        /// Files that the range covers in part count by half, and are not read, where all of them
        /// together are less than this share of those that it covers. Default: -1, they are read.
        files_size_error_margin: f64 = -1.0, honoured;
    }
}

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
        self.approximate_sizes_with(&SizeApproximationOptions::default(), family, ranges)
    }

    /// As [`Db::approximate_sizes`], of what the options say.
    ///
    /// # Errors
    /// As [`Db::approximate_sizes`]; `InvalidArgument` also if the options count nothing.
    pub fn approximate_sizes_with<K: AsRef<[u8]>>(
        &self,
        options: &SizeApproximationOptions,
        family: &ColumnFamilyHandle,
        ranges: &[Range<K>],
    ) -> Result<Vec<u64>> {
        self.inner.check_call(options)?;
        if !(options.include_memtables || options.include_files || options.include_blob_files) {
            return Err(Status::invalid_argument(
                "include_files of SizeApproximationOptions is false, and so is all else to count: \
                 set one of include_files, include_memtables and include_blob_files",
            ));
        }
        let size = |range: &Range<K>| {
            size_of_range(options, &family.0, range.start.as_ref(), range.end.as_ref())
        };
        ranges.iter().map(size).collect()
    }

    /// About how much the keys of a range are in memtables: from its start on, without its end
    /// (`GetApproximateMemTableStats`). Keys have no timestamps.
    ///
    /// # Errors
    /// `InvalidArgument` if the range ends before it starts.
    pub fn approximate_memtable_stats<K: AsRef<[u8]>>(
        &self,
        family: &ColumnFamilyHandle,
        range: &Range<K>,
    ) -> Result<MemTableStats> {
        let family = &*family.0;
        let [start, end] = internal_bounds(family, range.start.as_ref(), range.end.as_ref())?;
        let super_version = family.super_version.load();
        let version = &super_version.version;
        let range = KeyRange { family, version, start: start.as_bytes(), end: end.as_bytes() };
        Ok(range.in_memtables(&super_version))
    }
}

/// About how much memtables hold of a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemTableStats {
    /// Entries, deletions and older versions of keys among them.
    pub entries: u64,
    /// Bytes of these entries.
    pub bytes: u64,
}

/// The internal keys between which a range of user keys is.
fn internal_bounds(
    family: &ColumnFamilyData,
    start: &[u8],
    end: &[u8],
) -> Result<[InternalKey; 2]> {
    let user_keys = [start, end].map(|key| with_timestamp(family, key));
    if family.comparator.compare_user_keys(&user_keys[0], &user_keys[1]).is_gt() {
        return Err(Status::invalid_argument(format!(
            "range ends at {}, before its start {}",
            hex(end),
            hex(start)
        )));
    }
    Ok(user_keys.map(|key| InternalKey::for_seek(&key, MAX_SEQUENCE_NUMBER)))
}

fn size_of_range(
    options: &SizeApproximationOptions,
    family: &ColumnFamilyData,
    start: &[u8],
    end: &[u8],
) -> Result<u64> {
    let [start, end] = internal_bounds(family, start, end)?;
    let super_version = family.super_version.load();
    let version = &super_version.version;
    let range = KeyRange { family, version, start: start.as_bytes(), end: end.as_bytes() };
    let mut size = 0;
    if options.include_files || options.include_blob_files {
        let files = range.size_in_files(options.files_size_error_margin)?;
        let blobs = (files as f64 * blob_bytes_per_table_byte(version)) as u64;
        size += if options.include_files { files } else { 0 };
        size += if options.include_blob_files { blobs } else { 0 };
    }
    if options.include_memtables {
        size += range.in_memtables(&super_version).bytes;
    }
    Ok(size)
}

/// 0 without tables.
fn blob_bytes_per_table_byte(version: &Version) -> f64 {
    let levels = (0..version.num_levels()).map(|level| version.level_files(level));
    let tables: u64 = levels.flatten().map(|file| file.file_size).sum();
    let blobs: u64 = version.blob_files().iter().map(|file| blob_file_size(file)).sum();
    if tables == 0 { 0.0 } else { blobs as f64 / tables as f64 }
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

/// Files that a range may cover in part, each with its level.
#[derive(Default)]
struct PartlyCovered<'a> {
    /// The first one of each level, and all of L0.
    first: Vec<(usize, &'a FileMetaData)>,
    /// The last one, where it is another.
    last: Vec<(usize, &'a FileMetaData)>,
}

impl KeyRange<'_> {
    fn size_in_files(&self, error_margin: f64) -> Result<u64> {
        let mut partly = PartlyCovered::default();
        let covered = (0..self.version.num_levels())
            .fold(0_u64, |sum, level| sum.saturating_add(self.size_of_covered(level, &mut partly)));
        let files = partly.first.iter().chain(&partly.last);
        let partly_bytes = files.map(|(_, file)| file.file_size).fold(0, u64::saturating_add);
        if error_margin > 0.0 && partly_bytes < (covered as f64 * error_margin) as u64 {
            return Ok(covered.saturating_add(partly_bytes / 2));
        }
        let mut size = covered;
        for (level, file) in partly.first {
            size = size.saturating_add(self.size_in_file(level, file)?);
        }
        for (level, file) in partly.last {
            size = size.saturating_add(self.offset_in_file(level, file, self.end)?);
        }
        Ok(size)
    }

    /// Bytes of the files of a level that the range covers for certain; others go to `partly`.
    fn size_of_covered<'a>(&'a self, level: usize, partly: &mut PartlyCovered<'a>) -> u64 {
        let files = self.version.level_files(level);
        if level == 0 {
            partly.first.extend(files.iter().map(|file| (level, &**file)));
            return 0;
        }
        let Some(last) = files.len().checked_sub(1) else { return 0 };
        let position = |key| self.version.find_file(&self.family.comparator, level, key).min(last);
        let (first, last) = (position(self.start), position(self.end));
        partly.first.push((level, &files[first]));
        if first >= last {
            return 0;
        }
        partly.last.push((level, &files[last]));
        files[first + 1..last].iter().map(|file| file.file_size).fold(0, u64::saturating_add)
    }

    fn in_memtables(&self, super_version: &SuperVersion) -> MemTableStats {
        let mut stats = MemTableStats::default();
        for memtable in &super_version.memtables {
            let entries = memtable.approximate_num_entries(self.start, self.end);
            let bytes_each = memtable.data_size_bytes().checked_div(memtable.num_entries());
            stats.entries += entries;
            stats.bytes += entries.saturating_mul(bytes_each.unwrap_or(0));
        }
        stats
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

#[cfg(test)]
mod tests;
