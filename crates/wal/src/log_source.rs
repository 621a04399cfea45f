//! Where a log reader gets its bytes from.

use base::Result;
use env::{RandomAccessFile, SequentialFile};
use std::path::Path;
use std::sync::Arc;

/// A file that a log is in.
#[derive(Debug)]
pub(crate) enum LogSource {
    /// Read once from start to end.
    Whole(Box<dyn SequentialFile>),
    /// Somebody else is appending to it. Bytes at its end may be read again.
    Growing(Arc<dyn RandomAccessFile>),
}

impl LogSource {
    /// The bytes at `offset`, which for a whole file must be where the last read ended. None at the
    /// end of what there is.
    pub(crate) fn read(&mut self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        match self {
            Self::Whole(file) => file.read(buffer),
            Self::Growing(file) => file.read_at(offset, buffer),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Whole(file) => file.path(),
            Self::Growing(file) => file.path(),
        }
    }
}
