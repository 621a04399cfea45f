//! Files that wait for the rate limiter.

use crate::file_system::WritableFile;
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

    fn sync_takes_time(&self) -> bool {
        self.file.sync_takes_time()
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

#[cfg(test)]
mod tests;
