//! A piece of a file that several blocks are read from at once.
//!
//! Who goes over all blocks of a table one after another asks for so many bytes at a time that the
//! calls cost little, and for few enough that they are still near when the blocks are looked at. The
//! memory is used again and again.

use base::Result;
use env::RandomAccessFile;
use env::readahead::SequentialPrefetcher;
use std::ops::Range;

/// So many bytes are read at once, if blocks are not larger.
const WINDOW_SIZE: u64 = 64 << 10;

/// A block that was read through a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WindowBlock {
    /// It is stored as it is: where it is within the window, until that moves on.
    Inside(Range<usize>),
    /// It was made of what is stored.
    Apart(Vec<u8>),
}

/// Where within a window a block is as it is stored, until that moves on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredRange {
    /// Without the trailer.
    pub(crate) range: Range<usize>,
    /// First byte of the trailer.
    pub(crate) compression_type: u8,
}

/// The bytes of a file from an offset on. They only move on, or elsewhere, never back a bit.
#[derive(Debug, Default)]
pub(crate) struct ReadWindow {
    offset: u64,
    bytes: Vec<u8>,
    end: u64,
}

impl ReadWindow {
    /// A window that reads nothing from offset `end` on but what it is asked for.
    pub(crate) fn new(end: u64) -> Self {
        Self { offset: 0, bytes: Vec::new(), end }
    }

    /// A window as [`Self::new`] makes it, with the memory of this one.
    pub(crate) fn renew(mut self, end: u64) -> Self {
        self.bytes.clear();
        Self { offset: 0, end, ..self }
    }

    /// What it holds.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where `length` bytes of the file from `offset` on are in [`Self::bytes`]. If these end before the
    /// range does, they do not hold it.
    pub(crate) fn range_of(&self, offset: u64, length: usize) -> Range<usize> {
        let start = offset.checked_sub(self.offset).and_then(|start| usize::try_from(start).ok());
        match start.and_then(|start| Some(start..start.checked_add(length)?)) {
            Some(range) => range,
            None => usize::MAX..usize::MAX,
        }
    }

    /// Reads on until it holds `length` bytes from `offset` on, and as much behind them as is read at
    /// once; less if the file ends. What it holds before `offset` goes.
    ///
    /// # Errors
    /// Those of the file; the window then holds what is known of its bytes.
    pub(crate) fn move_to(
        &mut self,
        file: &dyn RandomAccessFile,
        offset: u64,
        length: usize,
        prefetcher: &mut SequentialPrefetcher,
    ) -> Result<()> {
        let passed = self.range_of(offset, 0).start;
        self.bytes.drain(..passed.min(self.bytes.len()));
        self.offset = offset;
        let next = offset + self.bytes.len() as u64;
        let needed = offset + length as u64;
        let end = needed.max(offset.saturating_add(WINDOW_SIZE).min(self.end));
        let missing = usize::try_from(end.saturating_sub(next)).unwrap_or(usize::MAX);
        prefetcher.read_append(file, next, missing, &mut self.bytes).map(drop)
    }
}

#[cfg(test)]
mod tests;
