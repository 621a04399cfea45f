//! The cache of `NewLRUCache`: sharded, least recently used first.
//!
//! A shard is a hash index into a slab of entries, each one cache line, which are linked into three
//! lists: high, low and bottom priority. New entries and entries that were hit enter the list their
//! priority and the pool ratios allow; a pool that outgrows its share hands its oldest entries down;
//! the oldest of the lowest list is dropped first.
//!
//! A hit does not touch the lists: it sets a bit, and the entry moves to the front when its turn to
//! be dropped comes. So a hit is one lock, one probe and one entry, where moving it at once would load
//! three more lines. A value that is reached by links has such a bit of its own. A value that somebody
//! holds is not dropped either.

mod hash_index;
mod shard;

use crate::{Cache, CacheCounters, CacheKey, CacheValue, Insertion, Priority};
use base::status::SubCode;
use base::{Result, Status};
use parking_lot::Mutex;
use shard::{Shard, ShardLimits};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether the cache's own memory counts. Names are RocksDB's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMetadataChargePolicy {
    /// Only what the caller charges.
    DontCharge,
    /// An entry counts for its place in the cache too.
    #[default]
    FullCharge,
}

/// `rocksdb::LRUCacheOptions`.
#[derive(Clone, Debug, PartialEq)]
pub struct LruCacheOptions {
    /// How much may be charged, in bytes, over all shards. Default: 32 MiB.
    pub capacity: usize,
    /// Log2 of the number of shards, below 20; negative for one shard per 512 KiB of capacity, at
    /// most 64. Default: -1.
    pub num_shard_bits: i32,
    /// Whether inserts fail when values in use fill the cache. Default: false.
    pub strict_capacity_limit: bool,
    /// Share of the capacity for entries of high priority and those that were hit. Default: 0.5.
    pub high_pri_pool_ratio: f64,
    /// Share of the capacity for entries of low priority and what leaves the high pool. Default: 0.
    pub low_pri_pool_ratio: f64,
    /// Whether the cache's own memory counts. Default: it does.
    pub metadata_charge_policy: CacheMetadataChargePolicy,
}

impl Default for LruCacheOptions {
    fn default() -> Self {
        Self {
            capacity: 32 << 20,
            num_shard_bits: -1,
            strict_capacity_limit: false,
            high_pri_pool_ratio: 0.5,
            low_pri_pool_ratio: 0.0,
            metadata_charge_policy: CacheMetadataChargePolicy::default(),
        }
    }
}

impl LruCacheOptions {
    /// The defaults with this capacity in bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    fn shard_bits(&self) -> Result<u32> {
        match self.num_shard_bits {
            bits @ 0..20 => Ok(bits as u32),
            ..0 => Ok(automatic_shard_bits(self.capacity)),
            bits => Err(Status::invalid_argument(format!(
                "LRU cache: expected num_shard_bits below 20, found {bits}"
            ))),
        }
    }

    fn check_ratios(&self) -> Result<()> {
        let (high, low) = (self.high_pri_pool_ratio, self.low_pri_pool_ratio);
        let valid = |ratio| (0.0..=1.0).contains(&ratio);
        if valid(high) && valid(low) && valid(high + low) {
            return Ok(());
        }
        Err(Status::invalid_argument(format!(
            "LRU cache: expected pool ratios from 0 to 1, also together, found {high} and {low}"
        )))
    }
}

/// RocksDB's rule: shards of at least 512 KiB, a power of two of them, at most 64.
fn automatic_shard_bits(capacity: usize) -> u32 {
    const SHARD_BYTES_MIN: usize = 512 << 10;
    const BITS_MAX: u32 = 6;
    (capacity / SHARD_BYTES_MIN).checked_ilog2().unwrap_or(0).min(BITS_MAX)
}

/// Two cache lines each, so that shards don't share any.
#[repr(align(128))]
struct Padded(Mutex<Shard>);

/// The cache of `NewLRUCache`.
pub struct LruCache {
    shards: Box<[Padded]>,
    shard_bits: u32,
    strict_capacity_limit: bool,
    metadata_bytes: usize,
    pool_ratios: [f64; 2],
    capacity: Mutex<usize>,
    last_id: AtomicU64,
}

