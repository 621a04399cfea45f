//! Appends through a buffer and the page cache.

use super::posix_file::PosixFile;
use crate::file_system::WritableFile;
use base::{Result, Status};
use std::path::Path;

/// Appends gather up to this many bytes before a system call.
const BUFFER_SIZE_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct PosixWritableFile {
    file: PosixFile,
    /// Bytes that the kernel has.
    written: u64,
    /// Bytes after those.
    buffer: Vec<u8>,
    /// The first failure. Nothing may follow it: bytes are missing, or may be missing on the disk.
    failure: Option<Status>,
}

impl PosixWritableFile {
    /// Appends at `size`.
    pub(super) fn new(file: PosixFile, size: u64) -> Self {
        Self { file, written: size, buffer: Vec::new(), failure: None }
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(status) => Err(status.clone().context("an earlier operation on it failed")),
        }
    }

    fn remember(&mut self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            self.failure = Some(status.clone());
        }
        result
    }

    fn flush_buffer(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let (count, result) = self.file.write_at(self.written, &self.buffer);
        self.written += count as u64;
        // Keeps its capacity when everything was written.
        self.buffer.drain(..count);
        self.remember(result)
    }
}

impl WritableFile for PosixWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.check()?;
        if self.buffer.len() + bytes.len() > BUFFER_SIZE_BYTES {
            self.flush_buffer()?;
        }
        if bytes.len() >= BUFFER_SIZE_BYTES {
            let (count, result) = self.file.write_at(self.written, bytes);
            self.written += count as u64;
            return self.remember(result);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.check()?;
        self.flush_buffer()
    }

    fn sync(&mut self) -> Result<()> {
        self.flush()?;
        let result = self.file.sync_data();
        self.remember(result)
    }

    fn fsync(&mut self) -> Result<()> {
        self.flush()?;
        let result = self.file.sync_all();
        self.remember(result)
    }

    fn size(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.flush()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Drop for PosixWritableFile {
    fn drop(&mut self) {
        if self.failure.is_none() {
            // Nobody is left to hear of an error; `close` is the way to learn of it.
            let _ = self.flush_buffer();
        }
    }
}
