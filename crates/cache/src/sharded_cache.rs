//! What all kinds of block caches share: shards, each behind a lock of its own.
//!
//! A kind is a [`CachePolicy`]: it decides what a shard drops and what counts. Lookups share a
//! shard's lock, so that readers never wait for one another; only what changes a shard takes it
//! alone. Readers of blocks rarely come here at all: they follow links
//! ([`LinkedValue`](crate::LinkedValue)), and the policy asks the values for their use.

use crate::dropped::Dropped;
use crate::hash_index::HashIndex;
use crate::{Cache, CacheCounters, CacheKey, CacheValue, Insertion, Priority, SecondaryCache};
use base::{Result, Status};
use parking_lot::{Mutex, RwLock};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is to be put into a shard.
#[derive(Debug)]
pub struct NewEntry {
    /// What it is found by.
    pub key: CacheKey,
    /// Of the key; what chose the shard is not in it.
    pub hash: u32,
    /// What is found.
    pub value: CacheValue,
    /// Bytes, the cache's own among them where these count.
    pub charge: usize,
    /// How much it matters.
    pub priority: Priority,
}

/// Why a shard did not take a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoRoom {
    /// It is larger than the shard may become.
    TooLarge,
    /// Values in use fill the shard.
    Capacity,
    /// Values in use take all places of a table that does not grow.
    Occupancy,
}

/// One shard. What changes it has it alone.
pub trait CacheShard: Send + Sync {
    /// Notes the hit.
    fn lookup(&self, key: &CacheKey, hash: u32) -> Option<CacheValue>;

    /// Puts an entry in place of what its key had, and makes room for it.
    fn insert(
        &mut self,
        entry: NewEntry,
        dropped: &mut Dropped,
    ) -> std::result::Result<Insertion, NoRoom>;

    /// Takes out what `key` has.
    fn erase(&mut self, key: &CacheKey, hash: u32) -> Option<CacheValue>;

    /// Changes the capacity, in bytes; drops entries if need be.
    fn set_capacity(&mut self, capacity: usize, dropped: &mut Dropped);

    /// Index and sums.
    fn books(&self) -> &Books;

    /// Values and their charges, in no order.
    fn entries(&self) -> impl Iterator<Item = (&CacheValue, usize)>;

    /// Bytes charged.
    fn usage(&self) -> usize {
        self.books().usage
    }

    /// Number of entries.
    fn len(&self) -> usize {
        self.books().index.len()
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Places of its index, used or not.
    fn table_address_count(&self) -> usize {
        self.books().index.slot_count()
    }
}

/// What every kind of shard keeps.
#[derive(Debug, Default)]
pub struct Books {
    /// Where entries are.
    pub(crate) index: HashIndex,
    /// Bytes charged, those of a table that counts as a whole included.
    pub(crate) usage: usize,
    /// How many entries were put in.
    pub(crate) inserts: u64,
    /// How many were dropped for want of room.
    pub(crate) evictions: u64,
}

/// A kind of cache.
pub trait CachePolicy: fmt::Debug + Send + Sync + 'static {
    /// What it has shards of.
    type Shard: CacheShard;

    /// RocksDB's name of the kind.
    fn name(&self) -> &'static str;

    /// A shard of nothing.
    fn shard(&self, capacity: usize) -> Self::Shard;

    /// Bytes that every entry counts for beside its charge.
    fn metadata_bytes(&self) -> usize;

    /// What to tell whoever wanted to put a value in, under a strict limit.
    fn refusal(&self, why: NoRoom, charge: usize, shard_capacity: usize) -> Status;
}

/// How shards are cut, as all kinds have it.
pub(crate) struct Sharding {
    pub(crate) capacity: usize,
    pub(crate) shard_bits: u32,
    pub(crate) strict_capacity_limit: bool,
}

/// Log2 of the number of shards that options ask for. Negative: RocksDB's rule, shards of at least
/// `shard_bytes_min`, a power of two of them, at most 64.
pub(crate) fn shard_bits(
    kind: &str,
    num_shard_bits: i32,
    capacity: usize,
    shard_bytes_min: usize,
) -> Result<u32> {
    const BITS_MAX: u32 = 6;
    match num_shard_bits {
        bits @ 0..20 => Ok(bits as u32),
        ..0 => Ok((capacity / shard_bytes_min).checked_ilog2().unwrap_or(0).min(BITS_MAX)),
        bits => Err(Status::invalid_argument(format!(
            "{kind}: expected num_shard_bits below 20, found {bits}"
        ))),
    }
}

/// Two cache lines at least, so that shards don't share any.
#[repr(align(128))]
struct Padded<S> {
    shard: RwLock<S>,
    lookups: AtomicU64,
    hits: AtomicU64,
}

/// A cache of shards of one kind.
pub struct ShardedCache<P: CachePolicy> {
    policy: P,
    shards: Box<[Padded<P::Shard>]>,
    shard_bits: u32,
    strict_capacity_limit: bool,
    capacity: Mutex<usize>,
    last_id: AtomicU64,
    secondary_cache: Option<Arc<dyn SecondaryCache>>,
}

