//! How much memory to take for what the block cache keeps.
//!
//! Blocks of a table are of nearly the same size, and no two of the same. Allocators without size classes, as
//! that of the C library, then leave gaps between blocks that come and go: a cache of 140 MB in blocks of
//! 16 KiB grew a process to 265 MB, and to 179 MB where sizes have steps
//! (`crates/db/tests/memory_report.rs`).

/// Blocks have steps of a 128th of the power of two below, not below and not above these: one of 4 KiB then takes
/// half a hundredth more than it needs.
const STEP_MIN: usize = 32;
const STEP_MAX: usize = 256;
/// The allocator of the C library has a word of its own before each piece of memory, whose size with it is a
/// multiple of 16 bytes.
const ALLOCATOR_WORD: usize = 8;

/// Bytes to take for `size` bytes of a block: the least that makes a multiple of its step with the allocator's
/// word.
pub fn block_capacity(size: usize) -> usize {
    let power = 1 << size.max(1).ilog2();
    let step = (power / 128).clamp(STEP_MIN, STEP_MAX);
    let with_word = size.checked_add(ALLOCATOR_WORD);
    let whole = with_word.and_then(|size| size.checked_next_multiple_of(step));
    whole.map_or(size, |whole| whole - ALLOCATOR_WORD)
}

#[cfg(test)]
mod tests;
