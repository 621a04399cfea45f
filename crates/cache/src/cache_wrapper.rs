//! Caches that change some of what another cache does (`rocksdb::CacheWrapper`).

use crate::{Cache, CacheCounters, CacheKey, CacheValue, Insertion, Priority, SecondaryCache};
use base::Result;
use std::fmt;

/// A cache around another one, its target: what it does not do itself the target does.
pub trait CacheWrapper: fmt::Debug + Send + Sync {
    /// The cache inside.
    fn target(&self) -> &dyn Cache;

    /// As [`Cache::name`].
    fn name(&self) -> &'static str {
        self.target().name()
    }

    /// As [`Cache::lookup`].
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue> {
        self.target().lookup(key)
    }

    /// As [`Cache::insert`].
    ///
    /// # Errors
    /// As there.
    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion> {
        self.target().insert(key, value, charge_bytes, priority)
    }

    /// As [`Cache::erase`].
    fn erase(&self, key: &CacheKey) {
        self.target().erase(key);
    }

    /// As [`Cache::set_capacity`].
    fn set_capacity(&self, capacity_bytes: usize) {
        self.target().set_capacity(capacity_bytes);
    }
}

impl<W: CacheWrapper> Cache for W {
    fn name(&self) -> &'static str {
        CacheWrapper::name(self)
    }
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue> {
        CacheWrapper::lookup(self, key)
    }
    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion> {
        CacheWrapper::insert(self, key, value, charge_bytes, priority)
    }
    fn erase(&self, key: &CacheKey) {
        CacheWrapper::erase(self, key);
    }
    fn new_id(&self) -> u64 {
        self.target().new_id()
    }
    fn capacity_bytes(&self) -> usize {
        self.target().capacity_bytes()
    }
    fn set_capacity(&self, capacity_bytes: usize) {
        CacheWrapper::set_capacity(self, capacity_bytes);
    }
    fn has_strict_capacity_limit(&self) -> bool {
        self.target().has_strict_capacity_limit()
    }
    fn usage_bytes(&self) -> usize {
        self.target().usage_bytes()
    }
    fn pinned_usage_bytes(&self) -> usize {
        self.target().pinned_usage_bytes()
    }
    fn occupancy_count(&self) -> usize {
        self.target().occupancy_count()
    }
    fn table_address_count(&self) -> usize {
        self.target().table_address_count()
    }
    fn for_each_entry(&self, visit: &mut dyn FnMut(&CacheValue, usize)) {
        self.target().for_each_entry(visit);
    }
    fn counters(&self) -> CacheCounters {
        self.target().counters()
    }
    fn secondary_cache(&self) -> Option<&dyn SecondaryCache> {
        self.target().secondary_cache()
    }
}
