//! Appends by storing into a shared mapping of the file: no system call for each, and what was
//! appended outlives the process at once, as what was written does.
//!
//! The file grows window by window, each prepared ahead (`chunk_preparer.rs`), and ends in zeros
//! meanwhile, or, reused, in what it held before. Where a window cannot be had, be it that the disk
//! is full, the file is cut to what was appended and goes on as one that is written to.
//!
//! An append becomes visible from behind: all but its first [`HEAD_SIZE`] bytes, then these at once.
//! A process that is killed meanwhile leaves nothing of a record whose header they hold.

use super::chunk_preparer::{self, Pending};
use super::mapping::{HEAD_SIZE, Window};
use super::posix_file::PosixFile;
use super::writable_file::PosixWritableFile;
use super::write_pacing::RangeSyncs;
use crate::file_system::{FileOptions, WritableFile};
use base::{Result, Status};
use perf_context::{IoMetric, count_io};
use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Bytes of the first window and of the largest where appends are small: each is twice the one before it.
/// Small files stay small, and no sync finds much that was prepared for nothing.
const FIRST_WINDOW_BYTES: u64 = 64 << 10;
const SMALL_WINDOW_BYTES: u64 = 512 << 10;

/// Where appends are larger, windows grow on until they take so many of them: who writes as fast as the
/// processor allows waits for each window, and that is to be less than one append of a thousand.
const WINDOW_APPENDS: u64 = 3_000;
/// They don't grow beyond this.
const WINDOW_BYTES_MAX: u64 = 2 << 20;
/// Bytes of a large window are a multiple of this.
const WINDOW_STEP: u64 = 256 << 10;

/// Bytes of a window at most where appends have `append_bytes` on average.
fn window_bytes_max(append_bytes: u64) -> u64 {
    match append_bytes.saturating_mul(WINDOW_APPENDS) {
        ..=SMALL_WINDOW_BYTES => SMALL_WINDOW_BYTES,
        large @ ..WINDOW_BYTES_MAX => large.next_multiple_of(WINDOW_STEP),
        _ => WINDOW_BYTES_MAX,
    }
}

/// Bytes of pages that are prepared together, and the same of a file that is synced while it is
/// appended to: a sync writes all of such a piece, however little of it was stored.
const PIECE_SIZE: usize = 16 << 10;
const SYNCED_PIECE_SIZE: usize = 4 << 10;

fn piece_size(options: &FileOptions) -> usize {
    if options.is_synced_often { SYNCED_PIECE_SIZE } else { PIECE_SIZE }
}

/// Appends of a while.
#[derive(Clone, Copy, Debug, Default)]
struct Appends {
    /// Where the file ended before them.
    start: u64,
    count: u64,
}

#[derive(Debug)]
pub(super) struct MappedWritableFile {
    file: PosixFile,
    options: FileOptions,
    written: u64,
    /// That with the last byte, and those behind it. Together they reach to where the file may end.
    windows: VecDeque<Window>,
    next: Option<Pending>,
    next_range: Range<u64>,
    /// Where the next window is asked for.
    next_wanted_at: u64,
    lately: Appends,
    /// Bytes of one on average, lately.
    append_bytes: u64,
    range_syncs: RangeSyncs,
    /// The first failure. Nothing may follow it: what is on the disk is unknown.
    failure: Option<Status>,
    /// Takes what comes after the last window that could be had.
    rest: Option<PosixWritableFile>,
}

impl MappedWritableFile {
    /// Writes from the start, over what the file holds. None if it cannot be mapped; then it is as
    /// it was.
    pub(super) fn new(file: &PosixFile, options: &FileOptions) -> Option<Self> {
        let (range, size) = (0..FIRST_WINDOW_BYTES, file.size().ok()?);
        let Ok(window) = Window::prepare(file.file(), &range, piece_size(options)) else {
            // It may have been extended before that failed.
            if file.size().is_ok_and(|extended| extended > size) {
                let _ = file.set_size(size);
            }
            return None;
        };
        Some(Self {
            file: file.clone(),
            options: *options,
            written: 0,
            windows: VecDeque::from([window]),
            next: None,
            next_range: range.end..range.end + 2 * FIRST_WINDOW_BYTES,
            next_wanted_at: range.end / 2,
            lately: Appends::default(),
            append_bytes: 0,
            range_syncs: RangeSyncs::new(options.bytes_per_sync, 0),
            failure: None,
            rest: None,
        })
    }

    fn check(&self) -> Result<()> {
        match &self.failure {
            None => Ok(()),
            Some(status) => Err(status.clone().context("an earlier operation on it failed")),
        }
    }

    fn remember(&mut self, result: Result<()>) -> Result<()> {
        if let Err(status) = &result {
            self.failure = Some(status.clone());
        }
        result
    }

    /// As [`WritableFile::append`] where a window is needed or wanted first.
    #[cold]
    fn append_with_windows(&mut self, bytes: &[u8], end: u64) -> Result<()> {
        // Where windows can't be had, writing says why, if it cannot either.
        if self.are_large_lately() || self.prepare_windows(end).is_err() {
            return self.give_up_mapping()?.append(bytes);
        }
        self.store(bytes);
        Ok(())
    }

    /// Whether appends have become too large for windows.
    fn are_large_lately(&mut self) -> bool {
        let Appends { start, count } = self.lately;
        if self.written - start < FIRST_WINDOW_BYTES {
            return false;
        }
        self.lately = Appends { start: self.written, count: 0 };
        self.append_bytes = (self.written - start) / count.max(1);
        self.append_bytes > self.options.mapped_append_size_max
    }

