//! Where the blocks of an index lie.
//!
//! A word says it of each as long as every block is in the first TiB of its file and has less than 16 MiB:
//!
//! ```text
//! word   offset (upper 40 bits) | size (lower 24 bits)
//! ```
//!
//! Otherwise handles are kept as they are, which takes twice as much.

use crate::format::BlockHandle;

const SIZE_BITS: u32 = 24;
const OFFSET_BITS: u32 = u64::BITS - SIZE_BITS;

#[derive(Debug)]
pub(crate) enum HandleArray {
    Packed(Vec<u64>),
    Whole(Vec<BlockHandle>),
}

impl HandleArray {
    pub(crate) const fn new() -> Self {
        Self::Packed(Vec::new())
    }

    pub(crate) fn push(&mut self, handle: BlockHandle) {
        match self {
            Self::Whole(handles) => handles.push(handle),
            Self::Packed(words) => match pack(handle) {
                Some(word) => words.push(word),
                None => {
                    let before = words.iter().copied().map(unpack);
                    *self = Self::Whole(before.chain([handle]).collect());
                }
            },
        }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        match self {
            Self::Packed(words) => words.shrink_to_fit(),
            Self::Whole(handles) => handles.shrink_to_fit(),
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Packed(words) => words.len(),
            Self::Whole(handles) => handles.len(),
        }
    }

    /// # Panics
    /// If there are no more than `index`.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> BlockHandle {
        match self {
            Self::Packed(words) => unpack(words[index]),
            Self::Whole(handles) => handles[index],
        }
    }

    pub(crate) fn memory_usage_bytes(&self) -> usize {
        match self {
            Self::Packed(words) => words.capacity() * size_of::<u64>(),
            Self::Whole(handles) => handles.capacity() * size_of::<BlockHandle>(),
        }
    }
}

fn pack(handle: BlockHandle) -> Option<u64> {
    let BlockHandle { offset, size } = handle;
    (offset >> OFFSET_BITS == 0 && size >> SIZE_BITS == 0).then_some(offset << SIZE_BITS | size)
}

fn unpack(word: u64) -> BlockHandle {
    BlockHandle { offset: word >> SIZE_BITS, size: word & ((1 << SIZE_BITS) - 1) }
}

#[cfg(test)]
mod tests;
