//! An index block decoded into arrays.
//!
//! ```text
//! prefixes   eight bytes of each separator's user key after what all have in common, as a number
//! sampled    every 64th of them
//! handles    of the blocks
//! keys       the separators, for ties
//! ```
//!
//! A search counts numbers in `sampled`, then in 64 of `prefixes`: cache lines that do not wait for
//! one another. Only where numbers tie, or under a comparator that is not bytewise, are separators
//! compared.

use crate::data_block::{DataBlock, KeyTransform};
use crate::format::BlockHandle;
use crate::frame_slots::{BlockRef, FrameSlots};
use crate::index::handle_array::HandleArray;
use crate::index::index_block::{IndexBlockFormat, IndexBlockWalker};
use crate::index::key_arena::{KeyArena, KeyArenaBuilder};
use crate::sort_prefix::{Location, SortPrefixOrder, keep_bytes};
use base::dbformat::{extract_user_key, hex};
use base::{FastPath, InternalKeyComparator, Result, Status, common_prefix_length, key_prefix};
use kernels::lower_bound;
use std::cmp::Ordering;
use std::sync::Arc;

const SAMPLE_INTERVAL: usize = 64;

/// An index block ready for searches.
#[derive(Debug)]
pub struct FlatIndex {
    comparator: InternalKeyComparator,
    order: SortPrefixOrder,
    keys_are_user_keys: bool,
    /// What the user keys of all separators begin with.
    common: Box<[u8]>,
    prefixes: Box<[u64]>,
    sampled: Box<[u64]>,
    handles: HandleArray,
    keys: KeyArena,
    frames: FrameSlots,
}

impl FlatIndex {
    /// Decodes an uncompressed index block. `missing_timestamp_size` is the size of the timestamps
    /// that separators lack; zeros take their place.
    ///
    /// # Errors
    /// `Corruption` if anything in it is not as it must be.
    pub fn decode(
        block: &[u8],
        format: IndexBlockFormat,
        comparator: &InternalKeyComparator,
        missing_timestamp_size: usize,
    ) -> Result<Self> {
        let mut index = Self {
            comparator: comparator.clone(),
            order: SortPrefixOrder::new(comparator),
            keys_are_user_keys: format.keys_are_user_keys,
            common: Box::default(),
            prefixes: Box::default(),
            sampled: Box::default(),
            handles: HandleArray::new(),
            keys: KeyArena::default(),
            frames: FrameSlots::default(),
        };
        let transform = KeyTransform { global_sequence: None, missing_timestamp_size };
        let mut walker = IndexBlockWalker::new(block, format)?;
        let mut keys = KeyArenaBuilder::default();
        let mut key = Vec::new();
        let mut common: Option<Vec<u8>> = None;
        while let Some(entry) = walker.next()? {
            index.transform_key(&transform, entry.key, &mut key)?;
            let stripped = index.strip(&key);
            match &mut common {
                None => common = Some(stripped.to_vec()),
                Some(common) => common.truncate(common_prefix_length(common, stripped)),
            }
            keys.push(&key)?;
            index.handles.push(entry.handle);
        }
        index.keys = keys.finish();
        index.handles.shrink_to_fit();
        if index.order.is_bytewise() {
            index.common = common.unwrap_or_default().into_boxed_slice();
            index.prefixes = index.compute_prefixes()?;
            index.sampled = index.prefixes.iter().copied().step_by(SAMPLE_INTERVAL).collect();
        }
        Ok(index)
    }

