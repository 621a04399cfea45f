//! Reads around the page cache (`O_DIRECT`).
//!
//! Callers ask for any range: it is widened to whole blocks, read into an aligned buffer and copied
//! out. A request whose offset, length and memory are aligned goes straight into the caller's
//! memory.

use super::posix_file::PosixFile;
use crate::aligned_buffer::{AlignedBuffer, align_down, align_up, is_aligned};
use crate::batch_read::QueuedFile;
use crate::file_system::{RandomAccessFile, SequentialFile};
use base::Result;
use std::cell::RefCell;
use std::path::Path;

/// Reads are cut into pieces of this size, which bounds the memory of a thread's buffer.
const CHUNK_SIZE_BYTES: usize = 1 << 20;

/// What a sequential reader fetches at once.
const SEQUENTIAL_BUFFER_SIZE_BYTES: usize = 256 << 10;

/// Reads into aligned memory from an aligned offset until full or at the end of the file.
pub(super) fn read_aligned(file: &PosixFile, offset: u64, buffer: &mut [u8]) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let count = file.read_once(offset.saturating_add(filled as u64), &mut buffer[filled..])?;
        filled += count;
        // A read ends inside a block only where the file does.
        if count == 0 || !is_aligned(filled as u64) {
            break;
        }
    }
    Ok(filled)
}

#[derive(Debug)]
pub(super) struct DirectRandomAccessFile {
    file: PosixFile,
    size_when_opened: u64,
}

impl DirectRandomAccessFile {
    /// `file`, which has `size_when_opened` bytes.
    pub(super) fn new(file: PosixFile, size_when_opened: u64) -> Self {
        Self { file, size_when_opened }
    }

    /// Reads any range that, widened to whole blocks, fits `bounce`.
    fn read_through(
        &self,
        bounce: &mut AlignedBuffer,
        offset: u64,
        target: &mut [u8],
    ) -> Result<usize> {
        let start = align_down(offset);
        let skipped = (offset - start) as usize;
        let wanted = align_up(skipped + target.len());
        let found = read_aligned(&self.file, start, &mut bounce.bytes_mut()[..wanted])?;
        let count = found.saturating_sub(skipped).min(target.len());
        target[..count].copy_from_slice(&bounce.bytes()[skipped..skipped + count]);
        Ok(count)
    }
}

thread_local! {
    /// One buffer per reading thread, grown to what its reads need, at most a chunk and a block.
    static BOUNCE: RefCell<Option<AlignedBuffer>> = const { RefCell::new(None) };
}

impl RandomAccessFile for DirectRandomAccessFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let address = buffer.as_ptr().addr() as u64;
        if is_aligned(offset) && is_aligned(buffer.len() as u64) && is_aligned(address) {
            return read_aligned(&self.file, offset, buffer);
        }
        BOUNCE.with_borrow_mut(|bounce| {
            let mut filled = 0;
            while filled < buffer.len() {
                let at = offset.saturating_add(filled as u64);
                // Every chunk after the first starts on a block.
                let skipped = (at - align_down(at)) as usize;
                let length = (buffer.len() - filled).min(CHUNK_SIZE_BYTES - skipped);
                let needed = align_up(skipped + length);
                if bounce.as_ref().is_none_or(|bounce| bounce.capacity() < needed) {
                    *bounce = Some(AlignedBuffer::new(needed.next_power_of_two()));
                }
                let Some(bounce) = bounce else { break };
                let count = self.read_through(bounce, at, &mut buffer[filled..filled + length])?;
                filled += count;
                if count < length {
                    break;
                }
            }
            Ok(filled)
        })
    }

    fn queued_file(&self) -> Option<QueuedFile<'_>> {
        Some(QueuedFile { file: self.file.file(), is_direct: true, start: None })
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn size_when_opened(&self) -> Result<u64> {
        Ok(self.size_when_opened)
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn use_direct_io(&self) -> bool {
        true
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[derive(Debug)]
pub(super) struct DirectSequentialFile {
    file: PosixFile,
    /// Where the next byte comes from.
    offset: u64,
    /// Bytes of the file from `buffer_offset`, `filled` of them.
    buffer: AlignedBuffer,
    buffer_offset: u64,
    filled: usize,
}

impl DirectSequentialFile {
    pub(super) fn new(file: PosixFile) -> Self {
        let buffer = AlignedBuffer::new(SEQUENTIAL_BUFFER_SIZE_BYTES);
        Self { file, offset: 0, buffer, buffer_offset: 0, filled: 0 }
    }

    /// What the buffer holds from `offset` on.
    fn buffered(&self) -> &[u8] {
        match self.offset.checked_sub(self.buffer_offset) {
            Some(skipped) if skipped < self.filled as u64 => {
                &self.buffer.bytes()[skipped as usize..self.filled]
            }
            _ => &[],
        }
    }
}

impl SequentialFile for DirectSequentialFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut done = 0;
        while done < buffer.len() {
            if self.buffered().is_empty() {
                self.filled = 0;
                self.buffer_offset = align_down(self.offset);
                self.filled =
                    read_aligned(&self.file, self.buffer_offset, self.buffer.bytes_mut())?;
                if self.buffered().is_empty() {
                    break;
                }
            }
            let found = self.buffered();
            let count = found.len().min(buffer.len() - done);
            buffer[done..done + count].copy_from_slice(&found[..count]);
            done += count;
            self.offset += count as u64;
        }
        Ok(done)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        self.offset = self.offset.saturating_add(count);
        Ok(())
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}
