//! A secondary cache of compressed blocks in memory (`rocksdb::CompressedSecondaryCache`).
//!
//! A value that is offered for the first time leaves a mark only; one that is offered again while the
//! mark is there is compressed and kept. So what was read once, by a scan say, costs neither time
//! nor room. A value that moves back to the block cache leaves a mark as well, and is kept when it comes
//! again.

use crate::lru_cache::{LruCache, LruCacheOptions};
use crate::secondary_cache::{SecondaryCache, SecondaryLookup};
use crate::{Cache, CacheKey, CacheMetadataChargePolicy, CacheValue, Priority};
use base::{Result, Status};
use compression::{CompressionOptions, CompressionType, compress, decompress};
use perf_context::{PerfMetric, count};
use std::sync::Arc;

/// What begins the text that makes one: `compressed_secondary_cache://capacity=8388608`.
const URI_SCHEME: &str = "compressed_secondary_cache://";
/// Blocks are laid out as in tables from this format version on.
const FORMAT_VERSION: u32 = 2;

base::call_options! {
    /// Options of a [`CompressedSecondaryCache`] (`rocksdb::CompressedSecondaryCacheOptions`).
    #[derive(Clone, Debug, PartialEq)]
    pub struct CompressedSecondaryCacheOptions;
    rows {
        /// How much may be held, compressed, in bytes, over all shards. Default: 0.
        capacity: usize = 0, honoured;
        /// Log2 of the number of shards, below 20; negative for one shard per 512 KiB of capacity, at
        /// most 64. Default: -1.
        num_shard_bits: i32 = -1, honoured;
        /// Nothing is kept that would exceed the capacity; here this always holds. Default: false.
        strict_capacity_limit: bool = false, honoured;
        /// Share of the capacity for what was hit. Default: 0.5.
        high_pri_pool_ratio: f64 = 0.5, honoured;
        /// Share of the capacity for what leaves that pool. Default: 0.
        low_pri_pool_ratio: f64 = 0.0, honoured;
        /// Whether places of entries count. Default: they do.
        metadata_charge_policy: CacheMetadataChargePolicy =
            CacheMetadataChargePolicy::FullCharge, honoured;
        /// How blocks are compressed; what gets no smaller is kept as it is. Default: LZ4.
        compression_type: CompressionType = CompressionType::Lz4, honoured;
        /// Its level, and what else the codec takes. Default: the codec's.
        compression_opts: CompressionOptions = CompressionOptions::default(), honoured;
        /// Compressed blocks are cut into pieces of the allocator's sizes. Default: false.
        enable_custom_split_merge: bool = false, accepted;
    }
    objects {
        /// Roles of what is not compressed.
        do_not_compress_roles: "CacheEntryRoleSet";
        /// Where memory of compressed blocks comes from.
        memory_allocator: "MemoryAllocator";
        /// A tier behind this one.
        secondary_cache: "SecondaryCache";
        /// Seed of the hash that spreads keys over shards.
        hash_seed: "int32_t";
        /// Locks of shards spin before they sleep.
        use_adaptive_mutex: "bool";
    }
}

impl CompressedSecondaryCacheOptions {
    /// The options of a text as `compressed_secondary_cache://capacity=8M;compression_type=kZSTD`, or
    /// of what follows the `://`.
    ///
    /// # Errors
    /// `InvalidArgument` naming what is not understood.
    pub fn from_uri(uri: &str) -> Result<Self> {
        let bad = |what: &str| {
            Err(Status::invalid_argument(format!(
                "secondary cache {uri:?}: {what} is not understood"
            )))
        };
        let text = match uri.split_once("://") {
            Some(_) => match uri.strip_prefix(URI_SCHEME) {
                Some(text) => text,
                None => return bad("its kind"),
            },
            None => uri,
        };
        let mut options = Self::default();
        for pair in text.split(';').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if options.set(name.trim(), value.trim()).is_none() {
                return bad(pair);
            }
        }
        Ok(options)
    }

    /// Sets one option; none if there is no such option or value.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "capacity" => self.capacity = parse_size(value)?,
            "num_shard_bits" => self.num_shard_bits = value.parse().ok()?,
            "strict_capacity_limit" => self.strict_capacity_limit = value.parse().ok()?,
            "high_pri_pool_ratio" => self.high_pri_pool_ratio = value.parse().ok()?,
            "low_pri_pool_ratio" => self.low_pri_pool_ratio = value.parse().ok()?,
            "compression_type" => self.compression_type = CompressionType::from_option_name(value)?,
            // Of earlier releases; there is this one only.
            "compress_format_version" if value == "2" => {}
            "enable_custom_split_merge" => self.enable_custom_split_merge = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }
}

