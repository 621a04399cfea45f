//! What changes are noticed by. The model test (`tests/change_count_model`) puts primitives of the same names in
//! their place that try every order of what threads do.

pub(crate) use std::sync::atomic::{AtomicU64, Ordering, fence};
pub(crate) use std::thread::yield_now;
