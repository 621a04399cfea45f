//! Checksums of whole files (`file_checksum_gen_factory`).
//!
//! A table builder hands every byte it writes to a generator; the result and the generator's name
//! go into the MANIFEST with the file. They are for people who copy files and want to know that the
//! copy is the file: no read looks at them.

use crate::crc32c;
use std::fmt;
use std::sync::Arc;

/// The name under which the MANIFEST and tools show files that have no checksum.
pub const UNKNOWN_FUNCTION_NAME: &str = "Unknown";

/// Computes the checksum of one file.
pub trait FileChecksumGenerator: fmt::Debug + Send {
    /// Takes the next bytes of the file.
    fn update(&mut self, bytes: &[u8]);

    /// The checksum of all bytes taken: at least one byte, of any values.
    fn finalize(self: Box<Self>) -> Vec<u8>;

    /// The name of the function, which the MANIFEST stores.
    fn name(&self) -> &str;
}

/// What is known of a file whose checksum is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileChecksumGenContext<'a> {
    /// The path of the file.
    pub file_name: &'a str,
    /// The function that the file's checksum was computed with before, to be computed again; empty
    /// where any will do.
    pub requested_function_name: &'a str,
}

/// Makes a generator for each new file. A user brings their own function through it.
pub trait FileChecksumGenFactory: fmt::Debug + Send + Sync {
    /// The name by which OPTIONS files know it.
    fn name(&self) -> &str;

    /// A generator for the file, or none if the requested function is not known.
    fn create(
        &self,
        context: &FileChecksumGenContext<'_>,
    ) -> Option<Box<dyn FileChecksumGenerator>>;
}

/// The built-in factory of this name: `FileChecksumGenCrc32cFactory`.
pub fn builtin(name: &str) -> Option<Arc<dyn FileChecksumGenFactory>> {
    (name == FileChecksumGenCrc32cFactory::NAME)
        .then(|| Arc::new(FileChecksumGenCrc32cFactory) as Arc<dyn FileChecksumGenFactory>)
}

/// CRC-32C. Unlike RocksDB's other uses of it, the result is not masked and is stored with the
/// highest byte first, as other programs print it.
#[derive(Clone, Debug, Default)]
pub struct FileChecksumGenCrc32c(u32);

impl FileChecksumGenCrc32c {
    /// The name of the function.
    pub const NAME: &'static str = "FileChecksumCrc32c";

    /// That of no bytes.
    pub fn new() -> Self {
        Self::default()
    }
}

impl FileChecksumGenerator for FileChecksumGenCrc32c {
    fn update(&mut self, bytes: &[u8]) {
        self.0 = crc32c::extend(self.0, bytes);
    }

    fn finalize(self: Box<Self>) -> Vec<u8> {
        self.0.to_be_bytes().to_vec()
    }

    fn name(&self) -> &str {
        Self::NAME
    }
}

/// Makes [`FileChecksumGenCrc32c`].
#[derive(Clone, Copy, Debug, Default)]
pub struct FileChecksumGenCrc32cFactory;

impl FileChecksumGenCrc32cFactory {
    /// The name of the factory.
    pub const NAME: &'static str = "FileChecksumGenCrc32cFactory";
}

impl FileChecksumGenFactory for FileChecksumGenCrc32cFactory {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn create(
        &self,
        context: &FileChecksumGenContext<'_>,
    ) -> Option<Box<dyn FileChecksumGenerator>> {
        match context.requested_function_name {
            "" | FileChecksumGenCrc32c::NAME => Some(Box::new(FileChecksumGenCrc32c::new())),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
