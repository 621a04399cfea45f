//! A file whose end is in memory while a table is opened.

use base::Result;
use env::RandomAccessFile;
use std::path::Path;
use std::sync::Arc;

/// Bytes at the end of a file that are read at once. Of most tables footer, metaindex and properties
/// are in them, of small ones index, filter and range tombstones too.
const END_SIZE: u64 = 4 << 10;

/// Reads of what lies in the end of the file cost nothing; all others go to the file.
#[derive(Debug)]
pub(super) struct FileWithEnd {
    file: Arc<dyn RandomAccessFile>,
    /// Where the end begins.
    start: u64,
    end: Vec<u8>,
}

impl FileWithEnd {
    /// Reads the end of a file of `file_size` bytes, or as much of it as there is.
    ///
    /// # Errors
    /// Those of the file.
    pub(super) fn read(file: Arc<dyn RandomAccessFile>, file_size: u64) -> Result<Self> {
        let length = file_size.min(END_SIZE);
        let start = file_size - length;
        let mut end = Vec::with_capacity(length as usize);
        file.read_append(start, length as usize, &mut end)?;
        Ok(Self { file, start, end })
    }

    fn in_memory(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.end.get(start..start.checked_add(length)?)
    }
}

impl RandomAccessFile for FileWithEnd {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        match self.in_memory(offset, buffer.len()) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(bytes.len())
            }
            None => self.file.read_at(offset, buffer),
        }
    }

    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        match self.in_memory(offset, length) {
            Some(bytes) => {
                buffer.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            None => self.file.read_append(offset, length, buffer),
        }
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
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
