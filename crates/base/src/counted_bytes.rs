//! Memory that is told with that of others.

use std::sync::atomic::{AtomicUsize, Ordering};

/// How much one holder has of a sum of many. Given back when dropped.
#[derive(Debug)]
pub struct CountedBytes {
    sum: &'static AtomicUsize,
    own: usize,
}

impl CountedBytes {
    /// A holder that has nothing yet.
    pub const fn new(sum: &'static AtomicUsize) -> Self {
        Self { sum, own: 0 }
    }

    /// A holder that has so many bytes.
    pub fn of(sum: &'static AtomicUsize, bytes: usize) -> Self {
        let mut counted = Self::new(sum);
        counted.set(bytes);
        counted
    }

    /// It has so many bytes from now on.
    #[inline]
    pub fn set(&mut self, bytes: usize) {
        if bytes > self.own {
            self.sum.fetch_add(bytes - self.own, Ordering::Relaxed);
        } else if bytes < self.own {
            self.sum.fetch_sub(self.own - bytes, Ordering::Relaxed);
        }
        self.own = bytes;
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests;