impl LruCache {
    /// A cache with these options.
    ///
    /// # Errors
    /// `InvalidArgument` for 20 or more shard bits, and for pool ratios outside 0 to 1.
    pub fn new(options: &LruCacheOptions) -> Result<Self> {
        let shard_bits = options.shard_bits()?;
        options.check_ratios()?;
        let cache = Self {
            shards: (0..1usize << shard_bits).map(|_| Padded(Mutex::default())).collect(),
            shard_bits,
            strict_capacity_limit: options.strict_capacity_limit,
            metadata_bytes: match options.metadata_charge_policy {
                CacheMetadataChargePolicy::DontCharge => 0,
                CacheMetadataChargePolicy::FullCharge => shard::METADATA_BYTES,
            },
            pool_ratios: [options.high_pri_pool_ratio, options.low_pri_pool_ratio],
            capacity: Mutex::new(0),
            last_id: AtomicU64::new(0),
        };
        cache.set_capacity(options.capacity);
        Ok(cache)
    }

    /// Log2 of the number of shards.
    pub fn num_shard_bits(&self) -> u32 {
        self.shard_bits
    }

    #[inline]
    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        // Two shifts: one by 64 would overflow where there is one shard.
        let index = (hash >> 1) >> (63 - self.shard_bits);
        &self.shards[index as usize].0
    }

    fn sum(&self, of: impl Fn(&Shard) -> usize) -> usize {
        self.shards.iter().map(|shard| of(&shard.0.lock())).sum()
    }
}

impl Cache for LruCache {
    fn name(&self) -> &'static str {
        "LRUCache"
    }

    #[inline]
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue> {
        let hash = key.hash();
        self.shard(hash).lock().lookup(key, hash as u32)
    }

    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion> {
        let hash = key.hash();
        let charge = charge_bytes.saturating_add(self.metadata_bytes);
        // Values go after the lock does: dropping one may take long.
        let mut dropped = shard::Dropped::default();
        let inserted =
            self.shard(hash).lock().insert(key, hash as u32, value, charge, priority, &mut dropped);
        if inserted != Insertion::NotKept || !self.strict_capacity_limit {
            return Ok(inserted);
        }
        Err(Status::aborted("Insert failed due to LRU cache being full.")
            .with_subcode(SubCode::MemoryLimit))
    }

    fn erase(&self, key: &CacheKey) {
        let hash = key.hash();
        let value = self.shard(hash).lock().erase(key, hash as u32);
        if let Some(value) = value {
            value.left_cache();
        }
    }

    fn new_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn capacity_bytes(&self) -> usize {
        *self.capacity.lock()
    }

    fn set_capacity(&self, capacity_bytes: usize) {
        let mut capacity = self.capacity.lock();
        *capacity = capacity_bytes;
        let per_shard = capacity_bytes.div_ceil(self.shards.len());
        let pool = |ratio: f64| (per_shard as f64 * ratio) as usize;
        let limits = ShardLimits {
            capacity: per_shard,
            high_pool: (self.pool_ratios[0] > 0.0).then(|| pool(self.pool_ratios[0])),
            low_pool: (self.pool_ratios[1] > 0.0).then(|| pool(self.pool_ratios[1])),
            strict: self.strict_capacity_limit,
        };
        for shard in &self.shards {
            let mut dropped = shard::Dropped::default();
            shard.0.lock().set_limits(limits, &mut dropped);
        }
    }

    fn has_strict_capacity_limit(&self) -> bool {
        self.strict_capacity_limit
    }

    fn usage_bytes(&self) -> usize {
        self.sum(Shard::usage)
    }

    fn pinned_usage_bytes(&self) -> usize {
        self.sum(Shard::pinned_usage)
    }

    fn occupancy_count(&self) -> usize {
        self.sum(Shard::len)
    }

    fn table_address_count(&self) -> usize {
        self.sum(Shard::table_address_count)
    }

    fn for_each_entry(&self, visit: &mut dyn FnMut(&CacheValue, usize)) {
        for shard in &self.shards {
            let shard = shard.0.lock();
            for (value, charge) in shard.entries() {
                visit(value, charge.saturating_sub(self.metadata_bytes));
            }
        }
    }

    fn counters(&self) -> CacheCounters {
        let mut total = CacheCounters::default();
        for shard in &self.shards {
            let counters = shard.0.lock().counters();
            total.lookups += counters.lookups;
            total.hits += counters.hits;
            total.inserts += counters.inserts;
            total.evictions += counters.evictions;
        }
        total
    }
}

impl fmt::Debug for LruCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LruCache")
            .field("capacity", &self.capacity_bytes())
            .field("num_shard_bits", &self.shard_bits)
            .field("strict_capacity_limit", &self.strict_capacity_limit)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
