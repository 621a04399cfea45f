//! What readers of a B+tree notice changes with. Its model test (`tests/seq_lock_model`) puts primitives of the
//! same names in their place that try every order of what threads do.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicU32, Ordering, fence};
pub(crate) use std::thread::yield_now;
