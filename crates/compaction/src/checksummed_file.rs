//! A written file whose bytes a checksum generator sees (`file_checksum_gen_factory`).

use base::{FileChecksumGenerator, Result};
use env::WritableFile;
use env::file_system_wrapper::WritableFileWrapper;
use parking_lot::Mutex;
use std::sync::Arc;

/// The checksum of a file that is being written. None by default.
#[derive(Debug, Default)]
pub(crate) struct RunningChecksum(Shared);

type Shared = Arc<Mutex<Option<Box<dyn FileChecksumGenerator>>>>;

impl RunningChecksum {
    /// Name of the function and checksum of all that was appended; once.
    pub(crate) fn take(self) -> Option<(String, Vec<u8>)> {
        let generator = self.0.lock().take()?;
        let name = generator.name().to_owned();
        Some((name, generator.finalize()))
    }
}

/// `file`, and the checksum of what is appended to it.
pub(crate) fn checksummed(
    file: Box<dyn WritableFile>,
    generator: Box<dyn FileChecksumGenerator>,
) -> (Box<dyn WritableFile>, RunningChecksum) {
    let generator = Arc::new(Mutex::new(Some(generator)));
    let checksum = RunningChecksum(generator.clone());
    (Box::new(ChecksummedFile { file, generator }), checksum)
}

#[derive(Debug)]
struct ChecksummedFile {
    file: Box<dyn WritableFile>,
    generator: Shared,
}

impl WritableFileWrapper for ChecksummedFile {
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
        if let Some(generator) = &mut *self.generator.lock() {
            generator.update(bytes);
        }
        self.file.append(bytes)
    }
}
