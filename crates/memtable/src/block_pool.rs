//! Blocks of memory that memtables leave to those that follow.
//!
//! Memory that is new costs the one who first touches it more than what is written there, and what is
//! given back to the system is new again. Allocators give back some of what is freed at times of their own,
//! and keep some for ever. Blocks are therefore mapped apart from the allocator, and while memtables
//! follow each other those of a flushed one are kept for the next. There are never more of both than
//! memtables had at one time, and no more are kept than one memtable needs; those that nobody took for a
//! while go back to the system ([`BlockPool::trim`]).
//!
//! Blocks of 64 KiB up to 2 MiB are kept, as arenas take them one after the other: the smaller ones before
//! those come from the allocator.
//!
//! Where huge pages are asked for (`memtable_huge_page_size`) the largest blocks are of those that the system has
//! set aside; a block has all its pages from the start, so that one which is not there after all is found here
//! and not by a signal. Where there are none blocks are of ordinary pages.

use crate::kept_block::{BlockForm, KEPT_BLOCK_SIZE, KeptBlock};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks that nobody has at the moment.
#[derive(Debug, Default)]
pub(crate) struct BlockPool {
    state: Mutex<State>,
    /// Bytes kept at most.
    bytes_max: AtomicUsize,
    /// Bytes of huge pages that were asked for and not to be had, until somebody asks; else 0.
    refused_page_size: AtomicUsize,
    /// Those that were told last: who asks hears once of each size.
    told_page_size: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    blocks: Vec<KeptBlock>,
    /// Whether blocks are kept; what comes otherwise nobody would give back.
    is_open: bool,
    /// How many were wanted since the last look.
    taken: BTreeMap<BlockForm, usize>,
    was_opened: bool,
}

impl State {
    fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.form().size()).sum()
    }
}

impl BlockPool {
    /// There are memtables of so many bytes, as `write_buffer_size` counts.
    pub(crate) fn expect(&self, write_buffer_size: usize) {
        // The nodes of a tree are not counted there.
        let bytes = write_buffer_size.saturating_add(write_buffer_size / 8);
        let bytes = bytes.div_ceil(KEPT_BLOCK_SIZE).saturating_mul(KEPT_BLOCK_SIZE);
        self.bytes_max.fetch_max(bytes, Ordering::Relaxed);
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

    /// A block of this form that was kept.
    pub(crate) fn take(&self, form: BlockForm) -> Option<KeptBlock> {
        let mut state = self.state.lock();
        *state.taken.entry(form).or_default() += 1;
        let index = state.blocks.iter().rposition(|block| block.form() == form)?;
        Some(state.blocks.swap_remove(index))
    }

    /// Keeps as many of `blocks` as are wanted. Others stay there.
    pub(crate) fn give(&self, blocks: &mut Vec<KeptBlock>) {
        let mut state = self.state.lock();
        if !state.is_open {
            return;
        }
        let bytes_max = self.bytes_max.load(Ordering::Relaxed);
        let mut room = bytes_max.saturating_sub(state.bytes());
        state.blocks.extend(blocks.extract_if(.., |block| {
            let size = block.form().size();
            let is_wanted = size <= room;
            if is_wanted {
                room -= size;
                block.leave();
            }
            is_wanted
        }));
    }

    /// Gives back what is not taken within twice the time since the last call, as it went in that time.
    /// Returns whether no blocks are kept any more: then this need not be called until the pool is opened
    /// again.
    pub(crate) fn trim(&self) -> bool {
        let mut state = self.state.lock();
        let mut taken = std::mem::take(&mut state.taken);
        let is_open = std::mem::take(&mut state.was_opened) || !taken.is_empty();
        state.is_open = is_open;
        taken.values_mut().for_each(|count| *count *= 2);
        let is_wanted = |block: &KeptBlock| match taken.get_mut(&block.form()) {
            None | Some(0) => false,
            Some(count) => {
                *count -= 1;
                true
            }
        };
        let (kept, surplus): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.blocks).into_iter().partition(is_wanted);
        state.blocks = kept;
        drop(state);
        // Unmapped while nobody waits.
        drop(surplus);
        !is_open
    }

    /// Bytes kept.
    pub(crate) fn bytes(&self) -> usize {
        self.state.lock().bytes()
    }

    /// Huge pages of so many bytes were asked for and not to be had.
    pub(crate) fn refuse_huge(&self, page_size: usize) {
        if self.told_page_size.load(Ordering::Relaxed) != page_size {
            self.refused_page_size.store(page_size, Ordering::Relaxed);
        }
    }

    /// The size of which that has happened, unless it was the last one that was told.
    pub(crate) fn take_refusal(&self) -> Option<usize> {
        let size = self.refused_page_size.swap(0, Ordering::Relaxed);
        (size > 0).then(|| {
            self.told_page_size.store(size, Ordering::Relaxed);
            size
        })
    }
}

#[cfg(test)]
mod tests;
