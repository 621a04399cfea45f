//! Where the engine gets values from: the blob cache, or else the blob files.

use crate::blob_file_cache::BlobFileCache;
use crate::blob_file_reader::BlobReadOptions;
use crate::blob_index::BlobReference;
use base::pinnable_slice::PinnedBytes;
use base::{PinnableSlice, Result, Status};
use cache::{Cache, CacheKey, CacheValue, ChargedMemory, Priority};
use parking_lot::RwLock;
use perf_context::{PerfMetric, count};
use statistics::Ticker;
use std::collections::HashMap;
use std::sync::Arc;

/// The blobs of a column family.
#[derive(Debug)]
pub struct BlobSource {
    files: BlobFileCache,
    /// Values, uncompressed (`blob_cache`).
    cache: Option<Arc<dyn Cache>>,
    /// What the cache knows the files by. A file keeps its number while it is closed and opened
    /// again.
    cache_ids: RwLock<HashMap<u64, u64>>,
    /// What the cache holds counts against another one.
    charged: Option<Arc<ChargedMemory>>,
}

/// A value in the cache, with what it was read for: a hit must be what the file would have
/// answered, also where the reference is damaged.
struct CachedBlob {
    value: PinnableSlice,
    user_key: Box<[u8]>,
    reference: BlobReference,
}

impl PinnedBytes for CachedBlob {
    fn bytes(&self) -> &[u8] {
        &self.value
    }
}

impl BlobSource {
    /// The blobs in `files`, with a cache in front of them if there is one.
    pub fn new(files: BlobFileCache, blob_cache: Option<Arc<dyn Cache>>) -> Self {
        Self { files, cache: blob_cache, cache_ids: RwLock::default(), charged: None }
    }

    /// What the cache of values holds is charged to another one.
    #[must_use]
    pub fn with_charge(mut self, charged: Option<Arc<ChargedMemory>>) -> Self {
        self.charged = charged;
        self
    }

    /// The open files.
    pub fn files(&self) -> &BlobFileCache {
        &self.files
    }

    /// The cache of values, if there is one.
    pub fn cache(&self) -> Option<&Arc<dyn Cache>> {
        self.cache.as_ref()
    }

    /// The value at `reference`, uncompressed. `user_key` is the key that refers to it, with its
    /// timestamp where the column family has them. Whether the file is one of the current version
    /// is the caller's to check.
    ///
    /// # Errors
    /// As [`BlobFileReader::get`](crate::BlobFileReader::get) and [`BlobFileCache::get`];
    /// `Incomplete` if only the cache may be asked and does not have the value; `Corruption` if the
    /// value is said to be in the table; what [`Cache::insert`] returns.
    pub fn get(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        reference: &BlobReference,
    ) -> Result<PinnableSlice> {
        if reference.is_in_current_file() {
            return Err(Status::corruption(format!("{reference} where there is no current file")));
        }
        let Some(cache) = &self.cache else {
            return self.read(options, user_key, reference);
        };
        let key = CacheKey::new(self.cache_id(&**cache, reference.file_number), reference.offset);
        let cached = cache.lookup(&key).and_then(CacheValue::downcast::<CachedBlob>);
        let cached =
            cached.filter(|blob| blob.reference == *reference && *blob.user_key == *user_key);
        self.count_lookup(cached.as_deref());
        if let Some(blob) = cached {
            count(PerfMetric::BlobCacheHitCount, 1);
            count(PerfMetric::BlobCacheReadByte, blob.value.len() as u64);
            return Ok(pinned(blob));
        }
        let value = self.read(options, user_key, reference)?;
        if !options.fill_cache {
            return Ok(value);
        }
        let blob = Arc::new(CachedBlob { value, user_key: user_key.into(), reference: *reference });
        let charge_bytes = blob.value.len() + blob.user_key.len() + size_of::<CachedBlob>();
        let inserted = cache.insert(key, Arc::clone(&blob).into(), charge_bytes, Priority::Bottom);
        if let Some(statistics) = self.files.statistics() {
            statistics.record(|recorder| match &inserted {
                Ok(_) => {
                    recorder.tick(Ticker::BlobDbCacheAdd, 1);
                    recorder.tick(Ticker::BlobDbCacheBytesWrite, blob.value.len() as u64);
                }
                Err(_) => recorder.tick(Ticker::BlobDbCacheAddFailures, 1),
            });
        }
        inserted?;
        if let Some(charged) = &self.charged {
            charged.follow(cache.usage_bytes());
        }
        Ok(pinned(blob))
    }

    fn count_lookup(&self, found: Option<&CachedBlob>) {
        let Some(statistics) = self.files.statistics() else { return };
        statistics.record(|recorder| match found {
            Some(blob) => {
                recorder.tick(Ticker::BlobDbCacheHit, 1);
                recorder.tick(Ticker::BlobDbCacheBytesRead, blob.value.len() as u64);
            }
            None => recorder.tick(Ticker::BlobDbCacheMiss, 1),
        });
    }

    /// Forgets a file that left the version. Its cached values age out.
    pub fn evict(&self, file_number: u64) {
        self.files.evict(file_number);
        self.cache_ids.write().remove(&file_number);
    }

    fn read(
        &self,
        options: &BlobReadOptions,
        user_key: &[u8],
        reference: &BlobReference,
    ) -> Result<PinnableSlice> {
        if options.cache_only {
            return Err(Status::incomplete("blob not in the cache, and no other read is allowed"));
        }
        let _activity = options.activity.begin_if_unknown();
        self.files.get(reference.file_number)?.get(options, user_key, reference)
    }

    fn cache_id(&self, cache: &dyn Cache, file_number: u64) -> u64 {
        if let Some(&id) = self.cache_ids.read().get(&file_number) {
            return id;
        }
        *self.cache_ids.write().entry(file_number).or_insert_with(|| cache.new_id())
    }
}

fn pinned(blob: Arc<CachedBlob>) -> PinnableSlice {
    let length = blob.value.len();
    PinnableSlice::pinned(blob, 0..length)
}

#[cfg(test)]
mod tests;
