//! What readers of a B+tree notice changes with, as loom has it.

pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{AtomicU32, Ordering, fence};
pub(crate) use loom::thread::yield_now;
