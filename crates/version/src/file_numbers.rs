//! The counter that all files of a database share: tables, logs, blob files, MANIFESTs, OPTIONS.

use crate::decoder::FILE_NUMBER_MAX;
use base::Result;
use base::filename::parse_file_name;
use env::FileSystem;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives out file numbers, each once. Shared by everybody who creates files; needs no lock.
#[derive(Debug)]
pub struct FileNumbers {
    /// Only its own value matters, so that every access may be relaxed: who learns of a file
    /// learns of it by something that synchronizes.
    next: AtomicU64,
}

impl FileNumbers {
    /// Starts at `next`.
    pub fn new(next: u64) -> Self {
        Self { next: AtomicU64::new(next) }
    }

    /// A number that nothing else has.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The number that would be given out next: larger than all that were.
    pub fn peek(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Never gives out `number`, nor any below it. A number beyond those that a MANIFEST can hold
    /// is passed over: it is never reached.
    pub fn mark_used(&self, number: u64) {
        if number < FILE_NUMBER_MAX {
            self.next.fetch_max(number + 1, Ordering::Relaxed);
        }
    }

    /// Marks the numbers of all files found in a directory, whatever they are: an earlier process
    /// may have died before the MANIFEST knew of them.
    ///
    /// # Errors
    /// `IoError` if the directory cannot be listed.
    pub fn mark_directory_used(&self, fs: &dyn FileSystem, directory: &Path) -> Result<()> {
        for name in fs.get_children(directory)? {
            // Info logs have times where others have numbers.
            if let Some((number, _)) = parse_file_name(&name).filter(|_| !name.starts_with("LOG")) {
                self.mark_used(number);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
