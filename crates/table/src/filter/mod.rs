//! Filters: what a filter block, or one partition of it, holds.
//!
//! A filter answers whether a key may be among those it was built from. The last five bytes of its
//! contents say what it is; `m` is the first of them:
//!
//! ```text
//! m          kind               other metadata bytes
//! 00         matches all keys
//! 01 to 7f   legacy_bloom       fixed32 number of lines; m is the number of probes
//! fe         ribbon             u8 seed | 24-bit number of blocks
//! ff         bloom              00 | probes in bits 0-4, 0 in bits 5-7 | 00 00
//! 80 to fd   matches all keys   reserved
//! ```
//!
//! Contents of five bytes or fewer match no key: no key was added. Whatever a reader does not know,
//! or finds broken, matches all keys: a filter may only ever save work.
//!
//! Keys are user keys without timestamp, or their prefixes.

pub mod bloom;
pub(crate) mod filter_block_builder;
pub mod filter_policy;
pub(crate) mod full_filter_block_builder;
mod hash_list;
pub mod legacy_bloom;
pub(crate) mod partitioned_filter_block_builder;
pub mod ribbon;

use base::hash::{self, hash64};
use bloom::FastLocalBloom;
pub use filter_policy::FilterPolicy;
pub use hash_list::release_kept_hashes;
use hash_list::{FilterHash, HashList};
use legacy_bloom::LegacyBloom;
use ribbon::Ribbon;
use std::fmt;

/// Bytes at the end of every filter that say what it is.
pub const METADATA_LENGTH: usize = 5;

/// Name of every builtin filter in the metaindex, behind `fullfilter.` and `partitionedfilter.`.
pub const BUILTIN_POLICY_NAME: &str = "rocksdb.BuiltinBloomFilter";

/// A key, hashed once to be probed for in many filters.
#[derive(Clone, Copy, Debug)]
pub struct KeyHash<'a> {
    key: &'a [u8],
    hash64: u64,
}

impl<'a> KeyHash<'a> {
    /// Hashes `key`.
    #[inline]
    pub fn new(key: &'a [u8]) -> Self {
        Self { key, hash64: hash64(key) }
    }

    /// `key` again, whose hash is known from [`Self::hash64`].
    #[inline]
    pub fn known(key: &'a [u8], hash64: u64) -> Self {
        Self { key, hash64 }
    }

    /// The hash of new Bloom and Ribbon filters.
    #[inline]
    pub fn hash64(self) -> u64 {
        self.hash64
    }

    /// The hash of legacy Bloom filters, which only tables before format version 5 hold: computed
    /// when asked for.
    #[inline]
    pub fn hash32(self) -> u32 {
        hash::hash32(self.key, hash::LEGACY_BLOOM_SEED)
    }
}

/// What the metadata of a filter says, without the filter's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterKind {
    /// Every key may match: unknown or broken.
    AlwaysMatch,
    /// No key matches: none was added.
    NeverMatch,
    /// Bloom filters of format versions 0 to 4.
    LegacyBloom(LegacyBloom),
    /// Bloom filters from format version 5 on.
    FastLocalBloom(FastLocalBloom),
    /// Ribbon filters, from format version 5 on.
    Ribbon(Ribbon),
}

impl FilterKind {
    /// Reads the metadata of these contents.
    pub fn parse(contents: &[u8]) -> Self {
        let Some((bits, metadata)) = contents.split_last_chunk::<METADATA_LENGTH>() else {
            return Self::NeverMatch;
        };
        if bits.is_empty() {
            return Self::NeverMatch;
        }
        let kind = match metadata[0] {
            0x01..=0x7f => LegacyBloom::parse(bits, metadata).map(Self::LegacyBloom),
            ribbon::MARKER => Ribbon::parse(bits, metadata).map(Self::Ribbon),
            bloom::MARKER => FastLocalBloom::parse(bits, metadata).map(Self::FastLocalBloom),
            _ => None,
        };
        kind.unwrap_or(Self::AlwaysMatch)
    }

