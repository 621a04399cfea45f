//! Blocks of memory that memtables leave to those that follow.
//!
//! Memory that is new costs the one who first touches it more than what is written there, and what is
//! given back to the system is new again. Allocators give back some of what is freed at times of their own,
//! and keep some for ever. Blocks are therefore mapped apart from the allocator, and while memtables
//! follow each other those of a flushed one are kept for the next. There are never more of both than
//! memtables had at one time, and no more are kept than one memtable needs; those that nobody took for a
//! while go back to the system ([`BlockPool::trim`]).

use memmap2::MmapMut;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a block.
pub(crate) const KEPT_BLOCK_SIZE: usize = 1 << 20;

/// Memory that is the system's again when dropped, with anything in it. Aligned to pages.
#[derive(Debug)]
pub(crate) struct KeptBlock(MmapMut);

impl KeptBlock {
    /// None where the system refuses.
    pub(crate) fn new() -> Option<Self> {
        MmapMut::map_anon(KEPT_BLOCK_SIZE).ok().map(Self)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Blocks that nobody has at the moment.
#[derive(Debug, Default)]
pub(crate) struct BlockPool {
    state: Mutex<State>,
    /// Blocks kept at most.
    count_max: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    blocks: Vec<KeptBlock>,
    /// Whether blocks are kept; what comes otherwise nobody would give back.
    is_open: bool,
    /// Since the last look.
    taken: usize,
    was_opened: bool,
}

impl BlockPool {
    /// There are memtables of so many bytes, as `write_buffer_size` counts.
    pub(crate) fn expect(&self, write_buffer_size: usize) {
        // The nodes of a tree are not counted there.
        let count = (write_buffer_size + write_buffer_size / 8).div_ceil(KEPT_BLOCK_SIZE);
        self.count_max.fetch_max(count, Ordering::Relaxed);
    }

    /// Keeps blocks from now on, until [`Self::trim`] finds that nobody takes any.
    pub(crate) fn open(&self) {
        let mut state = self.state.lock();
        state.is_open = true;
        state.was_opened = true;
    }

    /// Gives back all that is kept, and keeps nothing more.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.is_open = false;
        let blocks = std::mem::take(&mut state.blocks);
        drop(state);
        drop(blocks);
    }

    pub(crate) fn take(&self) -> Option<KeptBlock> {
        let mut state = self.state.lock();
        state.taken += 1;
        state.blocks.pop()
    }

    /// Keeps as many of `blocks` as are wanted. Others stay there.
    pub(crate) fn give(&self, blocks: &mut Vec<KeptBlock>) {
        let mut state = self.state.lock();
        if state.is_open {
            let room = self.count_max.load(Ordering::Relaxed).saturating_sub(state.blocks.len());
            let kept = blocks.len().min(room);
            state.blocks.extend(blocks.drain(..kept));
        }
    }

    /// Gives back what is not taken within twice the time since the last call, as it went in that time.
    /// Returns whether no blocks are kept any more: then this need not be called until the pool is opened
    /// again.
    pub(crate) fn trim(&self) -> bool {
        let mut state = self.state.lock();
        let wanted = 2 * std::mem::take(&mut state.taken);
        let is_open = std::mem::take(&mut state.was_opened) || wanted > 0;
        state.is_open = is_open;
        let kept = state.blocks.len().min(wanted);
        let surplus = state.blocks.split_off(kept);
        drop(state);
        // Unmapped while nobody waits.
        drop(surplus);
        !is_open
    }

    /// Bytes kept.
    pub(crate) fn bytes(&self) -> usize {
        self.state.lock().blocks.len() * KEPT_BLOCK_SIZE
    }
}

#[cfg(test)]
mod tests;
