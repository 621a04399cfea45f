//! A node of a skip list: its links and its record in one piece of memory.
//!
//! ```text
//! link to the next node of level h-1   8 bytes
//! ...
//! link to the next node of level 0     8
//! rank                                 8          <- a node is known by this address
//! length of the user key               4
//! length of the value                  4
//! user key, trailer, value
//! ```
//!
//! A search looks at the rank and then at the link of its level, which are close to each other
//! where most of the search happens. How many links there are is not stored: who comes by the link
//! of a level to a node knows that it has that level.

use crate::arena::{ALIGNMENT, ArenaWriter};
use crate::memtable_rep::length;
use base::dbformat::TRAILER_SIZE;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

/// The address of a node. Nothing says how long it is good: its arena has to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(NonNull<Header>);

#[repr(C)]
#[derive(Debug)]
struct Header {
    rank: u64,
    user_key_length: u32,
    value_length: u32,
}

type Link = AtomicPtr<Header>;

const _: () = assert!(size_of::<Link>() == ALIGNMENT && align_of::<Header>() == ALIGNMENT);
const _: () = assert!(size_of::<Header>() == 16);

impl Node {
    /// A new node with `height` links, each to no node.
    pub(super) fn new(
        arena: &mut ArenaWriter,
        height: usize,
        rank: u64,
        user_key: &[u8],
        trailer: u64,
        value: &[u8],
    ) -> Self {
        let header =
            Header { rank, user_key_length: length(user_key), value_length: length(value) };
        let key_size = user_key.len() + TRAILER_SIZE;
        let links_size = height * size_of::<Link>();
        let piece = arena.allocate(links_size + size_of::<Header>() + key_size + value.len());
        // SAFETY: the piece is aligned for links and headers, both of which are multiples of the
        // alignment in size; it is as large as all that is written, one after the other; and nobody
        // else knows of it yet.
        unsafe {
            let links = piece.cast::<Link>();
            for level in 0..height {
                links.add(level).write(Link::new(null_mut()));
            }
            let node = links.add(height).cast::<Header>();
            node.write(header);
            let record = node.add(1).cast::<u8>();
            copy(user_key, record);
            copy(&trailer.to_le_bytes(), record.add(user_key.len()));
            copy(value, record.add(key_size));
            Self(node)
        }
    }

    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    unsafe fn link<'a>(self, level: usize) -> &'a Link {
        // SAFETY: the links lie before the header, that of level 0 last, and were initialised
        // before anyone knew of the node.
        unsafe { self.0.cast::<Link>().sub(1 + level).as_ref() }
    }

    /// The node that follows on a level, with all that was written before it was linked there.
    ///
    /// # Safety
    /// The node's arena is held, and it has more than `level` links.
    #[inline]
    pub(super) unsafe fn next(self, level: usize) -> Option<Self> {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        // Pairs with the store in `set_next`: who sees the node sees its record and its links.
        NonNull::new(link.load(Ordering::Acquire)).map(Self)
    }

    /// Begins to bring the node that follows on a level into the processor's cache.
    ///
    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    pub(super) unsafe fn prefetch_next(self, level: usize) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: a prefetch does not read what the address, which may be none, points to.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(link.load(Ordering::Relaxed).cast::<i8>());
        }
        #[cfg(not(all(target_arch = "x86_64", not(miri))))]
        let _ = link;
    }

    /// Sets the link of a node that nobody else knows of yet.
    ///
    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    pub(super) unsafe fn prepare_next(self, level: usize, next: Option<Self>) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        link.store(next.map_or(null_mut(), |next| next.0.as_ptr()), Ordering::Relaxed);
    }

    /// Links a node, which readers may see from now on.
    ///
    /// # Safety
    /// As for [`Self::next`]. The arena of `next` is the same one.
    #[inline]
    pub(super) unsafe fn set_next(self, level: usize, next: Self) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        // Pairs with the load in `next`.
        link.store(next.0.as_ptr(), Ordering::Release);
    }

    /// The rank that the node was made with.
    ///
    /// # Safety
    /// The node's arena is held.
    #[inline]
    pub(super) unsafe fn rank(self) -> u64 {
        // SAFETY: the header was written when the node was made and never after.
        unsafe { (*self.0.as_ptr()).rank }
    }

    /// The internal key.
    ///
    /// # Safety
    /// The node's arena is held as long as `'a`.
    #[inline]
    pub(super) unsafe fn key<'a>(self) -> &'a [u8] {
        // SAFETY: the record follows the header in the same piece of memory, has these lengths, and
        // was written when the node was made and never after.
        unsafe {
            let size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().as_ptr(), size)
        }
    }

    /// The value.
    ///
    /// # Safety
    /// The node's arena is held as long as `'a`.
    #[inline]
    pub(super) unsafe fn value<'a>(self) -> &'a [u8] {
        // SAFETY: as for `key`.
        unsafe {
            let key_size = (*self.0.as_ptr()).user_key_length as usize + TRAILER_SIZE;
            let size = (*self.0.as_ptr()).value_length as usize;
            std::slice::from_raw_parts(self.0.add(1).cast::<u8>().add(key_size).as_ptr(), size)
        }
    }
}

/// # Safety
/// `target` has room for `bytes` and does not overlap with them.
unsafe fn copy(bytes: &[u8], target: NonNull<u8>) {
    // SAFETY: the caller's.
    unsafe { target.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
}
