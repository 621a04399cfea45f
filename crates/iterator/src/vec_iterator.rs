//! An iterator over entries held in memory.

use base::dbformat::extract_user_key;
use base::{InternalIterator, InternalKeyComparator, Result};

/// Iterates over internal keys and values in a vector.
#[derive(Clone, Debug)]
pub struct VecIterator {
    comparator: InternalKeyComparator,
    entries: Vec<(Vec<u8>, Vec<u8>)>,
    /// Not valid when past the end.
    position: usize,
}

impl VecIterator {
    /// Iterates over `entries`, which are sorted here; entries with equal keys stay in the order
    /// given.
    pub fn new(comparator: InternalKeyComparator, mut entries: Vec<(Vec<u8>, Vec<u8>)>) -> Self {
        entries.sort_by(|a, b| comparator.compare(&a.0, &b.0));
        let position = entries.len();
        Self { comparator, entries, position }
    }

    /// An iterator over nothing.
    pub fn empty(comparator: InternalKeyComparator) -> Self {
        Self::new(comparator, Vec::new())
    }

    /// Moves to the entry before `index`, or to none if that is the first.
    fn move_before(&mut self, index: usize) {
        self.position = index.checked_sub(1).unwrap_or(self.entries.len());
    }
}

impl InternalIterator for VecIterator {
    fn valid(&self) -> bool {
        self.position < self.entries.len()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.position = 0;
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.move_before(self.entries.len());
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.position =
            self.entries.partition_point(|(key, _)| self.comparator.compare(key, target).is_lt());
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.move_before(
            self.entries.partition_point(|(key, _)| self.comparator.compare(key, target).is_le()),
        );
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        debug_assert!(self.valid(), "next of an iterator that is not valid");
        self.position += 1;
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        debug_assert!(self.valid(), "prev of an iterator that is not valid");
        self.move_before(self.position);
        Ok(())
    }

    fn key(&self) -> &[u8] {
        &self.entries[self.position].0
    }

    fn value(&self) -> &[u8] {
        &self.entries[self.position].1
    }

    fn starts_user_key(&self) -> bool {
        let user_key = |index: usize| extract_user_key(&self.entries[index].0);
        let differs = |before: usize| {
            let (before, here) = (user_key(before), user_key(self.position));
            self.comparator.compare_without_timestamp(before, here).is_ne()
        };
        self.position.checked_sub(1).is_none_or(differs)
    }
}

#[cfg(test)]
mod tests;
