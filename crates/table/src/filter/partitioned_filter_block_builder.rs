//! Builds filters in partitions, `partitionedfilter.`, and the index block that leads to them.
//!
//! A partition ends at a fixed number of keys (decoupled), or where the two-level index cuts its own
//! partition, which the filter asks for at that number of keys (coupled).

use super::full_filter_block_builder::FilterKeys;
use crate::format::BlockHandle;
use crate::index::index_block::{IndexBlockBuilder, IndexBlockFormat, IndexEntry};
use crate::index::index_builder::IndexBuilder;
use base::dbformat::extract_user_key;
use base::{InternalKey, Result, ValueType};

/// The shape of partitioned filters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartitionedFilterShape {
    /// Bytes of a partition, about.
    pub(crate) partition_size: usize,
    /// Whether partitions end independently of the index's (`decouple_partitioned_filters`).
    pub(crate) is_decoupled: bool,
    /// Size of the timestamps of user keys that partition keys hold, as zeros.
    pub(crate) timestamp_size: usize,
    pub(crate) index_block_restart_interval: usize,
    pub(crate) values_are_delta_encoded: bool,
}

#[derive(Debug)]
struct Partition {
    /// Internal key at or after every key in the filter.
    key: Vec<u8>,
    filter: Vec<u8>,
}

/// Builds partitioned filters.
#[derive(Debug)]
pub(crate) struct PartitionedFilterBlockBuilder {
    keys: FilterKeys,
    shape: PartitionedFilterShape,
    keys_per_partition: usize,
    partitions: Vec<Partition>,
    /// Keys and prefixes in `partitions`.
    entries_in_partitions: usize,
}

impl PartitionedFilterBlockBuilder {
    pub(crate) fn new(keys: FilterKeys, shape: PartitionedFilterShape) -> Self {
        let mut keys_per_partition = keys_within(&keys, shape.partition_size);
        if keys_per_partition > 1 && keys.prefix_extractor.is_some() {
            // The prefix of the next partition's first key comes in addition.
            keys_per_partition -= 1;
        }
        Self { keys, shape, keys_per_partition, partitions: Vec::new(), entries_in_partitions: 0 }
    }

    pub(crate) fn follows_index(&self) -> bool {
        !self.shape.is_decoupled
    }

    /// Adds a user key without timestamp; `last_key` is the one before.
    pub(crate) fn add(&mut self, key: &[u8], last_key: &[u8], index: &mut IndexBuilder) {
        if let Some(partition_key) = self.end_of_partition(last_key, index) {
            self.cut(partition_key, Some((key, last_key)));
        }
        self.keys.add(key);
    }

    /// The partition's key, if it ends before the next key is added.
    fn end_of_partition(&self, last_key: &[u8], index: &mut IndexBuilder) -> Option<Vec<u8>> {
        let is_full = self.keys.bits_builder.entries_count() >= self.keys_per_partition;
        match index {
            IndexBuilder::Partitioned(index) if !self.shape.is_decoupled => {
                if is_full {
                    index.request_partition_cut();
                }
                index.take_filter_cut().then(|| index.partition_key().to_vec())
            }
            _ => is_full.then(|| self.key_after(last_key)),
        }
    }

    /// An internal key after every version of a user key without timestamp.
    fn key_after(&self, key: &[u8]) -> Vec<u8> {
        let mut user_key = key.to_vec();
        user_key.resize(key.len() + self.shape.timestamp_size, 0);
        InternalKey::new(&user_key, 0, ValueType::Deletion).as_bytes().to_vec()
    }

    /// Ends a partition between two keys, the next one first. A seek to a prefix may land on either
    /// side of the cut, so both sides get the prefix of the key on the other.
    fn cut(&mut self, key: Vec<u8>, neighbours: Option<(&[u8], &[u8])>) {
        if let Some(prefix) = neighbours.and_then(|(next, _)| self.keys.prefix_of(next)) {
            if self.keys.whole_key_filtering {
                self.keys.bits_builder.add_key_and_prefix(prefix, prefix);
            } else {
                self.keys.bits_builder.add_key(prefix);
            }
        }
        self.entries_in_partitions += self.keys.bits_builder.entries_count();
        let filter = self.keys.bits_builder.finish();
        self.partitions.push(Partition { key, filter });
        if let Some(prefix) = neighbours.and_then(|(_, last)| self.keys.prefix_of(last)) {
            self.keys.bits_builder.add_key(prefix);
        }
    }

    pub(crate) fn entries_count(&self) -> usize {
        self.entries_in_partitions + self.keys.bits_builder.entries_count()
    }

    pub(crate) fn size_estimate(&self) -> usize {
        /// Of a partition's entry in the index.
        const INDEX_ENTRY_SIZE: usize = 70;
        let complete: usize = self
            .partitions
            .iter()
            .map(|partition| partition.filter.len() + partition.key.len() + INDEX_ENTRY_SIZE)
            .sum();
        let current = self.keys.bits_builder.entries_count();
        complete + self.keys.bits_builder.calculate_space(current) + INDEX_ENTRY_SIZE
    }

    /// Writes all partitions, then the index block, whose handle comes last. `last_key` is the last
    /// user key without timestamp.
    pub(crate) fn finish(
        &mut self,
        last_key: &[u8],
        index: &IndexBuilder,
        write: &mut dyn FnMut(Vec<u8>) -> Result<BlockHandle>,
    ) -> Result<BlockHandle> {
        if self.keys.bits_builder.entries_count() > 0 {
            let key = match index {
                IndexBuilder::Partitioned(index) if !self.shape.is_decoupled => {
                    index.partition_key().to_vec()
                }
                _ => self.key_after(last_key),
            };
            self.cut(key, None);
        }
        let format = IndexBlockFormat {
            keys_are_user_keys: index.keys_are_user_keys(),
            values_are_delta_encoded: self.shape.values_are_delta_encoded,
            has_first_keys: false,
        };
        let mut builder = IndexBlockBuilder::new(format, self.shape.index_block_restart_interval);
        for Partition { key, filter } in self.partitions.drain(..) {
            let handle = write(filter)?;
            let key = if format.keys_are_user_keys { extract_user_key(&key) } else { &key };
            builder.add(&IndexEntry { key, handle, first_internal_key: None });
        }
        write(builder.finish())
    }
}

/// How many keys a partition of this size holds: at least one.
fn keys_within(keys: &FilterKeys, partition_size: usize) -> usize {
    const SIZE_MIN: usize = 16;
    const SIZE_MAX: usize = 100_000;
    let count = keys.bits_builder.approximate_entries_count(partition_size);
    if count > 0 {
        return count;
    }
    // Smaller than the smallest filter: take that.
    let mut size = (partition_size + 4).max(SIZE_MIN);
    loop {
        let count = keys.bits_builder.approximate_entries_count(size);
        if count > 0 {
            return count;
        }
        size += size / 4;
        if size > SIZE_MAX {
            return partition_size.max(1);
        }
    }
}
