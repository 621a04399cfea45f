//! Reads into memory that is not cleared first.
//!
//! Each block that is read goes to memory of its own, or to that of earlier ones, and all of it is
//! written to. No safe interface reads into a part of a vector's spare capacity.

use rustix::io::pread;
use std::fs::File;
use std::io;

/// One `pread` of at most `length` bytes, put behind what `buffer` holds.
///
/// # Errors
///
/// Those of the system call; the buffer is then as before.
#[expect(unsafe_code, reason = "memory that only the system call writes to")]
pub(super) fn append_read(
    file: &File,
    offset: u64,
    length: usize,
    buffer: &mut Vec<u8>,
) -> io::Result<usize> {
    buffer.reserve(length);
    let (read, _) = pread(file, &mut buffer.spare_capacity_mut()[..length], offset)?;
    let count = read.len();
    // SAFETY: `pread` gave so many bytes as initialized, from the start of the spare capacity on.
    unsafe { buffer.set_len(buffer.len() + count) };
    Ok(count)
}

#[cfg(test)]
mod tests;
