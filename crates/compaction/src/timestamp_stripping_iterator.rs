//! Entries with the oldest timestamp in place of their own: what a flush sees where timestamps are
//! not kept in tables (`persist_user_defined_timestamps=false`).

use base::dbformat::TRAILER_SIZE;
use base::{InternalIterator, PinnableSlice, Result};

/// An iterator whose keys have zeros for a timestamp.
pub(crate) struct TimestampStrippingIterator {
    inner: Box<dyn InternalIterator>,
    timestamp_size: usize,
    key: Vec<u8>,
}

impl TimestampStrippingIterator {
    pub(crate) fn new(inner: Box<dyn InternalIterator>, timestamp_size: usize) -> Self {
        Self { inner, timestamp_size, key: Vec::new() }
    }

    fn arrive(&mut self) {
        self.key.clear();
        if self.inner.valid() {
            self.key.extend_from_slice(self.inner.key());
            let end = self.key.len().saturating_sub(TRAILER_SIZE);
            let start = end.saturating_sub(self.timestamp_size);
            self.key[start..end].fill(0);
        }
    }
}

impl InternalIterator for TimestampStrippingIterator {
    fn valid(&self) -> bool {
        self.inner.valid()
    }

    fn seek_to_first(&mut self) -> Result<()> {
        self.inner.seek_to_first()?;
        self.arrive();
        Ok(())
    }

    fn seek_to_last(&mut self) -> Result<()> {
        self.inner.seek_to_last()?;
        self.arrive();
        Ok(())
    }

    fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.inner.seek(target)?;
        self.arrive();
        Ok(())
    }

    fn seek_for_prev(&mut self, target: &[u8]) -> Result<()> {
        self.inner.seek_for_prev(target)?;
        self.arrive();
        Ok(())
    }

    fn next(&mut self) -> Result<()> {
        self.inner.next()?;
        self.arrive();
        Ok(())
    }

    fn prev(&mut self) -> Result<()> {
        self.inner.prev()?;
        self.arrive();
        Ok(())
    }

    fn key(&self) -> &[u8] {
        &self.key
    }

    fn value(&self) -> &[u8] {
        self.inner.value()
    }

    fn pinned_value(&self) -> PinnableSlice {
        self.inner.pinned_value()
    }
}
