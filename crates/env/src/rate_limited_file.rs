//! A file whose appends wait for a rate limiter.

use crate::file_system::WritableFile;
use crate::rate_limiter::{IoOperation, IoPriority, RateLimiter};
use base::Result;
use std::path::Path;
use std::sync::Arc;

/// Passes everything on to another file, appended bytes as they are granted.
#[derive(Debug)]
pub struct RateLimitedFile {
    file: Box<dyn WritableFile>,
    limiter: Arc<dyn RateLimiter>,
    priority: IoPriority,
}

impl RateLimitedFile {
    /// Appends to `file` ask `limiter` with `priority`.
    pub fn new(
        file: Box<dyn WritableFile>,
        limiter: Arc<dyn RateLimiter>,
        priority: IoPriority,
    ) -> Self {
        Self { file, limiter, priority }
    }
}

impl WritableFile for RateLimitedFile {
    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let wanted = bytes.len() as u64;
            let granted = self.limiter.request_token(wanted, 0, self.priority, IoOperation::Write);
            let granted = usize::try_from(granted).unwrap_or(bytes.len()).clamp(1, bytes.len());
            let (now, later) = bytes.split_at(granted);
            self.file.append(now)?;
            bytes = later;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.flush()
    }

    fn sync(&mut self) -> Result<()> {
        self.file.sync()
    }

    fn fsync(&mut self) -> Result<()> {
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

    fn close(self: Box<Self>) -> Result<()> {
        self.file.close()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[cfg(test)]
mod tests;
