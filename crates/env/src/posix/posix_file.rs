//! An open descriptor with its name: positioned reads and writes that carry on until done.

use super::append_read::append_read;
use super::sync_file_range::sync_file_range;
use crate::device_limits::{effective_readahead, limits_of_device};
use base::{Result, Status};
use perf_context::{IoMetric, Timer, count_io};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The kernel's file offsets are signed.
const OFFSET_MAX: u64 = i64::MAX as u64;

#[derive(Clone, Debug)]
pub(super) struct PosixFile {
    file: Arc<File>,
    path: PathBuf,
    /// Known once somebody reads ahead.
    readahead_max: OnceLock<u64>,
}

impl PosixFile {
    pub(super) fn new(file: File, path: &Path) -> Self {
        Self { file: Arc::new(file), path: path.to_path_buf(), readahead_max: OnceLock::new() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// The descriptor, for threads that work for its owner.
    pub(super) fn shared(&self) -> &Arc<File> {
        &self.file
    }

    #[cold]
    pub(super) fn failed(&self, error: &io::Error, doing: &str) -> Status {
        Status::from_io(error, doing, &self.path)
    }

    pub(super) fn size(&self) -> Result<u64> {
        match self.file.metadata() {
            Ok(metadata) => Ok(metadata.len()),
            Err(error) => Err(self.failed(&error, "get size of")),
        }
    }

    /// What the devices below take in one request.
    pub(super) fn readahead_max(&self) -> u64 {
        *self.readahead_max.get_or_init(|| {
            let limits = self.file.metadata().map(|file| limits_of_device(file.dev(), &self.path));
            effective_readahead(u64::MAX, &[limits.unwrap_or_default()])
        })
    }

    /// One `pread`, repeated only if a signal interrupted it. Offsets that no file can have read
    /// as the end of the file.
    #[inline]
    pub(super) fn read_once(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.read_up_to(offset, buffer.len(), |length| {
            self.file.read_at(&mut buffer[..length], offset)
        })
    }

    /// Calls `read` for at most `length` bytes, as [`Self::read_once`] says.
    #[inline]
    fn read_up_to(
        &self,
        offset: u64,
        length: usize,
        mut read: impl FnMut(usize) -> io::Result<usize>,
    ) -> Result<usize> {
        if offset >= OFFSET_MAX {
            return Ok(0);
        }
        let room = usize::try_from(OFFSET_MAX - offset).unwrap_or(usize::MAX);
        let length = length.min(room);
        let _timers = (Timer::start(IoMetric::ReadNanos), Timer::start(IoMetric::CpuReadNanos));
        loop {
            match read(length) {
                Ok(count) => {
                    count_io(IoMetric::BytesRead, count as u64);
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let doing = format!("read {length} bytes at offset {offset} of");
                    return Err(self.failed(&error, &doing));
                }
            }
        }
    }

    /// Reads until `buffer` is full or the file ends.
    #[inline]
    pub(super) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let count =
                self.read_once(offset.saturating_add(filled as u64), &mut buffer[filled..])?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        Ok(filled)
    }

    /// As [`Self::read_at`], behind what `buffer` holds.
    #[inline]
    pub(super) fn read_append(
        &self,
        offset: u64,
        length: usize,
        buffer: &mut Vec<u8>,
    ) -> Result<usize> {
        let start = buffer.len();
        while buffer.len() - start < length {
            let found = buffer.len() - start;
            let at = offset.saturating_add(found as u64);
            let read = self.read_up_to(at, length - found, |length| {
                append_read(&self.file, at, length, buffer)
            });
            match read {
                Ok(0) => break,
                Ok(_) => {}
                Err(status) => {
                    buffer.truncate(start);
                    return Err(status);
                }
            }
        }
        Ok(buffer.len() - start)
    }

    /// Writes all of `bytes`, or says how many were written before the error.
    pub(super) fn write_at(&self, offset: u64, bytes: &[u8]) -> (usize, Result<()>) {
        let _timers = (Timer::start(IoMetric::WriteNanos), Timer::start(IoMetric::CpuWriteNanos));
        let mut written = 0;
        while written < bytes.len() {
            match self.file.write_at(&bytes[written..], offset + written as u64) {
                Ok(0) => {
                    let error = io::Error::from(ErrorKind::WriteZero);
                    return (written, Err(self.failed(&error, "write to")));
                }
                Ok(count) => {
                    count_io(IoMetric::BytesWritten, count as u64);
                    written += count;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let rest = bytes.len() - written;
                    let at = offset + written as u64;
                    let doing = format!("write {rest} bytes at offset {at} of");
                    return (written, Err(self.failed(&error, &doing)));
                }
            }
        }
        (written, Ok(()))
    }

    pub(super) fn set_size(&self, size: u64) -> Result<()> {
        self.file.set_len(size).map_err(|error| self.failed(&error, "truncate"))
    }

    pub(super) fn sync_data(&self) -> Result<()> {
        let _timer = Timer::start(IoMetric::FsyncNanos);
        self.file.sync_data().map_err(|error| self.failed(&error, "fdatasync"))
    }

    pub(super) fn sync_all(&self) -> Result<()> {
        let _timer = Timer::start(IoMetric::FsyncNanos);
        self.file.sync_all().map_err(|error| self.failed(&error, "fsync"))
    }

    /// As [`sync_file_range`]. A file system without it does nothing, or, if `strict`, syncs.
    pub(super) fn range_sync(&self, offset: u64, nbytes: u64, strict: bool) -> Result<()> {
        let _timer = Timer::start(IoMetric::RangeSyncNanos);
        match sync_file_range(&self.file, offset, nbytes, strict) {
            Ok(()) => Ok(()),
            Err(error) if !is_unsupported(&error) => {
                let doing = format!("sync {nbytes} bytes at offset {offset} of");
                Err(self.failed(&error, &doing))
            }
            Err(_) if strict => self.sync_data(),
            Err(_) => Ok(()),
        }
    }

    /// Reserves room on the device; the size stays. A file system that cannot does nothing.
    pub(super) fn allocate(&self, offset: u64, nbytes: u64) -> Result<()> {
        if nbytes == 0 {
            return Ok(());
        }
        let _timer = Timer::start(IoMetric::AllocateNanos);
        let allocated = rustix::io::retry_on_intr(|| {
            rustix::fs::fallocate(&self.file, FallocateFlags::KEEP_SIZE, offset, nbytes)
        });
        match allocated.map_err(io::Error::from) {
            Err(error) if !is_unsupported(&error) => {
                let doing = format!("reserve {nbytes} bytes at offset {offset} of");
                Err(self.failed(&error, &doing))
            }
            _ => Ok(()),
        }
    }

    /// Gives back what is reserved between the end of the file and `end`. Errors have no
    /// consequence but the room, and are not reported.
    pub(super) fn give_back(&self, end: u64) {
        let Ok(size) = self.size() else { return };
        if size >= end {
            return;
        }
        // Some file systems let go when the size is set, though it does not change; others (tmpfs)
        // only when told to make a hole.
        let _ = self.file.set_len(size);
        let flags = FallocateFlags::KEEP_SIZE | FallocateFlags::PUNCH_HOLE;
        let _ = rustix::fs::fallocate(&self.file, flags, size, end - size);
    }
}

/// Whether the file system, or the device, does not know the call.
fn is_unsupported(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::NOSYS, Errno::OPNOTSUPP, Errno::SPIPE, Errno::NODEV]
        .iter()
        .any(|unsupported| code == Some(unsupported.raw_os_error()))
}
