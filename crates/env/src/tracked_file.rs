//! A file whose appends are counted in an operation that is under way.

use crate::file_system::WritableFile;
use crate::thread_status::Operation;
use base::Result;
use std::path::Path;
use std::sync::Arc;

/// Passes everything on to another file, and counts appended bytes.
#[derive(Debug)]
pub struct TrackedFile {
    file: Box<dyn WritableFile>,
    operation: Arc<Operation>,
    property: usize,
}

impl TrackedFile {
    /// What is appended to `file` is added to this property of the operation.
    pub fn new(file: Box<dyn WritableFile>, operation: Arc<Operation>, property: usize) -> Self {
        Self { file, operation, property }
    }
}

impl WritableFile for TrackedFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes)?;
        self.operation.increase_property(self.property, bytes.len() as u64);
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
