//! A stretch of a file in memory: what is stored there the operating system has at once, as if it had
//! been written, without a call.
//!
//! The only unsafe code is here. Its argument, to which the notes below refer:
//!
//! 1. *Bounds.* A window holds `length` bytes from `start`; [`Window::put`] and [`Window::publish`]
//!    check what they are given against that before they store.
//! 2. *No references.* Others may change the file, and readers of it are other processes, so that no
//!    reference into the mapping is ever made: bytes go in through raw pointers, and none is read.
//! 3. *Pages are there.* All of the window was allocated on the device, is inside the file, and was
//!    written to once by the kernel (`MADV_POPULATE_WRITE`) before anybody got the window, so that a
//!    full disk is an error of that call. A store can fault fatally (`SIGBUS`) only if another program
//!    cuts the file, against the database's lock, or if the file system itself shut down after an
//!    error of the device, which ends a program no worse than a power loss would.

use base::counted_bytes::CountedBytes;
use memmap2::{Advice, MmapOptions, MmapRaw};
use rustix::fs::FallocateFlags;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicUsize, Ordering, compiler_fence, fence};

/// Type of the file systems for which point 3 was established (`EXT4_SUPER_MAGIC`). Others overwrite
/// elsewhere, share extents between files, or allocate late.
const EXT4_MAGIC: u64 = 0xef53;

/// Bytes that [`Window::publish`] stores at once.
pub(super) const HEAD_SIZE: usize = 8;

const PAGE_SIZE: u64 = 4096;

/// Zeros to write at once, at most.
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// Gives the pages of `range` zeros, so that no fault has to read them. Linux allocates those together
/// that are written together, which takes less time, and makes all of them dirty if one is stored to.
fn write_zeros(file: &File, range: &Range<u64>, piece_size: usize) -> io::Result<()> {
    let mut start = range.start;
    while start < range.end {
        let left = usize::try_from(range.end - start).unwrap_or(usize::MAX);
        let piece = &ZEROS[..piece_size.min(left).min(ZEROS.len())];
        file.write_all_at(piece, start)?;
        start += piece.len() as u64;
    }
    Ok(())
}

/// Bytes of all windows that there are.
static MAPPED_BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes of files that are mapped to be written, in the whole process. They are in memory.
pub fn mapped_file_bytes() -> usize {
    MAPPED_BYTES.load(Ordering::Relaxed)
}

/// A window on a file that is written through it.
#[derive(Debug)]
pub(super) struct Window {
    map: MmapRaw,
    /// Offset in the file.
    start: u64,
    _counted: CountedBytes,
}

impl Window {
    /// Extends `file` by zeros to `range.end` where it is shorter, in pieces of `piece_size`, reserves
    /// room for all of `range`, and faults it in. Offsets and that must be multiples of the page size.
    ///
    /// # Errors
    /// `StorageFull` without room; `Unsupported` where the file system, the kernel or the processor
    /// is not one for which this is known to be safe; what the system calls gave.
    pub(super) fn prepare(file: &File, range: &Range<u64>, piece_size: usize) -> io::Result<Self> {
        let is_known = rustix::fs::fstatfs(file)?.f_type as u64 == EXT4_MAGIC;
        // A store of eight bytes is one instruction, aligned or not.
        let has_single_stores = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));
        if !is_known || !has_single_stores {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let length = range.end - range.start;
        let size = file.metadata()?.len();
        rustix::io::retry_on_intr(|| {
            rustix::fs::fallocate(file, FallocateFlags::empty(), range.start, length)
        })?;
        let length = usize::try_from(length).map_err(|_| io::ErrorKind::InvalidInput)?;
        // What a file that is reused held stays.
        let added = range.start.max(size.next_multiple_of(PAGE_SIZE))..range.end;
        write_zeros(file, &added, piece_size)?;
        let map = MmapOptions::new().offset(range.start).len(length).map_raw(file)?;
        map.advise(Advice::PopulateWrite)?;
        let _counted = CountedBytes::of(&MAPPED_BYTES, length);
        Ok(Self { map, start: range.start, _counted })
    }

    /// Where it ends in the file.
    pub(super) fn end(&self) -> u64 {
        self.start + self.map.len() as u64
    }

    /// Whether it reaches from `offset` of the file on over as many bytes.
    #[inline]
    pub(super) fn has_room_for(&self, offset: u64, count: usize) -> bool {
        offset >= self.start && offset - self.start + count as u64 <= self.map.len() as u64
    }

    /// The place of file offset `offset` and how many bytes are left from there.
    #[inline]
    fn place(&self, offset: u64) -> (usize, usize) {
        let at = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        (at, self.map.len().saturating_sub(at))
    }

    /// Stores as many of `bytes` at the file's `offset`, which must not be before the window, as it
    /// has room for; how many that were.
    #[inline]
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) -> usize {
        let (at, room) = self.place(offset);
        let count = bytes.len().min(room);
        if count > 0 {
            // SAFETY: `at + count` is within the mapping (1), which no slice can overlap, since
            // nothing hands out references to it (2); its pages are there (3).
            unsafe {
                let target = self.map.as_mut_ptr().add(at);
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), target, count);
            }
        }
        count
    }

    /// As [`Window::put`] for at most [`HEAD_SIZE`] bytes, after all stores before it in the program
    /// and so that a process killed meanwhile leaves either none of a head of eight bytes or all of
    /// it; of four to seven none, the first four, or all.
    #[inline]
    pub(super) fn publish(&mut self, offset: u64, head: &[u8]) -> usize {
        let (at, room) = self.place(offset);
        let head = &head[..head.len().min(room).min(HEAD_SIZE)];
        // The kernel ends a process between two instructions: it is their order that counts. One that
        // follows the file sees them in that order, too.
        fence(Ordering::Release);
        if let Ok(eight) = <[u8; 8]>::try_from(head) {
            // SAFETY: as in `put`; the pointer needs no alignment.
            unsafe {
                let target = self.map.as_mut_ptr().add(at).cast::<u64>();
                target.write_unaligned(u64::from_ne_bytes(eight));
            }
        } else if let (Some(first), Some(last)) = (head.first_chunk::<4>(), head.last_chunk::<4>())
        {
            for (from, four) in [(at, first), (at + head.len() - 4, last)] {
                // SAFETY: as in `put`: both are within `head`, which fits; no alignment is needed.
                unsafe {
                    let target = self.map.as_mut_ptr().add(from).cast::<u32>();
                    target.write_unaligned(u32::from_ne_bytes(*four));
                }
                compiler_fence(Ordering::SeqCst);
            }
        } else {
            self.put(offset, head);
        }
        compiler_fence(Ordering::SeqCst);
        head.len()
    }
}