impl<P: CachePolicy> ShardedCache<P> {
    pub(crate) fn with_policy(policy: P, sharding: &Sharding) -> Self {
        let count = 1usize << sharding.shard_bits;
        let per_shard = sharding.capacity.div_ceil(count);
        let shard = || Padded {
            shard: RwLock::new(policy.shard(per_shard)),
            lookups: AtomicU64::new(0),
            hits: AtomicU64::new(0),
        };
        Self {
            shards: (0..count).map(|_| shard()).collect(),
            shard_bits: sharding.shard_bits,
            strict_capacity_limit: sharding.strict_capacity_limit,
            capacity: Mutex::new(sharding.capacity),
            last_id: AtomicU64::new(0),
            secondary_cache: None,
            policy,
        }
    }

    /// The cache with a next tier for what it drops for want of room (`secondary_cache`).
    #[must_use]
    pub fn with_secondary_cache(self, secondary_cache: Arc<dyn SecondaryCache>) -> Self {
        Self { secondary_cache: Some(secondary_cache), ..self }
    }

    /// Hands on what had to make room, after the lock was released.
    #[inline]
    fn offer(&self, dropped: &Dropped) {
        if let Some(secondary) = &self.secondary_cache {
            dropped.offer_to(&**secondary);
        }
    }

    /// Log2 of the number of shards.
    pub fn num_shard_bits(&self) -> u32 {
        self.shard_bits
    }

    #[inline]
    fn shard(&self, hash: u64) -> &Padded<P::Shard> {
        // Two shifts: one by 64 would overflow where there is one shard.
        let index = (hash >> 1) >> (63 - self.shard_bits);
        &self.shards[index as usize]
    }

    fn sum(&self, of: impl Fn(&P::Shard) -> usize) -> usize {
        self.shards.iter().map(|shard| of(&shard.shard.read())).sum()
    }

    /// Shows every shard.
    #[cfg(test)]
    pub(crate) fn for_each_shard(&self, mut see: impl FnMut(&P::Shard)) {
        self.shards.iter().for_each(|shard| see(&shard.shard.read()));
    }
}

impl<P: CachePolicy> Cache for ShardedCache<P> {
    fn name(&self) -> &'static str {
        self.policy.name()
    }

    #[inline]
    fn lookup(&self, key: &CacheKey) -> Option<CacheValue> {
        let hash = key.hash();
        let Padded { shard, lookups, hits } = self.shard(hash);
        let found = shard.read().lookup(key, hash as u32);
        lookups.fetch_add(1, Ordering::Relaxed);
        hits.fetch_add(u64::from(found.is_some()), Ordering::Relaxed);
        found
    }

    fn insert(
        &self,
        key: CacheKey,
        value: CacheValue,
        charge_bytes: usize,
        priority: Priority,
    ) -> Result<Insertion> {
        let hash = key.hash();
        let charge = charge_bytes.saturating_add(self.policy.metadata_bytes());
        let entry = NewEntry { key, hash: hash as u32, value, charge, priority };
        // Values go after the lock does: dropping one may take long.
        let mut dropped = Dropped::default();
        let inserted = self.shard(hash).shard.write().insert(entry, &mut dropped);
        self.offer(&dropped);
        match inserted {
            Ok(inserted) => Ok(inserted),
            Err(_) if !self.strict_capacity_limit => Ok(Insertion::NotKept),
            Err(why) => {
                let shard_capacity = self.capacity_bytes().div_ceil(self.shards.len());
                Err(self.policy.refusal(why, charge, shard_capacity))
            }
        }
    }

    fn erase(&self, key: &CacheKey) {
        let hash = key.hash();
        let value = self.shard(hash).shard.write().erase(key, hash as u32);
        if let Some(value) = value {
            value.left_cache();
        }
        if let Some(secondary) = &self.secondary_cache {
            secondary.erase(key);
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
        for shard in &self.shards {
            let mut dropped = Dropped::default();
            shard.shard.write().set_capacity(per_shard, &mut dropped);
            self.offer(&dropped);
        }
    }

    fn has_strict_capacity_limit(&self) -> bool {
        self.strict_capacity_limit
    }

    fn usage_bytes(&self) -> usize {
        self.sum(P::Shard::usage)
    }

    fn pinned_usage_bytes(&self) -> usize {
        let charge = |(value, charge): (&CacheValue, usize)| value.is_held().then_some(charge);
        self.sum(|shard| shard.entries().filter_map(charge).sum())
    }

    fn occupancy_count(&self) -> usize {
        self.sum(P::Shard::len)
    }

    fn table_address_count(&self) -> usize {
        self.sum(P::Shard::table_address_count)
    }

    fn for_each_entry(&self, visit: &mut dyn FnMut(&CacheValue, usize)) {
        for shard in &self.shards {
            let shard = shard.shard.read();
            for (value, charge) in shard.entries() {
                visit(value, charge.saturating_sub(self.policy.metadata_bytes()));
            }
        }
    }

    fn counters(&self) -> CacheCounters {
        let mut total = CacheCounters::default();
        for Padded { shard, lookups, hits } in &self.shards {
            let shard = shard.read();
            total.lookups += lookups.load(Ordering::Relaxed);
            total.hits += hits.load(Ordering::Relaxed);
            total.inserts += shard.books().inserts;
            total.evictions += shard.books().evictions;
        }
        total
    }

    fn secondary_cache(&self) -> Option<&dyn SecondaryCache> {
        self.secondary_cache.as_deref()
    }
}

impl<P: CachePolicy> fmt::Debug for ShardedCache<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.policy.name())
            .field("capacity", &self.capacity_bytes())
            .field("num_shard_bits", &self.shard_bits)
            .field("strict_capacity_limit", &self.strict_capacity_limit)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests;
