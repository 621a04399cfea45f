//! The encoder of the blocks that `block` and `index` decode.

use crate::block::{HASH_INDEX_BIT, SEPARATE_VALUES_BIT};
use crate::data_block_hash_index::DataBlockHashIndexBuilder;
use crate::entry_columns::StoredEntry;
use base::coding::{MAX_VARINT32_LENGTH, put_fixed32, put_varint32, varint_length};
use base::common_prefix_length;
use base::dbformat::TRAILER_SIZE;
use std::mem;

/// Shape of the blocks that a builder makes.
#[derive(Clone, Debug)]
pub struct BlockBuilderOptions {
    /// Entries from one restart point to the next (`block_restart_interval`,
    /// `index_block_restart_interval`); at least 1. Default: 16.
    pub restart_interval: usize,
    /// Whether keys leave out what they share with the key before (`use_delta_encoding`).
    /// Default: true.
    pub use_delta_encoding: bool,
    /// Entries per bucket of a hash index (`data_block_hash_table_util_ratio`), which data blocks
    /// only can have. Default: none.
    pub hash_index_util_ratio: Option<f64>,
    /// Whether values lie apart from keys (`separate_key_value_in_data_block`). RocksDB before 11.0
    /// takes such blocks for corrupt. Default: false.
    pub separate_values: bool,
}

impl Default for BlockBuilderOptions {
    fn default() -> Self {
        Self {
            restart_interval: 16,
            use_delta_encoding: true,
            hash_index_util_ratio: None,
            separate_values: false,
        }
    }
}

/// Blocks larger than this get no hash index: old readers would take its bit for a count.
const HASH_INDEX_BLOCK_SIZE_MAX: usize = 64 << 10;

/// Most bytes of an entry before its key: three sizes.
const ENTRY_HEAD_SIZE_MAX: usize = 3 * MAX_VARINT32_LENGTH;

/// Builds one block after another. Keys must be added in ascending order; the builder, which knows
/// no comparator, does not look.
#[derive(Debug)]
pub struct BlockBuilder {
    options: BlockBuilderOptions,
    entries: Vec<u8>,
    values: Vec<u8>,
    restarts: Vec<u32>,
    hash_index: Option<DataBlockHashIndexBuilder>,
    last_key: Vec<u8>,
    since_restart: usize,
    entry_count: usize,
}

impl BlockBuilder {
    /// A builder of blocks of one shape.
    pub fn new(options: BlockBuilderOptions) -> Self {
        let hash_index = options.hash_index_util_ratio.map(DataBlockHashIndexBuilder::new);
        Self {
            options,
            entries: Vec::new(),
            values: Vec::new(),
            restarts: vec![0],
            hash_index,
            last_key: Vec::new(),
            since_restart: 0,
            entry_count: 0,
        }
    }

