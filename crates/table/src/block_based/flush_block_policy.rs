//! When a block is full.

use crate::format::BLOCK_TRAILER_SIZE;
use crate::table_builder_options::TableBuilderOptions;
use base::FlushBlockPolicy;
use base::flush_block_policy::{FlushBlockContext, FlushBlockRequest};

/// What ends data blocks.
#[derive(Debug)]
pub(crate) enum BlockEnds {
    /// Their size.
    BySize(FlushBlockBySize),
    /// A rule that a program brought along.
    ByPolicy(Box<dyn FlushBlockPolicy>),
}

impl BlockEnds {
    pub(crate) fn new(options: &TableBuilderOptions) -> Self {
        let context = FlushBlockContext {
            block_size: options.block_size,
            block_size_deviation: options.block_size_deviation,
            block_align: options.block_align,
        };
        match options.flush_block_policy_factory.as_ref().and_then(|made| made.create(&context)) {
            Some(policy) => Self::ByPolicy(policy),
            None => Self::BySize(FlushBlockBySize::new(
                options.block_size,
                options.block_size_deviation,
                options.block_align,
            )),
        }
    }

    /// See [`FlushBlockBySize::free_size`].
    pub(crate) fn free_size(&self) -> Option<usize> {
        match self {
            Self::BySize(rule) => rule.free_size(),
            Self::ByPolicy(_) => None,
        }
    }

    /// Whether a block of `size` with `entry_count` entries is to end before one more.
    #[inline(always)]
    pub(crate) fn must_flush(
        &mut self,
        (key, value): (&[u8], &[u8]),
        entry_count: usize,
        size: impl FnOnce() -> usize,
        size_after: impl FnOnce() -> usize,
    ) -> bool {
        match self {
            Self::BySize(rule) => entry_count > 0 && rule.must_flush(size(), size_after),
            Self::ByPolicy(policy) => {
                let (block_size, block_size_after) = (size(), size_after());
                let request =
                    FlushBlockRequest { key, value, entry_count, block_size, block_size_after };
                policy.update(&request) && entry_count > 0
            }
        }
    }
}

/// Ends blocks by size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlushBlockBySize {
    block_size: usize,
    /// A block larger than this ends before an entry that would not fit.
    deviation_size: usize,
    is_aligned: bool,
}

impl FlushBlockBySize {
    /// Blocks of `block_size` bytes, less at most `deviation_percent`; aligned ones never take more.
    pub(crate) fn new(block_size: u64, deviation_percent: u8, is_aligned: bool) -> Self {
        let percent = 100 - u64::from(deviation_percent.min(100));
        let deviation_size = block_size.saturating_mul(percent).div_ceil(100) as usize;
        Self { block_size: block_size as usize, deviation_size, is_aligned }
    }

    /// A block of no more bytes goes on, whatever comes; none if that depends on what comes.
    pub(crate) fn free_size(&self) -> Option<usize> {
        let full_size = self.block_size.checked_sub(1)?;
        match (self.is_aligned, self.deviation_size) {
            (_, 0) => Some(full_size),
            (true, _) => None,
            (false, size) => Some(size.min(full_size)),
        }
    }

    /// Whether a block of `size`, which has an entry at least, is to end before one more entry makes
    /// it `size_after`.
    #[inline(always)]
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
