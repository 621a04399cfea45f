//! What the queue of writers waits with. Its model test (`tests/write_thread_model`) puts primitives
//! of the same names in their place that try every order of what threads do.

pub(crate) use parking_lot::{Mutex, MutexGuard};
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::AtomicU8;
pub(crate) use std::thread::{Thread, current, park};

/// How often a waiting writer looks before it parks: about a microsecond.
pub(crate) const SPINS: u32 = 200;