/// A number of bytes, perhaps in `K`, `M`, `G` or `T`.
fn parse_size(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// What is held of a key.
#[derive(Debug)]
enum Stored {
    /// That it was offered, or moved away.
    Mark,
    Bytes {
        compression: CompressionType,
        bytes: Box<[u8]>,
    },
}

/// A secondary cache of compressed blocks in memory.
#[derive(Debug)]
pub struct CompressedSecondaryCache {
    cache: LruCache,
    compression: CompressionType,
    compression_options: CompressionOptions,
}

impl CompressedSecondaryCache {
    /// A cache with these options.
    ///
    /// # Errors
    /// `InvalidArgument` for a codec or level that is not there, for 20 or more shard bits, and for
    /// pool ratios outside 0 to 1.
    pub fn new(options: &CompressedSecondaryCacheOptions) -> Result<Self> {
        let compression = options.compression_type;
        let compression_options = options.compression_opts.clone();
        // Better now than at each block.
        compress(compression, &compression_options, b"secondary cache", None)?;
        let cache = LruCache::new(&LruCacheOptions {
            capacity: options.capacity,
            num_shard_bits: options.num_shard_bits,
            strict_capacity_limit: true,
            high_pri_pool_ratio: options.high_pri_pool_ratio,
            low_pri_pool_ratio: options.low_pri_pool_ratio,
            metadata_charge_policy: options.metadata_charge_policy,
        })?;
        Ok(Self { cache, compression, compression_options })
    }

    /// The cache of a text; see [`CompressedSecondaryCacheOptions::from_uri`].
    ///
    /// # Errors
    /// As there, and as [`Self::new`].
    pub fn from_uri(uri: &str) -> Result<Self> {
        Self::new(&CompressedSecondaryCacheOptions::from_uri(uri)?)
    }

    /// Keeps something of a key, if there is room: without, the block is read from its file again.
    fn put(&self, key: CacheKey, stored: Stored) -> bool {
        let charge = match &stored {
            Stored::Mark => 0,
            Stored::Bytes { bytes, .. } => bytes.len(),
        };
        self.cache.insert(key, Arc::new(stored).into(), charge, Priority::Low).is_ok()
    }

    /// The bytes as they are to be kept; as they came if that takes no more.
    fn pack(&self, bytes: &[u8]) -> Stored {
        let packed = compress(self.compression, &self.compression_options, bytes, None);
        match packed {
            Ok(packed)
                if self.compression != CompressionType::None && packed.len() < bytes.len() =>
            {
                Stored::Bytes { compression: self.compression, bytes: packed.into() }
            }
            _ => Stored::Bytes { compression: CompressionType::None, bytes: bytes.into() },
        }
    }
}

impl SecondaryCache for CompressedSecondaryCache {
    fn name(&self) -> &'static str {
        "CompressedSecondaryCache"
    }

    fn insert(&self, key: &CacheKey, bytes: &[u8], must_keep: bool) {
        if !must_keep && self.cache.lookup(key).is_none() {
            if self.put(*key, Stored::Mark) {
                count(PerfMetric::CompressedSecCacheInsertDummyCount, 1);
            }
            return;
        }
        let stored = self.pack(bytes);
        let Stored::Bytes { bytes: packed, .. } = &stored else { return };
        let packed_size = packed.len();
        if self.put(*key, stored) {
            count(PerfMetric::CompressedSecCacheInsertRealCount, 1);
            count(PerfMetric::CompressedSecCacheUncompressedBytes, bytes.len() as u64);
            count(PerfMetric::CompressedSecCacheCompressedBytes, packed_size as u64);
        }
    }

    fn lookup(&self, key: &CacheKey, moves: bool) -> SecondaryLookup {
        let stored = self.cache.lookup(key).and_then(CacheValue::downcast::<Stored>);
        let Some(stored) = stored else { return SecondaryLookup::Missing };
        let Stored::Bytes { compression, bytes } = &*stored else { return SecondaryLookup::Dummy };
        let Ok(contents) = decompress(*compression, bytes, FORMAT_VERSION, None) else {
            // Not what was put in: memory is damaged. The file has it.
            self.cache.erase(key);
            return SecondaryLookup::Missing;
        };
        if moves {
            self.put(*key, Stored::Mark);
        }
        SecondaryLookup::Found(contents)
    }

    fn erase(&self, key: &CacheKey) {
        self.cache.erase(key);
    }

    fn capacity_bytes(&self) -> usize {
        self.cache.capacity_bytes()
    }

    fn usage_bytes(&self) -> usize {
        self.cache.usage_bytes()
    }

    fn is_compressed_in_memory(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
