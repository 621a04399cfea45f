//! Several reads, of any files, that the disk gets at once.
//!
//! Files of the operating system are read through `io_uring`, where the system allows it
//! (`io_ring.rs`); all others, and those whose part of a batch failed or came back short, are read one after
//! another, as they are without a batch. So a batch finds what single reads find, errors too.

use crate::file_system::RandomAccessFile;
use crate::io_ring;
use base::Result;
use statistics::Moment;
use std::fs::File;

/// A file of the operating system that a batch reads itself.
#[derive(Clone, Copy, Debug)]
pub struct QueuedFile<'f> {
    /// Open for reading.
    pub file: &'f File,
    /// Whether reads bypass the page cache: offset, length and memory are then aligned.
    pub is_direct: bool,
    /// When the read began, if whoever counts wants to know.
    pub start: Option<Moment>,
}

/// One read of a batch.
#[derive(Debug)]
pub struct BatchRead<'f> {
    /// The file.
    pub file: &'f dyn RandomAccessFile,
    /// Where.
    pub offset: u64,
    /// How many bytes.
    pub length: usize,
    /// What was there, as [`RandomAccessFile::read_append`] puts it behind what this holds.
    pub bytes: Vec<u8>,
    /// How many bytes that were, or why it could not be read.
    pub found: Result<usize>,
}

impl<'f> BatchRead<'f> {
    /// A read into `bytes`, which are empty and may have room.
    pub fn new(file: &'f dyn RandomAccessFile, offset: u64, length: usize, bytes: Vec<u8>) -> Self {
        Self { file, offset, length, bytes, found: Ok(0) }
    }

    pub(crate) fn read_alone(&mut self) {
        self.found = self.file.read_append(self.offset, self.length, &mut self.bytes);
    }
}

/// Carries out all `reads`; each says how it went.
pub fn read_batch(reads: &mut [BatchRead<'_>]) {
    let mut is_done = vec![false; reads.len()];
    if reads.len() > 1 {
        io_ring::read_queued(reads, &mut is_done);
    }
    for (read, is_done) in reads.iter_mut().zip(is_done) {
        if !is_done {
            read.read_alone();
        }
    }
}

#[cfg(test)]
mod tests;
