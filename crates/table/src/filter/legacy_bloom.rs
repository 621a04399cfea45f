//! Bloom filters of format versions 0 to 4.
//!
//! ```text
//! line*       as many as the metadata says, each a power of two of bytes; 64 as RocksDB writes
//! metadata    u8 probes | fixed32 number of lines
//! ```
//!
//! With `h = hash32(key)`: the line is `h % lines`; each probe is the bit `h % bits of a line` of it,
//! and then `h` grows by itself rotated right by 17.

use super::{FilterBitsBuilder, HashEntries, METADATA_LENGTH};
use base::coding;
use base::hash::{self, hash32};

const LINE: usize = 64;

/// The metadata of a legacy Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LegacyBloom {
    probes: u8,
    line_count: u32,
    line_length_log2: u32,
}

impl LegacyBloom {
    /// `None` unless the lines fill the bits and each is a power of two of bytes.
    pub(super) fn parse(bits: &[u8], metadata: &[u8; METADATA_LENGTH]) -> Option<Self> {
        let line_count = coding::decode_fixed32(metadata, 1);
        let length = u32::try_from(bits.len()).ok()?;
        if line_count == 0 || length % line_count != 0 {
            return None;
        }
        let line_length = length / line_count;
        line_length.is_power_of_two().then(|| Self {
            probes: metadata[0],
            line_count,
            line_length_log2: line_length.ilog2(),
        })
    }

    /// Bits tested per key.
    pub fn probes(&self) -> u32 {
        u32::from(self.probes)
    }

    #[inline]
    pub(super) fn may_match(&self, contents: &[u8], hash: u32) -> bool {
        let line_length = 1usize << self.line_length_log2;
        let at = ((hash % self.line_count) as usize) << self.line_length_log2;
        let line = &contents[at..at + line_length];
        // All probes, without a branch for each: where a probe fails first cannot be predicted.
        let mut h = hash;
        let delta = hash.rotate_right(17);
        let mut all = u8::MAX;
        for _ in 0..self.probes {
            let bit = h as usize & (8 * line_length - 1);
            all &= line[bit / 8] >> (bit % 8);
            h = h.wrapping_add(delta);
        }
        all & 1 != 0
    }
}

/// Builds legacy Bloom filters.
#[derive(Clone, Debug)]
pub struct LegacyBloomBuilder {
    bits_per_key: u32,
    entries: HashEntries<u32>,
}

impl LegacyBloomBuilder {
    /// A builder that spends so many bits per key, at least 1.
    pub fn new(bits_per_key: u32) -> Self {
        Self { bits_per_key: bits_per_key.max(1), entries: HashEntries::default() }
    }

    fn line_count(&self, entries_count: usize) -> u32 {
        if entries_count == 0 {
            return 0;
        }
        let bits = entries_count as u64 * u64::from(self.bits_per_key);
        // The contents' length must fit 32 bits.
        let lines = bits.div_ceil(8 * LINE as u64).min((u32::MAX as usize / LINE - 1) as u64);
        // An odd number lets all bits of the hash take part in the choice of a line.
        lines as u32 | 1
    }

    fn probes(&self) -> u8 {
        (f64::from(self.bits_per_key) * 0.69).clamp(1.0, 30.0) as u8
    }
}

impl FilterBitsBuilder for LegacyBloomBuilder {
    fn add_key(&mut self, key: &[u8]) {
        self.entries.push(hash32(key, hash::LEGACY_BLOOM_SEED));
    }

    fn add_key_and_prefix(&mut self, key: &[u8], prefix: &[u8]) {
        let [key, prefix] = [key, prefix].map(|bytes| hash32(bytes, hash::LEGACY_BLOOM_SEED));
        self.entries.push_with_prefix(key, prefix);
    }

    fn entries_count(&self) -> usize {
        self.entries.hashes.len()
    }

    fn calculate_space(&self, entries_count: usize) -> usize {
        self.line_count(entries_count) as usize * LINE + METADATA_LENGTH
    }

    fn approximate_entries_count(&self, length: usize) -> usize {
        const BITS_MAX: u64 = 0xffff_0000;
        let bits = (8 * length as u64).min(BITS_MAX);
        let count_max = (bits / u64::from(self.bits_per_key) + 1) as usize;
        // Whole lines, and an odd number of them: what fits is not far below.
        (1..=count_max).rev().find(|&count| self.calculate_space(count) <= length).unwrap_or(0)
    }

    fn finish(&mut self) -> Vec<u8> {
        let hashes = self.entries.take();
        if hashes.len() == 0 {
            return Vec::new();
        }
        let line_count = self.line_count(hashes.len());
        let probes = self.probes();
        let length = line_count as usize * LINE;
        let mut contents = vec![0; length];
        for &hash in hashes.pieces().flatten() {
            let at = (hash % line_count) as usize * LINE;
            let mut h = hash;
            let delta = hash.rotate_right(17);
            for _ in 0..probes {
                let bit = h as usize % (8 * LINE);
                contents[at + bit / 8] |= 1 << (bit % 8);
                h = h.wrapping_add(delta);
            }
        }
        contents.push(probes);
        coding::put_fixed32(&mut contents, line_count);
        contents
    }
}

#[cfg(test)]
mod tests;
