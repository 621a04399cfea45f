//! A file whose end is in memory while a table is opened.

use base::Result;
use env::RandomAccessFile;
use env::file_system_wrapper::RandomAccessFileWrapper;
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
        let mut end = vec![0; length as usize];
        let found = file.read_at(start, &mut end)?;
        end.truncate(found);
        Ok(Self { file, start, end })
    }

    fn in_memory(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let start = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.end.get(start..start.checked_add(length)?)
    }
}

impl RandomAccessFileWrapper for FileWithEnd {
    fn target(&self) -> &dyn RandomAccessFile {
        &*self.file
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        match self.in_memory(offset, buffer.len()) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(bytes.len())
            }
            None => self.file.read_at(offset, buffer),
        }
    }
}

#[cfg(test)]
mod tests;
