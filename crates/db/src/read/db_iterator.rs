//! The iterator that users hold.

use crate::column_family::ColumnFamilyData;
use crate::read::db_iter::DbIter;
use base::{PinnableSlice, Result};
use std::sync::Arc;

/// A cursor over the live keys of a column family. Errors make it invalid and are kept until the
/// next seek: after a loop ends, look at [`DbIterator::status`].
pub struct DbIterator {
    /// There until it is dropped.
    scan: Option<Box<DbIter>>,
    family: Arc<ColumnFamilyData>,
}

impl DbIterator {
    pub(crate) fn new(scan: Box<DbIter>, family: Arc<ColumnFamilyData>) -> Self {
        Self { scan: Some(scan), family }
    }

    #[inline(always)]
    pub(crate) fn scan(&self) -> &DbIter {
        match &self.scan {
            Some(scan) => scan,
            None => no_scan(),
        }
    }

    #[inline(always)]
    fn scan_mut(&mut self) -> &mut DbIter {
        match &mut self.scan {
            Some(scan) => scan,
            None => no_scan(),
        }
    }

    /// Whether the cursor stands on an entry.
    #[inline]
    pub fn valid(&self) -> bool {
        self.scan().valid()
    }

    /// The error that made the cursor invalid, if one did.
    ///
    /// # Errors
    /// That error.
    #[inline]
    pub fn status(&self) -> Result<()> {
        self.scan().status()
    }

    /// Goes back to the state before the first move, on the newest state of the database, whatever
    /// snapshot the iterator was made with. A database open for reading only has but one state.
    pub fn refresh(&mut self) {
        if let Some(origin) = self.scan().origin().cloned() {
            *self = origin.new_iterator(&self.family);
        }
    }

    /// The user key here, without timestamp; with `ReadOptions::iter_start_ts` the internal key:
    /// user key, timestamp and eight bytes of sequence number and type.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn key(&self) -> &[u8] {
        self.scan().key()
    }

    /// The timestamp of the version here; empty where the column family has none.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn timestamp(&self) -> &[u8] {
        self.scan().timestamp()
    }

    /// The value here; of an entity, its default column.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn value(&self) -> &[u8] {
        self.scan().value()
    }

    /// The value here, alive on its own after the cursor moves on.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn pinned_value(&self) -> PinnableSlice {
        self.scan().pinned_value()
    }

    /// Names and values of the columns here; a plain value is one column with the empty name.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn columns(&self) -> Vec<(&[u8], &[u8])> {
        self.scan().columns()
    }

    /// Moves to the first key.
    #[inline]
    pub fn seek_to_first(&mut self) {
        self.scan_mut().seek_to_first();
    }

    /// Moves to the last key.
    #[inline]
    pub fn seek_to_last(&mut self) {
        self.scan_mut().seek_to_last();
    }

    /// Moves to the first key at or after `target`, a user key without timestamp.
    #[inline]
    pub fn seek(&mut self, target: &[u8]) {
        self.scan_mut().seek(target);
    }

    /// Moves to the last key at or before `target`, a user key without timestamp.
    #[inline]
    pub fn seek_for_prev(&mut self, target: &[u8]) {
        self.scan_mut().seek_for_prev(target);
    }

    /// Moves on to the next key.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn next(&mut self) {
        self.scan_mut().next();
    }

    /// Moves back to the previous key.
    ///
    /// # Panics
    /// If not valid.
    #[inline]
    pub fn prev(&mut self) {
        self.scan_mut().prev();
    }

    /// A property by its RocksDB name:
    ///
    /// - `rocksdb.iterator.super-version-number`: which state of the column family the iterator
    ///   reads, counted from 1.
    /// - `rocksdb.iterator.is-key-pinned`: always `0`, a key is good until the next move.
    /// - `rocksdb.iterator.is-value-pinned`: `1` if `ReadOptions::pin_data` is set and
    ///   [`DbIterator::pinned_value`] copies nothing here.
    /// - `rocksdb.iterator.internal-key`: the user key here, with its timestamp.
    ///
    /// # Errors
    /// `InvalidArgument` for any other name.
    #[inline]
    pub fn property(&self, name: &str) -> Result<Vec<u8>> {
        self.scan().property(name)
    }
}

impl Drop for DbIterator {
    fn drop(&mut self) {
        let Some(mut scan) = self.scan.take() else { return };
        // Of no use where the column family has gone on.
        let super_version = self.family.super_version.load();
        if super_version.number == scan.super_version_number() && scan.rest() {
            super_version.idle_iterators.put(scan);
        }
    }
}

#[cold]
#[inline(never)]
fn no_scan() -> ! {
    panic!("an iterator that was dropped is used")
}
