//! How much memory to take for what the block cache keeps.
//!
//! Blocks of a table are of nearly the same size, and no two of the same. Allocators without size classes, as
//! that of the C library, then leave gaps between blocks that come and go: a cache of 140 MB in blocks of
//! 16 KiB grew a process to 265 MB, and to 179 MB where sizes have steps
//! (`crates/db/tests/memory_report.rs`).

/// Contents of blocks have steps of a 64th of the next power of two, not below and not above these: a block of
/// 4 KiB then takes less than a hundredth more than it needs.
const CONTENTS_STEP_MIN: usize = 32;
const CONTENTS_STEP_MAX: usize = 256;
/// What is made beside a block when it is loaded, much smaller.
const DIRECTORY_STEP: usize = 32;

/// Bytes to take for `size` bytes of a block's contents.
pub fn contents_capacity(size: usize) -> usize {
    let power = size.checked_next_power_of_two().unwrap_or(usize::MAX);
    let step = (power / 64).clamp(CONTENTS_STEP_MIN, CONTENTS_STEP_MAX);
    size.checked_next_multiple_of(step).unwrap_or(size)
}

/// Bytes to take for `size` bytes of a block's directory.
pub fn directory_capacity(size: usize) -> usize {
    size.checked_next_multiple_of(DIRECTORY_STEP).unwrap_or(size)
}

#[cfg(test)]
mod tests;
