//! When a memtable is full: what RocksDB's memtables would take for the same records.
//!
//! `write_buffer_size` is to mean the same number of records as it does to RocksDB, whose memtables
//! allocate from an arena in blocks and count those. The arena is followed here without any memory,
//! so that how our records lie is free to change.
//!
//! The arena begins with 2 KiB of its own. A piece is taken from the current block if it fits, else
//! from a new one, or from one of its own if it is larger than a quarter of a block.

use crate::memtable_options::MemTableOptions;
use crate::memtable_rep_factory::MemTableAccounting;
use base::coding::varint_length;
use base::dbformat::TRAILER_SIZE;
use std::sync::atomic::{AtomicUsize, Ordering};

const INLINE_BLOCK_SIZE: usize = 2048;
const BLOCK_SIZE_MIN: usize = 4 << 10;
const BLOCK_SIZE_DEFAULT_MAX: usize = 1 << 20;
const BLOCK_SIZE_MAX: usize = 2 << 30;
const ALIGNMENT: usize = 16;
const POINTER_SIZE: usize = 8;
/// Levels of a skip list, and how many nodes of one are in the next on average, as a power of 2.
const HEIGHT_MAX: u32 = 12;
const BRANCHING_LOG2: u32 = 2;
/// The head of a skip list and the place of its last insertion.
const LIST_SIZES: [usize; 2] = [96, 232];
/// A vector and the reference to it.
const VECTOR_SIZE: usize = 40;
const CACHE_LINE_SIZE: usize = 64;

/// Bytes that a record takes as RocksDB encodes it in a memtable.
pub(crate) fn encoded_size(user_key: &[u8], value: &[u8]) -> usize {
    let prefixed = |length: usize| varint_length(length as u64) + length;
    prefixed(user_key.len() + TRAILER_SIZE) + prefixed(value.len())
}

/// The size of an arena's blocks for what the user asked for.
fn block_size(options: &MemTableOptions) -> usize {
    let size = match options.arena_block_size {
        0 => {
            let eighth = (options.write_buffer_size / 8).min(BLOCK_SIZE_DEFAULT_MAX);
            eighth.next_multiple_of(BLOCK_SIZE_MIN)
        }
        size => size,
    };
    size.clamp(BLOCK_SIZE_MIN, BLOCK_SIZE_MAX).next_multiple_of(ALIGNMENT)
}

/// RocksDB's arena, without its memory.
#[derive(Debug)]
pub(crate) struct ArenaAccount {
    accounting: MemTableAccounting,
    block_size: usize,
    /// Bytes of all blocks.
    allocated: usize,
    /// Bytes left in the current block.
    unused: usize,
    /// Bytes of the current block taken from its front, where aligned pieces are.
    aligned_end: usize,
    block_count: usize,
    /// Nodes of skip lists so far.
    node_count: u64,
    /// Bytes of the container outside of the arena.
    outside_size: usize,
    /// Encoded bytes of records that are not in the arena.
    records_size: usize,
}

impl ArenaAccount {
    pub(crate) fn new(options: &MemTableOptions, bloom_bytes: usize) -> Self {
        let mut account = Self {
            accounting: options.rep_factory.accounting(),
            block_size: block_size(options),
            allocated: INLINE_BLOCK_SIZE,
            unused: INLINE_BLOCK_SIZE,
            aligned_end: 0,
            block_count: 0,
            node_count: 0,
            outside_size: 0,
            records_size: 0,
        };
        let lists = match account.accounting {
            // Range tombstones have a list of their own.
            MemTableAccounting::SkipList => 2,
            MemTableAccounting::AsHeld => 1,
            MemTableAccounting::Vector => {
                account.outside_size = VECTOR_SIZE;
                1
            }
        };
        for size in std::iter::repeat_n(LIST_SIZES, lists).flatten() {
            account.allocate_aligned(size);
        }
        if bloom_bytes > 0 {
            account.allocate_aligned(bloom_bytes + CACHE_LINE_SIZE - 1);
        }
        account
    }

    /// Counts a record of `size` encoded bytes.
    pub(crate) fn add(&mut self, size: usize, is_range_tombstone: bool) {
        match self.accounting {
            MemTableAccounting::Vector if !is_range_tombstone => {
                self.allocate(size);
                self.outside_size += POINTER_SIZE;
            }
            MemTableAccounting::AsHeld if !is_range_tombstone => self.records_size += size,
            _ => self.add_node(size),
        }
    }

