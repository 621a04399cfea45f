//! The encoder of the blocks that `block` and `index` decode.

use crate::block::{HASH_INDEX_BIT, SEPARATE_VALUES_BIT};
use crate::data_block_hash_index::DataBlockHashIndexBuilder;
use crate::sort_prefix::common_prefix_length;
use base::coding::{put_fixed32, put_varint32};

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
        let (shared, is_restart) = self.start_entry(key);
        put_varint32(&mut self.entries, value.len() as u32);
        if self.options.separate_values {
            if is_restart {
                put_varint32(&mut self.entries, self.values.len() as u32);
            }
            self.entries.extend_from_slice(&key[shared..]);
            self.values.extend_from_slice(value);
        } else {
            self.entries.extend_from_slice(&key[shared..]);
            self.entries.extend_from_slice(value);
        }
    }

    /// Adds an entry of an index block with delta-encoded values: `full` if the key shares nothing
    /// with the one before, else `delta`, which may be missing if it must not.
    pub fn add_without_value_size(&mut self, key: &[u8], full: &[u8], delta: Option<&[u8]>) {
        if delta.is_none() {
            self.last_key.clear();
        }
        let (shared, _) = self.start_entry(key);
        self.entries.extend_from_slice(&key[shared..]);
        self.entries.extend_from_slice(if shared == 0 { full } else { delta.unwrap_or(full) });
    }

    /// Writes the sizes of a key's parts. Returns the first, and whether this is a restart point.
    fn start_entry(&mut self, key: &[u8]) -> (usize, bool) {
        let is_first = self.entry_count == 0;
        let is_restart = is_first || self.since_restart >= self.options.restart_interval;
        if is_restart {
            if !is_first {
                self.restarts.push(self.entries.len() as u32);
            }
            self.since_restart = 0;
        }
        let shared = if is_restart || !self.options.use_delta_encoding {
            0
        } else {
            common_prefix_length(&self.last_key, key)
        };
        if let Some(hash_index) = &mut self.hash_index {
            hash_index.add(key, self.restarts.len() - 1);
        }
        put_varint32(&mut self.entries, shared as u32);
        put_varint32(&mut self.entries, (key.len() - shared) as u32);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
        self.since_restart += 1;
        self.entry_count += 1;
        (shared, is_restart)
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
    pub fn current_size_estimate(&self) -> usize {
        let values_offset_size = if self.options.separate_values { 4 } else { 0 };
        self.entries.len() + self.values.len() + values_offset_size + 4 * self.restarts.len() + 4
    }

    /// The block; the builder is then ready for the next one.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut packed = self.restarts.len() as u32;
        let mut block = std::mem::take(&mut self.entries);
        let values_offset = block.len() as u32;
        block.append(&mut self.values);
        for &restart in &self.restarts {
            put_fixed32(&mut block, restart);
        }
        if let Some(hash_index) = &mut self.hash_index {
            let size = block.len() + hash_index.size() + 4;
            if size <= HASH_INDEX_BLOCK_SIZE_MAX && hash_index.append_to(&mut block) {
                packed |= HASH_INDEX_BIT;
            }
            hash_index.clear();
        }
        if self.options.separate_values {
            put_fixed32(&mut block, values_offset);
            packed |= SEPARATE_VALUES_BIT;
        }
        put_fixed32(&mut block, packed);
        self.restarts.clear();
        self.restarts.push(0);
        self.last_key.clear();
        self.since_restart = 0;
        self.entry_count = 0;
        block
    }
}

#[cfg(test)]
mod tests;
