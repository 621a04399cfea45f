//! Reads from start to end through the page cache.

use super::posix_file::PosixFile;
use crate::file_system::SequentialFile;
use base::Result;
use std::path::Path;

#[derive(Debug)]
pub(super) struct PosixSequentialFile {
    file: PosixFile,
    offset: u64,
}

impl PosixSequentialFile {
    pub(super) fn new(file: PosixFile) -> Self {
        Self { file, offset: 0 }
    }
}

impl SequentialFile for PosixSequentialFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.file.read_at(self.offset, buffer)?;
        self.offset += count as u64;
        Ok(count)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        self.offset = self.offset.saturating_add(count);
        Ok(())
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}
