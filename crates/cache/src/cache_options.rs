//! Options of any kind of block cache.

use crate::sharded_cache::{CachePolicy, ShardedCache};
use crate::{
    Cache, HyperClockCache, HyperClockCacheOptions, LruCache, LruCacheOptions, SecondaryCache,
};
use base::Result;
use std::sync::Arc;

/// Whether the cache's own memory counts. Names are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMetadataChargePolicy {
    /// Only what the caller charges.
    DontCharge,
    /// An entry counts for its place in the cache too.
    #[default]
    FullCharge,
}

/// A kind of cache with its options.
#[derive(Clone, Debug, PartialEq)]
pub enum CacheOptions {
    /// Least recently used goes first (`NewLRUCache`).
    Lru(LruCacheOptions),
    /// By a clock (`HyperClockCacheOptions`).
    HyperClock(HyperClockCacheOptions),
}

impl CacheOptions {
    /// A cache with these options, as `MakeSharedCache`.
    ///
    /// # Errors
    /// `InvalidArgument` for options that make no sense.
    pub fn make_shared_cache(&self) -> Result<Arc<dyn Cache>> {
        self.make_with_secondary_cache(None)
    }

    /// As [`Self::make_shared_cache`], with a next tier for what is dropped for want of room.
    ///
    /// # Errors
    /// As there.
    pub fn make_with_secondary_cache(
        &self,
        secondary: Option<Arc<dyn SecondaryCache>>,
    ) -> Result<Arc<dyn Cache>> {
        Ok(match self {
            Self::Lru(options) => tiered(LruCache::new(options)?, secondary),
            Self::HyperClock(options) => tiered(HyperClockCache::new(options)?, secondary),
        })
    }
}

fn tiered<P: CachePolicy>(
    cache: ShardedCache<P>,
    secondary: Option<Arc<dyn SecondaryCache>>,
) -> Arc<dyn Cache> {
    match secondary {
        Some(secondary) => Arc::new(cache.with_secondary_cache(secondary)),
        None => Arc::new(cache),
    }
}
