//! A Bloom filter that keys are added to while others ask it.
//!
//! All six bits of a key are in one cache line. Bits are set with relaxed stores: a key is added
//! before its record can be found, and who may expect to find the record learns of it in a way that
//! orders the two.

use base::hash::{fastrange64, hash64};
use std::sync::atomic::{AtomicU64, Ordering};

const PROBES: u32 = 6;
const LINE_WORDS: usize = 8;
const LINE_BITS: usize = LINE_WORDS * 64;
const LINE_BITS_LOG2: u32 = LINE_BITS.ilog2();

/// A cache line of the filter.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Line([AtomicU64; LINE_WORDS]);

/// Says of a key that it was not added, or that it may have been.
#[derive(Debug)]
pub(crate) struct DynamicBloom {
    lines: Box<[Line]>,
}

impl DynamicBloom {
    /// An empty filter of at least `size_bytes`.
    pub(crate) fn new(size_bytes: usize) -> Self {
        let count = size_bytes.div_ceil(size_of::<Line>()).max(1);
        Self { lines: std::iter::repeat_with(Line::default).take(count).collect() }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        size_of_val(&*self.lines)
    }

    /// Adds a key. There may be one caller at a time; what others add meanwhile may get lost.
    pub(crate) fn add(&self, key: &[u8]) {
        let (line, bits) = self.locate(key);
        for (word, mask) in bits {
            let old = line.0[word].load(Ordering::Relaxed);
            if old & mask == 0 {
                line.0[word].store(old | mask, Ordering::Relaxed);
            }
        }
    }

    /// Whether the key may have been added.
    pub(crate) fn may_contain(&self, key: &[u8]) -> bool {
        let (line, mut bits) = self.locate(key);
        bits.all(|(word, mask)| line.0[word].load(Ordering::Relaxed) & mask != 0)
    }

    fn locate(&self, key: &[u8]) -> (&Line, impl Iterator<Item = (usize, u64)>) {
        let hash = hash64(key);
        let line = fastrange64(hash, self.lines.len() as u64) as usize;
        // The line took the upper bits; the multiplication brings the lower ones up.
        let bits = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let probes = (1..=PROBES).map(move |probe| {
            let bit = (bits >> (64 - probe * LINE_BITS_LOG2)) as usize % LINE_BITS;
            (bit / 64, 1 << (bit % 64))
        });
        (&self.lines[line], probes)
    }
}

#[cfg(test)]
mod tests;
