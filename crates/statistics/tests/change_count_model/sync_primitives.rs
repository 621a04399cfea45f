//! What changes are noticed by, as loom has it.

pub(crate) use loom::sync::atomic::{AtomicU64, Ordering, fence};
pub(crate) use loom::thread::yield_now;
