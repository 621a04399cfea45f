//! What readers of a B+tree notice changes with and follow, as loom has it.

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, Ordering, fence};
pub(crate) use loom::thread::yield_now;
