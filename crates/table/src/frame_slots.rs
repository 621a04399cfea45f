//! Links to blocks that are in the block cache: from an index to its data blocks, from a table to its
//! index and filter and their partitions.
//!
//! A read that has found the number of its block in the index is one load away from the block: no
//! hash, no lock, no entry of the cache. The cache decides all the same which blocks stay, and tells
//! a block when it has to go; the block then takes its own link away.
//!
//! | who | does |
//! |---|---|
//! | reader, after a block came from the cache or the file | [`FrameSlots::link`] |
//! | reader, later | [`FrameSlots::get`], which marks the block as used; or [`FrameSlots::approach`], which only asks for its memory, then [`SlotRef::note_use`] |
//! | cache, before it drops the block that is next | asks whether it was used meanwhile |
//! | cache, after it has dropped the block | [`LinkedValue::left_cache`]: the link goes |
//!
//! Beside a link its slot has the address of what is read after the block's head, its directory. Who follows
//! the link has the processor bring both together, where the directory would wait for the head that leads to
//! it. The address is only ever asked for (`kernels::prefetch`), never read through: an old one does no harm.
//!
//! A block keeps no memory that the cache does not know of: linking and leaving hold the lock of the
//! block's [`Residence`], and a block that has left is never linked again.

mod slots;

use crate::data_block::DataBlock;
use cache::LinkedValue;
pub(crate) use slots::{Residence, Resident, SlotRef, UseMark};

/// A slot for each block that an index leads to, data blocks if nothing else is said.
pub(crate) type FrameSlots<T = DataBlock> = slots::FrameSlots<T>;

/// A data block, by its link or held.
pub(crate) type BlockRef = SlotRef<DataBlock>;

impl Resident for DataBlock {
    #[inline]
    fn use_mark(&self) -> &UseMark {
        self.use_mark()
    }

    #[inline]
    fn residence(&self) -> &Residence<Self> {
        self.residence()
    }

    #[inline]
    fn beside(&self) -> *const u8 {
        self.directory_start()
    }
}

impl LinkedValue for DataBlock {
    fn link_count(&self) -> usize {
        self.residence().link_count(self)
    }

    fn take_use(&self) -> bool {
        self.use_mark().take()
    }

    fn left_cache(&self) {
        self.residence().leave_cache();
    }

    fn saved(&self) -> Option<&[u8]> {
        Some(self.contents())
    }
}

#[cfg(test)]
mod tests;
