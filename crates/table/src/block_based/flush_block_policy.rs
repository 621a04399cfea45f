//! When a block is full.

use crate::format::BLOCK_TRAILER_SIZE;

/// Ends blocks by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlushBlockPolicy {
    block_size: usize,
    /// A block larger than this ends before an entry that would not fit.
    deviation_size: usize,
    is_aligned: bool,
}

impl FlushBlockPolicy {
    /// Blocks of `block_size` bytes, less at most `deviation_percent`; aligned ones never take more.
    pub(crate) fn new(block_size: u64, deviation_percent: u8, is_aligned: bool) -> Self {
        let percent = 100 - u64::from(deviation_percent.min(100));
        let deviation_size = block_size.saturating_mul(percent).div_ceil(100) as usize;
        Self { block_size: block_size as usize, deviation_size, is_aligned }
    }

    /// Whether a block of `size`, which has an entry at least, is to end before one more entry makes
    /// it `size_after`.
    #[inline]
    pub(crate) fn must_flush(&self, size: usize, size_after: impl FnOnce() -> usize) -> bool {
        if size >= self.block_size {
            return true;
        }
        if self.is_aligned {
            return self.deviation_size != 0 && size_after() + BLOCK_TRAILER_SIZE > self.block_size;
        }
        self.deviation_size != 0 && size > self.deviation_size && size_after() > self.block_size
    }
}

#[cfg(test)]
mod tests;
