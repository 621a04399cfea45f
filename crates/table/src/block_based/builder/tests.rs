//! What the builder writes, read back.

#![expect(clippy::panic_in_result_fn, reason = "checks pass on errors of setting up")]

mod copied;
mod features;
mod golden;
mod matrix;
mod parallel;
