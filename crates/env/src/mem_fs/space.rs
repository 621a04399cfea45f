//! The room that files in memory share: a device of a size that tests choose.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Space {
    /// `u64::MAX`: no limit.
    capacity: AtomicU64,
    used: AtomicU64,
}

impl Default for Space {
    fn default() -> Self {
        Self { capacity: AtomicU64::new(u64::MAX), used: AtomicU64::new(0) }
    }
}

impl Space {
    pub(super) fn set_capacity(&self, bytes: u64) {
        self.capacity.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn free(&self) -> u64 {
        match self.capacity.load(Ordering::Relaxed) {
            u64::MAX => u64::MAX,
            capacity => capacity.saturating_sub(self.used.load(Ordering::Relaxed)),
        }
    }

    /// Takes `wanted` bytes, or as many as there are, and says how many.
    pub(super) fn take(&self, wanted: u64) -> u64 {
        let capacity = self.capacity.load(Ordering::Relaxed);
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let granted = wanted.min(capacity.saturating_sub(used));
            // Only a count; the content has a lock of its own.
            match self.used.compare_exchange_weak(
                used,
                used + granted,
                Ordering::Relaxed,
                Ordering::Relaxed,
            ) {
                Ok(_) => return granted,
                Err(now) => used = now,
            }
        }
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
