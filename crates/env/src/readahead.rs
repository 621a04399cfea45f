//! Readahead for scans: noticing that reads follow one another, and reading on before they come.
//!
//! As RocksDB's table iterators do it: after [`ReadaheadOptions::num_file_reads`] sequential reads
//! a window of 8 KiB is brought in beyond the block that is read, then windows twice as large up
//! to 256 KiB. A read elsewhere starts over. Unlike RocksDB's, the next window is asked for when
//! half of the last one has been read, so that the device works while the reader does.

use crate::aligned_buffer::{AlignedBuffer, align_down, align_up};
use crate::file_system::RandomAccessFile;
use base::Result;
use std::ops::Range;

/// When and how much to read ahead. However large, a window is no larger than what the file's
/// devices take at once ([`RandomAccessFile::readahead_max`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadaheadOptions {
    /// First window in bytes (`initial_auto_readahead_size`, default 8 KiB). 0: no readahead.
    pub initial_size: u64,
    /// Largest window in bytes (`max_auto_readahead_size`, default 256 KiB). 0: no readahead.
    pub max_size: u64,
    /// Sequential reads before the first window (`num_file_reads_for_auto_readahead`, default 2).
    pub num_file_reads: u64,
}

impl Default for ReadaheadOptions {
    fn default() -> Self {
        Self { initial_size: 8 << 10, max_size: 256 << 10, num_file_reads: 2 }
    }
}

impl ReadaheadOptions {
    /// Windows of `size` bytes from the first read on (`readahead_size`,
    /// `compaction_readahead_size`).
    pub fn fixed(size: u64) -> Self {
        Self { initial_size: size, max_size: size, num_file_reads: 0 }
    }

    /// Whether the first read is read beyond.
    pub fn begins_at_once(&self) -> bool {
        self.num_file_reads == 0 && self.initial_size.min(self.max_size) > 0
    }

    /// No readahead.
    pub fn none() -> Self {
        Self::fixed(0)
    }
}

/// Decides what to read ahead. Knows no file.
#[derive(Debug)]
pub struct Readahead {
    options: ReadaheadOptions,
    /// Nothing is wanted from here on.
    end: u64,
    /// No window is larger.
    window_max: u64,
    /// Where the next read starts if it is sequential.
    expected: Option<u64>,
    /// Reads in sequence so far.
    num_file_reads: u64,
    /// The size of the next window.
    size: u64,
    /// The end of what was asked for, 0 before the first window.
    limit: u64,
    /// A read that ends here or later asks for the next window.
    trigger: u64,
}

impl Readahead {
    /// Nothing read yet.
    pub fn new(options: &ReadaheadOptions) -> Self {
        Self {
            options: *options,
            end: u64::MAX,
            window_max: u64::MAX,
            expected: None,
            num_file_reads: 0,
            size: options.initial_size.min(options.max_size),
            limit: 0,
            trigger: 0,
        }
    }

    /// Reads nothing ahead from offset `end` on: where data ends in the file, or the scan's upper
    /// bound.
    pub fn set_end(&mut self, end: u64) {
        self.end = end;
    }

    /// Asks for at most `bytes` at once from now on: the kernel splits what is larger, and then reads
    /// single pages.
    pub fn set_window_max(&mut self, bytes: u64) {
        self.window_max = bytes;
    }

    /// Tells of a block that the scan found in a cache, so that it is not taken for a jump.
    pub fn note_cached(&mut self, offset: u64, length: u64) {
        if self.expected == Some(offset) {
            self.expected = Some(offset.saturating_add(length));
        }
    }

    /// Tells of a read that is about to happen. Returns the range to bring in now, if any; it
    /// includes the bytes of the read itself unless an earlier window did.
    pub fn next_window(&mut self, offset: u64, length: u64) -> Option<Range<u64>> {
        let read_end = offset.saturating_add(length);
        let sequential = self.expected.is_none_or(|expected| expected == offset);
        self.expected = Some(read_end);
        if !sequential {
            self.num_file_reads = 0;
            self.size = self.options.initial_size.min(self.options.max_size);
            self.limit = 0;
        }
        self.num_file_reads += 1;
        if self.size == 0 || self.num_file_reads <= self.options.num_file_reads {
            return None;
        }
        if self.limit != 0 && read_end < self.trigger {
            return None;
        }
        let start = offset.max(self.limit);
        let window_end = read_end
            .max(self.limit)
            .saturating_add(self.size)
            .min(start.saturating_add(self.window_max))
            .min(self.end);
        if window_end <= start || window_end <= read_end {
            return None;
        }
        self.limit = window_end;
        self.trigger = window_end.saturating_sub(self.size.min(self.window_max) / 2);
        self.size = self.size.saturating_mul(2).min(self.options.max_size);
        Some(start..window_end)
    }
}

