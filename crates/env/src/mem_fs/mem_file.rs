//! The content of one file in memory, and the ways to read and append it.

use crate::clock::SystemClock;
use crate::file_system::{RandomAccessFile, SequentialFile, WritableFile};
use base::Result;
use parking_lot::RwLock;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Appends gather up to this many bytes before readers see them.
const BUFFER_SIZE_BYTES: usize = 64 << 10;

pub(super) struct MemFile {
    clock: Arc<dyn SystemClock>,
    content: RwLock<Vec<u8>>,
    modified_seconds: AtomicU64,
}

/// Without the content.
impl fmt::Debug for MemFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemFile").field("size", &self.size()).finish_non_exhaustive()
    }
}

impl MemFile {
    pub(super) fn new(clock: Arc<dyn SystemClock>) -> Self {
        let modified_seconds = AtomicU64::new(clock.now_seconds());
        Self { clock, content: RwLock::default(), modified_seconds }
    }

    pub(super) fn size(&self) -> u64 {
        self.content.read().len() as u64
    }

    pub(super) fn modified_seconds(&self) -> u64 {
        self.modified_seconds.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        self.modified_seconds.store(self.clock.now_seconds(), Ordering::Relaxed);
    }

    pub(super) fn set_size(&self, size: usize) {
        let mut content = self.content.write();
        content.resize(size, 0);
        content.shrink_to_fit();
        drop(content);
        self.touch();
    }

    /// Writes at `offset`; a gap before it is filled with zeros, as in a file that was cut under
    /// its writer.
    fn write_at(&self, offset: usize, bytes: &[u8]) {
        let mut content = self.content.write();
        let end = offset + bytes.len();
        if content.len() == offset {
            content.extend_from_slice(bytes);
        } else {
            let size = content.len().max(end);
            content.resize(size, 0);
            content[offset..end].copy_from_slice(bytes);
        }
        drop(content);
        self.touch();
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> usize {
        let content = self.content.read();
        let Some(rest) = usize::try_from(offset).ok().and_then(|offset| content.get(offset..))
        else {
            return 0;
        };
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        count
    }
}

#[derive(Debug)]
pub(super) struct MemSequentialFile {
    file: Arc<MemFile>,
    path: PathBuf,
    offset: u64,
}

impl MemSequentialFile {
    pub(super) fn new(file: Arc<MemFile>, path: &Path) -> Self {
        Self { file, path: path.to_path_buf(), offset: 0 }
    }
}

impl SequentialFile for MemSequentialFile {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.file.read_at(self.offset, buffer);
        self.offset += count as u64;
        Ok(count)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        self.offset = self.offset.saturating_add(count);
        Ok(())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Debug)]
pub(super) struct MemRandomAccessFile {
    file: Arc<MemFile>,
    path: PathBuf,
}

impl MemRandomAccessFile {
    pub(super) fn new(file: Arc<MemFile>, path: &Path) -> Self {
        Self { file, path: path.to_path_buf() }
    }
}

impl RandomAccessFile for MemRandomAccessFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        Ok(self.file.read_at(offset, buffer))
    }

    fn size(&self) -> Result<u64> {
        Ok(self.file.size())
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

#[derive(Debug)]
pub(super) struct MemWritableFile {
    file: Arc<MemFile>,
    path: PathBuf,
    written: usize,
    buffer: Vec<u8>,
}

impl MemWritableFile {
    pub(super) fn new(file: Arc<MemFile>, path: &Path) -> Self {
        let written = file.content.read().len();
        Self { file, path: path.to_path_buf(), written, buffer: Vec::new() }
    }

    fn flush_buffer(&mut self) {
        if !self.buffer.is_empty() {
            self.file.write_at(self.written, &self.buffer);
            self.written += self.buffer.len();
            self.buffer.clear();
        }
    }
}

impl WritableFile for MemWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_SIZE_BYTES {
            self.flush_buffer();
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.flush_buffer();
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()
    }

    fn fsync(&mut self) -> Result<()> {
        self.flush()
    }

    fn size(&self) -> u64 {
        (self.written + self.buffer.len()) as u64
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.flush()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MemWritableFile {
    fn drop(&mut self) {
        self.flush_buffer();
    }
}
