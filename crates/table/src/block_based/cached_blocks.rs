//! What of a table is in the block cache.

use crate::block_based::filter_reader::{PartitionedFilter, TableFilter};
use crate::block_based::index_reader::Partitions;
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, TableCacheHandle};
use crate::format::BlockHandle;
use crate::index::FlatIndex;
use base::Result;
use cache::CacheKey;
use statistics::Activity;

/// Data blocks of a table, as far as the table holds its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlocksInCache {
    /// Those in the block cache that somebody has read since they were put there.
    pub read: usize,
    /// All.
    pub total: usize,
}

/// Data blocks that were brought into the block cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadedBlocks {
    /// How many.
    pub count: u64,
    /// As they are in the file, without trailers.
    pub bytes: u64,
}

const FOR_LOADING: BlockReadOptions = BlockReadOptions {
    verify_checksums: true,
    fill_cache: true,
    may_read_files: true,
    rate_limiter_priority: None,
    deadline_micros: 0,
    activity: Activity::Unknown,
};

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

    /// Takes the table's blocks out of the block cache: to be called when nobody will read the file any more,
    /// as they would stay until others need their room. Data blocks and partitions are found by what leads to
    /// them, as far as the table or the cache has that; nothing is read.
    pub fn erase_from_cache(&self) {
        let Some(own) = &self.cache else { return };
        if own.cache.usage_bytes() == 0 && own.cache.secondary_cache().is_none() {
            return;
        }
        self.erase_index(own);
        self.erase_filter(own);
        if let Some(dictionary) = &self.dictionary {
            own.erase(dictionary.handle);
        }
    }

    /// The index, and what it leads to.
    fn erase_index(&self, own: &TableCacheHandle) {
        if let Some(top) = self.index.top.in_memory(|handle| own.meta_block(handle)) {
            if let Some(partitions) = &self.index.partitions {
                let partition = |position| {
                    partitions.in_memory(&top, position, |handle| own.meta_block(handle))
                };
                for index in (0..top.len()).filter_map(partition) {
                    own.erase_all_of(&index);
                }
            }
            own.erase_all_of(&top);
        }
        own.erase(self.index.top.handle);
    }

    fn erase_filter(&self, own: &TableCacheHandle) {
        match &self.filter {
            Some(TableFilter::Full(filter)) => own.erase(filter.handle),
            Some(TableFilter::Partitioned(PartitionedFilter { top, .. })) => {
                if let Some(top) = top.in_memory(|handle| own.meta_block(handle)) {
                    own.erase_all_of(&top);
                }
                own.erase(top.handle);
            }
            None => {}
        }
    }

    /// Offsets of the data blocks that are in the block cache, ascending. Loads the index if need be.
    ///
    /// # Errors
    /// `Corruption` or `IoError` naming file and offset.
    pub fn cached_block_offsets(&self) -> Result<Vec<u64>> {
        let mut offsets = Vec::new();
        self.visit_indexes(&mut |index| {
            let is_cached = |position: &usize| {
                index.frame(*position).is_some()
                    || self.cached_data_block(index.handle(*position)).is_some()
            };
            let cached = (0..index.len()).filter(is_cached);
            offsets.extend(cached.map(|position| index.handle(position).offset));
            Ok(())
        })?;
        Ok(offsets)
    }

    /// Brings the data blocks that begin at these offsets, which ascend, into the block cache, unless they are
    /// there, for as long as `goes_on` before each. Offsets at which no block begins are left out. Reads ahead as
    /// a scan does.
    ///
    /// # Errors
    /// `Corruption` or `IoError` naming file and offset; as [`cache::Cache::insert`].
    pub fn load_blocks(
        &self,
        offsets: &[u64],
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<LoadedBlocks> {
        let mut prefetcher = self.new_prefetcher(&self.readahead);
        let (mut loaded, mut wanted) =
            (LoadedBlocks::default(), offsets.iter().copied().peekable());
        self.visit_indexes(&mut |index| {
            for position in 0..index.len() {
                let handle = index.handle(position);
                while wanted.next_if(|offset| *offset < handle.offset).is_some() {}
                if wanted.next_if_eq(&handle.offset).is_none()
                    || index.frame(position).is_some()
                    || self.cached_data_block(handle).is_some()
                    || !goes_on()
                {
                    continue;
                }
                let block = self.read_data_block(handle, FOR_LOADING, Some(&mut prefetcher))?;
                index.link_frame(position, &block);
                loaded.count += 1;
                loaded.bytes += handle.size;
            }
            Ok(())
        })?;
        Ok(loaded)
    }

    /// Shows each index that leads to data blocks, in the order of these.
    fn visit_indexes(&self, visit: &mut dyn FnMut(&FlatIndex) -> Result<()>) -> Result<()> {
        let recorder = self.stats.recorder();
        let top = self.index.top(self, FOR_LOADING, recorder)?;
        if !self.index.is_two_level() {
            return visit(&top);
        }
        (0..top.len()).try_for_each(|position| {
            visit(&*self.index.partition(self, &top, position, FOR_LOADING, recorder)?)
        })
    }

    /// The indexes that lead to data blocks, those that the table holds.
    fn held_indexes(&self) -> impl Iterator<Item = &FlatIndex> {
        let top = self.index.top.resident().filter(|_| !self.index.is_two_level());
        let partitions = self.index.partitions.iter().flat_map(Partitions::resident);
        top.into_iter().chain(partitions)
    }
}

impl TableCacheHandle {
    fn erase(&self, handle: BlockHandle) {
        self.cache.erase(&CacheKey::new(self.id, handle.offset));
    }

    /// Erases all that an index leads to.
    fn erase_all_of(&self, index: &FlatIndex) {
        for position in 0..index.len() {
            self.erase(index.handle(position));
        }
    }
}

#[cfg(test)]
mod tests;
