//! Keeps range tombstones that scans add (`read::db_iter`, `conversion`) apart from files that are taken in.
//!
//! A range tombstone goes into the memtable that takes writes with the sequence number of a scan. Reads rely
//! on nothing older than that memtable being newer than what is in it. A file taken in meanwhile may be newer
//! than the scan, or have keys of sequence number 0 that the scan has not seen.

use crate::column_family::ColumnFamilyData;
use options::{ColumnFamilyOptions, DbOptions};
use parking_lot::Mutex;
use std::sync::Arc;

/// Of a column family: whether scans may add range tombstones.
#[derive(Debug)]
pub(crate) struct ConversionGate {
    /// Files may be put beneath all others: scans add none at all.
    pub(crate) allows_ingest_behind: bool,
    passage: Mutex<Passage>,
}

#[derive(Debug, Default)]
struct Passage {
    is_closed: bool,
    /// The first state of the column family that shows all files that were taken in.
    complete_from: u64,
}

impl ConversionGate {
    pub(crate) fn new(options: &DbOptions, family: &ColumnFamilyOptions) -> Self {
        Self {
            allows_ingest_behind: options.allow_ingest_behind || family.cf_allow_ingest_behind,
            passage: Mutex::default(),
        }
    }

    /// Has a scan of the state with this number add its range tombstone; none if it may not.
    pub(crate) fn pass<T>(&self, super_version_number: u64, add: impl FnOnce() -> T) -> Option<T> {
        let passage = self.passage.lock();
        let is_open = !passage.is_closed && super_version_number >= passage.complete_from;
        is_open.then(add)
    }
}

/// As long as it lives, scans of these column families add no range tombstones; afterwards those do that
/// began later.
#[derive(Debug)]
pub(crate) struct ClosedGates(Vec<Arc<ColumnFamilyData>>);

impl ClosedGates {
    pub(crate) fn of(families: impl Iterator<Item = Arc<ColumnFamilyData>>) -> Self {
        let families: Vec<_> = families.collect();
        families.iter().for_each(|family| family.conversions.passage.lock().is_closed = true);
        Self(families)
    }
}

impl Drop for ClosedGates {
    fn drop(&mut self) {
        for family in &self.0 {
            let complete_from = family.super_version.load().number;
            *family.conversions.passage.lock() = Passage { is_closed: false, complete_from };
        }
    }
}

#[cfg(test)]
mod tests;
