//! Bloom filters from format version 5 on: every key within one cache line.
//!
//! ```text
//! line*       64 bytes each
//! metadata    ff | 00 | probes | 00 00
//! ```
//!
//! With `H = hash64(key)`: the low half chooses the line by `fastrange32`; starting with the high half
//! as `x`, each probe is the bit `x >> 23` of the line, bit 0 being the lowest of byte 0, and then `x`
//! is multiplied by 0x9e3779b9.

use super::{FilterBitsBuilder, HashEntries, METADATA_LENGTH};
use base::hash::{fastrange32, hash64};
use kernels::bloom_line::{self, LINE_SIZE as LINE, MULTIPLIER};
use kernels::prefetch::prefetch_address;

/// First byte of the metadata.
pub(super) const MARKER: u8 = 0xff;
/// So many lines are brought in from memory while others are written to.
const LINES_AHEAD: usize = 16;
/// Most bytes of lines that the 32-bit arithmetic of the format can reach.
const LENGTH_MAX: u64 = 0xffff_ffc0;

/// The metadata of a new Bloom filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FastLocalBloom {
    probes: u8,
    line_count: u32,
}

impl FastLocalBloom {
    /// `None` for variants that are reserved, and for filters without a whole line.
    pub(super) fn parse(bits: &[u8], metadata: &[u8; METADATA_LENGTH]) -> Option<Self> {
        let &[_, 0, probes @ 1..=30, 0, 0] = metadata else { return None };
        match u32::try_from(bits.len() / LINE) {
            Ok(line_count @ 1..) => Some(Self { probes, line_count }),
            _ => None,
        }
    }

    /// Bits tested per key.
    pub fn probes(&self) -> u32 {
        u32::from(self.probes)
    }

    #[inline]
    pub(super) fn may_match(&self, contents: &[u8], hash: u64) -> bool {
        let Some(line) = contents[self.line_start(hash)..].first_chunk::<LINE>() else {
            return true;
        };
        bloom_line::has_all(line, (hash >> 32) as u32, self.probes())
    }

    /// Asks for the line that [`Self::may_match`] will look at.
    #[inline]
    pub(super) fn prefetch(&self, contents: &[u8], hash: u64) {
        prefetch_address(contents.as_ptr().wrapping_add(self.line_start(hash)));
    }

    #[inline]
    fn line_start(&self, hash: u64) -> usize {
        fastrange32(hash as u32, self.line_count) as usize * LINE
    }
}

/// RocksDB's best number of probes for so many thousandths of a bit per key.
pub(super) fn choose_probes(millibits_per_key: u32) -> u8 {
    match millibits_per_key {
        0..=2080 => 1,
        2081..=3580 => 2,
        3581..=5100 => 3,
        5101..=6640 => 4,
        6641..=8300 => 5,
        8301..=10_070 => 6,
        10_071..=11_720 => 7,
        11_721..=14_001 => 8,
        14_002..=16_050 => 9,
        16_051..=18_300 => 10,
        18_301..=22_001 => 11,
        22_002..=25_501 => 12,
        25_502..=50_000 => ((millibits_per_key - 1) / 2000 - 1) as u8,
        50_001.. => 24,
    }
}

/// Bytes of lines for so many keys.
pub(super) fn lines_length(entries_count: usize, millibits_per_key: u32) -> usize {
    let bits = entries_count as u128 * u128::from(millibits_per_key);
    let length = bits.div_ceil(8000).min(u128::from(LENGTH_MAX)) as u64;
    length.next_multiple_of(LINE as u64) as usize
}

/// Keys for contents of this length.
pub(super) fn entries_count_for(length: usize, millibits_per_key: u32) -> usize {
    let lines = length.saturating_sub(METADATA_LENGTH) as u64 / LINE as u64 * LINE as u64;
    (8000 * lines.min(LENGTH_MAX) / u64::from(millibits_per_key)) as usize
}

/// How much a filter may take, and how that is counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct BloomSize {
    /// Thousandths of a bit per key.
    pub(super) millibits_per_key: u32,
    /// Whether the number of probes is chosen for the length as rounded up to whole lines.
    pub(super) optimize_filters_for_memory: bool,
}

