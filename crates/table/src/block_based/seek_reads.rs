//! The data blocks that the cursors of a scan wait for in a seek, read from their files together.
//!
//! A seek looks into each sorted run. Its cursors would wait for the device one after the other, each for a block that
//! is not in the cache. So all of them ask before the first one needs its own, and where more than one has asked,
//! what they want is read at once.

use crate::block_based::batched_blocks::{DataBlocks, MissingBlock, read_blocks};
use crate::block_based::reader::{BlockBasedTable, BlockReadOptions};
use crate::data_block::DataBlock;
use crate::format::BlockHandle;
use base::Result;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Blocks of one scan, whose cursors are moved by one thread at a time.
#[derive(Debug, Default)]
pub struct SeekReads {
    /// Whether `blocks` may have any. Relaxed: it is written and read by whoever moves the scan.
    has_any: AtomicBool,
    blocks: Mutex<Blocks>,
}

#[derive(Debug, Default)]
struct Blocks {
    asked: Vec<MissingBlock<Arc<BlockBasedTable>>>,
    /// What came of each, once they were read, until it is taken.
    read: Vec<Option<Result<Arc<DataBlock>>>>,
}

impl SeekReads {
    /// Forgets what was left: a seek begins, or the scan rests.
    #[inline]
    pub fn clear(&self) {
        if self.has_any.load(Ordering::Relaxed) {
            self.has_any.store(false, Ordering::Relaxed);
            let mut blocks = self.blocks.lock();
            blocks.asked.clear();
            blocks.read.clear();
        }
    }

    /// Asks for a block that is not in the cache.
    pub(super) fn ask(
        &self,
        table: &Arc<BlockBasedTable>,
        handle: BlockHandle,
        options: BlockReadOptions,
    ) {
        self.has_any.store(true, Ordering::Relaxed);
        let table = Arc::clone(table);
        let missing = MissingBlock { table, blocks: DataBlocks, handle, options };
        self.blocks.lock().asked.push(missing);
    }

    /// The block that was asked for, or why it could not be read, if others were asked for as well.
    pub(super) fn take(
        &self,
        table: &Arc<BlockBasedTable>,
        handle: BlockHandle,
    ) -> Option<Result<Arc<DataBlock>>> {
        let mut blocks = self.blocks.lock();
        let Blocks { asked, read } = &mut *blocks;
        if asked.len() > 1 && read.is_empty() {
            read.resize(asked.len(), None);
            read_blocks(asked, |at, block| read[at] = Some(block));
        }
        let at =
            asked.iter().position(|it| Arc::ptr_eq(&it.table, table) && it.handle == handle)?;
        read.get_mut(at)?.take()
    }
}

#[cfg(test)]
mod tests;
