//! What readers of a B+tree notice changes with, what memtables show records by, what their filters are, and what
//! hidden ranges are kept in. Their model tests (`tests/*_model`) put primitives of the same names in their place
//! that try every order of what threads do.

pub(crate) use parking_lot::RwLock;
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
pub(crate) use std::thread::yield_now;
