//! The next tier behind a block cache (`rocksdb::SecondaryCache`).
//!
//! Values go there as bytes when the block cache drops them for want of room, if they can be made
//! again of bytes ([`LinkedValue::saved`](crate::LinkedValue::saved)), and come back when they are
//! looked for. What a block cache forgets for good, because a file is gone, leaves both.

use crate::CacheKey;
use std::fmt;

/// What a secondary cache has of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecondaryLookup {
    /// Nothing.
    Missing,
    /// It remembers that it was offered the value, and did not keep that.
    Dummy,
    /// The bytes that it was given.
    Found(Vec<u8>),
}

/// A tier behind a block cache. Keys name blocks while the block cache lives, and no longer.
///
/// Whoever reads checks what comes back as it checks what a file has, but checksums: a tier that may
/// lose or change bytes has to find that out by itself, and forget them.
pub trait SecondaryCache: fmt::Debug + Send + Sync {
    /// Its name, as `CompressedSecondaryCache`.
    fn name(&self) -> &'static str;

    /// Offers a value. Whether it is kept is the tier's choice, unless `must_keep`: then it is kept if
    /// there is room. Called without a lock of the block cache, by the thread that needed its room.
    fn insert(&self, key: &CacheKey, bytes: &[u8], must_keep: bool);

    /// What there is of `key`. With `moves` the value goes to the block cache, and need not stay here.
    fn lookup(&self, key: &CacheKey, moves: bool) -> SecondaryLookup;

    /// Forgets `key`.
    fn erase(&self, key: &CacheKey);

    /// How much it may hold, in bytes.
    fn capacity_bytes(&self) -> usize;

    /// How much it holds, in bytes.
    fn usage_bytes(&self) -> usize;

    /// Whether it is the compressed one in memory, which statistics count apart.
    fn is_compressed_in_memory(&self) -> bool {
        false
    }
}