    /// Makes `output` the separator as the reader wants it, and checks that it is long enough.
    fn transform_key(
        &self,
        transform: &KeyTransform,
        key: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<()> {
        if self.keys_are_user_keys {
            output.clear();
            output.extend_from_slice(key);
            output.resize(key.len() + transform.missing_timestamp_size, 0);
        } else {
            transform.apply(key, output)?;
        }
        if output.len() < self.suffix_size() {
            return Err(Status::corruption(format!("index key {} is too short", hex(key))));
        }
        Ok(())
    }

    /// Bytes of a separator after its user key without timestamp.
    fn suffix_size(&self) -> usize {
        if self.keys_are_user_keys {
            self.comparator.timestamp_size()
        } else {
            self.order.internal_suffix_size()
        }
    }

    fn strip<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..key.len() - self.suffix_size()]
    }

    fn compute_prefixes(&self) -> Result<Box<[u64]>> {
        let mut scratch = Vec::new();
        let prefixes: Box<[u64]> = (0..self.keys.len())
            .map(|index| {
                let key = self.strip(self.keys.get(index, &mut scratch));
                let tail = &key[self.common.len()..];
                self.order.number_of(keep_bytes(key_prefix(tail), tail.len()))
            })
            .collect();
        if prefixes.is_sorted() {
            Ok(prefixes)
        } else {
            Err(Status::corruption("keys of index block out of order"))
        }
    }

    /// Number of blocks it leads to.
    #[inline]
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether it leads to no block.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The handle of the block at a position.
    ///
    /// # Panics
    /// If there is none.
    #[inline]
    pub fn handle(&self, position: usize) -> BlockHandle {
        self.handles.at(position)
    }

    /// The data block at a position, if it was linked here and is in the block cache still.
    #[inline]
    pub(crate) fn frame(&self, position: usize) -> Option<BlockRef> {
        self.frames.get(position)
    }

    /// As [`Self::frame`], which is not looked at yet: see [`FrameSlots::approach`].
    #[inline]
    pub(crate) fn approach_frame(&self, position: usize) -> Option<BlockRef> {
        self.frames.approach(position)
    }

    /// As [`Self::frame`], held.
    #[inline]
    pub(crate) fn held_frame(&self, position: usize) -> Option<Arc<DataBlock>> {
        self.frames.get_held(position)
    }

    /// Asks for the link at a position, if there is one.
    #[inline]
    pub(crate) fn prefetch_link(&self, position: usize) {
        self.frames.prefetch_link(position);
    }

    /// Asks for the head of the data block at a position, if it is linked.
    #[inline]
    pub(crate) fn prefetch_frame(&self, position: usize) {
        self.frames.prefetch_frame(position);
    }

    /// Links the data block at a position, for as long as the block cache holds it.
    pub(crate) fn link_frame(&self, position: usize, block: &Arc<DataBlock>) {
        if FastPath::FrameLinks.is_on() {
            self.frames.link(position, self.len(), block);
        }
    }

    /// How many of its data blocks are in the block cache and were read.
    pub(crate) fn linked_frames_count(&self) -> usize {
        self.frames.linked_count()
    }

    /// The user key of the separator at a position, put together in `scratch` if need be. Every
    /// key of later blocks is at or after it.
    ///
    /// # Panics
    /// If there is none.
    pub fn user_key<'a>(&'a self, position: usize, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        let key = self.keys.get(position, scratch);
        if self.keys_are_user_keys { key } else { extract_user_key(key) }
    }

    /// Position of the first block that may hold keys at or after the internal key `target`; the
    /// number of blocks if none may.
    #[inline]
    pub fn seek(&self, target: &[u8]) -> usize {
        self.seek_near(None, target)
    }

    /// As [`Self::seek`], quicker if it is the position to which the last one has led.
    #[inline]
    pub(crate) fn seek_from(&self, last: usize, target: &[u8]) -> usize {
        self.seek_near(Some(last), target)
    }

    #[inline(always)]
    fn seek_near(&self, last: Option<usize>, target: &[u8]) -> usize {
        if !self.order.is_bytewise() {
            return self.seek_between(0, self.len(), target);
        }
        let stripped = &target[..target.len() - self.order.internal_suffix_size()];
        match self.order.locate(stripped, &self.common) {
            Location::BeforeAll => 0,
            Location::AfterAll => self.len(),
            Location::Number(number) => {
                if let Some(last) = last
                    && self.is_between_numbers(last, number)
                {
                    return last;
                }
                let start = self.lower_bound(number);
                if self.prefixes.get(start).is_none_or(|&prefix| prefix != number) {
                    return start;
                }
                let ties = self.prefixes[start..].partition_point(|&prefix| prefix == number);
                self.seek_between(start, start + ties, target)
            }
        }
    }

    /// Whether a number is between that of a position and that of the one before, and neither of them.
    #[inline]
    fn is_between_numbers(&self, position: usize, number: u64) -> bool {
        let is_before = self.prefixes.get(position).is_some_and(|&prefix| number < prefix);
        is_before && position.checked_sub(1).is_none_or(|before| self.prefixes[before] < number)
    }

    /// Index of the first number that is not less than `wanted`.
    #[inline]
    fn lower_bound(&self, wanted: u64) -> usize {
        if self.prefixes.len() <= SAMPLE_INTERVAL {
            return lower_bound(&self.prefixes, wanted);
        }
        let Some(sample) = lower_bound(&self.sampled, wanted).checked_sub(1) else { return 0 };
        // The sampled number itself is less.
        let start = sample * SAMPLE_INTERVAL + 1;
        let end = self.prefixes.len().min(start + SAMPLE_INTERVAL - 1);
        start + lower_bound(&self.prefixes[start..end], wanted)
    }

    fn seek_between(&self, mut start: usize, mut end: usize, target: &[u8]) -> usize {
        let mut scratch = Vec::new();
        while start < end {
            let middle = start + (end - start) / 2;
            match self.compare(self.keys.get(middle, &mut scratch), target) {
                Ordering::Less => start = middle + 1,
                Ordering::Equal | Ordering::Greater => end = middle,
            }
        }
        start
    }

    fn compare(&self, separator: &[u8], target: &[u8]) -> Ordering {
        if self.keys_are_user_keys {
            self.comparator.compare_user_keys(separator, extract_user_key(target))
        } else {
            self.comparator.compare(separator, target)
        }
    }

    /// What a cache charges for it: its memory, and that of links to data blocks, whether they are
    /// made already or not.
    pub fn charge_bytes(&self) -> usize {
        let made = self.frames.memory_usage_bytes();
        self.memory_usage_bytes() - made
            + FrameSlots::<DataBlock>::memory_usage_max_bytes(self.len())
    }

    /// Bytes of memory.
    pub fn memory_usage_bytes(&self) -> usize {
        size_of::<Self>()
            + self.common.len()
            + size_of_val(&*self.prefixes)
            + size_of_val(&*self.sampled)
            + self.handles.memory_usage_bytes()
            + self.keys.memory_usage_bytes()
            + self.frames.memory_usage_bytes()
    }
}

#[cfg(test)]
mod tests;
