//! A count by which who reads without a lock notices that something was changed meanwhile.
//!
//! The one who writes makes it odd, changes, and makes it even again. Readers take it while it is
//! even, read, and look whether it is still the same; else what they read means nothing. All that is
//! read and changed is atomic, so that there is nothing to be torn but the connection between parts.
//!
//! The model test (`tests/seq_lock_model`) takes this file as it is.

use crate::sync_primitives::{AtomicU32, Ordering, fence, spin_loop, yield_now};

/// How often to look again before the processor is offered to others: the one who writes may have
/// been interrupted.
const SPIN_COUNT: u32 = 64;

/// The count. It belongs to one who writes at a time.
#[derive(Debug, Default)]
pub(super) struct SeqLock(AtomicU32);

/// The count as it was when a reader began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version(u32);

impl SeqLock {
    /// Waits until nobody changes anything.
    #[inline]
    pub(super) fn read(&self) -> Version {
        let mut spins = 0;
        loop {
            let version = self.0.load(Ordering::Acquire);
            if version.is_multiple_of(2) {
                return Version(version);
            }
            spins += 1;
            if spins < SPIN_COUNT {
                spin_loop();
            } else {
                yield_now();
            }
        }
    }

    /// Whether nothing was changed since `version`: what was read after it and before this call
    /// belongs together.
    #[inline]
    pub(super) fn is_still(&self, version: Version) -> bool {
        // The reads before must not be done after the load of the count.
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == version.0
    }

    /// Changes something. Readers who began before will see that.
    #[inline]
    pub(super) fn write<T>(&self, change: impl FnOnce() -> T) -> T {
        let version = self.0.load(Ordering::Relaxed);
        debug_assert!(version.is_multiple_of(2), "two write at the same time");
        self.0.store(version.wrapping_add(1), Ordering::Relaxed);
        // The stores of the change must not be done before that of the count.
        fence(Ordering::Release);
        let result = change();
        self.0.store(version.wrapping_add(2), Ordering::Release);
        result
    }
}
