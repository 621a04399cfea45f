//! Bytes of records that lie one behind the other.

use crate::block_pool::{KEPT_BLOCK_SIZE, KeptBlock};
use crate::memtable_memory::MemTableMemory;
use base::pinnable_slice::PinnedBytes;
use std::fmt;
use std::sync::Arc;

/// A piece of memory that is filled from its start.
#[derive(Default)]
pub(crate) struct Chunk {
    storage: Storage,
    /// Where memory that outlives memtables goes.
    memory: Option<Arc<MemTableMemory>>,
}

enum Storage {
    Own(Vec<u8>),
    Kept { block: KeptBlock, filled: usize },
}

impl Default for Storage {
    fn default() -> Self {
        Self::Own(Vec::new())
    }
}

impl Chunk {
    /// An empty chunk for `capacity` bytes; of memory that other memtables left if it has their size.
    pub(crate) fn new(capacity: usize, memory: Option<&Arc<MemTableMemory>>) -> Self {
        let kept = match capacity {
            KEPT_BLOCK_SIZE => memory.and_then(|m| m.blocks().take()).or_else(KeptBlock::new),
            _ => None,
        };
        let storage = match kept {
            Some(block) => Storage::Kept { block, filled: 0 },
            None => Storage::Own(Vec::with_capacity(capacity)),
        };
        Self { storage, memory: memory.cloned() }
    }

    pub(crate) fn capacity(&self) -> usize {
        match &self.storage {
            Storage::Own(bytes) => bytes.capacity(),
            Storage::Kept { .. } => KEPT_BLOCK_SIZE,
        }
    }

    /// What was put there.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.storage {
            Storage::Own(bytes) => bytes,
            Storage::Kept { block, filled } => &block.bytes()[..*filled],
        }
    }

    /// Puts `bytes` behind what is there. There must be room.
    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        match &mut self.storage {
            Storage::Own(own) => own.extend_from_slice(bytes),
            Storage::Kept { block, filled } => {
                let end = *filled + bytes.len();
                block.bytes_mut()[*filled..end].copy_from_slice(bytes);
                *filled = end;
            }
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if let Storage::Kept { block, .. } = std::mem::take(&mut self.storage)
            && let Some(memory) = &self.memory
        {
            memory.blocks().give(&mut vec![block]);
        }
    }
}

impl PinnedBytes for Chunk {
    fn bytes(&self) -> &[u8] {
        self.bytes()
    }
}

impl fmt::Debug for Chunk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunk").field("length", &self.bytes().len()).finish_non_exhaustive()
    }
}
