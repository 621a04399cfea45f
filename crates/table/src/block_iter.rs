//! Cursors over data blocks.

use crate::block::Entry;
use crate::data_block::DataBlock;
use crate::key_buffer::KeyBuffer;
use crate::sort_prefix::Location;
use base::dbformat::TRAILER_SIZE;
use base::{InternalIterator, InternalKeyComparator, PinnableSlice, Result};
use perf_context::{PerfMetric, count};
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// Tie ranges up to this length are walked, not halved.
const WALKED_MAX: usize = 8;

/// Who goes from entry to entry has the one that many further on brought into the processor's cache, which
/// by itself does so for entries of a line or two only.
const ENTRIES_AHEAD: usize = 6;

/// A position in a data block, which every method is given: a table's iterator keeps one cursor
/// for all its blocks. Moves cannot fail, since the block was checked when it was loaded.
#[derive(Clone, Debug)]
pub(crate) struct BlockCursor {
    /// The entry; the number of entries when there is none.
    index: usize,
    /// Start of the value and, so far, of the next entry.
    value_start: usize,
    next_offset: usize,
    /// Bytes that the key is stored as having in common with the one before.
    shared: usize,
    key: KeyBuffer,
}

impl BlockCursor {
    /// A cursor that is not valid in an empty block and must be moved before use in any other.
    pub(crate) fn new() -> Self {
        Self { index: 0, value_start: 0, next_offset: 0, shared: 0, key: KeyBuffer::new() }
    }

    #[inline]
    pub(crate) fn valid(&self, block: &DataBlock) -> bool {
        self.index < block.entry_count()
    }

    /// Whether the entry is the one in the middle.
    #[inline]
    pub(crate) fn is_halfway(&self, block: &DataBlock) -> bool {
        self.index == block.entry_count() / 2
    }

    /// Which entry it is on.
    #[inline]
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The internal key here.
    #[inline]
    pub(crate) fn key(&self) -> &[u8] {
        self.key.as_slice()
    }

    /// Where the value here is in the block's contents.
    #[inline]
    pub(crate) fn value_range(&self) -> Range<usize> {
        self.value_start..self.next_offset
    }