impl BloomSize {
    fn probes(self, entries_count: usize, length: usize) -> u8 {
        if !self.optimize_filters_for_memory {
            return choose_probes(self.millibits_per_key);
        }
        let millibits = length as u64 * 8000 / entries_count.max(1) as u64;
        choose_probes(u32::try_from(millibits).unwrap_or(u32::MAX))
    }
}

/// The contents of a filter of so many hashes, which come in pieces.
pub(super) fn build<'h>(
    count: usize,
    pieces: impl Iterator<Item = &'h [u64]>,
    size: BloomSize,
) -> Vec<u8> {
    if count == 0 {
        return Vec::new();
    }
    let length = lines_length(count, size.millibits_per_key);
    let probes = size.probes(count, length);
    let mut contents = vec![0; length + METADATA_LENGTH];
    contents[length..].copy_from_slice(&[MARKER, 0, probes, 0, 0]);
    let (lines, _) = contents[..length].as_chunks_mut::<LINE>();
    for hashes in pieces {
        // A loop whose length is known takes half the instructions.
        match probes {
            5 => add_all(lines, hashes, |line, x| set_bits(line, x, 5)),
            6 => add_all(lines, hashes, |line, x| set_bits(line, x, 6)),
            7 => add_all(lines, hashes, |line, x| set_bits(line, x, 7)),
            _ => add_all(lines, hashes, |line, x| set_bits(line, x, probes)),
        }
    }
    contents
}

/// Has `add` set the bits of each hash in its line, by the hash's high half.
#[inline]
fn add_all(lines: &mut [[u8; LINE]], hashes: &[u64], add: impl Fn(&mut [u8; LINE], u32)) {
    let line_count = lines.len() as u32;
    let line_of = |hash: u64| fastrange32(hash as u32, line_count) as usize;
    let mut add_hash = |hash: u64, ahead: Option<u64>| {
        if let Some(ahead) = ahead {
            prefetch_address(lines.as_ptr().wrapping_add(line_of(ahead)).cast());
        }
        add(&mut lines[line_of(hash)], (hash >> 32) as u32);
    };
    let (last, ahead) = (hashes.len().saturating_sub(LINES_AHEAD), hashes.iter().skip(LINES_AHEAD));
    hashes.iter().zip(ahead).for_each(|(&hash, &ahead)| add_hash(hash, Some(ahead)));
    hashes[last..].iter().for_each(|&hash| add_hash(hash, None));
}

#[inline(always)]
fn set_bits(line: &mut [u8; LINE], mut x: u32, probes: u8) {
    let (words, _) = line.as_chunks_mut::<8>();
    for _ in 0..probes {
        // Bit `x >> 23` of the line, in words of 64 bits.
        let word = &mut words[(x >> 29) as usize];
        *word = (u64::from_le_bytes(*word) | 1 << (x >> 23 & 63)).to_le_bytes();
        x = x.wrapping_mul(MULTIPLIER);
    }
}

/// Builds new Bloom filters.
#[derive(Clone, Debug)]
pub struct FastLocalBloomBuilder {
    size: BloomSize,
    entries: HashEntries<u64>,
}

impl FastLocalBloomBuilder {
    /// A builder that spends so many thousandths of a bit per key, at least 1000. The option
    /// `optimize_filters_for_memory` lets the number of probes fit the length as rounded up.
    pub fn new(millibits_per_key: u32, optimize_filters_for_memory: bool) -> Self {
        let millibits_per_key = millibits_per_key.max(1000);
        let size = BloomSize { millibits_per_key, optimize_filters_for_memory };
        Self { size, entries: HashEntries::default() }
    }
}

impl FilterBitsBuilder for FastLocalBloomBuilder {
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
        lines_length(entries_count, self.size.millibits_per_key) + METADATA_LENGTH
    }

    fn approximate_entries_count(&self, length: usize) -> usize {
        entries_count_for(length, self.size.millibits_per_key)
    }

    fn finish(&mut self) -> Vec<u8> {
        let hashes = self.entries.take();
        build(hashes.len(), hashes.pieces(), self.size)
    }
}

#[cfg(test)]
mod tests;