    /// Makes sure that there are windows up to `end`, and that the next is under way if it is wanted.
    fn prepare_windows(&mut self, end: u64) -> io::Result<()> {
        let (file, piece_size) = (self.file.shared(), piece_size(&self.options));
        while self.next_range.start < end {
            let window = match self.next.take().and_then(Pending::wait) {
                Some(prepared) => prepared?,
                None => Window::prepare(file, &self.next_range, piece_size)?,
            };
            self.windows.push_back(window);
            let (start, length) =
                (self.next_range.end, self.next_range.end - self.next_range.start);
            let length_max = window_bytes_max(self.append_bytes);
            self.next_range = start..start + (2 * length).min(length_max);
            // At once where windows are passed often: then both are done on one occasion.
            self.next_wanted_at =
                if length < SMALL_WINDOW_BYTES { start - length / 2 } else { start - length };
        }
        let (written, mut passed) = (self.written, Vec::new());
        while let Some(window) = self.windows.pop_front_if(|window| window.end() <= written) {
            passed.push(window);
        }
        if self.next.is_none() && end > self.next_wanted_at {
            let range = self.next_range.clone();
            self.next = Some(chunk_preparer::prepare(passed, file, range, piece_size));
            self.next_wanted_at = self.next_range.start;
        } else if !passed.is_empty() {
            chunk_preparer::drop_windows(passed);
        }
        Ok(())
    }

    /// Stores `bytes`, for which there are windows, from behind.
    fn store(&mut self, bytes: &[u8]) {
        let written = self.written;
        self.written += bytes.len() as u64;
        self.lately.count += 1;
        count_io(IoMetric::BytesWritten, bytes.len() as u64);
        if let Some(window) = self.windows.front_mut()
            && window.has_room_for(written, bytes.len())
            && let Some((head, tail)) = bytes.split_at_checked(HEAD_SIZE)
        {
            window.put(written + HEAD_SIZE as u64, tail);
            window.publish(written, head);
            return;
        }
        self.store_over_windows(written, bytes);
    }

    /// As [`Self::store`] where that may take more than one window.
    fn store_over_windows(&mut self, written: u64, bytes: &[u8]) {
        let mut windows = self.windows.iter_mut().skip_while(|window| window.end() <= written);
        let Some(first) = windows.next() else { return };
        let room = usize::try_from(first.end() - written).unwrap_or(usize::MAX);
        let (head, mut tail) = bytes.split_at(bytes.len().min(HEAD_SIZE).min(room));
        let mut at = written + head.len() as u64;
        let stored = first.put(at, tail);
        (at, tail) = (at + stored as u64, &tail[stored..]);
        for window in windows {
            let stored = window.put(at, tail);
            (at, tail) = (at + stored as u64, &tail[stored..]);
        }
        debug_assert!(tail.is_empty(), "{} bytes behind the last window", tail.len());
        first.publish(written, head);
    }

    /// Unmaps the file, cuts it to what was appended, and goes on as one that is written to.
    fn give_up_mapping(&mut self) -> Result<&mut PosixWritableFile> {
        if self.rest.is_none() {
            // One under way would extend the file again.
            drop(self.next.take().and_then(Pending::wait));
            self.windows.clear();
            let result = self.file.set_size(self.written);
            self.remember(result)?;
        }
        let (file, written, options) = (&self.file, self.written, &self.options);
        Ok(self.rest.get_or_insert_with(|| PosixWritableFile::new(file.clone(), written, options)))
    }

    fn range_sync_now(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        let result = self.file.range_sync(offset, nbytes, self.options.strict_bytes_per_sync);
        self.remember(result)
    }
}

impl WritableFile for MappedWritableFile {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if let Some(rest) = &mut self.rest {
            return rest.append(bytes);
        }
        self.check()?;
        let end = self.written.saturating_add(bytes.len() as u64);
        if end <= self.next_wanted_at {
            self.store(bytes);
        } else {
            self.append_with_windows(bytes, end)?;
        }
        match self.range_syncs.next(self.written) {
            None => Ok(()),
            Some((offset, nbytes)) => self.range_sync_now(offset, nbytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.rest {
            Some(rest) => rest.flush(),
            None => self.check(),
        }
    }

    fn sync(&mut self) -> Result<()> {
        if let Some(rest) = &mut self.rest {
            return rest.sync();
        }
        self.check()?;
        // Pages that were stored to are dirty like those that were written.
        let result = self.file.sync_data();
        self.remember(result)
    }

    fn fsync(&mut self) -> Result<()> {
        if let Some(rest) = &mut self.rest {
            return rest.fsync();
        }
        self.check()?;
        let result = self.file.sync_all();
        self.remember(result)
    }

    fn range_sync(&mut self, offset: u64, nbytes: u64) -> Result<()> {
        if let Some(rest) = &mut self.rest {
            return rest.range_sync(offset, nbytes);
        }
        self.check()?;
        self.range_sync_now(offset, nbytes)
    }

    fn cut(&mut self) -> Result<()> {
        if self.rest.is_none() {
            self.check()?;
        }
        self.give_up_mapping()?.flush()
    }

    fn mapped_size(&self) -> Option<u64> {
        let end = self.windows.back().map(Window::end);
        end.filter(|_| self.rest.is_none())
    }

    fn size(&self) -> u64 {
        self.rest.as_ref().map_or(self.written, WritableFile::size)
    }

    fn close(mut self: Box<Self>) -> Result<()> {
        self.cut()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

impl Drop for MappedWritableFile {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; `close` is the way to learn of it.
        let _ = self.give_up_mapping();
    }
}

#[cfg(test)]
mod tests;
