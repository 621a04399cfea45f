//! Files that wait for the rate limiter.

use crate::file_system::{AccessPattern, RandomAccessFile, WritableFile};
use crate::rate_limiter::{IoOperation, IoPriority, RateLimiter};
use base::Result;
use std::path::Path;
use std::sync::Arc;

/// Appends are paid for when they come to so many bytes: asking for each would cost a lock each.
const PAYMENT_BYTES: usize = 64 << 10;

/// A written file whose appends wait until they are granted.
#[derive(Debug)]
pub struct RateLimitedWritableFile {
    file: Box<dyn WritableFile>,
    limiter: Arc<dyn RateLimiter>,
    priority: IoPriority,
    /// Bytes appended and not yet granted.
    unpaid: u64,
}

impl RateLimitedWritableFile {
    /// Appends to `file` ask `limiter` with `priority`.
    pub fn new(
        file: Box<dyn WritableFile>,
        limiter: Arc<dyn RateLimiter>,
        priority: IoPriority,
    ) -> Self {
        Self { file, limiter, priority, unpaid: 0 }
    }

    fn pay(&mut self) {
        let unpaid = std::mem::take(&mut self.unpaid);
        wait_for(&*self.limiter, unpaid, self.priority, IoOperation::Write);
    }
}

/// Waits until all of `bytes` are granted, however little at a time.
pub fn wait_for(
    limiter: &dyn RateLimiter,
    mut bytes: u64,
    priority: IoPriority,
    operation: IoOperation,
) {
    while bytes > 0 {
        let granted = limiter.request_token(bytes, 0, priority, operation);
        bytes = bytes.saturating_sub(granted.max(1));
    }
}

impl WritableFile for RateLimitedWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(PAYMENT_BYTES) {
            self.unpaid += piece.len() as u64;
            if self.unpaid >= PAYMENT_BYTES as u64 {
                self.pay();
            }
            self.file.append(piece)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.pay();
        self.file.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.pay();
        self.file.sync()
    }

    fn fsync(&mut self) -> Result<()> {
        self.pay();
        self.file.fsync()
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.file.range_sync(offset, nbytes)
    }

    fn allocate(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        self.file.allocate(offset, nbytes)
    }

    fn size(&self) -> u64 {
        self.file.size()
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.pay();
        self.file.close()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

/// Whom reads ask, and how urgent they are.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimit<'a> {
    limiter: &'a dyn RateLimiter,
    priority: IoPriority,
}

impl<'a> ReadLimit<'a> {
    /// None if reads need not ask: without limiter or priority, or where reads are not limited.
    #[inline]
    pub fn of(
        limiter: Option<&'a Arc<dyn RateLimiter>>,
        priority: Option<IoPriority>,
    ) -> Option<Self> {
        let limit = Self { limiter: &**limiter?, priority: priority? };
        limit.limiter.is_rate_limited(IoOperation::Read).then_some(limit)
    }

    /// `file`, whose reads wait until they are granted. What the system reads ahead is paid for when
    /// it is read: the disk may be ahead of the limiter by what is read ahead at once.
    pub fn limited(self, file: &'a dyn RandomAccessFile) -> RateLimitedReads<'a> {
        RateLimitedReads { file, limit: self }
    }
}

/// A file whose reads wait until they are granted.
#[derive(Debug)]
pub struct RateLimitedReads<'a> {
    file: &'a dyn RandomAccessFile,
    limit: ReadLimit<'a>,
}

impl RateLimitedReads<'_> {
    fn wait_for(&self, length: usize) {
        let ReadLimit { limiter, priority } = self.limit;
        wait_for(limiter, length as u64, priority, IoOperation::Read);
    }
}

impl RandomAccessFile for RateLimitedReads<'_> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.wait_for(buffer.len());
        self.file.read_at(offset, buffer)
    }

    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        self.wait_for(length);
        self.file.read_append(offset, length, buffer)
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.file.prefetch(offset, count);
    }

    fn hint(&self, pattern: AccessPattern) {
        self.file.hint(pattern);
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn use_direct_io(&self) -> bool {
        self.file.use_direct_io()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[cfg(test)]
mod tests;
