//! A file whose appends are counted in an operation that is under way.

use crate::file_system::WritableFile;
use crate::file_system_wrapper::WritableFileWrapper;
use crate::thread_status::Operation;
use base::Result;
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

impl WritableFileWrapper for TrackedFile {
    fn target(&self) -> &dyn WritableFile {
        &*self.file
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.file
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.append(bytes)?;
        self.operation.increase_property(self.property, bytes.len() as u64);
        Ok(())
    }
}
