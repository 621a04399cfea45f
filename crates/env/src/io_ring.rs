//! Reads through `io_uring`: handed to the kernel together, so that a disk works on all of them at
//! once.
//!
//! Containers often forbid it. The first failure to set a ring up is remembered, and nobody tries
//! again. Each thread has a ring of its own, made when it first needs one.
//!
//! What comes of a read is asked in three places: a ring is made, reads are handed over and waited for,
//! and word of one comes. There tests have things go wrong (`faults`).

#[cfg(test)]
pub(crate) mod faults;

use crate::aligned_buffer::{AlignedBuffer, align_down, align_up};
use crate::batch_read::{BatchRead, QueuedFile};
use io_uring::{IoUring, Probe, cqueue, opcode, types};
use perf_context::{IoMetric, Timer, count_io};
use rustix::io::{ReadWriteFlags, preadv2};
use std::cell::RefCell;
use std::io::{self, ErrorKind, IoSliceMut};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads that are under way at once; a batch of more is handed over in parts.
const ENTRY_COUNT: u32 = 32;

/// Whether rings are made and used. Relaxed: who does not see a change yet reads another way.
static IS_ALLOWED: AtomicBool = AtomicBool::new(true);

thread_local! {
    static RING: RefCell<Option<IoUring>> = const { RefCell::new(None) };
}

/// Lets batches use `io_uring`, or has them read one after another. It is allowed at first, and no
/// longer once the system has refused it; allowing it again has the system asked again.
pub fn allow_io_uring(is_allowed: bool) {
    IS_ALLOWED.store(is_allowed, Ordering::Relaxed);
}

/// Whether this thread can read batches through `io_uring`.
pub fn has_io_uring() -> bool {
    with_ring(|_| ()).is_some()
}

/// A read that is handed to the kernel: where it goes, and what of it is wanted.
struct Queued {
    /// Which read of the batch.
    index: usize,
    buffer: AlignedBuffer,
    offset: u64,
    /// Bytes asked for, from the buffer's start on.
    length: usize,
    /// Bytes before those that are wanted.
    skipped: usize,
    /// What the kernel said of it, once it has.
    result: Option<i32>,
}

impl Queued {
    fn new(index: usize, read: &BatchRead<'_>, is_direct: bool) -> Self {
        let (offset, skipped, length) = match is_direct {
            true => {
                let offset = align_down(read.offset);
                let skipped = (read.offset - offset) as usize;
                (offset, skipped, align_up(skipped + read.length))
            }
            false => (read.offset, 0, read.length),
        };
        Self { index, buffer: AlignedBuffer::new(length), offset, length, skipped, result: None }
    }

    /// The bytes that are wanted, if all of them were read.
    fn bytes(&self, wanted: usize) -> Option<&[u8]> {
        let count = usize::try_from(self.result?).ok()?;
        self.buffer.bytes()[..count.min(self.length)].get(self.skipped..self.skipped + wanted)
    }
}

