//! A node of a skip list: its links and its record in one piece of memory.
//!
//! ```text
//! link to the next node of level h-1   8 bytes
//! ...
//! link to the next node of level 0     8
//! rank                                 8          <- a node is known by this address
//! record
//! ```
//!
//! A search looks at the rank and then at the link of its level, which are close to each other
//! where most of the search happens. How many links there are is not stored: who comes by the link
//! of a level to a node knows that it has that level.

use crate::arena::{ALIGNMENT, ArenaWriter};
use crate::published_ptr::PublishedPtr;
use crate::record::Record;
use kernels::prefetch::prefetch_address;
use std::ptr::{NonNull, null_mut};

/// The address of a node. Nothing says how long it is good: its arena has to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(NonNull<Rank>);

type Rank = u64;
type Link = PublishedPtr<Rank>;

const _: () = assert!(size_of::<Link>() == ALIGNMENT && size_of::<Rank>() == ALIGNMENT);

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
        let links_size = height * size_of::<Link>();
        let record_size = Record::size(user_key, value);
        let piece = arena.allocate(links_size + size_of::<Rank>() + record_size);
        // SAFETY: the piece is aligned for links, ranks and records, whose sizes but the last are
        // multiples of the alignment; it is as large as all that is written, one after the other;
        // and nobody else knows of it yet.
        unsafe {
            let links = piece.cast::<Link>();
            for level in 0..height {
                links.add(level).write(Link::default());
            }
            let node = links.add(height).cast::<Rank>();
            node.write(rank);
            Record::write(node.add(1).cast(), user_key, trailer, value);
            Self(node)
        }
    }

    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    unsafe fn link<'a>(self, level: usize) -> &'a Link {
        // SAFETY: the links lie before the rank, that of level 0 last, and were initialised
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
        // Who sees the node sees its record and its links.
        NonNull::new(link.load()).map(Self)
    }

    /// Begins to bring the node that follows on a level into the processor's cache.
    ///
    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    pub(super) unsafe fn prefetch_next(self, level: usize) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        prefetch_address(link.peek().cast());
    }

    /// Sets the link of a node that nobody else knows of yet.
    ///
    /// # Safety
    /// As for [`Self::next`].
    #[inline]
    pub(super) unsafe fn prepare_next(self, level: usize, next: Option<Self>) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        link.prepare(next.map_or(null_mut(), |next| next.0.as_ptr()));
    }

    /// Links a node, which readers may see from now on.
    ///
    /// # Safety
    /// As for [`Self::next`]. The arena of `next` is the same one.
    #[inline]
    pub(super) unsafe fn set_next(self, level: usize, next: Self) {
        // SAFETY: the caller's.
        let link = unsafe { self.link(level) };
        link.publish(next.0.as_ptr());
    }

    /// The rank that the node was made with.
    ///
    /// # Safety
    /// The node's arena is held.
    #[inline]
    pub(super) unsafe fn rank(self) -> u64 {
        // SAFETY: the rank was written when the node was made and never after.
        unsafe { *self.0.as_ptr() }
    }

    /// The record.
    ///
    /// # Safety
    /// As for [`Self::rank`].
    #[inline]
    pub(super) unsafe fn record(self) -> Record {
        // SAFETY: the record follows the rank in the same piece of memory.
        Record::from_address(unsafe { self.0.add(1).cast() })
    }
}
