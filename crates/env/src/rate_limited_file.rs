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
mod tests {
    use super::*;
    use crate::{FileOptions, FileSystem, GenericRateLimiter, MemFileSystem, RateLimiterOptions};

    #[test]
    fn every_byte_is_asked_for_and_arrives() {
        let fs = MemFileSystem::new();
        fs.create_dir(Path::new("/d")).unwrap();
        let path = Path::new("/d/f");
        let file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
        let options =
            RateLimiterOptions { single_burst_bytes: 1000, ..RateLimiterOptions::new(100 << 20) };
        let limiter = Arc::new(GenericRateLimiter::new(options).unwrap());
        let mut file: Box<dyn WritableFile> =
            Box::new(RateLimitedFile::new(file, limiter.clone(), IoPriority::Low));
        let bytes: Vec<u8> = (0..10_500_u32).map(|byte| byte as u8).collect();
        file.append(&bytes).unwrap();
        file.flush().unwrap();
        assert_eq!(file.size(), 10_500);
        file.close().unwrap();
        assert_eq!(limiter.total_bytes_through(Some(IoPriority::Low)), 10_500);
        assert_eq!(limiter.total_requests(None), 11);
        assert_eq!(crate::file_util::read_file_to_vec(&fs, path, 1 << 20).unwrap(), bytes);
    }
}
