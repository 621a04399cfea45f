//! Readahead for scans: noticing that reads follow one another, and reading on before they come.
//!
//! As RocksDB's table iterators do it: after [`ReadaheadOptions::num_file_reads`] sequential reads
//! a window of 8 KiB is brought in beyond the block that is read, then windows twice as large up
//! to 256 KiB. A read elsewhere starts over. Unlike RocksDB's, the next window is asked for when
//! half of the last one has been read, so that the device works while the reader does; and reads that
//! each end where the last one began have windows before them, for scans that go backward.

use crate::aligned_buffer::{ALIGNMENT_BYTES, AlignedBuffer, align_down, align_up};
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

/// Where a scan goes in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Decides what to read ahead. Knows no file.
#[derive(Debug)]
pub struct Readahead {
    options: ReadaheadOptions,
    /// Nothing is wanted from here on.
    end: u64,
    /// No window is larger.
    window_max: u64,
    /// The last read, or block found in a cache.
    last: Option<Range<u64>>,
    direction: Direction,
    /// Reads in sequence so far.
    num_file_reads: u64,
    /// The size of the next window.
    size: u64,
    /// What was asked for, none before the first window.
    asked: Option<Asked>,
}

/// How far windows reach, in a scan's direction.
#[derive(Clone, Copy, Debug)]
struct Asked {
    limit: u64,
    /// A read that ends here or further asks for the next window.
    trigger: u64,
}

impl Readahead {
    /// Nothing read yet.
    pub fn new(options: &ReadaheadOptions) -> Self {
        Self {
            options: *options,
            end: u64::MAX,
            window_max: u64::MAX,
            last: None,
            direction: Direction::Forward,
            num_file_reads: 0,
            size: options.initial_size.min(options.max_size),
            asked: None,
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
        let block = offset..offset.saturating_add(length);
        if self.last.is_some() && self.direction_to(&block).is_some() {
            self.last = Some(block);
        }
    }

    /// Tells of a read that is about to happen. Returns the range to bring in now, if any; it
    /// includes the bytes of the read itself unless an earlier window did.
    pub fn next_window(&mut self, offset: u64, length: u64) -> Option<Range<u64>> {
        let read = offset..offset.saturating_add(length);
        let direction = self.direction_to(&read);
        if direction != Some(self.direction) {
            // Where the scan turned round, the last read is the first of the sequence.
            self.start_over(direction.unwrap_or(Direction::Forward), direction.is_some().into());
        }
        self.last = Some(read.clone());
        self.num_file_reads += 1;
        if self.size == 0 || self.num_file_reads <= self.options.num_file_reads {
            return None;
        }
        let window = match self.direction {
            Direction::Forward => self.window_behind(&read),
            Direction::Backward => self.window_before(&read),
        }?;
        let lead = self.size.min(self.window_max) / 2;
        self.asked = Some(match self.direction {
            Direction::Forward => {
                Asked { limit: window.end, trigger: window.end.saturating_sub(lead) }
            }
            Direction::Backward => {
                Asked { limit: window.start, trigger: window.start.saturating_add(lead) }
            }
        });
        self.size = self.size.saturating_mul(2).min(self.options.max_size);
        Some(window)
    }

    /// Where a read goes on from the last one; none for a jump.
    fn direction_to(&self, read: &Range<u64>) -> Option<Direction> {
        match &self.last {
            None => Some(Direction::Forward),
            Some(last) if last.end == read.start => Some(Direction::Forward),
            Some(last) if last.start == read.end => Some(Direction::Backward),
            Some(_) => None,
        }
    }

    fn start_over(&mut self, direction: Direction, num_file_reads: u64) {
        self.direction = direction;
        self.num_file_reads = num_file_reads;
        self.size = self.options.initial_size.min(self.options.max_size);
        self.asked = None;
    }

    fn window_behind(&self, read: &Range<u64>) -> Option<Range<u64>> {
        if self.asked.is_some_and(|asked| read.end < asked.trigger) {
            return None;
        }
        let limit = self.asked.map_or(0, |asked| asked.limit);
        let start = read.start.max(limit);
        let end = read.end.max(limit).saturating_add(self.size);
        let end = end.min(start.saturating_add(self.window_max)).min(self.end);
        (end > start && end > read.end).then_some(start..end)
    }

    fn window_before(&self, read: &Range<u64>) -> Option<Range<u64>> {
        if self.asked.is_some_and(|asked| read.start > asked.trigger) {
            return None;
        }
        let limit = self.asked.map_or(u64::MAX, |asked| asked.limit);
        let end = read.end.min(limit);
        let start = read.start.min(limit).saturating_sub(self.size);
        let start = start.max(end.saturating_sub(self.window_max));
        (start < end && start < read.start).then_some(start..end)
    }

    /// What of a file is to be read for a read whose bytes are not there, and for those that were asked for with
    /// it: whole blocks for direct I/O, no more than a window. None if that is not more than the read.
    fn fill_range(&self, read: &Range<u64>) -> Option<Range<u64>> {
        let limit = self.asked?.limit;
        match self.direction {
            Direction::Forward => {
                let start = align_down(read.start);
                let end = limit.min(align_down(start.saturating_add(self.window_max)));
                (end > read.end).then_some(start..end)
            }
            Direction::Backward => {
                let most = align_down(self.window_max).saturating_sub(ALIGNMENT_BYTES as u64);
                let start = align_down(limit.max(read.end.saturating_sub(most)));
                (start < read.start).then_some(start..read.end)
            }
        }
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
        let last = self.readahead.last.as_ref();
        last.is_some_and(|last| last.end == offset) || filled.contains(&offset)
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
        let read = offset..offset.saturating_add(length as u64);
        if let Some(range) = self.readahead.fill_range(&read) {
            self.fill(file, range)?;
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

    /// Reads whole blocks, from the start of one to the end of the range or of the file.
    fn fill(&mut self, file: &dyn RandomAccessFile, range: Range<u64>) -> Result<()> {
        self.filled = 0;
        self.buffer_offset = range.start;
        let wanted = align_up((range.end - range.start) as usize);
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
