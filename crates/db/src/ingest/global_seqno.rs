//! Writing the sequence number of all keys into the file (`write_global_seqno`), for releases of RocksDB
//! that do not take it from the MANIFEST.
//!
//! The file is written anew beside itself and takes its place by a rename. So a power loss leaves one of
//! both, and a file that was linked in stays as it was under its other name.

use super::preparation::{copy_file, file_checksum_of};
use super::{IngestedFile, Ingestion};
use crate::db_impl::DbImpl;
use base::filename::temp_file_name;
use base::{Result, SequenceNumber, Status};
use std::ops::Range;

/// Bytes that stand at a place of the file from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    offset: u64,
    bytes: [u8; size_of::<SequenceNumber>()],
}

impl Patch {
    /// Applies what concerns `chunk`, which begins at `offset` of the file.
    pub(super) fn apply(&self, offset: u64, chunk: &mut [u8]) {
        let within = |position: u64| -> usize {
            usize::try_from(position.saturating_sub(offset))
                .map_or(chunk.len(), |p| p.min(chunk.len()))
        };
        let end = self.offset + self.bytes.len() as u64;
        let target: Range<usize> = within(self.offset)..within(end);
        let skipped = (offset + target.start as u64).saturating_sub(self.offset) as usize;
        if let Some(source) = self.bytes.get(skipped..skipped + target.len()) {
            chunk[target].copy_from_slice(source);
        }
    }
}

impl DbImpl {
    /// Writes into each file what number its keys got, if that is wanted.
    ///
    /// # Errors
    /// `InvalidArgument` if a file has no place for it; `IoError`.
    pub(super) fn write_sequences(&self, ingestion: &mut Ingestion) -> Result<()> {
        if !ingestion.options.write_global_seqno {
            return Ok(());
        }
        for file in ingestion.files.iter_mut().filter(|file| file.sequence > 0) {
            self.write_sequence(file)?;
        }
        Ok(())
    }

    fn write_sequence(&self, file: &mut IngestedFile) -> Result<()> {
        let Some(offset) = file.external.global_seqno_offset else {
            return Err(Status::invalid_argument(
                "Trying to set global seqno for a file that don't have a global seqno field",
            ));
        };
        let patch = Patch { offset, bytes: file.sequence.to_le_bytes() };
        let fs = &*self.context.file_system;
        let directory = env::parent_directory(&file.path);
        let temporary = temp_file_name(&directory, file.number);
        let replaced = copy_file(fs, &file.path, &temporary, self.options().use_fsync, Some(patch))
            .and_then(|()| fs.rename_file(&temporary, &file.path));
        if let Err(status) = replaced {
            // The first error is the one to report; the next open removes what is left.
            let _ = fs.delete_file(&temporary);
            return Err(status);
        }
        fs.new_directory(&directory)?.fsync()?;
        if let Some(factory) = self.file_checksum_gen_factory() {
            file.checksum = file_checksum_of(fs, &*factory, file)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