/// Carries out the reads of files of the operating system, and marks those that found all they
/// wanted.
pub(crate) fn read_queued(reads: &mut [BatchRead<'_>], is_done: &mut [bool]) {
    with_ring(|ring| {
        let mut at = 0;
        while at < reads.len() {
            let end = reads.len().min(at + ENTRY_COUNT as usize);
            let is_sound = read_part(ring, &mut reads[at..end], &mut is_done[at..end]);
            if !is_sound {
                return false;
            }
            at = end;
        }
        true
    });
}

/// At most as many reads as the ring has entries. Returns whether the ring is empty again.
fn read_part(ring: &mut IoUring, reads: &mut [BatchRead<'_>], is_done: &mut [bool]) -> bool {
    let files: Vec<Option<QueuedFile<'_>>> =
        reads.iter().map(|read| read.file.queued_file()).collect();
    let timers = (Timer::start(IoMetric::ReadNanos), Timer::start(IoMetric::CpuReadNanos));
    for ((read, file), is_done) in reads.iter_mut().zip(&files).zip(&mut *is_done) {
        *is_done = file.as_ref().is_some_and(|file| read_resident(read, file));
    }
    let mut queued: Vec<Queued> = Vec::new();
    for (index, (read, file)) in reads.iter().zip(&files).enumerate() {
        if let Some(file) = file
            && !is_done[index]
            && u32::try_from(read.length).is_ok_and(|length| length <= READ_LENGTH_MAX)
            && read.offset < OFFSET_MAX
        {
            queued.push(Queued::new(index, read, file.is_direct));
        }
    }
    if queued.len() < 2 {
        return true;
    }
    let is_sound = run(ring, &mut queued, &files);
    drop(timers);
    for one in &queued {
        let length = reads[one.index].length;
        if let (Some(bytes), Some(file)) = (one.bytes(length), &files[one.index]) {
            count_io(IoMetric::BytesRead, bytes.len() as u64);
            reads[one.index].file.end_queued_read(file.start, bytes.len());
            is_done[one.index] = true;
        }
    }
    for one in &queued {
        if is_done[one.index] {
            let read = &mut reads[one.index];
            let length = read.length;
            read.bytes.extend_from_slice(one.bytes(length).unwrap_or_default());
            read.found = Ok(length);
        }
    }
    if !is_sound {
        forget_unfinished(queued);
    }
    is_sound
}

/// Of longer ones some page will not be there.
const RESIDENT_LENGTH_MAX: usize = 64 << 10;

/// Carries out a read if all it wants is in the page cache, which costs less than to hand it over. Returns whether
/// it is done.
fn read_resident(read: &mut BatchRead<'_>, file: &QueuedFile<'_>) -> bool {
    if file.is_direct || read.length > RESIDENT_LENGTH_MAX || read.offset >= OFFSET_MAX {
        return false;
    }
    #[cfg(test)]
    if faults::are_pages_hidden() {
        return false;
    }
    read.bytes.resize(read.length, 0);
    let memory = &mut [IoSliceMut::new(&mut read.bytes)];
    match preadv2(file.file, memory, read.offset, ReadWriteFlags::NOWAIT) {
        Ok(count) if count == read.length => {
            count_io(IoMetric::BytesRead, count as u64);
            read.file.end_queued_read(file.start, count);
            read.found = Ok(count);
            true
        }
        // Not there, or a file system that can't tell.
        Ok(_) | Err(_) => {
            read.bytes.clear();
            false
        }
    }
}

/// Longer reads are split by file systems and devices anyway.
const READ_LENGTH_MAX: u32 = 1 << 30;
/// The kernel's file offsets are signed; behind this no file has bytes.
const OFFSET_MAX: u64 = 1 << 62;

/// Hands all of `queued` to the kernel and waits for them. Returns whether all came back.
#[expect(unsafe_code, reason = "the kernel writes to memory that it was given an address of")]
fn run(ring: &mut IoUring, queued: &mut [Queued], files: &[Option<QueuedFile<'_>>]) -> bool {
    let mut pushed = 0;
    for (number, one) in queued.iter_mut().enumerate() {
        let Some(file) = &files[one.index] else { continue };
        let buffer = &mut one.buffer.bytes_mut()[..one.length];
        let fd = types::Fd(file.file.as_raw_fd());
        let entry = opcode::Read::new(fd, buffer.as_mut_ptr(), buffer.len() as u32)
            .offset(one.offset)
            .build()
            .user_data(number as u64);
        // SAFETY: the entry must be valid until the read has completed. 1. Descriptor: `files`
        // borrows the open file beyond the end of this function. 2. Memory: `buffer` is `length`
        // bytes of an allocation that `one` owns alone and that never moves; nobody looks at it before `result`
        // is there. This function returns true only once every pushed entry has a result; if it
        // returns false, `read_part` leaks the buffers of those that have none, so that they are
        // never freed under the kernel.
        if unsafe { ring.submission().push(&entry) }.is_err() {
            break;
        }
        pushed += 1;
    }
    let mut completed = 0;
    while completed < pushed {
        let waited = submit_and_wait(ring, pushed - completed, completed == 0);
        for entry in ring.completion() {
            if let Some(one) = queued.get_mut(entry.user_data() as usize)
                && let Some(result) = result_of(&entry)
            {
                one.result = Some(result);
                completed += 1;
            }
        }
        if let Err(error) = waited
            && !is_passing(&error)
        {
            return completed == pushed;
        }
    }
    true
}

/// Hands over what was pushed and waits for so many reads; `is_first` until word of one has come.
#[cfg_attr(not(test), expect(unused_variables, reason = "faults alone ask for it"))]
fn submit_and_wait(ring: &IoUring, count: usize, is_first: bool) -> io::Result<usize> {
    #[cfg(test)]
    if let Some(error) = faults::waited(is_first) {
        return Err(error);
    }
    ring.submit_and_wait(count)
}

/// What the kernel says that came of a read.
fn result_of(entry: &cqueue::Entry) -> Option<i32> {
    #[cfg(test)]
    return faults::result(entry.user_data(), entry.result());
    #[cfg(not(test))]
    Some(entry.result())
}

/// Whether waiting may go on: a signal came, or the kernel has to catch up.
fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::ResourceBusy)
}

/// Gives up the memory of reads that the kernel may yet carry out. It happens at most once for a thread
/// and ring.
fn forget_unfinished(queued: Vec<Queued>) {
    for one in queued {
        if one.result.is_none() {
            #[cfg(test)]
            faults::note_forgotten();
            std::mem::forget(one.buffer);
        }
    }
}

/// Calls `call` with the thread's ring, if it can have one.
fn with_ring<T: RingVerdict>(call: impl FnOnce(&mut IoUring) -> T) -> Option<T> {
    if !IS_ALLOWED.load(Ordering::Relaxed) {
        return None;
    }
    RING.with(|slot| {
        // A file that reads a batch while it is asked for what a batch needs reads that another way.
        let mut slot = slot.try_borrow_mut().ok()?;
        if slot.is_none() {
            *slot = new_ring();
        }
        let Some(ring) = &mut *slot else {
            allow_io_uring(false);
            return None;
        };
        let verdict = call(ring);
        if !verdict.is_sound() {
            // Entries of it may be under way, which another batch must not take for its own.
            *slot = None;
            allow_io_uring(false);
        }
        Some(verdict)
    })
}

/// What a use of a ring comes to: whether it can be used again.
trait RingVerdict {
    fn is_sound(&self) -> bool;
}

impl RingVerdict for () {
    fn is_sound(&self) -> bool {
        true
    }
}

impl RingVerdict for bool {
    fn is_sound(&self) -> bool {
        *self
    }
}

/// A ring that can read, if the system gives one.
fn new_ring() -> Option<IoUring> {
    #[cfg(test)]
    if faults::refuses() {
        return None;
    }
    let ring = IoUring::new(ENTRY_COUNT).ok()?;
    let mut probe = Probe::new();
    ring.submitter().register_probe(&mut probe).ok()?;
    probe.is_supported(opcode::Read::CODE).then_some(ring)
}
