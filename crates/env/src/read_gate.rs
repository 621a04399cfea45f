//! What a read of a user asks before it goes to a file: whether there is time left for it, and the rate
//! limiter.

use crate::clock::{SystemClock, WallClock};
use crate::file_system::{AccessPattern, RandomAccessFile};
use crate::rate_limited_file::wait_for;
use crate::rate_limiter::{IoOperation, IoPriority, RateLimiter};
use base::status::Code;
use base::{Result, Status};
use std::path::Path;
use std::sync::Arc;

/// Whom reads of the files of a database ask.
#[derive(Clone, Debug)]
pub struct ReadGate {
    /// Whom reads ask that have a priority. Default: none.
    pub rate_limiter: Option<Arc<dyn RateLimiter>>,
    /// The time that deadlines are in. Default: the system's.
    pub clock: Arc<dyn SystemClock>,
}

impl Default for ReadGate {
    fn default() -> Self {
        Self { rate_limiter: None, clock: Arc::new(WallClock) }
    }
}

/// What one read asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadTerms {
    /// How urgent it is to the rate limiter (`rate_limiter_priority`). Default: none, it does not ask.
    pub priority: Option<IoPriority>,
    /// When it must be done, in microseconds since 1970 (`deadline`). Default: 0, never.
    pub deadline_micros: u64,
}

impl ReadTerms {
    /// It asks nothing.
    pub const NONE: Self = Self { priority: None, deadline_micros: 0 };

    /// Whether it is too late at `clock`.
    pub fn is_overdue(self, clock: &dyn SystemClock) -> bool {
        self.deadline_micros != 0 && clock.now_micros() >= self.deadline_micros
    }
}

impl ReadGate {
    /// None if a read need not ask: without a deadline, and without limiter or priority, or where reads
    /// are not limited.
    #[inline]
    pub fn limit(&self, terms: ReadTerms) -> Option<ReadLimit<'_>> {
        if terms == ReadTerms::NONE {
            return None;
        }
        let limiter = self.rate_limiter.as_deref().zip(terms.priority);
        let limiter = limiter.filter(|(limiter, _)| limiter.is_rate_limited(IoOperation::Read));
        let is_needed = limiter.is_some() || terms.deadline_micros != 0;
        is_needed.then_some(ReadLimit { limiter, clock: &*self.clock, terms })
    }
}

/// What reads have to ask.
#[derive(Clone, Copy, Debug)]
pub struct ReadLimit<'a> {
    limiter: Option<(&'a dyn RateLimiter, IoPriority)>,
    clock: &'a dyn SystemClock,
    terms: ReadTerms,
}

impl<'a> ReadLimit<'a> {
    /// `file`, whose reads wait until they are granted, and fail with `TimedOut` when it is too late for
    /// them. What the system reads ahead is paid for when it is read: the disk may be ahead of the
    /// limiter by what is read ahead at once.
    pub fn limited(self, file: &'a dyn RandomAccessFile) -> LimitedReads<'a> {
        LimitedReads { file, limit: self }
    }

    fn check_deadline(&self, file: &dyn RandomAccessFile, offset: u64) -> Result<()> {
        if !self.terms.is_overdue(self.clock) {
            return Ok(());
        }
        let path = file.path().display();
        let sentence = format!("the deadline passed before {path} was read at offset {offset}");
        Err(Status::new(Code::TimedOut, sentence))
    }
}

/// A file whose reads ask before.
#[derive(Debug)]
pub struct LimitedReads<'a> {
    file: &'a dyn RandomAccessFile,
    limit: ReadLimit<'a>,
}

impl LimitedReads<'_> {
    /// Asks for a read that does not go through this; as reads that do.
    ///
    /// # Errors
    /// `TimedOut` when it is too late.
    pub fn ask(&self, offset: u64, length: usize) -> Result<()> {
        self.limit.check_deadline(self.file, offset)?;
        if let Some((limiter, priority)) = self.limit.limiter {
            wait_for(limiter, length as u64, priority, IoOperation::Read);
            self.limit.check_deadline(self.file, offset)?;
        }
        Ok(())
    }
}

impl RandomAccessFile for LimitedReads<'_> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        self.ask(offset, buffer.len())?;
        self.file.read_at(offset, buffer)
    }

    fn read_append(&self, offset: u64, length: usize, buffer: &mut Vec<u8>) -> Result<usize> {
        self.ask(offset, length)?;
        self.file.read_append(offset, length, buffer)
    }

    fn size(&self) -> Result<u64> {
        self.file.size()
    }

    fn prefetch(&self, offset: u64, count: u64) {
        self.file.prefetch(offset, count);
    }

    fn hint(&self, pattern: AccessPattern) {
        self.file.hint(pattern);
    }

    fn readahead_max(&self) -> u64 {
        self.file.readahead_max()
    }

    fn use_direct_io(&self) -> bool {
        self.file.use_direct_io()
    }

    fn path(&self) -> &Path {
        self.file.path()
    }
}

#[cfg(test)]
mod tests;