    /// Whether the key may be in the filter; `contents` are those that were parsed.
    #[inline]
    pub fn may_match(&self, contents: &[u8], key: KeyHash<'_>) -> bool {
        match self {
            Self::AlwaysMatch => true,
            Self::NeverMatch => false,
            Self::LegacyBloom(filter) => filter.may_match(contents, key.hash32()),
            Self::FastLocalBloom(filter) => filter.may_match(contents, key.hash64()),
            Self::Ribbon(filter) => filter.may_match(contents, key.hash64()),
        }
    }

    /// Asks for the memory that [`Self::may_match`] will look at, where that is one line.
    #[inline]
    fn prefetch(&self, contents: &[u8], key: KeyHash<'_>) {
        if let Self::FastLocalBloom(filter) = self {
            filter.prefetch(contents, key.hash64());
        }
    }
}

/// A filter that can be asked.
#[derive(Clone, Debug)]
pub struct FilterBitsReader<C> {
    contents: C,
    kind: FilterKind,
}

impl<C: AsRef<[u8]>> FilterBitsReader<C> {
    /// A reader of these contents. Any contents are accepted.
    pub fn new(contents: C) -> Self {
        let kind = FilterKind::parse(contents.as_ref());
        Self { contents, kind }
    }

    /// What filter it is.
    pub fn kind(&self) -> FilterKind {
        self.kind
    }

    /// The filter block.
    pub fn contents(&self) -> &C {
        &self.contents
    }

    /// Whether `key` may be in the filter.
    #[inline]
    pub fn may_match(&self, key: &[u8]) -> bool {
        self.hash_may_match(KeyHash::new(key))
    }

    /// Whether the key of this hash may be in the filter.
    #[inline]
    pub fn hash_may_match(&self, key: KeyHash<'_>) -> bool {
        self.kind.may_match(self.contents.as_ref(), key)
    }

    /// Asks for the memory that [`Self::hash_may_match`] will look at.
    #[inline]
    pub(crate) fn prefetch(&self, key: KeyHash<'_>) {
        self.kind.prefetch(self.contents.as_ref(), key);
    }
}

/// Makes the contents of a filter.
pub trait FilterBitsBuilder: fmt::Debug + Send {
    /// Adds a key. Equal keys one after another count once.
    fn add_key(&mut self, key: &[u8]);

    /// Adds a key and its prefix. Equal prefixes count once also where keys stand between them.
    fn add_key_and_prefix(&mut self, key: &[u8], prefix: &[u8]);

    /// How many different keys were added, as far as that was noticed.
    fn entries_count(&self) -> usize;

    /// Length of the contents, should `entries_count` keys be added, in bytes.
    fn calculate_space(&self, entries_count: usize) -> usize;

    /// About how many keys fit contents of `length` bytes.
    fn approximate_entries_count(&self, length: usize) -> usize;

    /// The contents, empty if no key was added. The builder is as new afterwards.
    fn finish(&mut self) -> Vec<u8>;
}

/// Hashes of the keys added so far.
#[derive(Clone, Debug)]
struct HashEntries<H: FilterHash> {
    hashes: HashList<H>,
    last_prefix: Option<H>,
}

impl<H: FilterHash> Default for HashEntries<H> {
    fn default() -> Self {
        Self { hashes: HashList::default(), last_prefix: None }
    }
}

impl<H: FilterHash> HashEntries<H> {
    #[inline]
    fn push(&mut self, hash: H) {
        if self.hashes.last() != Some(hash) {
            self.hashes.push(hash);
        }
    }

    /// The prefix goes first, so that the last hash is always that of a key, for keys one after
    /// another that are equal.
    fn push_with_prefix(&mut self, hash: H, prefix: H) {
        let last_hash = self.hashes.last();
        let last_prefix = self.last_prefix.replace(prefix);
        if last_prefix != Some(prefix) && prefix != hash && last_hash != Some(prefix) {
            self.hashes.push(prefix);
        }
        if last_hash != Some(hash) && last_prefix != Some(hash) {
            self.hashes.push(hash);
        }
    }

    fn take(&mut self) -> HashList<H> {
        self.last_prefix = None;
        std::mem::take(&mut self.hashes)
    }
}

#[cfg(test)]
mod tests;
