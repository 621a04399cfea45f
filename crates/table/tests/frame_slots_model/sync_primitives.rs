//! What links to cached blocks are made of, as loom has it.

pub(crate) use loom::sync::atomic::AtomicBool;

use loom::sync::MutexGuard;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A lock that is locked as those of `parking_lot` are.
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    #[track_caller]
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap()
    }
}

/// A slot that is read and changed at once, as `arc-swap` promises; how it does that is tested there.
pub(crate) struct ArcSwapOption<T>(Mutex<Option<Arc<T>>>);

impl<T> ArcSwapOption<T> {
    pub(crate) fn empty() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn load(&self) -> Guard<Option<Arc<T>>> {
        Guard(self.load_full())
    }

    pub(crate) fn load_full(&self) -> Option<Arc<T>> {
        self.0.lock().clone()
    }

    pub(crate) fn store(&self, value: Option<Arc<T>>) {
        drop(self.swap(value));
    }

    pub(crate) fn swap(&self, value: Option<Arc<T>>) -> Option<Arc<T>> {
        std::mem::replace(&mut *self.0.lock(), value)
    }
}

impl<T> fmt::Debug for ArcSwapOption<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArcSwapOption")
    }
}

/// What a slot held.
pub(crate) struct Guard<T>(T);

impl<T> Guard<T> {
    pub(crate) fn into_inner(guard: Self) -> T {
        guard.0
    }
}

impl<T> Deref for Guard<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
