//! Reads anywhere through the page cache.

use super::posix_file::PosixFile;
use crate::batch_read::QueuedFile;
use crate::file_system::{AccessPattern, RandomAccessFile};
use base::Result;
use rustix::fs::{Advice, fadvise};
use std::num::NonZeroU64;
use std::path::Path;

#[derive(Debug)]
pub(super) struct PosixRandomAccessFile {
    file: PosixFile,
    size_when_opened: u64,
}

impl PosixRandomAccessFile {
    /// `file`, which has `size_when_opened` bytes.
    pub(super) fn new(file: PosixFile, size_when_opened: u64) -> Self {
        Self { file, size_when_opened }
    }
}

impl RandomAccessFile for PosixRandomAccessFile {
    #[inline]
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.file.read_at(offset, buffer)
    }

    #[inline]
    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        self.file.read_append(offset, length, buffer)
    }

    fn queued_file(&self) -> Option<QueuedFile<'_>> {
        Some(QueuedFile { file: self.file.file(), is_direct: false, start: None })
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn size_when_opened(&self) -> Result<u64> {
        Ok(self.size_when_opened)
    }

    fn prefetch(&self, offset: u64, count: u64) {
        if let Some(count) = NonZeroU64::new(count) {
            // Advice only: where it is refused, the read itself brings the bytes.
            let _ = fadvise(self.file.file(), offset, Some(count), Advice::WillNeed);
        }
    }

    fn hint(&self, pattern: AccessPattern) {
        let advice = match pattern {
            AccessPattern::Normal => Advice::Normal,
            AccessPattern::Random => Advice::Random,
            AccessPattern::Sequential => Advice::Sequential,
            AccessPattern::WontNeed => Advice::DontNeed,
        };
        let _ = fadvise(self.file.file(), 0, None, advice);
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}
