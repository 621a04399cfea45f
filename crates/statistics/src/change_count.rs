//! What readers notice changes by that only mean something together.

use crate::sync_primitives::{AtomicU64, Ordering, fence, yield_now};

/// Odd while something changes. One thread changes things, all may read.
#[derive(Debug)]
pub(crate) struct ChangeCount(AtomicU64);

impl Default for ChangeCount {
    fn default() -> Self {
        Self(AtomicU64::new(0))
    }
}

impl ChangeCount {
    /// Changes several things, which readers see all of or none of; by the owning thread only.
    #[inline]
    pub(crate) fn change(&self, change: impl FnOnce()) {
        let count = self.0.load(Ordering::Relaxed);
        self.0.store(count.wrapping_add(1), Ordering::Relaxed);
        // Whoever sees one of the stores of `change` sees the odd count after it.
        fence(Ordering::Release);
        change();
        self.0.store(count.wrapping_add(2), Ordering::Release);
    }

    /// What `read` returns when nothing is changed meanwhile.
    pub(crate) fn read_unchanged<T>(&self, read: impl Fn() -> T) -> T {
        loop {
            let count = self.0.load(Ordering::Acquire);
            let found = read();
            // Pairs with the fence of who changes it.
            fence(Ordering::Acquire);
            if count.is_multiple_of(2) && self.0.load(Ordering::Relaxed) == count {
                return found;
            }
            yield_now();
        }
    }
}
