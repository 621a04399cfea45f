//! What `--engine` names, and what its databases share.

use crate::flags::Flags;
use crate::open_context::open_context;
use crate::runner;
use base::{Result, Status};
use engines::{NullProvider, TouchstoneProvider};

/// Runs what the command line asks for, on the engine that it names.
///
/// # Errors
/// The first failure: a flag that makes no sense, a database that does not open, a failed read.
pub fn run(flags: &Flags) -> Result<()> {
    let steps = runner::checked_steps(flags)?;
    match flags.text("engine") {
        "touchstone" => runner::run(flags, &steps, &TouchstoneProvider::new(open_context(flags)?)),
        "null" => {
            let (key_size, value_size) = (flags.uint("key_size"), flags.uint("value_size"));
            let num = flags.uint("num");
            let provider = NullProvider::new(key_size as usize, value_size as usize, num);
            runner::run(flags, &steps, &provider)
        }
        other => Err(Status::invalid_argument(format!(
            "--engine={other} is not known; known are touchstone, null"
        ))),
    }
}
