//! Reads that must find everything they ask for.

use crate::file_system::RandomAccessFile;
use base::{Result, Status};

/// Reads exactly `length` bytes at `offset`.
///
/// A file that ends earlier is `Corruption`, naming file, offset, expected and found length. The
/// size of the file is asked before much memory is taken, so that a length out of a damaged file
/// costs nothing.
pub fn read_exact_at(file: &dyn RandomAccessFile, offset: u64, length: usize) -> Result<Vec<u8>> {
    /// Lengths up to this are believed without a look at the file's size.
    const UNCHECKED_LENGTH_MAX: usize = 1 << 20;
    if length > UNCHECKED_LENGTH_MAX {
        let available = file.size()?.saturating_sub(offset);
        if available < length as u64 {
            return Err(file_too_short(file, offset, length, available));
        }
    }
    let mut bytes = Vec::with_capacity(length);
    let found = file.read_append(offset, length, &mut bytes)?;
    if found < length {
        return Err(file_too_short(file, offset, length, found as u64));
    }
    Ok(bytes)
}

/// Fills `buffer` from `offset` on. A file that ends earlier is `Corruption`, naming file, offset,
/// expected and found length.
#[inline]
pub fn read_exact_into(file: &dyn RandomAccessFile, offset: u64, buffer: &mut [u8]) -> Result<()> {
    let found = file.read_at(offset, buffer)?;
    if found < buffer.len() {
        return Err(file_too_short(file, offset, buffer.len(), found as u64));
    }
    Ok(())
}

#[cold]
fn file_too_short(file: &dyn RandomAccessFile, offset: u64, length: usize, found: u64) -> Status {
    Status::corruption_at(
        file.path(),
        offset,
        format!("expected {length} bytes, found {found}: the file is too short"),
    )
}

#[cfg(test)]
mod tests;
