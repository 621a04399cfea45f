//! Block caches by RocksDB's names and options.
//!
//! A cache maps a [`CacheKey`] to a shared value of any type, each with the bytes it is charged for,
//! and drops values when their charges exceed its capacity. Table readers put blocks in; the cache
//! knows nothing of them.

#![forbid(unsafe_code)]

pub mod cache_key;
pub mod cache_options;
pub mod cache_value;
pub mod cache_wrapper;
pub mod compressed_secondary_cache;
pub mod dropped;
mod hash_index;
pub mod hyper_clock_cache;
pub mod lru_cache;
pub mod reservation;
pub mod secondary_cache;
pub mod sharded_cache;
mod slab;

pub use cache_key::CacheKey;
pub use cache_options::{CacheMetadataChargePolicy, CacheOptions};
pub use cache_value::{CacheValue, LinkedValue};
pub use cache_wrapper::CacheWrapper;
pub use compressed_secondary_cache::{CompressedSecondaryCache, CompressedSecondaryCacheOptions};
pub use hyper_clock_cache::{HyperClockCache, HyperClockCacheOptions};
pub use lru_cache::{LruCache, LruCacheOptions};
pub use reservation::{CacheReservation, ChargedMemory, MemoryCharge};
pub use secondary_cache::{SecondaryCache, SecondaryLookup};

use base::Result;
use std::fmt;

/// How much an entry matters. Names are those of `rocksdb::Cache::Priority`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Index, filter and dictionary blocks (`cache_index_and_filter_blocks_with_high_priority`).
    High,
    /// Data blocks.
    #[default]
    Low,
    /// Blob values.
    Bottom,
}

/// What a cache has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheCounters {
    /// Calls of [`Cache::lookup`]. Whoever follows a link of a [`LinkedValue`] does not call it.
    pub lookups: u64,
    /// Those that found a value.
    pub hits: u64,
    /// Calls of [`Cache::insert`] after which the value was in the cache.
    pub inserts: u64,
    /// Entries dropped for want of room.
    pub evictions: u64,
}

/// What became of a value that was to be put into a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// It is there, and before there was none of its key.
    Added,
    /// It took the place of another value of its key.
    Replaced,
    /// It could not fit.
    NotKept,
}

/// A cache that many readers share.
pub trait Cache: fmt::Debug + Send + Sync {
    /// The name that RocksDB gives this kind, as `LRUCache`.
    fn name(&self) -> &'static str;

    /// The value of `key`.
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue>;

    /// Makes `value` the value of `key`, which counts for `charge_bytes`.
    ///
    /// A value that cannot fit is not kept, and that is no error unless the cache has a strict limit.
    /// When the cache lets a value go, or does not keep it, it calls [`CacheValue::left_cache`].
    ///
    /// # Errors
    /// `Aborted` with subcode `MemoryLimit` when the cache has a strict limit and too much of it is
    /// in use.
    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion>;

    /// Forgets `key`.
    fn erase(&self, key: &CacheKey);

    /// A number that this cache never gave before, to build keys of.
    fn new_id(&self) -> u64;

    /// How much may be charged.
    fn capacity_bytes(&self) -> usize;

    /// Changes the capacity; drops entries if it shrinks.
    fn set_capacity(&self, capacity_bytes: usize);

    /// Whether [`Cache::insert`] fails rather than exceed the capacity.
    fn has_strict_capacity_limit(&self) -> bool;

    /// How much is charged.
    fn usage_bytes(&self) -> usize;

    /// How much of it is charged for values that somebody holds. Visits every entry.
    fn pinned_usage_bytes(&self) -> usize;

    /// Number of entries.
    fn occupancy_count(&self) -> usize;

    /// Places that the index has, used or not.
    fn table_address_count(&self) -> usize;

    /// Visits every entry: its value, and what it was charged for by whoever put it in. Holds locks
    /// meanwhile, so `visit` must not come back to the cache.
    fn for_each_entry(&self, visit: &mut dyn FnMut(&CacheValue, usize));

    /// What the cache has done.
    fn counters(&self) -> CacheCounters;

    /// The next tier, which has what was dropped for want of room. Lookups do not go there: only
    /// whoever put a value in can make it again of bytes.
    fn secondary_cache(&self) -> Option<&dyn SecondaryCache> {
        None
    }
}