    #[inline]
    pub(crate) fn value<'a>(&self, block: &'a DataBlock) -> &'a [u8] {
        &block.padded()[self.value_start..self.next_offset]
    }

    pub(crate) fn seek_to_first(&mut self, block: &DataBlock) {
        self.move_to(block, 0);
    }

    pub(crate) fn seek_to_last(&mut self, block: &DataBlock) {
        match block.entry_count().checked_sub(1) {
            Some(last) => self.move_to(block, last),
            None => self.index = 0,
        }
    }

    /// Whether there is a next entry.
    #[inline]
    pub(crate) fn next(&mut self, block: &DataBlock) -> bool {
        self.index += 1;
        let is_valid = self.index < block.entry_count();
        if is_valid {
            block.prefetch_head(self.index + ENTRIES_AHEAD);
            self.step(block);
        }
        is_valid
    }

    /// As [`Self::next`], given that there is one.
    #[inline(always)]
    pub(crate) fn step_on(&mut self, block: &DataBlock) {
        self.index += 1;
        block.prefetch_head(self.index + ENTRIES_AHEAD);
        self.step(block);
    }

    /// Goes where another cursor in the same block is.
    #[inline]
    pub(crate) fn copy(&mut self, other: &Self) {
        let Self { index, value_start, next_offset, shared, ref key } = *other;
        (self.index, self.value_start) = (index, value_start);
        (self.next_offset, self.shared) = (next_offset, shared);
        self.key.copy(key);
    }

    /// Whether there is an entry before.
    #[inline]
    pub(crate) fn prev(&mut self, block: &DataBlock) -> bool {
        let Some(index) = self.index.checked_sub(1) else {
            self.index = block.entry_count();
            return false;
        };
        block.prefetch_head(index.wrapping_sub(ENTRIES_AHEAD));
        let entry = block.entry(index);
        if entry.shared > self.shared {
            self.move_to(block, index);
        } else {
            // What the key before leaves out is among what it has in common with this one.
            self.index = index;
            self.show(block, &entry);
        }
        true
    }

    /// Of a block of point deletions, moves to the last entry before the internal key `limit`, if that is
    /// behind this one. Whether it is.
    pub(crate) fn pass_deletions(
        &mut self,
        block: &DataBlock,
        limit: Option<&[u8]>,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let before = self.index;
        self.seek_to_last(block);
        if let Some(limit) = limit
            && comparator.compare(self.key(), limit).is_ge()
        {
            self.seek(block, limit, comparator);
            self.move_to(block, self.index.saturating_sub(1).max(before));
        }
        self.index > before
    }

    /// Of a block of point deletions, moves to the first entry after `limit`, if that is before this one.
    /// Whether it is.
    pub(crate) fn pass_deletions_back(
        &mut self,
        block: &DataBlock,
        limit: Option<&[u8]>,
        comparator: &InternalKeyComparator,
    ) -> bool {
        let before = self.index;
        self.seek_to_first(block);
        if let Some(limit) = limit
            && comparator.compare(self.key(), limit).is_le()
        {
            self.seek(block, limit, comparator);
            let is_limit = comparator.compare(self.key(), limit).is_eq();
            self.move_to(block, (self.index + usize::from(is_limit)).min(before));
        }
        self.index < before
    }

    /// Whether the entry before is of another user key, timestamps aside, as far as numbers tell.
    #[inline]
    pub(crate) fn starts_user_key(&self, block: &DataBlock) -> bool {
        let numbers = block.numbers();
        let before = self.index.checked_sub(1).and_then(|before| numbers.get(before));
        matches!((before, numbers.get(self.index)), (Some(a), Some(b)) if a != b)
    }

    /// Moves to the first entry at or after the internal key `target`.
    #[inline]
    pub(crate) fn seek(
        &mut self,
        block: &DataBlock,
        target: &[u8],
        comparator: &InternalKeyComparator,
    ) {
        block.touch_offsets();
        self.seek_among(block, candidates(block, target), target, comparator);
    }

    /// [`BlockCursor::seek`] given that the entries before `candidates` are before `target` and those
    /// after them are after it.
    pub(crate) fn seek_among(
        &mut self,
        block: &DataBlock,
        candidates: Range<usize>,
        target: &[u8],
        comparator: &InternalKeyComparator,
    ) {
        let Range { mut start, mut end } = candidates;
        while end - start > WALKED_MAX {
            let middle = start + (end - start) / 2;
            let anchor =
                (start..=middle).rev().find(|&index| block.stands_alone(&block.entry(index)));
            let Some(anchor) = anchor else { break };
            self.move_to(block, anchor);
            match comparator.compare(self.key(), target) {
                Ordering::Less => start = anchor + 1,
                Ordering::Equal => return,
                Ordering::Greater => end = anchor,
            }
        }
        self.move_to(block, start);
        while self.index < end && comparator.compare(self.key(), target).is_lt() {
            self.next(block);
        }
    }

    /// Moves to an entry, or to none if `index` is the number of entries.
    pub(crate) fn move_to(&mut self, block: &DataBlock, index: usize) {
        self.index = index;
        if index >= block.entry_count() {
            return;
        }
        let mut at = index;
        let mut entry = block.entry(at);
        while !block.stands_alone(&entry) {
            at -= 1;
            entry = block.entry(at);
        }
        block.load_key(at, &entry, &mut self.key);
        self.value_start = entry.value_start();
        self.next_offset = entry.value_end();
        self.shared = entry.shared;
        for _ in at..index {
            self.step(block);
        }
    }

    /// Decodes the entry after the one decoded last.
    #[inline]
    fn step(&mut self, block: &DataBlock) {
        let entry = block.entry_at(self.next_offset);
        self.show(block, &entry);
    }

    /// Takes in an entry of whose key the shared bytes are there.
    #[inline]
    fn show(&mut self, block: &DataBlock, entry: &Entry) {
        self.key.splice(entry.shared, block.padded(), entry.suffix_start, entry.non_shared);
        self.value_start = entry.value_start();
        self.next_offset = entry.value_end();
        self.shared = entry.shared;
    }
}

/// The first entry that numbers do not tell to be before the user key `target`.
#[inline]
pub(crate) fn before(block: &DataBlock, target: &[u8]) -> usize {
    match block.locate(target) {
        _ if block.numbers().is_empty() => 0,
        Location::BeforeAll => 0,
        Location::AfterAll => block.entry_count(),
        Location::Number(number) => block.numbers().lower_bound(number),
    }
}

/// The first entry that numbers tell to be after the user key `target`.
#[inline]
pub(crate) fn after(block: &DataBlock, target: &[u8]) -> usize {
    match block.locate(target) {
        _ if block.numbers().is_empty() => block.entry_count(),
        Location::BeforeAll => 0,
        Location::AfterAll => block.entry_count(),
        Location::Number(number) => block.numbers().upper_bound(number),
    }
}

