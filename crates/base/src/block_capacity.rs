//! How much memory to take for what the block cache keeps.
//!
//! Blocks of a table are of nearly the same size, and no two of the same. Allocators without size classes, as
//! that of the C library, then leave gaps between blocks that come and go: a cache of 140 MB in blocks of
//! 16 KiB grew a process to 265 MB, and to 179 MB where sizes have steps
//! (`crates/db/tests/memory_report.rs`).

/// Contents of blocks have steps of a 128th of the next power of two, not below and not above these: a block of
/// 4 KiB then takes half a hundredth more than it needs.
const CONTENTS_STEP_MIN: usize = 32;
const CONTENTS_STEP_MAX: usize = 256;
/// The step of what is made beside a block when it is loaded, and is much smaller.
const DIRECTORY_STEP: usize = 16;
/// The allocator of the C library has a word of its own before each piece of memory, whose size with it is a
/// multiple of 16 bytes.
const ALLOCATOR_WORD: usize = 8;

/// Bytes to take for `size` bytes of a block's contents.
pub fn contents_capacity(size: usize) -> usize {
    let power = size.checked_next_power_of_two().unwrap_or(usize::MAX);
    in_steps(size, (power / 128).clamp(CONTENTS_STEP_MIN, CONTENTS_STEP_MAX))
}

/// Bytes to take for `size` bytes of a block's directory.
pub fn directory_capacity(size: usize) -> usize {
    in_steps(size, DIRECTORY_STEP)
}

/// The least that makes a multiple of `step` with the allocator's word.
fn in_steps(size: usize, step: usize) -> usize {
    let with_word = size.checked_add(ALLOCATOR_WORD);
    let whole = with_word.and_then(|size| size.checked_next_multiple_of(step));
    whole.map_or(size, |whole| whole - ALLOCATOR_WORD)
}

#[cfg(test)]
mod tests;
