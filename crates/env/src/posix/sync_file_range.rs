//! The one system call that no safe library has: `sync_file_range`.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Has the kernel start to write the dirty pages of a range. With `wait`, it first waits for all
/// earlier writes of pages up to the end of the range.
///
/// # Errors
///
/// Those of the system call; offsets that no file can have are `EINVAL`.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "a call into libc")]
pub(super) fn sync_file_range(file: &File, offset: u64, nbytes: u64, wait: bool) -> io::Result<()> {
    let invalid = |_| io::Error::from(rustix::io::Errno::INVAL);
    let end = i64::try_from(offset.saturating_add(nbytes)).map_err(invalid)?;
    let start = i64::try_from(offset).map_err(invalid)?;
    let (start, flags) = if wait {
        (0, libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE)
    } else {
        (start, libc::SYNC_FILE_RANGE_WRITE)
    };
    // SAFETY: the call takes no pointers, and the descriptor is open: `file` is borrowed meanwhile.
    let result = unsafe { libc::sync_file_range(file.as_raw_fd(), start, end - start, flags) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
pub(super) fn sync_file_range(_: &File, _: u64, _: u64, _: bool) -> io::Result<()> {
    Err(rustix::io::Errno::NOSYS.into())
}
