//! A Bloom filter that keys are added to while others ask it.
//!
//! All six bits of a key are in one cache line. Bits are set with relaxed stores: a key is added
//! before its record can be found, and who may expect to find the record learns of it in a way that
//! orders the two.

mod line;

use base::hash::{fastrange64, hash64};
use line::Line;

const PROBES: u32 = 6;
const LINE_BITS_LOG2: u32 = line::BITS.ilog2();

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
        line.set(bits);
    }

    /// Whether the key may have been added.
    pub(crate) fn may_contain(&self, key: &[u8]) -> bool {
        let (line, bits) = self.locate(key);
        line.has_all(bits)
    }

    /// A line, and which of its bits belong to a key.
    fn locate(&self, key: &[u8]) -> (&Line, impl Iterator<Item = usize>) {
        let hash = hash64(key);
        let line = fastrange64(hash, self.lines.len() as u64) as usize;
        // The line took the upper bits; the multiplication brings the lower ones up.
        let bits = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let probes = (1..=PROBES)
            .map(move |probe| (bits >> (64 - probe * LINE_BITS_LOG2)) as usize % line::BITS);
        (&self.lines[line], probes)
    }
}

#[cfg(test)]
mod tests;
