//! When writes wait, so that flushes and compactions keep up. Pure functions over counts.

pub(crate) mod stall_condition;
pub(crate) mod write_controller;
