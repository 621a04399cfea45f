//! Where containers of memtables have their largest blocks of memory from.

use crate::block_pool::{KeptBlock, Pages};
use crate::memtable_memory::MemTableMemory;
use std::sync::Arc;

/// What other memtables left, or else the system, by the page size that was asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockSource {
    memory: Option<Arc<MemTableMemory>>,
    pages: Pages,
    /// What was asked for, in bytes.
    huge_page_size: usize,
}

impl BlockSource {
    /// Blocks that come from `memory`, if anywhere, and go there; of pages of `huge_page_size` bytes where the
    /// system has such pages, and of ordinary ones elsewhere and for 0.
    pub(crate) fn new(memory: Option<Arc<MemTableMemory>>, huge_page_size: usize) -> Self {
        let pages = Pages::of_size(huge_page_size);
        let source = Self { memory, pages: pages.unwrap_or_default(), huge_page_size };
        if pages.is_none() {
            source.tell_refusal();
        }
        source
    }

    /// A block; none where the system has none. Once it has no huge pages none are asked for any more.
    pub(crate) fn take(&mut self) -> Option<KeptBlock> {
        if let Some(block) = self.take_of(self.pages) {
            return Some(block);
        }
        if self.pages == Pages::Ordinary {
            return None;
        }
        self.pages = Pages::Ordinary;
        self.tell_refusal();
        self.take_of(self.pages)
    }

    fn take_of(&self, pages: Pages) -> Option<KeptBlock> {
        let kept = self.memory.as_ref().and_then(|memory| memory.blocks().take(pages));
        kept.or_else(|| KeptBlock::new(pages))
    }

    fn tell_refusal(&self) {
        if let Some(memory) = &self.memory {
            memory.blocks().refuse_huge(self.huge_page_size);
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
