//! What the queue waits with, as loom has it.

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::MutexGuard;
pub(crate) use loom::sync::atomic::AtomicU8;

use loom::sync::Condvar;
use std::sync::Arc;

/// More would be the same again.
pub(crate) const SPINS: u32 = 1;

/// A lock that is locked as those of `parking_lot` are.
#[derive(Debug)]
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

impl<T: Default> Default for Mutex<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// A thread that can be parked: loom's own, when it is unparked, has seen all that the other did even
/// if it never parks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Thread(Arc<Token>);

#[derive(Debug, Default)]
struct Token {
    is_there: Mutex<bool>,
    came: Condvar,
}

loom::thread_local! {
    static CURRENT: Thread = Thread::default();
}

pub(crate) fn current() -> Thread {
    CURRENT.with(Thread::clone)
}

impl Thread {
    pub(crate) fn unpark(&self) {
        *self.0.is_there.lock() = true;
        self.0.came.notify_one();
    }
}

pub(crate) fn park() {
    let token = current().0;
    let mut is_there = token.is_there.lock();
    while !*is_there {
        is_there = token.came.wait(is_there).unwrap();
    }
    *is_there = false;
}
