//! Large buffers of files that were closed, for files that are written next.
//!
//! Memory that the allocator has just got from the kernel is cleared page by page when it is first
//! touched; for a table of a few megabytes that takes as long as writing it.

use crate::aligned_buffer::{AlignedBuffer, align_up, aligned_buffer_bytes};
use base::counted_bytes::CountedBytes;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Buffers are kept from this size in bytes on.
pub(super) const SIZE_MIN: usize = 64 << 10;
/// Larger buffers are not kept, in bytes.
pub(super) const SIZE_MAX: usize = 1 << 20;
/// So many are kept for the whole process.
const COUNT_MAX: usize = 4;

static BUFFERS: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// An empty buffer for `size` bytes.
pub(super) fn take(size: usize) -> Vec<u8> {
    let mut buffers = BUFFERS.lock();
    let found = buffers.iter().position(|buffer| buffer.capacity() >= size);
    let kept = found.map(|index| buffers.swap_remove(index));
    drop(buffers);
    kept.unwrap_or_else(|| Vec::with_capacity(size))
}

/// Keeps a buffer for the next file, if it is large and there is room.
pub(super) fn give_back(mut buffer: Vec<u8>) {
    if (SIZE_MIN..=SIZE_MAX).contains(&buffer.capacity()) {
        buffer.clear();
        let mut buffers = BUFFERS.lock();
        if buffers.len() < COUNT_MAX {
            buffers.push(buffer);
        }
    }
}

static ALIGNED_BUFFERS: Mutex<Vec<AlignedBuffer>> = Mutex::new(Vec::new());

/// An aligned buffer of `size` bytes, rounded up to whole blocks, with anything in it.
pub(super) fn take_aligned(size: usize) -> AlignedBuffer {
    let capacity = align_up(size);
    let mut buffers = ALIGNED_BUFFERS.lock();
    let found = buffers.iter().position(|buffer| buffer.capacity() == capacity);
    let kept = found.map(|index| buffers.swap_remove(index));
    drop(buffers);
    kept.unwrap_or_else(|| AlignedBuffer::new(size))
}

/// As [`give_back`], of an aligned one.
pub(super) fn give_back_aligned(buffer: AlignedBuffer) {
    if (SIZE_MIN..=SIZE_MAX).contains(&buffer.capacity()) {
        let mut buffers = ALIGNED_BUFFERS.lock();
        if buffers.len() < COUNT_MAX {
            buffers.push(buffer);
        }
    }
}

/// Bytes of all buffers that are kept.
pub fn kept_buffer_bytes() -> usize {
    bytes_of(&BUFFERS.lock()) + bytes_of_aligned(&ALIGNED_BUFFERS.lock())
}

/// Bytes of the buffers of files that are written through the page cache.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// What the buffer of a file that is written takes: nothing yet.
pub(super) fn count_buffer() -> CountedBytes {
    CountedBytes::new(&IN_USE)
}

/// Bytes of the buffers through which files are written that are open, and of those for reads and writes around
/// the page cache, in the whole process.
pub fn file_buffer_bytes() -> usize {
    let kept = bytes_of_aligned(&ALIGNED_BUFFERS.lock());
    IN_USE.load(Ordering::Relaxed) + aligned_buffer_bytes().saturating_sub(kept)
}

fn bytes_of(buffers: &[Vec<u8>]) -> usize {
    buffers.iter().map(Vec::capacity).sum()
}

fn bytes_of_aligned(buffers: &[AlignedBuffer]) -> usize {
    buffers.iter().map(AlignedBuffer::capacity).sum()
}

#[cfg(test)]
mod tests;
