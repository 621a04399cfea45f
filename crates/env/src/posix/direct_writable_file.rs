//! Appends around the page cache (`O_DIRECT`).
//!
//! Only whole blocks can be written. A full buffer goes out as it is; a flush pads the last block
//! with zeros, writes it, cuts the file back to its exact size and keeps the block, to write it
//! again when it has grown. A power loss between the two can leave up to a block of zeros after
//! the content, as preallocation does.
//!
//! A file that is only synced when it is complete has a second buffer: while a full one is written, by a
//! thread of the file, the other is filled. An error of that write is what the next full buffer, flush or
//! sync gives.

use super::buffer_pool;
use super::direct_io::read_aligned;
use super::posix_file::PosixFile;
use super::write_behind::WriteBehind;
use super::write_pacing::Preallocations;
use crate::aligned_buffer::{ALIGNMENT_BYTES, AlignedBuffer, align_down, align_up};
use crate::file_system::{FileOptions, WritableFile};
use base::{Result, Status};
use perf_context::{IoMetric, Timer};
use std::mem;
use std::path::Path;

#[derive(Debug)]
pub(super) struct DirectWritableFile {
    file: PosixFile,
    /// The bytes from `buffer_offset`, which is aligned; the first `filled` are content.
    buffer: AlignedBuffer,
    buffer_offset: u64,
    filled: usize,
    /// How many of those the file has.
    flushed: usize,
    /// The file is not cut below this, its size before it was reused.
    size_min: u64,
    preallocations: Preallocations,
    /// Whether full buffers are written by a thread.
    writes_behind: bool,
    /// That thread, from the first full buffer on.
    behind: Option<WriteBehind>,
    /// The other buffer, while nothing is written behind.
    spare: Option<AlignedBuffer>,
    /// The first failure. Nothing may follow it: bytes are missing, or may be missing on the disk.
    failure: Option<Status>,
}

impl DirectWritableFile {
    /// Writes from `offset` on, which is the end of the file or, of a reused one, its start.
    pub(super) fn new(file: PosixFile, offset: u64, options: &FileOptions) -> Result<Self> {
        if options.writable_file_max_buffer_size == 0 {
            return Err(Status::invalid_argument(format!(
                "open for writing {}: direct I/O needs writable_file_max_buffer_size > 0",
                file.path().display()
            )));
        }
        let size_min = file.size()?;
        let preallocations = Preallocations::new(super::preallocation_block_size(options), offset);
        let mut buffer = buffer_pool::take_aligned(options.writable_file_max_buffer_size);
        let buffer_offset = align_down(offset);
        let filled = (offset - buffer_offset) as usize;
        if filled > 0 {
            let block = &mut buffer.bytes_mut()[..ALIGNMENT_BYTES];
            let found = read_aligned(&file, buffer_offset, block)?;
            if found != filled {
                return Err(Status::io_error(format!(
                    "read the last block of {} at offset {buffer_offset}: expected {filled} bytes, \
                     found {found}",
                    file.path().display()
                )));
            }
        }
        Ok(Self {
            file,
            buffer,
            buffer_offset,
            filled,
            flushed: filled,
            size_min,
            preallocations,
            writes_behind: options.is_synced_when_complete,
            behind: None,
            spare: None,
            failure: None,
        })
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(status) => Err(status.clone().context("an earlier operation on it failed")),
        }
    }

    fn remember(&mut self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            self.failure = Some(status.clone());
        }
        result
    }

    fn write_full_buffer(&mut self) -> Result<()> {
        if self.writes_behind && self.behind.is_none() {
            self.behind = WriteBehind::start(self.file.clone());
            self.writes_behind = self.behind.is_some();
        }
        self.end_write_behind()?;
        let offset = self.buffer_offset;
        if let Some(behind) = &mut self.behind {
            let spare = self.spare.take();
            let capacity = self.buffer.capacity();
            let empty = spare.unwrap_or_else(|| buffer_pool::take_aligned(capacity));
            behind.begin(mem::replace(&mut self.buffer, empty), offset);
        } else {
            let (_, result) = self.file.write_at(offset, self.buffer.bytes());
            self.remember(result)?;
        }
        self.buffer_offset += self.buffer.capacity() as u64;
        self.filled = 0;
        self.flushed = 0;
        Ok(())
    }

    /// Waits until no buffer is being written behind.
    fn end_write_behind(&mut self) -> Result<()> {
        let Some(behind) = &mut self.behind else { return Ok(()) };
        match behind.wait() {
            Ok(None) => Ok(()),
            Ok(buffer) => {
                self.spare = buffer;
                Ok(())
            }
            Err(status) => self.remember(Err(status)),
        }
    }

    fn preallocate(&mut self, count: usize) {
        let _timer = Timer::start(IoMetric::PrepareWriteNanos);
        let size = self.size().saturating_add(count as u64);
        if let Some((offset, nbytes)) = self.preallocations.next(size)
            && self.file.allocate(offset, nbytes).is_err()
        {
            self.preallocations.stop();
        }
    }

    fn flush_buffer(&mut self) -> Result<()> {
        self.end_write_behind()?;
        if self.flushed == self.filled {
            return Ok(());
        }
        let end = align_up(self.filled);
        let filled = self.filled;
        self.buffer.bytes_mut()[filled..end].fill(0);
        let (_, result) = self.file.write_at(self.buffer_offset, &self.buffer.bytes()[..end]);
        let size = self.size().max(self.size_min);
        let padded = self.buffer_offset + end as u64 > size;
        let result = result.and_then(|()| if padded { self.file.set_size(size) } else { Ok(()) });
        self.remember(result)?;
        // Whole blocks are done; the last one stays, to be extended.
        let done = align_down(filled as u64) as usize;
        self.buffer.bytes_mut().copy_within(done..filled, 0);
        self.buffer_offset += done as u64;
        self.filled = filled - done;
        self.flushed = self.filled;
        Ok(())
    }
}

impl WritableFile for DirectWritableFile {
    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.check()?;
        self.preallocate(bytes.len());
        while !bytes.is_empty() {
            let filled = self.filled;
            let count = bytes.len().min(self.buffer.capacity() - filled);
            self.buffer.bytes_mut()[filled..filled + count].copy_from_slice(&bytes[..count]);
            self.filled += count;
            bytes = &bytes[count..];
            if self.filled == self.buffer.capacity() {
                self.write_full_buffer()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.check()?;
        self.flush_buffer()
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        let result = self.file.sync_data();
        self.remember(result)
    }

    fn fsync(&mut self) -> Result<()> {
        self.flush()?;
        let result = self.file.sync_all();
        self.remember(result)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.preallocations.reserved(offset.saturating_add(nbytes));
        self.file.allocate(offset, nbytes)
    }

    fn size(&self) -> u64 {
        self.buffer_offset + self.filled as u64
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.flush()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Drop for DirectWritableFile {
    fn drop(&mut self) {
        if self.failure.is_none() {
            // Nobody is left to hear of an error; `close` is the way to learn of it.
            let _ = self.flush_buffer();
        }
        // What is still being written ends here.
        self.behind = None;
        buffer_pool::give_back_aligned(mem::take(&mut self.buffer));
        if let Some(spare) = self.spare.take() {
            buffer_pool::give_back_aligned(spare);
        }
        if let Some(end) = self.preallocations.reserved_end() {
            self.file.give_back(end);
        }
    }
}
