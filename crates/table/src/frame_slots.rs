//! Links from an index to those of its data blocks that are in the block cache.
//!
//! A read that has found the number of its block in the index is one load away from the block: no
//! hash, no lock, no entry of the cache. The cache decides all the same which blocks stay, and tells
//! a block when it has to go; the block then takes its own link away.
//!
//! | who | does |
//! |---|---|
//! | reader, after a block came from the cache or the file | [`FrameSlots::link`] |
//! | reader, later | [`FrameSlots::get`], which marks the block as used |
//! | cache, before it drops the block that is next | asks whether it was used meanwhile |
//! | cache, after it has dropped the block | [`LinkedValue::left_cache`]: the link goes |
//!
//! A block keeps no memory that the cache does not know of: linking and leaving hold the lock of the
//! block's [`Residence`], and a block that has left is never linked again.

use crate::data_block::DataBlock;
use arc_swap::{ArcSwapOption, Guard};
use cache::LinkedValue;
use parking_lot::Mutex;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// A slot for each block that an index leads to. They are made when the first block is linked.
#[derive(Debug, Default)]
pub(crate) struct FrameSlots(OnceLock<Arc<[ArcSwapOption<DataBlock>]>>);

impl FrameSlots {
    /// The block at a position of the index, if it is linked. Marks it as used.
    #[inline]
    pub(crate) fn get(&self, position: usize) -> Option<BlockRef> {
        let guard = self.0.get()?.get(position)?.load();
        guard.as_ref()?.residence().note_use();
        Some(BlockRef(Repr::Linked(guard)))
    }

    /// Links the block at a position, unless it is in no cache. `count` is the number of blocks.
    pub(crate) fn link(&self, position: usize, count: usize, block: &Arc<DataBlock>) {
        let mut state = block.residence().state.lock();
        if !state.is_in_cache {
            return;
        }
        let slots = self.0.get_or_init(|| (0..count).map(|_| ArcSwapOption::empty()).collect());
        if let Some(slot) = slots.get(position) {
            state.link = Some((Arc::downgrade(slots), position));
            slot.store(Some(Arc::clone(block)));
        }
    }

    /// Bytes of memory.
    pub(crate) fn memory_usage_bytes(&self) -> usize {
        self.0.get().map_or(0, |slots| size_of_val(&**slots))
    }

    /// Bytes of memory of slots for `count` blocks, once they are made.
    pub(crate) fn memory_usage_max_bytes(count: usize) -> usize {
        count * size_of::<ArcSwapOption<DataBlock>>()
    }
}

/// What a block knows of the cache that it is in.
#[derive(Debug, Default)]
pub(crate) struct Residence {
    /// Reached by its link since the cache last asked. Relaxed: it matters roughly.
    was_used: AtomicBool,
    state: Mutex<ResidenceState>,
}

#[derive(Debug, Default)]
struct ResidenceState {
    is_in_cache: bool,
    /// Where it may be linked: the slot may be empty by now, or hold another block of the same
    /// place in the file.
    link: Option<(Weak<[ArcSwapOption<DataBlock>]>, usize)>,
}

impl Residence {
    /// The block is about to be put into a cache.
    pub(crate) fn enter_cache(&self) {
        self.state.lock().is_in_cache = true;
    }

    /// Reads more often than it writes, so that readers share the line.
    #[inline]
    fn note_use(&self) {
        if !self.was_used.load(Ordering::Relaxed) {
            self.was_used.store(true, Ordering::Relaxed);
        }
    }
}

impl LinkedValue for DataBlock {
    fn link_count(&self) -> usize {
        let state = self.residence().state.lock();
        let slots = state.link.as_ref().and_then(|(slots, at)| Some((slots.upgrade()?, *at)));
        let is_linked = slots.is_some_and(|(slots, at)| {
            slots[at].load().as_ref().is_some_and(|block| std::ptr::eq(&**block, self))
        });
        usize::from(is_linked)
    }

    fn take_use(&self) -> bool {
        let was_used = &self.residence().was_used;
        was_used.load(Ordering::Relaxed) && was_used.swap(false, Ordering::Relaxed)
    }

    fn left_cache(&self) {
        let mut state = self.residence().state.lock();
        state.is_in_cache = false;
        let Some((slots, at)) = state.link.take() else { return };
        // If another block has taken the place meanwhile, it is looked up in the cache once more.
        let unlinked = slots.upgrade().and_then(|slots| slots[at].swap(None));
        drop(state);
        drop(unlinked);
    }
}

/// A data block, by its link or held.
#[derive(Debug)]
pub(crate) struct BlockRef(Repr);

#[derive(Debug)]
enum Repr {
    Linked(Guard<Option<Arc<DataBlock>>>),
    Held(Arc<DataBlock>),
}

impl BlockRef {
    pub(crate) fn into_arc(self) -> Arc<DataBlock> {
        match self.0 {
            Repr::Linked(guard) => match Guard::into_inner(guard) {
                Some(block) => block,
                None => unreachable!("linked to nothing"),
            },
            Repr::Held(block) => block,
        }
    }
}

impl From<Arc<DataBlock>> for BlockRef {
    fn from(block: Arc<DataBlock>) -> Self {
        Self(Repr::Held(block))
    }
}

impl Deref for BlockRef {
    type Target = Arc<DataBlock>;

    #[inline]
    fn deref(&self) -> &Arc<DataBlock> {
        match &self.0 {
            Repr::Linked(guard) => match &**guard {
                Some(block) => block,
                None => unreachable!("linked to nothing"),
            },
            Repr::Held(block) => block,
        }
    }
}

#[cfg(test)]
mod tests;
