//! Ribbon filters: as exact as a Bloom filter in about 30 % less space, and slower to build.
//!
//! ```text
//! segment*    16 bytes each: one bit of the solution for each of 128 slots, lowest slot first
//! metadata    fe | u8 seed | 24-bit number of blocks
//! ```
//!
//! A key is a linear equation: 128 coefficients from slot `start` on, and a result of up to 32 bits.
//! The solution has a row of bits for each slot, chosen so that for every key added the rows that its
//! coefficients select sum up to its result. 128 slots are a block, and a column of a block, that is
//! bit `i` of its rows, is one segment. The segments of a block lie together. The first blocks may
//! have one column less than the others, which lets a filter have any number of segments.

mod solver;

use super::bloom::{self, BloomSize};
use super::{FilterBitsBuilder, HashEntries, METADATA_LENGTH};
use base::hash::{fastrange64, hash64};

/// First byte of the metadata.
pub(super) const MARKER: u8 = 0xfe;
/// Bytes of a segment.
const SEGMENT: usize = 16;
/// Slots of a block, and coefficients of a key.
const WIDTH: u32 = 128;
/// Bits of a result.
const COLUMNS_MAX: u32 = 32;

/// Most keys of a Ribbon filter.
const ENTRIES_MAX: usize = 950_000_000;
/// With fewer slots than this a Bloom filter may be smaller.
const SLOTS_SMALL: u32 = 1024;

/// The equation of a key under a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Equation {
    start: u32,
    /// Bit 0, for the slot `start`, is always set.
    coefficients: u128,
    result: u32,
}

/// Turns the number of a seed into the value that is mixed into hashes.
fn raw_seed(seed: u8) -> u32 {
    let spread = u64::from(seed).wrapping_mul(0xc782_19a2_3eea_dd03);
    (spread ^ (spread & 0xf0f0_f0f0_f0f0_f0f0) >> 4) as u32
}

#[inline]
fn equation(hash: u64, raw_seed: u32, start_count: u32) -> Equation {
    let rehash = (hash ^ u64::from(raw_seed)).wrapping_mul(0x6193_d459_236a_3a0d);
    let high = rehash.wrapping_mul(0xc28f_8282_2b65_0bed);
    let low = high ^ 0xc367_844a_6e52_731d;
    Equation {
        start: fastrange64(rehash, u64::from(start_count)) as u32,
        coefficients: u128::from(high) << 64 | u128::from(low) | 1,
        result: high.swap_bytes() as u32,
    }
}

/// Where the segments of a block lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    /// Columns of the last blocks; those before `upper_start` have one less.
    upper_columns: u32,
    upper_start: u32,
}

impl Layout {
    fn new(segment_count: u32, block_count: u32) -> Self {
        let upper_columns = segment_count.div_ceil(block_count);
        let upper_start = u64::from(upper_columns) * u64::from(block_count);
        Self { upper_columns, upper_start: (upper_start - u64::from(segment_count)) as u32 }
    }

    #[inline]
    fn columns(self, block: u32) -> u32 {
        self.upper_columns - u32::from(block < self.upper_start)
    }

    /// The first segment of the block.
    #[inline]
    fn first(self, block: u32) -> usize {
        block as usize * self.upper_columns as usize - block.min(self.upper_start) as usize
    }
}

/// The metadata of a Ribbon filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ribbon {
    raw_seed: u32,
    start_count: u32,
    layout: Layout,
}

impl Ribbon {
    /// `None` for fewer blocks than the format can use.
    pub(super) fn parse(bits: &[u8], metadata: &[u8; METADATA_LENGTH]) -> Option<Self> {
        let &[_, seed, low, middle, high] = metadata;
        let block_count = u32::from_le_bytes([low, middle, high, 0]);
        let segment_count = u32::try_from(bits.len() / SEGMENT).ok()?;
        (block_count >= 2).then(|| Self {
            raw_seed: raw_seed(seed),
            start_count: block_count * WIDTH - (WIDTH - 1),
            layout: Layout::new(segment_count, block_count),
        })
    }

    #[inline]
    pub(super) fn may_match(&self, contents: &[u8], hash: u64) -> bool {
        let equation = equation(hash, self.raw_seed, self.start_count);
        let (block, offset) = (equation.start / WIDTH, equation.start % WIDTH);
        let columns = self.layout.columns(block);
        let here = equation.coefficients << offset;
        // Two shifts: one by the whole width would overflow. At offset 0 nothing is left for the
        // next block, and the last block, which has none, is met at that offset only.
        let there = equation.coefficients >> 1 >> (WIDTH - 1 - offset);
        let segments = &contents[self.layout.first(block) * SEGMENT..];
        let (segments, rest) = segments.split_at(columns as usize * SEGMENT);
        let next = if offset == 0 { segments } else { rest };
        let (segments, next) = (segments.as_chunks::<SEGMENT>().0, next.as_chunks::<SEGMENT>().0);
        let mut sums = 0;
        let pairs = segments.iter().zip(next).take(COLUMNS_MAX as usize);
        for (column, (&segment, &next)) in pairs.enumerate() {
            let selected = u128::from_le_bytes(segment) & here ^ u128::from_le_bytes(next) & there;
            sums |= parity(selected) << column;
        }
        // Bits of the result beyond the columns are not stored.
        let compared = u32::MAX.checked_shr(COLUMNS_MAX.saturating_sub(columns)).unwrap_or(0);
        (sums ^ equation.result) & compared == 0
    }
}

