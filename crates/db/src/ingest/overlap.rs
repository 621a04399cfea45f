//! Whether a database has keys that a file has too.

use crate::column_family::ColumnFamilyData;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalIterator, InternalKey, InternalKeyComparator, Result};
use iterator::FragmentedRangeTombstoneList;
use memtable::MemTable;
use std::sync::Arc;
use table::ReadOptions;
use version::Version;

/// From a user key to another one, both inclusive. Timestamps do not count.
#[derive(Clone, Copy, Debug)]
pub(super) struct UserKeyRange<'k> {
    pub(super) first: &'k [u8],
    pub(super) last: &'k [u8],
}

impl UserKeyRange<'_> {
    /// Whether one of `entries` is in the range.
    fn has_any(
        &self,
        comparator: &InternalKeyComparator,
        entries: &mut dyn InternalIterator,
    ) -> Result<bool> {
        // Of all versions of a key the one with the greatest timestamp comes first.
        let timestamp = vec![0xff; comparator.timestamp_size()];
        let first = [comparator.strip_timestamp(self.first), &timestamp].concat();
        entries.seek(InternalKey::for_seek(&first, MAX_SEQUENCE_NUMBER).as_bytes())?;
        if !entries.valid() {
            return Ok(false);
        }
        let found = base::dbformat::extract_user_key(entries.key());
        Ok(comparator.compare_without_timestamp(found, self.last).is_le())
    }

    fn is_touched_by(
        &self,
        comparator: &InternalKeyComparator,
        tombstones: &FragmentedRangeTombstoneList,
    ) -> bool {
        tombstones.fragments().any(|fragment| {
            comparator.compare_without_timestamp(fragment.start_key, self.last).is_le()
                && comparator.compare_without_timestamp(self.first, fragment.end_key).is_lt()
        })
    }

    /// Whether a memtable has such a key or deletes one.
    pub(super) fn is_in_memtable(
        &self,
        comparator: &InternalKeyComparator,
        memtable: &MemTable,
    ) -> Result<bool> {
        if memtable.is_empty() {
            return Ok(false);
        }
        Ok(self.has_any(comparator, &mut *memtable.new_iterator())?
            || memtable.num_range_deletes() > 0
                && memtable
                    .range_tombstone_parts()
                    .iter()
                    .any(|part| self.is_touched_by(comparator, part)))
    }

    /// Whether a level has such a key or deletes one. Files are read where their bounds leave it open.
    pub(super) fn is_in_level(
        &self,
        family: &ColumnFamilyData,
        version: &Version,
        level: usize,
        read: &ReadOptions,
    ) -> Result<bool> {
        let comparator = &family.comparator;
        for file in version.level_files(level) {
            let compare = |a: &[u8], b: &[u8]| comparator.compare_without_timestamp(a, b);
            if compare(file.smallest.user_key(), self.last).is_gt()
                || compare(file.largest.user_key(), self.first).is_lt()
            {
                continue;
            }
            let table = family.tables.open(file, level)?;
            let tombstones = table.range_tombstones();
            if tombstones.is_some_and(|list| self.is_touched_by(comparator, list))
                || self.has_any(comparator, &mut table.new_iterator(read))?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether one of the memtables has keys of one of the ranges.
pub(super) fn are_in_memtables(
    comparator: &InternalKeyComparator,
    memtables: &[Arc<MemTable>],
    ranges: &[UserKeyRange<'_>],
) -> Result<bool> {
    for memtable in memtables {
        for range in ranges {
            if range.is_in_memtable(comparator, memtable)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
