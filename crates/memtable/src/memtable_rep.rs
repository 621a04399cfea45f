//! How a memtable holds its records.

use base::dbformat::extract_user_key;
use base::{PinnableSlice, pinnable_slice::PinnedBytes};
use std::fmt;
use std::sync::Arc;

/// Where a record stands; good until the next insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position(pub usize);

/// A container of records in internal key order. Records with equal internal keys are all kept,
/// the last one inserted first.
pub trait MemTableRep: fmt::Debug + Send + Sync {
    /// Adds a record, whose internal key is `user_key` and the packed `trailer`.
    ///
    /// # Panics
    /// If a key or a value is 4 GiB or longer: no record of the formats may be.
    fn insert(&mut self, user_key: &[u8], trailer: u64, value: &[u8]);

    /// Bytes of memory held, spare room included.
    fn approximate_memory_usage(&self) -> usize;

    /// The first record.
    fn first(&self) -> Option<Position>;

    /// The last record.
    fn last(&self) -> Option<Position>;

    /// The first record at or after the internal key `target`.
    fn seek(&self, target: &[u8]) -> Option<Position>;

    /// The last record at or before the internal key `target`.
    fn seek_for_prev(&self, target: &[u8]) -> Option<Position>;

    /// The record after the one at `position`.
    fn next(&self, position: Position) -> Option<Position>;

    /// The record before the one at `position`.
    fn prev(&self, position: Position) -> Option<Position>;

    /// The record at `position`.
    ///
    /// # Panics
    /// May panic if the position is not of this container.
    fn entry(&self, position: Position) -> MemTableEntry<'_>;
}

/// A record of a memtable, in one piece of memory: the internal key, then the value.
#[derive(Clone, Copy)]
pub struct MemTableEntry<'a> {
    chunk: &'a Arc<Vec<u8>>,
    start: usize,
    value_start: usize,
    end: usize,
}

impl<'a> MemTableEntry<'a> {
    /// A record within `chunk`.
    #[inline]
    pub fn new(chunk: &'a Arc<Vec<u8>>, start: usize, value_start: usize, end: usize) -> Self {
        Self { chunk, start, value_start, end }
    }

    /// The internal key.
    #[inline]
    pub fn key(&self) -> &'a [u8] {
        &self.chunk[self.start..self.value_start]
    }

    /// The user key.
    #[inline]
    pub fn user_key(&self) -> &'a [u8] {
        extract_user_key(self.key())
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &'a [u8] {
        &self.chunk[self.value_start..self.end]
    }

    /// The value, kept alive without a copy.
    pub fn pinned_value(&self) -> PinnableSlice {
        let owner = Arc::clone(self.chunk) as Arc<dyn PinnedBytes>;
        PinnableSlice::pinned(owner, self.value_start..self.end)
    }
}

impl fmt::Debug for MemTableEntry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemTableEntry").field("key", &self.key()).finish_non_exhaustive()
    }
}