    /// Whether the container says itself how much it holds.
    pub(crate) fn is_as_held(&self) -> bool {
        self.accounting == MemTableAccounting::AsHeld
    }

    /// Takes what such a container says. No container holds less than its records, nor gives back what it took.
    pub(crate) fn set_held(&mut self, bytes: usize) {
        self.outside_size = self.outside_size.max(bytes).max(self.records_size);
    }

    /// Bytes taken in blocks, of which the arena has none at first.
    pub(crate) fn allocated_in_blocks(&self) -> usize {
        self.allocated + self.outside_size - INLINE_BLOCK_SIZE
    }

    /// Counts what remembers an insertion's place.
    pub(crate) fn add_hint(&mut self) {
        self.allocate_aligned(LIST_SIZES[1]);
    }

    /// A node has one pointer, every fourth another, and so on: here without chance.
    fn add_node(&mut self, size: usize) {
        self.node_count += 1;
        let height = (1 + self.node_count.trailing_zeros() / BRANCHING_LOG2).min(HEIGHT_MAX);
        self.allocate_aligned(height as usize * POINTER_SIZE + size);
    }

    fn allocate_aligned(&mut self, size: usize) {
        let size = size.next_multiple_of(POINTER_SIZE);
        let needed = size + self.aligned_end.next_multiple_of(ALIGNMENT) - self.aligned_end;
        if needed <= self.unused {
            self.aligned_end += needed;
            self.unused -= needed;
        } else if self.allocate_block(size) {
            self.aligned_end = size;
        }
    }

    fn allocate(&mut self, size: usize) {
        if size <= self.unused {
            self.unused -= size;
        } else if self.allocate_block(size) {
            self.aligned_end = 0;
        }
    }

    /// Counts a new block that begins with a piece of `size` bytes. Returns whether it becomes the
    /// current one.
    fn allocate_block(&mut self, size: usize) -> bool {
        let is_regular = size <= self.block_size / 4;
        self.block_count += 1;
        self.allocated += if is_regular { self.block_size } else { size };
        if is_regular {
            self.unused = self.block_size - size;
        }
        is_regular
    }
}

/// How full a memtable is: what its writer last counted, for everyone to read.
#[derive(Debug)]
pub(crate) struct WriteBuffer {
    size: AtomicUsize,
    block_size: usize,
    allocated: AtomicUsize,
    unused: AtomicUsize,
    used: AtomicUsize,
}

impl WriteBuffer {
    pub(crate) fn new(options: &MemTableOptions, account: &ArenaAccount) -> Self {
        let buffer = Self {
            size: AtomicUsize::new(options.write_buffer_size),
            block_size: account.block_size,
            allocated: AtomicUsize::new(0),
            unused: AtomicUsize::new(0),
            used: AtomicUsize::new(0),
        };
        buffer.publish(account);
        buffer
    }

    pub(crate) fn publish(&self, account: &ArenaAccount) {
        let allocated = account.allocated + account.outside_size;
        let used = allocated + account.block_count * POINTER_SIZE - account.unused;
        self.allocated.store(allocated, Ordering::Relaxed);
        self.unused.store(account.unused, Ordering::Relaxed);
        self.used.store(used, Ordering::Relaxed);
    }

    pub(crate) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    pub(crate) fn set_size(&self, size: usize) {
        self.size.store(size, Ordering::Relaxed);
    }

    /// Bytes of blocks.
    pub(crate) fn allocated(&self) -> usize {
        self.allocated.load(Ordering::Relaxed)
    }

    /// Bytes taken of the blocks.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        is_full(self.size(), self.block_size, self.allocated(), self.unused.load(Ordering::Relaxed))
    }
}

/// Whether a memtable that took `allocated` bytes in blocks, of whose last one `unused` are left,
/// should be switched. A block may go over `size` by up to 60% of itself; the one that does, or
/// that comes so close that the next one would go further, is the last, and is filled to three
/// quarters so that no record finds it too small.
fn is_full(size: usize, block_size: usize, allocated: usize, unused: usize) -> bool {
    let limit = size as f64 + block_size as f64 * 0.6;
    if ((allocated + block_size) as f64) < limit {
        return false;
    }
    allocated as f64 > limit || unused < block_size / 4
}

#[cfg(test)]
mod tests;
