//! A written file that waits for the rate limiter.

use super::{IoOperation, IoPriority, RateLimiter};
use crate::file_system::WritableFile;
use base::Result;
use std::path::Path;
use std::sync::Arc;

/// Appends are paid for when they come to so many bytes: asking for each would cost a lock each.
const PAYMENT_BYTES: u64 = 64 << 10;

/// `file`, whose appends wait until `limiter` grants them.
pub fn rate_limited(
    file: Box<dyn WritableFile>,
    limiter: Arc<dyn RateLimiter>,
    priority: IoPriority,
) -> Box<dyn WritableFile> {
    Box::new(RateLimitedFile { file, limiter, priority, unpaid: 0 })
}

#[derive(Debug)]
struct RateLimitedFile {
    file: Box<dyn WritableFile>,
    limiter: Arc<dyn RateLimiter>,
    priority: IoPriority,
    /// Bytes appended and not yet granted.
    unpaid: u64,
}

impl RateLimitedFile {
    fn pay(&mut self) {
        while self.unpaid > 0 {
            let granted =
                self.limiter.request_token(self.unpaid, 0, self.priority, IoOperation::Write);
            self.unpaid = self.unpaid.saturating_sub(granted.max(1));
        }
    }
}

impl WritableFile for RateLimitedFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        for piece in bytes.chunks(PAYMENT_BYTES as usize) {
            self.unpaid += piece.len() as u64;
            if self.unpaid >= PAYMENT_BYTES {
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
