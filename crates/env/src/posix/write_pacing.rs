//! When a growing file asks for room ahead of it, and when it has the disk write what lies behind.

use crate::file_system::FileOptions;

/// The newest bytes of a file are not handed to the disk early: their pages are likely to be
/// written again, and a writer may have to wait for a page that is on its way.
const NOT_SYNCED_BYTES: u64 = 1 << 20;

/// Files that are synced when they are complete hand over as much at once: enough to make large writes
/// of it, little beside what takes long to write.
const COMPLETED_BYTES_PER_SYNC: u64 = 4 << 20;

/// Ranges end at multiples of this.
const PAGE_SIZE_BYTES: u64 = 4096;

/// Ranges to hand to the disk, for `bytes_per_sync`.
#[derive(Debug)]
pub(super) struct RangeSyncs {
    bytes_per_sync: u64,
    /// All before it was handed over.
    done: u64,
}

impl RangeSyncs {
    /// For a file with these options.
    pub(super) fn for_file(options: &FileOptions, offset: u64) -> Self {
        match options.bytes_per_sync {
            0 if options.is_synced_when_complete => Self::new(COMPLETED_BYTES_PER_SYNC, offset),
            bytes => Self::new(bytes, offset),
        }
    }

    /// For a file that grows from `offset` on. 0 bytes per sync: never.
    pub(super) fn new(bytes_per_sync: u64, offset: u64) -> Self {
        Self { bytes_per_sync, done: offset - offset % PAGE_SIZE_BYTES }
    }

    /// The range, offset and length, to hand over now that the kernel has `written` bytes.
    pub(super) fn next(&mut self, written: u64) -> Option<(u64, u64)> {
        let end = written.saturating_sub(NOT_SYNCED_BYTES);
        let end = end - end % PAGE_SIZE_BYTES;
        let length = end.saturating_sub(self.done);
        if self.bytes_per_sync == 0 || length == 0 || length < self.bytes_per_sync {
            return None;
        }
        let offset = std::mem::replace(&mut self.done, end);
        Some((offset, length))
    }
}

/// Ranges to reserve, for `preallocation_block_size`.
#[derive(Debug)]
pub(super) struct Preallocations {
    block_size: u64,
    /// All before it was asked for.
    end: u64,
    reserved: bool,
}

impl Preallocations {
    /// For a file that grows from `offset` on. A block of 0 bytes: never.
    pub(super) fn new(block_size: u64, offset: u64) -> Self {
        let end = offset.checked_rem(block_size).map_or(0, |rest| offset - rest);
        Self { block_size, end, reserved: false }
    }

    /// The range, offset and length, to reserve before the file grows to `size`.
    pub(super) fn next(&mut self, size: u64) -> Option<(u64, u64)> {
        if self.block_size == 0 || size <= self.end {
            return None;
        }
        let end = size.checked_next_multiple_of(self.block_size)?;
        let offset = std::mem::replace(&mut self.end, end);
        self.reserved = true;
        Some((offset, end - offset))
    }

    /// Says that a range was reserved by somebody else's wish.
    pub(super) fn reserved(&mut self, end: u64) {
        self.end = self.end.max(end);
        self.reserved = true;
    }

    /// No more: the device cannot, or has no room.
    pub(super) fn stop(&mut self) {
        self.block_size = 0;
    }

    /// Up to where room may be reserved, if any was.
    pub(super) fn reserved_end(&self) -> Option<u64> {
        self.reserved.then_some(self.end)
    }
}

#[cfg(test)]
mod tests;
