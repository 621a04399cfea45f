//! Memory for direct I/O.
//!
//! Offset, length and memory address of a direct transfer must be multiples of the device's
//! logical block. [`ALIGNMENT_BYTES`] satisfies every device with blocks of up to 4 KiB.

use base::counted_bytes::CountedBytes;
use std::sync::atomic::{AtomicUsize, Ordering};

static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all aligned buffers of the process, those that nobody uses at the moment among them.
pub(crate) fn aligned_buffer_bytes() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// A multiple of the logical block size of common devices (512 or 4096), and of what `O_DIRECT`
/// asks of memory.
pub(crate) const ALIGNMENT_BYTES: usize = 4096;

pub(crate) fn align_down(value: u64) -> u64 {
    value - value % ALIGNMENT_BYTES as u64
}

pub(crate) fn align_up(value: usize) -> usize {
    value.next_multiple_of(ALIGNMENT_BYTES)
}

pub(crate) fn is_aligned(value: u64) -> bool {
    value.is_multiple_of(ALIGNMENT_BYTES as u64)
}

/// A fixed piece of memory whose start is aligned: a longer allocation, entered late.
#[derive(Debug)]
pub(crate) struct AlignedBuffer {
    /// Never resized, so that it never moves.
    storage: Vec<u8>,
    start: usize,
    capacity: usize,
    _counted: CountedBytes,
}

impl Default for AlignedBuffer {
    fn default() -> Self {
        let _counted = CountedBytes::new(&BYTES);
        Self { storage: Vec::new(), start: 0, capacity: 0, _counted }
    }
}

impl AlignedBuffer {
    /// `capacity` is rounded up to whole blocks. The memory is zero.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = align_up(capacity);
        let storage = vec![0; capacity + ALIGNMENT_BYTES - 1];
        let address = storage.as_ptr().addr();
        let start = address.next_multiple_of(ALIGNMENT_BYTES) - address;
        let _counted = CountedBytes::of(&BYTES, capacity);
        Self { storage, start, capacity, _counted }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.capacity]
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.capacity]
    }
}