/// The entries that numbers don't tell from the internal key `target`, at the place where it stands.
/// Looks at the directory alone.
#[inline]
pub(crate) fn candidates(block: &DataBlock, target: &[u8]) -> Range<usize> {
    let order = block.order();
    let count = block.entry_count();
    if !order.is_bytewise() || count == 0 {
        return 0..count;
    }
    let user_key = &target[..target.len() - order.internal_suffix_size()];
    match block.locate(user_key) {
        Location::BeforeAll => 0..0,
        Location::AfterAll => count..count,
        Location::Number(number) => {
            let numbers = block.numbers();
            let start = numbers.lower_bound(number);
            start..start + numbers.ties(start, number)
        }
    }
}

/// What a block has of a user key, from an internal key of it on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ExactMatch {
    /// The newest version, as it is stored: its number among the entries, where the key's last bytes begin,
    /// and its value.
    Found { index: usize, suffix: Range<usize>, value: Range<usize> },
    /// None, and there are later keys.
    Absent,
    /// None, and all keys are before it.
    Behind,
    /// Keys have to be put together to tell, of these entries.
    Unknown(Range<usize>),
}

/// Looks for the user key of the internal key `target` among `candidates`, which [`candidates`] has found,
/// without putting keys together: their first bytes are those of the target, for their numbers are, and
/// what follows is stored.
#[inline]
pub(crate) fn find_exact(block: &DataBlock, candidates: Range<usize>, target: &[u8]) -> ExactMatch {
    let order = block.order();
    let Range { start, end } = candidates;
    let Some((user_key, wanted)) = target.split_last_chunk::<TRAILER_SIZE>() else {
        return ExactMatch::Unknown(start..end);
    };
    if !order.is_bytewise()
        || order.internal_suffix_size() != TRAILER_SIZE
        || end - start > WALKED_MAX
    {
        return ExactMatch::Unknown(start..end);
    }
    for index in start..end {
        let entry = block.entry(index);
        let suffix = entry.suffix_start..entry.value_start();
        let Some((rest, trailer)) = block.padded()[suffix.clone()].split_last_chunk() else {
            return ExactMatch::Unknown(index..end);
        };
        let is_same = entry.shared + rest.len() == user_key.len()
            && block.stands_alone(&entry)
            && *rest == user_key[entry.shared..];
        if !is_same {
            return ExactMatch::Unknown(index..end);
        }
        // What is unknown is compared, and counted, by who looks closer.
        count(PerfMetric::UserKeyComparisonCount, 1);
        // Newer versions come first, and are not wanted.
        if u64::from_le_bytes(*trailer) <= u64::from_le_bytes(*wanted) {
            let value = entry.value_start()..entry.value_end();
            return ExactMatch::Found { index, suffix, value };
        }
    }
    if end < block.entry_count() { ExactMatch::Absent } else { ExactMatch::Behind }
}

/// An iterator over one data block.
#[derive(Debug)]
pub struct DataBlockIter {
    block: Arc<DataBlock>,
    cursor: BlockCursor,
    comparator: InternalKeyComparator,
}

impl DataBlockIter {
    /// An iterator that is not valid until it is moved. `comparator` must be the one that the block
    /// was decoded for.
    pub fn new(block: Arc<DataBlock>, comparator: InternalKeyComparator) -> Self {
        let mut cursor = BlockCursor::new();
        cursor.index = block.entry_count();
        Self { block, cursor, comparator }
    }
}

impl InternalIterator for DataBlockIter {
    fn valid(&self) -> bool {
        self.cursor.valid(&self.block)
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.cursor.seek_to_first(&self.block);
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.cursor.seek_to_last(&self.block);
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.cursor.seek(&self.block, target, &self.comparator);
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.cursor.seek(&self.block, target, &self.comparator);
        if !self.valid() {
            self.cursor.seek_to_last(&self.block);
        } else if self.comparator.compare(self.key(), target).is_gt() {
            self.cursor.prev(&self.block);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        debug_assert!(self.valid(), "next of an iterator that is not valid");
        self.cursor.next(&self.block);
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        debug_assert!(self.valid(), "prev of an iterator that is not valid");
        self.cursor.prev(&self.block);
        Ok(())
    }

    fn key(&self) -> &[u8] {
        assert!(self.valid(), "key of an iterator that is not valid");
        self.cursor.key()
    }

    fn value(&self) -> &[u8] {
        assert!(self.valid(), "value of an iterator that is not valid");
        self.cursor.value(&self.block)
    }

    fn pinned_value(&self) -> PinnableSlice {
        PinnableSlice::pinned(self.block.clone(), self.cursor.value_range())
    }
}

#[cfg(test)]
mod tests;