/// Reads a file for a scan, and ahead of it.
///
/// Files in the page cache are read ahead by the kernel ([`RandomAccessFile::prefetch`]). For
/// direct files the window is read into a buffer here and later reads are served from that.
#[derive(Debug)]
pub struct SequentialPrefetcher {
    readahead: Readahead,
    /// Whether the file was asked how much it takes at once.
    is_sized: bool,
    /// Only for direct files: `filled` bytes from `buffer_offset`, which is aligned.
    buffer: Option<AlignedBuffer>,
    buffer_offset: u64,
    filled: usize,
}

impl SequentialPrefetcher {
    /// Nothing read yet.
    pub fn new(options: &ReadaheadOptions) -> Self {
        Self {
            readahead: Readahead::new(options),
            is_sized: false,
            buffer: None,
            buffer_offset: 0,
            filled: 0,
        }
    }

    /// The same in the memory of another one, which is over.
    pub fn in_memory_of(self, last: Self) -> Self {
        Self { buffer: last.buffer, ..self }
    }

    /// As [`Readahead::set_end`].
    pub fn set_end(&mut self, end: u64) {
        self.readahead.set_end(end);
    }

    /// As [`Readahead::note_cached`].
    pub fn note_cached(&mut self, offset: u64, length: u64) {
        self.readahead.note_cached(offset, length);
    }

    /// Whether a read at `offset` would be the next one in sequence, or of what was read ahead.
    pub fn expects(&self, offset: u64) -> bool {
        let filled = self.buffer_offset..self.buffer_offset.saturating_add(self.filled as u64);
        self.readahead.expected == Some(offset) || filled.contains(&offset)
    }

    /// Tells of a read, of a place that it does not expect, that happens elsewhere.
    pub fn note_read(&mut self, offset: u64, length: u64) {
        self.readahead.next_window(offset, length);
    }

    /// As [`RandomAccessFile::read_append`], always with the same `file`.
    pub fn read_append(
        &mut self,
        file: &dyn RandomAccessFile,
        offset: u64,
        length: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<usize> {
        if !self.is_sized {
            self.readahead.set_window_max(file.readahead_max());
            self.is_sized = true;
        }
        let window = self.readahead.next_window(offset, length as u64);
        if !file.use_direct_io() {
            if let Some(window) = window {
                file.prefetch(window.start, window.end - window.start);
            }
            return file.read_append(offset, length, buffer);
        }
        if self.serve(offset, length, buffer) {
            return Ok(length);
        }
        // The bytes are missing: read to the end of what has been decided.
        let most = align_down(offset).saturating_add(self.readahead.window_max);
        let end = self.readahead.limit.min(align_down(most));
        if end > offset.saturating_add(length as u64) {
            self.fill(file, offset, end)?;
            if self.serve(offset, length, buffer) {
                return Ok(length);
            }
        }
        file.read_append(offset, length, buffer)
    }

    /// Copies the range out if all of it is in the buffer.
    fn serve(&self, offset: u64, length: usize, target: &mut Vec<u8>) -> bool {
        let Some(buffer) = &self.buffer else { return false };
        let Some(start) = offset.checked_sub(self.buffer_offset) else { return false };
        let end = start.saturating_add(length as u64);
        if end > self.filled as u64 {
            return false;
        }
        target.extend_from_slice(&buffer.bytes()[start as usize..end as usize]);
        true
    }

    /// Reads whole blocks from the one of `offset` to `end` or the end of the file.
    fn fill(&mut self, file: &dyn RandomAccessFile, offset: u64, end: u64) -> Result<()> {
        self.filled = 0;
        self.buffer_offset = align_down(offset);
        let wanted = align_up((end - self.buffer_offset) as usize);
        let buffer = match &mut self.buffer {
            Some(buffer) if buffer.capacity() >= wanted => buffer,
            buffer => {
                // A small file under a large readahead takes little memory.
                let available = file.size()?.saturating_sub(self.buffer_offset);
                buffer.insert(AlignedBuffer::new(available.min(wanted as u64) as usize))
            }
        };
        let length = wanted.min(buffer.capacity());
        self.filled = file.read_at(self.buffer_offset, &mut buffer.bytes_mut()[..length])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
