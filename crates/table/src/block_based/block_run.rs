//! Entries of one block that a scan goes over by themselves.
//!
//! Most steps of a scan go from one value to the next in a block that has nothing but values, each of a
//! key of its own, all of them old enough to be seen. Who knows that asks for a *run*: it says how far such
//! steps lead before anything else has to be looked at, and takes them without what a table's iterator, a
//! level's and a merge do for each. The cursor that the run came from stays where it is until it gets the
//! place back.

use crate::block_iter::{BlockCursor, after, before};
use crate::data_block::DataBlock;
use base::dbformat::TRAILER_SIZE;
use base::{PinnableSlice, SequenceNumber};
use std::sync::Arc;

/// Runs of fewer steps are left to who takes single ones: it takes as long as some of them to begin one.
const STEPS_MIN: usize = 3;

/// Which entries a run may have.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits<'a> {
    /// Whether it goes to smaller keys.
    pub is_backward: bool,
    /// All entries of the block have to be as old as this.
    pub sequence: SequenceNumber,
    /// User keys that the run has to end before.
    pub ends: [Option<&'a [u8]>; 2],
}

/// Where a scan stands within a run, if it is in one.
#[derive(Debug)]
pub struct BlockRun {
    block: Option<Arc<DataBlock>>,
    cursor: BlockCursor,
    /// Steps that are left.
    left: usize,
    is_backward: bool,
}

impl Default for BlockRun {
    fn default() -> Self {
        Self { block: None, cursor: BlockCursor::new(), left: 0, is_backward: false }
    }
}

impl BlockRun {
    /// Whether a scan is in it.
    #[inline(always)]
    pub fn is_active(&self) -> bool {
        self.block.is_some()
    }

    /// Begins at an entry of `block`. Whether it does: there may be too few entries.
    pub(super) fn begin(
        &mut self,
        block: &Arc<DataBlock>,
        cursor: &BlockCursor,
        limits: &RunLimits<'_>,
    ) -> bool {
        if !block.holds_plain_values(limits.sequence) {
            return false;
        }
        let left = steps(block, cursor.index(), limits);
        if left < STEPS_MIN {
            return false;
        }
        self.block = Some(Arc::clone(block));
        self.cursor.copy(cursor);
        self.left = left;
        self.is_backward = limits.is_backward;
        true
    }

    /// Whether a run that begins now would come through the middle of its block.
    #[inline]
    pub(super) fn passes_middle(&self) -> bool {
        let Some(block) = &self.block else { return false };
        let (index, middle) = (self.cursor.index(), block.entry_count() / 2);
        match self.is_backward {
            true => index > middle && index - self.left <= middle,
            false => index < middle && index + self.left >= middle,
        }
    }

    /// Ends, and tells `cursor` where.
    pub(super) fn end(&mut self, cursor: &mut BlockCursor) {
        if self.block.take().is_some() {
            cursor.copy(&self.cursor);
        }
        self.left = 0;
    }

    /// Takes a step forward, if it is in this run.
    #[inline(always)]
    pub fn step_on(&mut self) -> bool {
        if self.left == 0 || self.is_backward {
            return false;
        }
        let Some(block) = &self.block else { return false };
        self.left -= 1;
        self.cursor.step_on(block);
        true
    }

    /// Takes a step backward, if it is in this run.
    #[inline(always)]
    pub fn step_back(&mut self) -> bool {
        if self.left == 0 || !self.is_backward {
            return false;
        }
        let Some(block) = &self.block else { return false };
        self.left -= 1;
        self.cursor.prev(block)
    }

    /// The user key here; empty outside of runs.
    #[inline(always)]
    pub fn user_key(&self) -> &[u8] {
        self.key().split_last_chunk::<TRAILER_SIZE>().map_or(&[], |(user_key, _)| user_key)
    }

    /// The internal key here.
    #[inline(always)]
    pub fn key(&self) -> &[u8] {
        self.cursor.key()
    }

    /// The value here; empty outside of runs.
    #[inline(always)]
    pub fn value(&self) -> &[u8] {
        self.block.as_ref().map_or(&[], |block| self.cursor.value(block))
    }

    /// Bytes of user key and value here.
    #[inline(always)]
    pub fn shown_bytes(&self) -> usize {
        self.user_key().len() + self.cursor.value_range().len()
    }

    /// The value here, kept alive by a reference to the block.
    pub fn pinned_value(&self) -> PinnableSlice {
        match &self.block {
            Some(block) => {
                let block = Arc::clone(block);
                PinnableSlice::pinned(block, self.cursor.value_range())
            }
            None => PinnableSlice::default(),
        }
    }
}

/// How many steps lead from an entry to the last one within the limits. Backward it is never the block's
/// first: the block before may have newer versions of its key.
#[inline]
fn steps(block: &DataBlock, index: usize, limits: &RunLimits<'_>) -> usize {
    let mut left = match limits.is_backward {
        true => index.saturating_sub(1),
        false => (block.entry_count() - 1).saturating_sub(index),
    };
    for user_key in limits.ends.into_iter().flatten() {
        if left < STEPS_MIN {
            break;
        }
        left = left.min(match limits.is_backward {
            true => index.saturating_sub(after(block, user_key)),
            false => before(block, user_key).saturating_sub(index + 1),
        });
    }
    left
}

#[cfg(test)]
mod tests;
