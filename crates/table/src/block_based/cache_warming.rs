//! Blocks that go to the block cache as they are written (`prepopulate_block_cache`), so that the
//! first who reads them finds them there.
//!
//! A cache that has no room for a block fails no job: the block is then read when it is needed.

use crate::block_based::reader::{BlockBasedTable, BlockReadOptions, insert_data_block};
use crate::block_based::table_stats::count_insertion;
use crate::data_block::{DataBlockDecoder, KeyTransform};
use crate::format::BlockHandle;
use crate::table_builder_options::TableBuilderOptions;
use base::Result;
use cache::{Cache, Priority};
use statistics::{Activity, Statistics};
use std::sync::Arc;

/// Where the blocks of a new table go.
#[derive(Clone, Debug)]
pub struct CacheWarming {
    /// The cache.
    pub cache: Arc<dyn Cache>,
    /// What the file is called in it: readers of the table must use the same.
    pub cache_id: u64,
    /// How long data blocks stay, to others. RocksDB gives those of compactions the lowest.
    pub priority: Priority,
}

/// Puts the data blocks of one table into the cache.
#[derive(Debug)]
pub(super) struct BlockWarmer {
    warming: CacheWarming,
    decoder: DataBlockDecoder,
    statistics: Option<Arc<Statistics>>,
}

impl BlockWarmer {
    /// None if the options ask for none.
    pub(super) fn new(options: &TableBuilderOptions) -> Option<Self> {
        let transform = KeyTransform {
            global_sequence: None,
            missing_timestamp_size: options.stripped_timestamp_size(),
        };
        Some(Self {
            warming: options.cache_warming.clone()?,
            decoder: DataBlockDecoder::new(&options.comparator, transform),
            statistics: options.statistics.clone(),
        })
    }

    /// Takes an uncompressed block that is written at `handle`.
    ///
    /// # Errors
    /// `Corruption` if it is not a block that readers would take.
    pub(super) fn add(&self, contents: &[u8], handle: BlockHandle) -> Result<()> {
        let CacheWarming { cache, cache_id, priority } = &self.warming;
        let block = Arc::new(self.decoder.decode(contents)?);
        let count = |kind, charge, inserted: Option<&_>| {
            if let Some(statistics) = &self.statistics {
                count_insertion(statistics, kind, charge, inserted);
            }
        };
        // What has no room is counted.
        let _ = insert_data_block(&**cache, *cache_id, handle, &block, *priority, count);
        Ok(())
    }
}

impl BlockBasedTable {
    /// Loads filter, index and dictionary, all partitions of them, to where they live.
    ///
    /// # Errors
    /// `Corruption` or `IoError` naming file and offset; `Aborted` where a cache with a strict limit
    /// is full.
    pub fn load_metadata(&self) -> Result<()> {
        let options = BlockReadOptions {
            verify_checksums: true,
            fill_cache: true,
            may_read_files: true,
            rate_limiter_priority: None,
            deadline_micros: 0,
            activity: Activity::Unknown,
        };
        let recorder = self.stats.recorder();
        let top = self.index.top(self, options, recorder)?;
        if self.index.is_two_level() {
            for position in 0..top.len() {
                self.index.partition(self, &top, position, options, recorder)?;
            }
        }
        match &self.filter {
            Some(filter) => filter.load_all(self, options),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
