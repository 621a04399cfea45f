//! Bytes of records that lie one behind the other.

use crate::block_source::BlockSource;
use crate::kept_block::KeptBlock;
use base::pinnable_slice::PinnedBytes;
use std::fmt;

/// A piece of memory that is filled from its start.
#[derive(Default)]
pub(crate) struct Chunk {
    storage: Storage,
    /// Where memory that outlives memtables goes.
    source: BlockSource,
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
    /// An empty chunk for `capacity` bytes, or for more, from `source` if it has such.
    pub(crate) fn new(capacity: usize, source: &mut BlockSource) -> Self {
        let storage = match source.take(capacity) {
            Some(block) => Storage::Kept { block, filled: 0 },
            None => Storage::Own(Vec::with_capacity(capacity)),
        };
        Self { storage, source: source.clone() }
    }

    pub(crate) fn capacity(&self) -> usize {
        match &self.storage {
            Storage::Own(bytes) => bytes.capacity(),
            Storage::Kept { block, .. } => block.bytes().len(),
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
        if let Storage::Kept { block, .. } = std::mem::take(&mut self.storage) {
            self.source.give(&mut vec![block]);
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
