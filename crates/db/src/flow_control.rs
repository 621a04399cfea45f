//! When writes wait, so that flushes and compactions keep up. Pure functions over counts.

mod live_stall;
pub(crate) mod pacer;
mod permission;
pub(crate) mod stall_condition;
mod stall_text;
pub(crate) mod stall_times;
pub(crate) mod write_controller;
