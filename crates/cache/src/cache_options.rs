//! Options of any kind of block cache.

use crate::{Cache, HyperClockCache, HyperClockCacheOptions, LruCache, LruCacheOptions};
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
        Ok(match self {
            Self::Lru(options) => Arc::new(LruCache::new(options)?),
            Self::HyperClock(options) => Arc::new(HyperClockCache::new(options)?),
        })
    }
}
