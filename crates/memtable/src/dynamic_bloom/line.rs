//! One cache line of a filter, whose bits one sets while others look.
//!
//! The model test (`tests/dynamic_bloom_model`) takes this file as it is.

use crate::sync_primitives::{AtomicU64, Ordering};

const WORDS: usize = 8;
/// Bits of a line.
pub(super) const BITS: usize = WORDS * u64::BITS as usize;

/// A cache line of the filter.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Line([AtomicU64; WORDS]);

impl Line {
    /// Sets bits, which are below [`BITS`]. There may be one caller at a time; what others set meanwhile may get
    /// lost.
    pub(super) fn set(&self, bits: impl Iterator<Item = usize>) {
        for (word, mask) in bits.map(place) {
            let old = self.0[word].load(Ordering::Relaxed);
            if old & mask == 0 {
                self.0[word].store(old | mask, Ordering::Relaxed);
            }
        }
    }

    /// Whether all of these bits are set.
    pub(super) fn has_all(&self, bits: impl Iterator<Item = usize>) -> bool {
        bits.map(place).all(|(word, mask)| self.0[word].load(Ordering::Relaxed) & mask != 0)
    }
}

/// The word that a bit is in, and where there.
fn place(bit: usize) -> (usize, u64) {
    (bit / u64::BITS as usize, 1 << (bit % u64::BITS as usize))
}
