//! An iterator over entries held in memory.

use base::dbformat::{ParsedInternalKey, extract_user_key};
use base::{InternalIterator, InternalKeyComparator, Result};
use std::cmp::Ordering;

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

    /// How many of the entries at `indices`, from the first on, are point deletions on this side of a limit.
    fn deletions_among(
        &self,
        mut indices: impl Iterator<Item = usize>,
        limit: Option<&[u8]>,
        side: Ordering,
    ) -> usize {
        let is_on_side =
            |key: &[u8]| limit.is_none_or(|limit| self.comparator.compare(key, limit) == side);
        let is_other = |index: usize| {
            let key = &self.entries[index].0;
            let parsed = ParsedInternalKey::parse(key);
            !is_on_side(key) || !parsed.is_ok_and(|parsed| parsed.value_type.is_point_deletion())
        };
        let mut count = 0;
        while indices.next().is_some_and(|index| !is_other(index)) {
            count += 1;
        }
        count
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

    fn pass_deletions(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let ahead = self.position..self.entries.len();
        let passed = self.deletions_among(ahead, limit, Ordering::Less).saturating_sub(1);
        self.position += passed;
        Ok(passed > 0)
    }

    fn pass_deletions_back(&mut self, limit: Option<&[u8]>) -> Result<bool> {
        let behind = (0..=self.position).rev();
        let passed = self.deletions_among(behind, limit, Ordering::Greater).saturating_sub(1);
        self.position -= passed;
        Ok(passed > 0)
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
