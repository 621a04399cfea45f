//! Memory that is taken piece by piece and given back all at once.
//!
//! One [`ArenaWriter`] takes pieces from an [`Arena`]; what it puts there others may read for as
//! long as they hold the arena. How readers learn of a piece is not this module's business.

use crate::block_source::BlockSource;
use crate::kept_block::{KEPT_BLOCK_SIZE, KeptBlock};
use base::PinnableSlice;
use base::pinnable_slice::PinnedBytes;
use parking_lot::Mutex;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What pieces are aligned to at most.
pub(crate) const ALIGNMENT: usize = 8;
/// Alignment of every block: a line of the processor's cache. Pieces that are multiples of it in
/// size and have an arena of their own are aligned to it.
const BLOCK_ALIGNMENT: usize = 64;
/// The first block of an arena whose pieces are small.
pub(crate) const BLOCK_SIZE_MIN: usize = 4 << 10;
const BLOCK_SIZE_MAX: usize = KEPT_BLOCK_SIZE;

/// Blocks of memory, held until the arena is dropped.
pub(crate) struct Arena {
    blocks: Mutex<Blocks>,
    allocated_bytes: AtomicUsize,
}

#[derive(Default)]
struct Blocks {
    allocated: Vec<Block>,
    kept: Vec<KeptBlock>,
    /// Where those that are kept come from and go to.
    source: BlockSource,
}

struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is its memory's only owner, and memory may be given back by any thread.
unsafe impl Send for Block {}

/// Takes pieces of an arena.
pub(crate) struct ArenaWriter {
    arena: Arc<Arena>,
    /// The first free byte of the current block.
    next: NonNull<u8>,
    /// Free bytes of the current block.
    unused: usize,
    next_block_size: usize,
    alignment: usize,
}

// SAFETY: what `next` points to belongs to the writer alone until a piece is handed out, and lives
// as long as `arena`, whichever thread has the two.
unsafe impl Send for ArenaWriter {}

impl Block {
    fn allocate(size: usize) -> Self {
        let Ok(layout) = Layout::from_size_align(size, BLOCK_ALIGNMENT) else {
            panic!("memtable block of {size} bytes");
        };
        // SAFETY: the size is not 0: that of blocks has a minimum, that of pieces is checked.
        let start = unsafe { alloc(layout) };
        match NonNull::new(start) {
            Some(start) => Self { start, layout },
            None => handle_alloc_error(layout),
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `allocate`, and given back here only.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

impl ArenaWriter {
    /// The writer of a new, empty arena. Its first block has `block_size` bytes, and each one twice
    /// those of the one before, up to a limit. Pieces are aligned to `alignment`, a power of 2 up to
    /// [`ALIGNMENT`].
    pub(crate) fn new(block_size: usize, alignment: usize, source: BlockSource) -> Self {
        assert!(alignment.is_power_of_two() && alignment <= ALIGNMENT, "alignment {alignment}");
        let blocks = Mutex::new(Blocks { source, ..Blocks::default() });
        Self {
            arena: Arc::new(Arena { blocks, allocated_bytes: AtomicUsize::new(0) }),
            next: NonNull::dangling(),
            unused: 0,
            next_block_size: block_size,
            alignment,
        }
    }

    pub(crate) fn arena(&self) -> &Arc<Arena> {
        &self.arena
    }

    /// Takes a piece: `size` bytes, not initialised, aligned as the arena's are, which nobody else
    /// knows of and which stay where they are as long as the arena is held. A piece that is large
    /// for a block gets one of its own, and blocks become larger all the same: the allocator's pieces
    /// are up to a quarter larger than what is asked for.
    pub(crate) fn allocate(&mut self, size: usize) -> NonNull<u8> {
        assert!(size > 0, "empty piece of an arena");
        let size = (size + self.alignment - 1) & !(self.alignment - 1);
        if size > self.unused {
            let block_size = self.next_block_size;
            self.next_block_size = (2 * block_size).min(BLOCK_SIZE_MAX);
            if size > block_size / 4 {
                return self.arena.allocate_block(size);
            }
            (self.next, self.unused) = self.arena.allocate_shared_block(block_size);
        }
        let piece = self.next;
        // SAFETY: the block has `unused` bytes from `next` on, and `size` is no more than that.
        self.next = unsafe { piece.add(size) };
        self.unused -= size;
        piece
    }
}

impl Arena {
    /// A block for many pieces, and its size, which is at least `size`.
    #[cold]
    fn allocate_shared_block(&self, size: usize) -> (NonNull<u8>, usize) {
        if let Some((start, size)) = self.take_kept(size) {
            self.allocated_bytes.fetch_add(size, Ordering::Relaxed);
            return (start, size);
        }
        (self.allocate_block(size), size)
    }

    #[cold]
    fn allocate_block(&self, size: usize) -> NonNull<u8> {
        self.allocated_bytes.fetch_add(size, Ordering::Relaxed);
        let block = Block::allocate(size);
        let start = block.start;
        self.blocks.lock().allocated.push(block);
        start
    }

    /// A block of the source for `size` bytes, and its size; none where it has none.
    fn take_kept(&self, size: usize) -> Option<(NonNull<u8>, usize)> {
        let mut blocks = self.blocks.lock();
        let mut block = blocks.source.take(size)?;
        // The block stays where it is mapped, and nobody else looks at it while the arena has it.
        let bytes = block.bytes_mut();
        let (start, size) = (NonNull::new(bytes.as_mut_ptr())?, bytes.len());
        blocks.kept.push(block);
        Some((start, size))
    }

    /// Bytes of all blocks.
    pub(crate) fn allocated_bytes(&self) -> usize {
        self.allocated_bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let Blocks { kept, source, .. } = self.blocks.get_mut();
        source.give(kept);
    }
}

/// Bytes in an arena that do not change any more.
#[derive(Clone, Copy)]
pub(crate) struct ArenaSlice<'a> {
    arena: &'a Arc<Arena>,
    bytes: &'a [u8],
}

impl<'a> ArenaSlice<'a> {
    /// Bytes in `arena`.
    ///
    /// # Safety
    /// The bytes lie in a piece of `arena` and are not written to as long as the arena lives.
    #[inline]
    pub(crate) unsafe fn new(arena: &'a Arc<Arena>, bytes: &'a [u8]) -> Self {
        Self { arena, bytes }
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes, kept alive by a reference to the arena, and with them all of a memtable; a copy where that is
    /// cheaper.
    pub(crate) fn pin(&self) -> PinnableSlice {
        if self.bytes.len() <= PinnableSlice::COPIED_SIZE_MAX {
            return PinnableSlice::from(self.bytes);
        }
        let owner = ArenaBytes { _arena: Arc::clone(self.arena), bytes: self.bytes.into() };
        PinnableSlice::pinned(Arc::new(owner), 0..self.bytes.len())
    }
}

/// Bytes in an arena, and what keeps them there.
struct ArenaBytes {
    _arena: Arc<Arena>,
    bytes: NonNull<[u8]>,
}

// SAFETY: the bytes are only read, by [`ArenaSlice::new`]'s contract by everyone.
unsafe impl Send for ArenaBytes {}
// SAFETY: as above.
unsafe impl Sync for ArenaBytes {}

impl PinnedBytes for ArenaBytes {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the bytes came from an `ArenaSlice` of the arena that is held here: they are
        // there, initialised and not written to as long as it is.
        unsafe { self.bytes.as_ref() }
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena")
            .field("allocated_bytes", &self.allocated_bytes)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
