//! What filters and pointers to records are made of, as loom has it.

pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
