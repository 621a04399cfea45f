//! What of a table is in the block cache.

use crate::block_based::index_reader::Partitions;
use crate::block_based::reader::{BlockBasedTable, TableCacheHandle};
use crate::index::FlatIndex;
use cache::CacheKey;

/// Data blocks of a table, as far as the table holds its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlocksInCache {
    /// Those in the block cache that somebody has read since they were put there.
    pub read: usize,
    /// All.
    pub total: usize,
}

impl BlockBasedTable {
    /// How much of the table is in the block cache for being read. Nothing is known of a table whose
    /// index the cache holds, too.
    pub fn blocks_in_cache(&self) -> BlocksInCache {
        let mut blocks = BlocksInCache::default();
        for index in self.held_indexes() {
            blocks.read += index.linked_frames_count();
            blocks.total += index.len();
        }
        blocks
    }

    /// Takes the data blocks out of the block cache, as far as the table holds its index: to be called
    /// when nobody will read the file any more. They would stay until others need their room.
    pub fn erase_from_cache(&self) {
        let Some(TableCacheHandle { cache, id, .. }) = &self.cache else { return };
        if cache.usage_bytes() == 0 && cache.secondary_cache().is_none() {
            return;
        }
        for index in self.held_indexes() {
            for position in 0..index.len() {
                cache.erase(&CacheKey::new(*id, index.handle(position).offset));
            }
        }
    }

    /// The indexes that lead to data blocks, those that the table holds.
    fn held_indexes(&self) -> impl Iterator<Item = &FlatIndex> {
        let top = self.index.top.resident().filter(|_| !self.index.is_two_level());
        let partitions = self.index.partitions.iter().flat_map(Partitions::resident);
        top.into_iter().chain(partitions)
    }
}

#[cfg(test)]
mod tests;
