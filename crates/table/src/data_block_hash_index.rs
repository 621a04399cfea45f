//! The hash index that a data block may carry for point lookups.
//!
//! ```text
//! u8 bucket, each    restart point whose interval holds the bucket's keys, 0 to 253
//!                    254 they are in several intervals, 255 there are none
//! fixed16            number of buckets, odd
//! ```
//!
//! A user key's bucket is its `hash32` with seed 397 modulo the number of buckets. The reader of
//! tables finds keys faster through the array it makes of every block (`data_block`), so only
//! tools and tests look things up here.

use crate::block::BlockLayout;
use base::coding::put_fixed16;
use base::dbformat::extract_user_key;
use base::hash::hash32;

const SEED: u32 = 397;
const RESTART_INDEX_MAX: usize = 253;
const COLLISION: u8 = 254;
const NO_ENTRY: u8 = 255;

/// What the index says of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashLookup {
    /// No entry of this key is in the block. One may still be in the next block, if the key is
    /// after the last of this.
    Absent,
    /// Search all restart points.
    Collision,
    /// If it is in the block, then in the interval of this restart point.
    Restart(usize),
}

/// Looks a user key up in the hash index of `block`; `None` if it has none.
pub fn lookup(block: &[u8], layout: &BlockLayout, user_key: &[u8]) -> Option<HashLookup> {
    let (start, count) = layout.hash_buckets?;
    let bucket = (hash32(user_key, SEED) as usize).checked_rem(count)?;
    Some(match *block.get(start + bucket)? {
        NO_ENTRY => HashLookup::Absent,
        COLLISION => HashLookup::Collision,
        restart => HashLookup::Restart(usize::from(restart)),
    })
}

/// Makes the hash index of one block after another.
#[derive(Debug)]
pub struct DataBlockHashIndexBuilder {
    buckets_per_key: f64,
    /// Summed up key by key, as RocksDB does: the rounding of each step is part of the result.
    buckets_wanted: f64,
    hashes: Vec<(u32, u8)>,
    is_possible: bool,
}

impl DataBlockHashIndexBuilder {
    /// A builder that aims at `util_ratio` keys per bucket; 0 and less mean RocksDB's 0.75.
    pub fn new(util_ratio: f64) -> Self {
        let util_ratio = if util_ratio > 0.0 { util_ratio } else { 0.75 };
        Self {
            buckets_per_key: 1.0 / util_ratio,
            buckets_wanted: 0.0,
            hashes: Vec::new(),
            is_possible: true,
        }
    }

    /// Adds an internal key of the interval of a restart point.
    pub fn add(&mut self, internal_key: &[u8], restart_index: usize) {
        if restart_index > RESTART_INDEX_MAX {
            self.is_possible = false;
        } else if self.is_possible {
            self.hashes.push((hash32(extract_user_key(internal_key), SEED), restart_index as u8));
            self.buckets_wanted += self.buckets_per_key;
        }
    }

    /// Number of buckets for the keys so far; `None` if there can be no index.
    fn bucket_count(&self) -> Option<u16> {
        let wanted = self.buckets_wanted as usize | 1;
        u16::try_from(wanted).ok().filter(|_| self.is_possible)
    }

    /// Bytes that [`DataBlockHashIndexBuilder::append_to`] would append.
    pub fn size(&self) -> usize {
        self.bucket_count().map_or(0, |count| usize::from(count) + 2)
    }

    /// Appends the index; appends nothing and says so if this block can have none.
    pub fn append_to(&self, block: &mut Vec<u8>) -> bool {
        let Some(count) = self.bucket_count() else { return false };
        let start = block.len();
        block.resize(start + usize::from(count), NO_ENTRY);
        for &(hash, restart) in &self.hashes {
            let bucket = &mut block[start + (hash % u32::from(count)) as usize];
            *bucket = match *bucket {
                NO_ENTRY => restart,
                same if same == restart => restart,
                _ => COLLISION,
            };
        }
        put_fixed16(block, count);
        true
    }

    /// Forgets the block's keys.
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.buckets_wanted = 0.0;
        self.is_possible = true;
    }
}

#[cfg(test)]
mod tests;
