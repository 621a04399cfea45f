//! The hash functions that are part of the formats.
//!
//! [`hash32`] (a Murmur relative) places keys in legacy Bloom filters and in the hash index of data
//! blocks. [`hash64`] places keys in new Bloom and Ribbon filters: it is the *preview* of XXH3 that
//! xxHash 0.7.2 carried, seed 0, and differs from the final XXH3 for every input, so no library has
//! it. Both values are on disk and may never change.

mod preview_xxh3;

use twox_hash::XxHash3_128;

pub use preview_xxh3::hash64;

/// Seed of [`hash32`] in legacy Bloom filters.
pub const LEGACY_BLOOM_SEED: u32 = 0xbc9f_1d34;
/// Seed of [`hash32`] in the hash index of data blocks.
pub const DATA_BLOCK_HASH_INDEX_SEED: u32 = 397;

/// The 32-bit hash of legacy filters and data-block hash indexes.
///
/// The one to three bytes after the last whole word count as *signed*: RocksDB read them through
/// a `char` pointer on a platform where it is signed, and files hold the result.
#[inline]
pub fn hash32(data: &[u8], seed: u32) -> u32 {
    const MULTIPLIER: u32 = 0xc6a4_a793;
    let mut hash = seed ^ (data.len() as u32).wrapping_mul(MULTIPLIER);
    let (words, tail) = data.as_chunks::<4>();
    for &word in words {
        hash = hash.wrapping_add(u32::from_le_bytes(word)).wrapping_mul(MULTIPLIER);
        hash ^= hash >> 16;
    }
    if !tail.is_empty() {
        for (index, &byte) in tail.iter().enumerate() {
            hash = hash.wrapping_add((i32::from(byte as i8) as u32) << (8 * index));
        }
        hash = hash.wrapping_mul(MULTIPLIER);
        hash ^= hash >> 24;
    }
    hash
}

/// The final XXH3 of 128 bits with a seed; unique ids of table files are made of it.
#[inline]
pub fn xxh3_128_with_seed(data: &[u8], seed: u64) -> u128 {
    XxHash3_128::oneshot_with_seed(seed, data)
}

/// Maps a hash evenly onto `0..range`.
#[inline]
pub const fn fastrange32(hash: u32, range: u32) -> u32 {
    ((hash as u64 * range as u64) >> 32) as u32
}

/// Maps a hash evenly onto `0..range`.
#[inline]
pub const fn fastrange64(hash: u64, range: u64) -> u64 {
    ((hash as u128 * range as u128) >> 64) as u64
}

#[cfg(test)]
mod tests;
