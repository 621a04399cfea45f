//! Appends through a buffer and the page cache.

use super::buffer_pool;
use super::posix_file::PosixFile;
use super::write_pacing::{Preallocations, RangeSyncs};
use crate::file_system::{FileOptions, WritableFile};
use base::counted_bytes::CountedBytes;
use base::{Result, Status};
use perf_context::{IoMetric, Timer};
use std::path::Path;

/// So many bytes are still near the processor when the kernel copies them. What is gathered beyond
/// that goes to memory and comes back, which takes longer than the calls that it saves.
const NEAR_SIZE: usize = 256 << 10;

#[derive(Debug)]
pub(super) struct PosixWritableFile {
    file: PosixFile,
    /// Where the bytes that the kernel has end.
    written: u64,
    /// Bytes after those, at most `buffer_size_max`.
    buffer: Vec<u8>,
    buffer_bytes: CountedBytes,
    buffer_size_max: usize,
    strict_bytes_per_sync: bool,
    range_syncs: RangeSyncs,
    preallocations: Preallocations,
    /// The first failure. Nothing may follow it: bytes are missing, or may be missing on the disk.
    failure: Option<Status>,
}

impl PosixWritableFile {
    /// Writes from `offset` on.
    pub(super) fn new(file: PosixFile, offset: u64, options: &FileOptions) -> Self {
        Self {
            file,
            written: offset,
            buffer: Vec::new(),
            buffer_bytes: buffer_pool::count_buffer(),
            buffer_size_max: options.writable_file_max_buffer_size.min(NEAR_SIZE),
            strict_bytes_per_sync: options.strict_bytes_per_sync,
            range_syncs: RangeSyncs::for_file(options, offset),
            preallocations: Preallocations::new(super::preallocation_block_size(options), offset),
            failure: None,
        }
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

    fn flush_buffer(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let (count, result) = self.file.write_at(self.written, &self.buffer);
        self.written += count as u64;
        // Keeps its capacity when everything was written.
        self.buffer.drain(..count);
        self.remember(result)?;
        self.sync_behind()
    }

    fn write_around_buffer(&mut self, bytes: &[u8]) -> Result<()> {
        let (count, result) = self.file.write_at(self.written, bytes);
        self.written += count as u64;
        self.remember(result)?;
        self.sync_behind()
    }

    fn sync_behind(&mut self) -> Result<()> {
        match self.range_syncs.next(self.written) {
            None => Ok(()),
            Some((offset, nbytes)) => self.range_sync_now(offset, nbytes),
        }
    }

    fn range_sync_now(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        let result = self.file.range_sync(offset, nbytes, self.strict_bytes_per_sync);
        self.remember(result)
    }

    /// Appends to the buffer, which has room for it. A small one grows; before it becomes a large one
    /// it is replaced by one that was used before.
    #[inline]
    fn put(&mut self, bytes: &[u8]) {
        let size = self.buffer.len() + bytes.len();
        if size > self.buffer.capacity() {
            self.grow(size);
        }
        self.buffer.extend_from_slice(bytes);
    }

    #[cold]
    fn grow(&mut self, size: usize) {
        let is_kept_size = (buffer_pool::SIZE_MIN..=buffer_pool::SIZE_MAX).contains(&size);
        if is_kept_size && self.buffer_size_max >= size {
            let mut larger = buffer_pool::take(self.buffer_size_max.min(buffer_pool::SIZE_MAX));
            larger.extend_from_slice(&self.buffer);
            buffer_pool::give_back(std::mem::replace(&mut self.buffer, larger));
        } else {
            self.buffer.reserve(size - self.buffer.len());
        }
        self.buffer_bytes.set(self.buffer.capacity());
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
}

impl WritableFile for PosixWritableFile {
    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.check()?;
        self.preallocate(bytes.len());
        let room = self.buffer_size_max - self.buffer.len();
        if bytes.len() > room {
            if !self.buffer.is_empty() {
                // Filled up, so that writes start at multiples of the buffer's size.
                let (head, tail) = bytes.split_at(room);
                self.put(head);
                bytes = tail;
                self.flush_buffer()?;
            }
            if bytes.len() >= self.buffer_size_max {
                return self.write_around_buffer(bytes);
            }
        }
        self.put(bytes);
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

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.check()?;
        self.range_sync_now(offset, nbytes)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.preallocations.reserved(offset.saturating_add(nbytes));
        self.file.allocate(offset, nbytes)
    }

    fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.flush()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Drop for PosixWritableFile {
    fn drop(&mut self) {
        if self.failure.is_none() {
            // Nobody is left to hear of an error; `close` is the way to learn of it.
            let _ = self.flush_buffer();
        }
        self.buffer_bytes.set(0);
        buffer_pool::give_back(std::mem::take(&mut self.buffer));
        if let Some(end) = self.preallocations.reserved_end() {
            self.file.give_back(end);
        }
    }
}
