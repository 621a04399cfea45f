//! What nodes of a skip list are linked by, as loom has it.

pub(crate) use loom::sync::atomic::{AtomicPtr, Ordering};
