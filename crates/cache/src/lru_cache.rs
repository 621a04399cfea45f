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

mod lru_shard;

use crate::CacheMetadataChargePolicy;
use crate::sharded_cache::{CachePolicy, NoRoom, ShardedCache, Sharding, shard_bits};
use base::status::SubCode;
use base::{Result, Status};
use lru_shard::{LruLimits, LruShard};

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

/// Evicts what was used least recently.
#[derive(Debug)]
pub struct LruPolicy {
    limits: LruLimits,
    metadata_bytes: usize,
}

/// The cache of `NewLRUCache`.
pub type LruCache = ShardedCache<LruPolicy>;

impl LruCache {
    /// A cache with these options.
    ///
    /// # Errors
    /// `InvalidArgument` for 20 or more shard bits, and for pool ratios outside 0 to 1.
    pub fn new(options: &LruCacheOptions) -> Result<Self> {
        const SHARD_BYTES_MIN: usize = 512 << 10;
        let &LruCacheOptions { capacity, num_shard_bits, strict_capacity_limit, .. } = options;
        let shard_bits = shard_bits("LRU cache", num_shard_bits, capacity, SHARD_BYTES_MIN)?;
        options.check_ratios()?;
        let policy = LruPolicy {
            limits: LruLimits {
                capacity: 0,
                pool_ratios: [options.high_pri_pool_ratio, options.low_pri_pool_ratio],
                strict: strict_capacity_limit,
            },
            metadata_bytes: match options.metadata_charge_policy {
                CacheMetadataChargePolicy::DontCharge => 0,
                CacheMetadataChargePolicy::FullCharge => lru_shard::METADATA_BYTES,
            },
        };
        let sharding = Sharding { capacity, shard_bits, strict_capacity_limit };
        Ok(Self::with_policy(policy, &sharding))
    }
}

impl CachePolicy for LruPolicy {
    type Shard = LruShard;

    fn name(&self) -> &'static str {
        "LRUCache"
    }

    fn shard(&self, capacity: usize) -> LruShard {
        LruShard::new(LruLimits { capacity, ..self.limits })
    }

    fn metadata_bytes(&self) -> usize {
        self.metadata_bytes
    }

    fn refusal(&self, _why: NoRoom, _charge: usize, _shard_capacity: usize) -> Status {
        Status::aborted("Insert failed due to LRU cache being full.")
            .with_subcode(SubCode::MemoryLimit)
    }
}

#[cfg(test)]
mod tests;
