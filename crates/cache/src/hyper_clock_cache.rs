//! The cache of `HyperClockCacheOptions`: sharded, by a clock with a countdown for each entry.
//!
//! A shard is a slab of entries, each one cache line, and a hand that goes round over it when there
//! is need of room. An entry begins with a countdown by its priority, each use adds one up to three,
//! and each time the hand comes by takes one away; the hand drops an entry at none. So what was used
//! often stays longer than what was used last, which an LRU cache does not know.
//!
//! With an estimate of what entries are charged for, the table of a shard is made once and never
//! grows, and counts as a whole (`FixedHyperClockCache`); without, it grows, and entries count for
//! their places (`AutoHyperClockCache`).

mod clock_shard;

use crate::CacheMetadataChargePolicy;
use crate::sharded_cache::{CachePolicy, NoRoom, ShardedCache, Sharding, shard_bits};
use base::status::SubCode;
use base::{Result, Status};
use clock_shard::{ClockLimits, ClockShard};

base::call_options! {
    /// Options of a [`HyperClockCache`] (`rocksdb::HyperClockCacheOptions`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct HyperClockCacheOptions;
    rows {
        /// How much may be charged, in bytes, over all shards. Default: 32 MiB.
        capacity: usize = 32 << 20, honoured;
        /// Log2 of the number of shards, below 20; negative for one shard per 32 MiB of capacity, at
        /// most 64. Default: -1.
        num_shard_bits: i32 = -1, honoured;
        /// Inserts fail when values in use fill the cache. Default: false.
        strict_capacity_limit: bool = false, honoured;
        /// Whether the cache's own memory counts. Default: it does.
        metadata_charge_policy: CacheMetadataChargePolicy =
            CacheMetadataChargePolicy::FullCharge, honoured;
        /// What an entry is charged for on average, in bytes: tables of shards are made for that many
        /// entries and don't grow. 0: they grow. Default: 0.
        estimated_entry_charge: usize = 0, honoured;
        /// What an entry is charged for at least, on average. Tables that grow have memory for what
        /// there is, so that it changes nothing. Default: 450.
        min_avg_entry_charge: usize = 450, honoured;
        /// How many values in use the hand passes for each one that it drops before the capacity is
        /// exceeded instead, unless the limit is strict. At least 1. Default: 30.
        eviction_effort_cap: u32 = 30, honoured;
    }
    objects {
        /// Where memory of cached blocks comes from.
        memory_allocator: "MemoryAllocator";
        /// The next tier, for what is evicted: not an option here, but
        /// `HyperClockCache::with_secondary_cache`.
        secondary_cache: "SecondaryCache";
        /// Seed of the hash that spreads keys over shards.
        hash_seed: "int32_t";
    }
}

impl HyperClockCacheOptions {
    /// The defaults with this capacity in bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    fn charges_metadata(&self) -> bool {
        self.metadata_charge_policy == CacheMetadataChargePolicy::FullCharge
    }

    /// Log2 of the places of a shard's table that does not grow, by RocksDB's rule: seven tenths of
    /// the places are meant to be used.
    fn table_bits(&self, shard_capacity: usize) -> u32 {
        const LOAD: f64 = 0.7;
        let place_bytes = if self.charges_metadata() { clock_shard::PLACE_BYTES } else { 0 };
        let per_place = self.estimated_entry_charge as f64 * LOAD + place_bytes as f64;
        let places = (shard_capacity as f64 / per_place + 0.999_999) as u64;
        let mut bits = (places << 1).saturating_sub(1).checked_ilog2().unwrap_or(0);
        while bits > 0 && place_bytes << bits > shard_capacity {
            bits -= 1;
        }
        bits
    }
}

/// Evicts what was used least, of late.
#[derive(Debug)]
pub struct ClockPolicy {
    options: HyperClockCacheOptions,
    /// Log2 of the places of each shard's table, if that does not grow.
    table_bits: Option<u32>,
}

/// The cache of `HyperClockCacheOptions::MakeSharedCache`.
pub type HyperClockCache = ShardedCache<ClockPolicy>;

impl HyperClockCache {
    /// A cache with these options.
    ///
    /// # Errors
    /// `InvalidArgument` for 20 or more shard bits.
    pub fn new(options: &HyperClockCacheOptions) -> Result<Self> {
        const SHARD_BYTES_MIN: usize = 32 << 20;
        let &HyperClockCacheOptions { capacity, num_shard_bits, strict_capacity_limit, .. } =
            options;
        let shard_bits =
            shard_bits("hyper clock cache", num_shard_bits, capacity, SHARD_BYTES_MIN)?;
        let shard_capacity = capacity.div_ceil(1 << shard_bits);
        let is_fixed = options.estimated_entry_charge > 0;
        let table_bits = is_fixed.then(|| options.table_bits(shard_capacity));
        let policy = ClockPolicy { options: options.clone(), table_bits };
        let sharding = Sharding { capacity, shard_bits, strict_capacity_limit };
        Ok(Self::with_policy(policy, &sharding))
    }
}

impl CachePolicy for ClockPolicy {
    type Shard = ClockShard;

    fn name(&self) -> &'static str {
        match self.table_bits {
            Some(_) => "FixedHyperClockCache",
            None => "AutoHyperClockCache",
        }
    }

    fn shard(&self, capacity: usize) -> ClockShard {
        let limits = ClockLimits {
            capacity,
            strict: self.options.strict_capacity_limit,
            effort_cap: self.options.eviction_effort_cap.max(1) as usize,
        };
        match self.table_bits {
            Some(bits) => ClockShard::fixed(limits, bits, self.options.charges_metadata()),
            None => ClockShard::growing(limits),
        }
    }

    fn metadata_bytes(&self) -> usize {
        match self.table_bits {
            None if self.options.charges_metadata() => clock_shard::METADATA_BYTES,
            _ => 0,
        }
    }

    fn refusal(&self, why: NoRoom, charge: usize, shard_capacity: usize) -> Status {
        let limit = match why {
            NoRoom::TooLarge => {
                return Status::aborted(format!(
                    "Cache entry too large for a single cache shard: {charge} > {shard_capacity}"
                ))
                .with_subcode(SubCode::MemoryLimit);
            }
            NoRoom::Capacity => "capacity limit",
            NoRoom::Occupancy => "table occupancy limit",
        };
        Status::aborted(format!(
            "Insert failed because unable to evict entries to stay within {limit}."
        ))
        .with_subcode(SubCode::MemoryLimit)
    }
}

#[cfg(test)]
mod tests;
