//! Files in memory, for this crate's tests.

use base::{Result, Status};
use env::{SequentialFile, WritableFile};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A file to read, at most `read_max` bytes at once.
#[derive(Debug)]
pub(crate) struct Source {
    bytes: Vec<u8>,
    position: usize,
    read_max: usize,
}

impl Source {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>) -> Box<Self> {
        Self::with_read_max(bytes, usize::MAX)
    }

    pub(crate) fn with_read_max(bytes: impl Into<Vec<u8>>, read_max: usize) -> Box<Self> {
        Box::new(Self { bytes: bytes.into(), position: 0, read_max })
    }
}

impl SequentialFile for Source {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let rest = &self.bytes[self.position..];
        let count = rest.len().min(buffer.len()).min(self.read_max);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count;
        Ok(count)
    }

    fn skip(&mut self, count: u64) -> Result<()> {
        self.position = self.bytes.len().min(self.position + count as usize);
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("000004.log")
    }
}

/// A file to write. Fails to append beyond `size_max` bytes.
#[derive(Clone, Debug)]
pub(crate) struct Sink {
    bytes: Arc<Mutex<Vec<u8>>>,
    size_max: usize,
}

impl Sink {
    pub(crate) fn new() -> Self {
        Self::with_size_max(usize::MAX)
    }

    pub(crate) fn with_size_max(size_max: usize) -> Self {
        Self { bytes: Arc::default(), size_max }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }
}

impl WritableFile for Sink {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        let mut file = self.bytes.lock().unwrap();
        let room = self.size_max - file.len();
        file.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if bytes.len() > room { Err(Status::io_error("file full")) } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        Ok(())
    }

    fn fsync(&mut self) -> Result<()> {
        Ok(())
    }

    fn size(&self) -> u64 {
        self.bytes.lock().unwrap().len() as u64
    }

    fn close(self: Box<Self>) -> Result<()> {
        Ok(())
    }

    fn path(&self) -> &Path {
        Path::new("000004.log")
    }
}
