//! The content of one file in memory, and the ways to read and write it.

use super::Outcome;
use super::space::Space;
use crate::clock::SystemClock;
use crate::file_system::{FileOptions, RandomAccessFile, SequentialFile, WritableFile};
use base::{Result, Status};
use parking_lot::RwLock;
use rustix::io::Errno;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) struct MemFile {
    clock: Arc<dyn SystemClock>,
    space: Arc<Space>,
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
    pub(super) fn new(clock: Arc<dyn SystemClock>, space: Arc<Space>) -> Self {
        let modified_seconds = AtomicU64::new(clock.now_seconds());
        Self { clock, space, content: RwLock::default(), modified_seconds }
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

    /// Cuts the file, or extends it with zeros. Without the space for those nothing happens.
    pub(super) fn set_size(&self, size: usize) -> Outcome<()> {
        let mut content = self.content.write();
        let more = size.saturating_sub(content.len()) as u64;
        let granted = self.space.take(more);
        if granted < more {
            self.space.give_back(granted);
            return Err(Errno::NOSPC);
        }
        self.space.give_back(content.len().saturating_sub(size) as u64);
        content.resize(size, 0);
        content.shrink_to_fit();
        drop(content);
        self.touch();
        Ok(())
    }

    /// Writes at `offset`; a gap before it is filled with zeros, as in a file that was cut under
    /// its writer. Without the space for all, what there is space for is written and counted.
    fn write_at(&self, offset: usize, bytes: &[u8]) -> (usize, Outcome<()>) {
        let mut content = self.content.write();
        let wanted = (offset + bytes.len()).saturating_sub(content.len()) as u64;
        let granted = self.space.take(wanted);
        let missing = (wanted - granted) as usize;
        let count = bytes.len().saturating_sub(missing);
        let end = if missing > 0 { content.len() + granted as usize } else { offset + bytes.len() };
        if content.len() == offset {
            content.extend_from_slice(&bytes[..count]);
        } else {
            let size = content.len().max(end);
            content.resize(size, 0);
            if count > 0 {
                content[offset..offset + count].copy_from_slice(&bytes[..count]);
            }
        }
        drop(content);
        self.touch();
        (count, if missing > 0 { Err(Errno::NOSPC) } else { Ok(()) })
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

impl Drop for MemFile {
    fn drop(&mut self) {
        self.space.give_back(self.content.get_mut().len() as u64);
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
    buffer_size_max: usize,
    /// Where the file ends that is appended to as if it were mapped.
    mapped_end: Option<usize>,
    /// The first failure; bytes are missing, and nothing may follow them.
    failure: Option<Status>,
}

/// A file that is appended to as if it were mapped grows by so many bytes.
const WINDOW_BYTES: usize = 64 << 10;

impl MemWritableFile {
    /// Writes from `offset` on.
    pub(super) fn new(
        file: Arc<MemFile>,
        path: &Path,
        offset: usize,
        options: &FileOptions,
    ) -> Self {
        let (buffer, failure) = (Vec::new(), None);
        let buffer_size_max = options.writable_file_max_buffer_size;
        let path = path.to_path_buf();
        let mut file = Self {
            file,
            path,
            written: offset,
            buffer,
            buffer_size_max,
            mapped_end: None,
            failure,
        };
        if options.use_mapped_writes && offset == 0 {
            file.make_window(WINDOW_BYTES);
        }
        file
    }

    /// Extends the file to `end`, and goes on as one that is written to if there is no space.
    fn make_window(&mut self, end: usize) {
        let end = end.max(self.file.size() as usize);
        self.mapped_end = self.file.set_size(end).is_ok().then_some(end);
    }

    /// Whether `bytes` were stored as a mapped file does.
    fn store(&mut self, bytes: &[u8]) -> Result<bool> {
        let Some(mapped_end) = self.mapped_end else { return Ok(false) };
        let end = self.written + bytes.len();
        if end > mapped_end {
            self.make_window(end.next_multiple_of(WINDOW_BYTES));
            if self.mapped_end.is_none() {
                self.set_size(self.written)?;
                return Ok(false);
            }
        }
        let (count, outcome) = self.file.write_at(self.written, bytes);
        self.written += count;
        outcome.map_err(|error| Status::from_io(&error.into(), "store in", &self.path))?;
        Ok(true)
    }

    fn set_size(&self, size: usize) -> Result<()> {
        let cut = self.file.set_size(size);
        cut.map_err(|error| Status::from_io(&error.into(), "truncate", &self.path))
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(status) => Err(status.clone().context("an earlier operation on it failed")),
        }
    }

    fn flush_buffer(&mut self) -> Result<()> {
        self.check()?;
        if self.buffer.is_empty() {
            return Ok(());
        }
        let (count, outcome) = self.file.write_at(self.written, &self.buffer);
        let (wanted, offset) = (self.buffer.len(), self.written);
        self.written += count;
        self.buffer.drain(..count);
        outcome.map_err(|error| {
            let doing = format!("write {wanted} bytes at offset {offset} of");
            let status = Status::from_io(&error.into(), &doing, &self.path);
            self.failure = Some(status.clone());
            status
        })
    }
}

impl WritableFile for MemWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.store(bytes)? {
            return Ok(());
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > self.buffer_size_max { self.flush_buffer() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        self.flush_buffer()
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()
    }

    fn fsync(&mut self) -> Result<()> {
        self.flush()
    }

    fn sync_takes_time(&self) -> bool {
        false
    }

    fn size(&self) -> u64 {
        (self.written + self.buffer.len()) as u64
    }

    fn mapped_size(&self) -> Option<u64> {
        self.mapped_end.map(|end| end as u64)
    }

    fn cut(&mut self) -> Result<()> {
        self.flush()?;
        match self.mapped_end.take() {
            Some(_) => self.set_size(self.written),
            None => Ok(()),
        }
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.cut()
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for MemWritableFile {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; `close` is the way to learn of it.
        let _ = self.cut();
    }
}