    /// Adds an entry. With a hash index the key must be an internal key without a timestamp.
    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut last_key = mem::take(&mut self.last_key);
        self.add_after(&last_key, key, value);
        last_key.clear();
        last_key.extend_from_slice(key);
        self.last_key = last_key;
    }

    /// As [`BlockBuilder::add`], where the caller keeps `last_key`, the key added before; what it is
    /// does not matter for the first key of a block. Not to be mixed with the other ways to add.
    #[inline]
    pub fn add_after(&mut self, last_key: &[u8], key: &[u8], value: &[u8]) {
        let (shared, is_restart) = self.start_entry(last_key, key);
        let suffix = &key[shared..];
        if self.options.separate_values {
            self.put_sizes(&[shared, suffix.len(), value.len()]);
            if is_restart {
                put_varint32(&mut self.entries, self.values.len() as u32);
            }
            self.entries.extend_from_slice(suffix);
            self.values.extend_from_slice(value);
        } else {
            self.entries.reserve(ENTRY_HEAD_SIZE_MAX + suffix.len() + value.len());
            self.put_sizes(&[shared, suffix.len(), value.len()]);
            self.entries.extend_from_slice(suffix);
            self.entries.extend_from_slice(value);
        }
    }

    /// Whether entries are keys and values, one behind the other, and nothing else is made of them.
    pub(crate) fn is_plain(&self) -> bool {
        self.hash_index.is_none() && !self.options.separate_values
    }

    /// As [`BlockBuilder::add_after`], of an internal key that begins with `shared` bytes of the key
    /// before, with another `trailer` instead of its own. The block is plain.
    #[inline(always)]
    pub(crate) fn add_stored(
        &mut self,
        shared: usize,
        entry: &StoredEntry<'_>,
        trailer: [u8; TRAILER_SIZE],
    ) {
        let is_restart = self.count_entry();
        let shared = if is_restart || !self.options.use_delta_encoding { 0 } else { shared };
        let StoredEntry { key, stored, value_size } = *entry;
        let non_shared = key.len() - shared;
        let size = non_shared + value_size;
        self.entries.reserve(ENTRY_HEAD_SIZE_MAX + size);
        self.put_sizes(&[shared, non_shared, value_size]);
        let start = self.entries.len();
        // Most keys share more with the one before here than where they come from.
        match stored.len().checked_sub(size) {
            Some(start) => self.entries.extend_from_slice(&stored[start..]),
            None => {
                self.entries.extend_from_slice(&key[shared..]);
                self.entries.extend_from_slice(entry.value());
            }
        }
        if let Some(put) = self.entries[start..][..non_shared].last_chunk_mut() {
            *put = trailer;
        }
    }

    /// Adds an entry of an index block with delta-encoded values: `full` if the key shares nothing
    /// with the one before, else `delta`, which may be missing if it must not.
    pub fn add_without_value_size(&mut self, key: &[u8], full: &[u8], delta: Option<&[u8]>) {
        let mut last_key = mem::take(&mut self.last_key);
        if delta.is_none() {
            last_key.clear();
        }
        let (shared, _) = self.start_entry(&last_key, key);
        self.put_sizes(&[shared, key.len() - shared]);
        self.entries.extend_from_slice(&key[shared..]);
        self.entries.extend_from_slice(if shared == 0 { full } else { delta.unwrap_or(full) });
        last_key.clear();
        last_key.extend_from_slice(key);
        self.last_key = last_key;
    }

    /// Counts an entry in. Returns how many bytes its key shares with the one before, and whether
    /// it is a restart point.
    #[inline]
    fn start_entry(&mut self, last_key: &[u8], key: &[u8]) -> (usize, bool) {
        let is_restart = self.count_entry();
        let shared = if is_restart || !self.options.use_delta_encoding {
            0
        } else {
            common_prefix_length(last_key, key)
        };
        if let Some(hash_index) = &mut self.hash_index {
            hash_index.add(key, self.restarts.len() - 1);
        }
        (shared, is_restart)
    }

    /// Counts an entry in. Returns whether it is a restart point.
    #[inline]
    fn count_entry(&mut self) -> bool {
        let is_first = self.entry_count == 0;
        let is_restart = is_first || self.since_restart >= self.options.restart_interval;
        if is_restart {
            if !is_first {
                self.restarts.push(self.entries.len() as u32);
            }
            self.since_restart = 0;
        }
        self.since_restart += 1;
        self.entry_count += 1;
        is_restart
    }

    #[inline(always)]
    fn put_sizes<const N: usize>(&mut self, sizes: &[usize; N]) {
        if sizes.iter().fold(0, |all, size| all | size) < 0x80 {
            self.entries.extend_from_slice(&sizes.map(|size| size as u8));
        } else {
            for &size in sizes {
                put_varint32(&mut self.entries, size as u32);
            }
        }
    }

    /// Makes the next entry a restart point.
    pub fn force_restart(&mut self) {
        self.since_restart = self.options.restart_interval;
    }

    /// Entries added since the last block.
    pub fn entry_count(&self) -> usize {
        self.entry_count
    }

    /// Bytes of the block if it were finished now, without a hash index.
    #[inline]
    pub fn current_size_estimate(&self) -> usize {
        let values_offset_size = if self.options.separate_values { 4 } else { 0 };
        self.entries.len() + self.values.len() + values_offset_size + 4 * self.restarts.len() + 4
    }

    /// Bytes of the block if it were finished now, with its hash index: what decides where to cut.
    #[inline]
    pub fn size_for_cut(&self) -> usize {
        let hash_index_size = self.hash_index.as_ref().map_or(0, DataBlockHashIndexBuilder::size);
        self.current_size_estimate() + hash_index_size
    }

    /// What RocksDB takes [`BlockBuilder::size_for_cut`] to be, roughly, after one more entry.
    /// `has_value_size` says whether entries store the sizes of their values.
    pub fn size_for_cut_after(
        &self,
        key_size: usize,
        value_size: usize,
        has_value_size: bool,
    ) -> usize {
        /// What RocksDB allows for the size of the shared part of a key.
        const SHARED_SIZE: usize = 4;
        let is_restart =
            self.entry_count > 0 && self.since_restart >= self.options.restart_interval;
        let mut size = self.size_for_cut() + key_size + SHARED_SIZE;
        size += varint_length(key_size as u64);
        size += if has_value_size || is_restart { value_size } else { value_size / 2 };
        if is_restart {
            size += 4;
        }
        if has_value_size || is_restart {
            size += varint_length(value_size as u64);
        }
        if self.options.separate_values && (is_restart || self.entry_count == 0) {
            size += varint_length(self.values.len() as u64);
        }
        size
    }

    /// The block; the builder is then ready for the next one.
    pub fn finish(&mut self) -> Vec<u8> {
        self.finish_in_place();
        let block = mem::take(&mut self.entries);
        self.reset();
        block
    }

    /// The block, in the builder's own memory. [`BlockBuilder::reset`] must come before the next
    /// entry.
    pub fn finish_in_place(&mut self) -> &mut Vec<u8> {
        let mut packed = self.restarts.len() as u32;
        let block = &mut self.entries;
        let values_offset = block.len() as u32;
        block.append(&mut self.values);
        for &restart in &self.restarts {
            put_fixed32(block, restart);
        }
        if let Some(hash_index) = &mut self.hash_index {
            let size = block.len() + hash_index.size() + 4;
            if size <= HASH_INDEX_BLOCK_SIZE_MAX && hash_index.append_to(block) {
                packed |= HASH_INDEX_BIT;
            }
        }
        if self.options.separate_values {
            put_fixed32(block, values_offset);
            packed |= SEPARATE_VALUES_BIT;
        }
        put_fixed32(block, packed);
        block
    }

    /// The builder's memory, for a block that comes from elsewhere. There must be no entry in it;
    /// [`BlockBuilder::recycle`] gives it back.
    pub(crate) fn take_memory(&mut self) -> Vec<u8> {
        debug_assert_eq!(self.entry_count, 0, "a block is under way");
        mem::take(&mut self.entries)
    }

    /// As [`BlockBuilder::reset`], with a block's memory for the next one.
    pub fn recycle(&mut self, memory: Vec<u8>) {
        self.entries = memory;
        self.reset();
    }

    /// Forgets all entries, and makes the builder ready for the next block.
    pub fn reset(&mut self) {
        self.entries.clear();
        self.values.clear();
        self.restarts.clear();
        self.restarts.push(0);
        if let Some(hash_index) = &mut self.hash_index {
            hash_index.clear();
        }
        self.last_key.clear();
        self.since_restart = 0;
        self.entry_count = 0;
    }
}

#[cfg(test)]
mod tests;
