//! What links to cached blocks are made of. Their model test (`tests/frame_slots_model`) puts primitives of
//! the same names in their place that try every order of what threads do.

pub(crate) use arc_swap::{ArcSwapOption, Guard};
pub(crate) use parking_lot::Mutex;
pub(crate) use std::sync::atomic::AtomicBool;
