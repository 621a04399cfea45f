//! Where containers of memtables have their larger blocks of memory from.

use crate::kept_block::{BlockForm, KEPT_BLOCK_SIZE, KeptBlock};
use crate::memtable_memory::MemTableMemory;
use std::sync::Arc;

/// What other memtables left, or else the system. For whom there is nobody to leave blocks to there are none but the
/// largest.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockSource {
    memory: Option<Arc<MemTableMemory>>,
    /// What the largest blocks are to be made of, in bytes; 0 once there is no such thing.
    huge_page_size: usize,
}

impl BlockSource {
    /// Blocks that come from `memory`, if anywhere, and go there; the largest are of pages of `huge_page_size` bytes
    /// where the system has such pages, and of ordinary ones elsewhere and for 0.
    pub(crate) fn new(memory: Option<Arc<MemTableMemory>>, huge_page_size: usize) -> Self {
        Self { memory, huge_page_size }
    }

    /// A block for `size` bytes, which may be larger if they are [`KEPT_BLOCK_SIZE`]; none where there are none of
    /// this size, and where the system has none. Once it has no huge pages none are asked for any more.
    pub(crate) fn take(&mut self, size: usize) -> Option<KeptBlock> {
        let form = BlockForm::of_size(size)?;
        if size < KEPT_BLOCK_SIZE {
            return if self.memory.is_some() { self.take_of(form) } else { None };
        }
        if self.huge_page_size == 0 {
            return self.take_of(form);
        }
        let huge =
            BlockForm::of_huge_pages(self.huge_page_size).and_then(|form| self.take_of(form));
        huge.or_else(|| {
            self.refuse_huge();
            self.take_of(form)
        })
    }

    fn take_of(&self, form: BlockForm) -> Option<KeptBlock> {
        let kept = self.memory.as_ref().and_then(|memory| memory.blocks().take(form));
        kept.or_else(|| KeptBlock::new(form))
    }

    fn refuse_huge(&mut self) {
        let size = std::mem::take(&mut self.huge_page_size);
        if let Some(memory) = &self.memory {
            memory.blocks().refuse_huge(size);
        }
    }

    /// Leaves blocks for others, as many as are wanted.
    pub(crate) fn give(&self, blocks: &mut Vec<KeptBlock>) {
        if let Some(memory) = &self.memory {
            memory.blocks().give(blocks);
        }
    }
}

#[cfg(test)]
mod tests;
