//! What hidden ranges are kept in, as loom has it.

pub(crate) use loom::sync::atomic::{AtomicBool, Ordering};

use loom::sync::{RwLockReadGuard, RwLockWriteGuard};

/// A lock that is locked as those of `parking_lot` are.
#[derive(Debug)]
pub(crate) struct RwLock<T>(loom::sync::RwLock<T>);

impl<T> RwLock<T> {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap()
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap()
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> Self {
        Self(loom::sync::RwLock::new(T::default()))
    }
}
