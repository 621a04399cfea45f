//! Options of the LRU cache.

use crate::fault::Fault;
use crate::object_value::NULLPTR;
use crate::release::Release;
use crate::schema::{no_short_form, options};
use crate::value::{Context, OptionValue, SetError, bad};

options! {
    /// An LRU cache (`rocksdb::LRUCacheOptions`).
    pub struct LruCacheOptions, short form no_short_form;
    rows {
        /// Bytes the cache may hold.
        capacity: u64 = 0, mutable honoured 5.10;
        /// Base-2 logarithm of the number of shards; negative: chosen from the capacity.
        num_shard_bits: i32 = -1, [at_most(19)] fixed honoured 5.10;
        /// Inserting over the capacity fails instead of growing.
        strict_capacity_limit: bool = false, mutable honoured 5.10;
        /// Share of the capacity kept for index and filter blocks.
        high_pri_pool_ratio: f64 = 0.5, [real_between(0.0, 1.0)] mutable honoured 5.10;
        /// Share of the capacity kept for entries of low priority before those of the bottom.
        low_pri_pool_ratio: f64 = 0.0, [real_between(0.0, 1.0)] mutable honoured 7.6;
    }
    objects {
        /// Where memory of cached blocks comes from.
        memory_allocator: "MemoryAllocator";
        /// Whether memory of bookkeeping counts.
        metadata_charge_policy: "CacheMetadataChargePolicy" as "cache::LruCacheOptions";
        /// The next tier, for what is evicted.
        secondary_cache: "SecondaryCache" as "cache::LruCache::with_secondary_cache";
        /// Seed of the hash that spreads keys over shards.
        hash_seed: "int32_t";
        /// Locks of shards spin before they sleep.
        use_adaptive_mutex: "bool";
    }
}

/// `8M` is a capacity, `{capacity=8M;num_shard_bits=4}` the whole.
impl OptionValue for Option<LruCacheOptions> {
    fn type_name() -> String {
        "LruCacheOptions".to_owned()
    }

    fn set(&mut self, text: &str, context: &mut Context<'_>) -> Result<(), SetError> {
        if text.is_empty() || text.starts_with("null") {
            *self = None;
        } else if text.contains("://") || text.contains("id=") {
            return bad(format!("expected the options of an LRU cache, found {text:?}"));
        } else {
            let mut cache = LruCacheOptions::default();
            if text.contains('=') {
                cache.set(text, context)?;
            } else {
                cache.capacity.set(text, context)?;
            }
            *self = Some(cache);
        }
        Ok(())
    }

    fn print(&self, release: Release) -> String {
        self.as_ref().map_or_else(|| NULLPTR.to_owned(), |cache| cache.print(release))
    }

    fn faults(&self) -> Vec<Fault> {
        self.as_ref().map_or_else(Vec::new, OptionValue::faults)
    }
}