/// 1 for an odd number of bits. Faster than counting them where the build may not assume that the
/// processor counts.
#[inline]
fn parity(bits: u128) -> u32 {
    const NIBBLES: u64 = 0x1111_1111_1111_1111;
    let mut folded = bits as u64 ^ (bits >> 64) as u64;
    folded ^= folded >> 1;
    folded ^= folded >> 2;
    // The lowest bits of all nibbles, summed up in the highest nibble.
    ((folded & NIBBLES).wrapping_mul(NIBBLES) >> 60) as u32 & 1
}

/// Builds Ribbon filters, or new Bloom filters where those are smaller.
#[derive(Clone, Debug)]
pub struct RibbonBuilder {
    bloom_size: BloomSize,
    one_in_fp_rate: f64,
    entries: HashEntries<u64>,
}

impl RibbonBuilder {
    /// A builder of filters as exact as new Bloom filters with so many thousandths of a bit per key,
    /// at least 1000. The option `optimize_filters_for_memory` counts where it builds one of these.
    pub fn new(millibits_per_key: u32, optimize_filters_for_memory: bool) -> Self {
        let millibits_per_key = millibits_per_key.max(1000);
        Self {
            bloom_size: BloomSize { millibits_per_key, optimize_filters_for_memory },
            one_in_fp_rate: 1.0 / bloom_fp_rate(millibits_per_key),
            entries: HashEntries::default(),
        }
    }

    fn bloom_length(&self, entries_count: usize) -> usize {
        bloom::lines_length(entries_count, self.bloom_size.millibits_per_key)
    }

    /// Slots and bytes of segments; `None` where a Bloom filter is to be built.
    fn dimensions(&self, entries_count: usize, first_hash: u64) -> Option<(u32, usize)> {
        if entries_count > ENTRIES_MAX {
            return None;
        }
        let slots = solver::slots_for(entries_count);
        let length = solver::segments_length(slots, self.one_in_fp_rate, first_hash);
        let bloom_length = self.bloom_length(entries_count);
        if slots < SLOTS_SMALL && bloom_length < length { None } else { Some((slots, length)) }
    }
}

/// False positive rate of a cache-local Bloom filter: the mean over lines a little fuller and a
/// little emptier than average.
fn bloom_fp_rate(millibits_per_key: u32) -> f64 {
    let probes = i32::from(bloom::choose_probes(millibits_per_key));
    let keys_per_line = 512.0 / (f64::from(millibits_per_key) / 1000.0);
    let deviation = keys_per_line.sqrt();
    let rate = |bits_per_key: f64| (1.0 - (-f64::from(probes) / bits_per_key).exp()).powi(probes);
    (rate(512.0 / (keys_per_line + deviation)) + rate(512.0 / (keys_per_line - deviation))) / 2.0
}

impl FilterBitsBuilder for RibbonBuilder {
    fn add_key(&mut self, key: &[u8]) {
        self.entries.push(hash64(key));
    }

    fn add_key_and_prefix(&mut self, key: &[u8], prefix: &[u8]) {
        self.entries.push_with_prefix(hash64(key), hash64(prefix));
    }

    fn entries_count(&self) -> usize {
        self.entries.hashes.len()
    }

    fn calculate_space(&self, entries_count: usize) -> usize {
        if entries_count == 0 {
            return METADATA_LENGTH;
        }
        // The length depends on the first hash for rounding; this is its middle.
        let length = match self.dimensions(entries_count, 1 << 63) {
            Some((_, length)) => length,
            None => self.bloom_length(entries_count),
        };
        length + METADATA_LENGTH
    }

    fn approximate_entries_count(&self, length: usize) -> usize {
        let segments_length = length.saturating_sub(METADATA_LENGTH) / SEGMENT * SEGMENT;
        let slots = solver::slots_within(segments_length, self.one_in_fp_rate);
        let count = solver::entries_for(slots);
        if slots < SLOTS_SMALL {
            let millibits_per_key = self.bloom_size.millibits_per_key;
            count.max(bloom::entries_count_for(length, millibits_per_key))
        } else {
            count.min(ENTRIES_MAX)
        }
    }

    fn finish(&mut self) -> Vec<u8> {
        let hashes = self.entries.take().pieces().collect::<Vec<_>>().concat();
        let Some(&first) = hashes.first() else { return Vec::new() };
        let built = self
            .dimensions(hashes.len(), first)
            .and_then(|(slots, length)| solver::build(&hashes, slots, length));
        built.unwrap_or_else(|| {
            bloom::build(hashes.len(), [&hashes[..]].into_iter(), self.bloom_size)
        })
    }
}

#[cfg(test)]
mod tests;
