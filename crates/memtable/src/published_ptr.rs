//! A pointer by which the one who writes shows to readers what it has made: who loads it sees all that was
//! written before it was shown.
//!
//! It says nothing of what may be done with the address. The model tests (`tests/skip_list_model`,
//! `tests/seq_lock_model`) take this file as it is.

use crate::sync_primitives::{AtomicPtr, Ordering};
use std::ptr::null_mut;

/// A pointer that one changes and many follow.
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct PublishedPtr<T>(AtomicPtr<T>);

impl<T> Default for PublishedPtr<T> {
    /// One that leads nowhere.
    fn default() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }
}

impl<T> PublishedPtr<T> {
    /// Where it leads, for those who follow it.
    #[inline]
    pub(crate) fn load(&self) -> *mut T {
        // Pairs with the store in `publish`.
        self.0.load(Ordering::Acquire)
    }

    /// Where it leads, for the one who writes, and for those who do not follow it.
    #[inline]
    pub(crate) fn peek(&self) -> *mut T {
        self.0.load(Ordering::Relaxed)
    }

    /// Shows what the caller has made, or has seen by a pointer of this kind.
    #[inline]
    pub(crate) fn publish(&self, address: *mut T) {
        // Pairs with the load in `load`.
        self.0.store(address, Ordering::Release);
    }

    /// As [`Self::publish`], where nobody else can come to this pointer yet: what shows the memory that it is in
    /// shows what it leads to.
    #[inline]
    pub(crate) fn prepare(&self, address: *mut T) {
        self.0.store(address, Ordering::Relaxed);
    }
}
