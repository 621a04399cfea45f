//! The lab: engines compared with each other, and with what the machine allows.
//!
//! [`compare`] is `touchstone compare`, [`machine`] is `touchstone machine`, [`campaign_report`] is
//! `touchstone report`. Engines run in processes of
//! their own (`touchstone bench`), which say what they measured as records in JSON; nothing of an engine
//! is linked here. What is decided is in pure functions: which process runs when ([`plan`]), what samples
//! say ([`statistics`], [`verdict`], [`summary`]), how fast an operation could be ([`limit`]).

#![forbid(unsafe_code)]

mod campaign;
pub mod campaign_report;
pub mod cell;
pub mod compare;
pub mod control_loop;
pub mod db_bench;
pub mod journal;
pub mod limit;
pub mod machine;
pub mod page_cache;
pub mod plan;
mod progress;
pub mod relative;
pub mod report;
pub mod statistics;
pub mod summary;
mod text_table;
pub mod trees;
pub mod verdict;
pub mod workload_of;

use std::fs;
use std::io::Write;
use std::path::Path;

/// Exit status where the arguments are wrong.
const USAGE: i32 = 2;

/// Prints help that was asked for, or what is wrong with the arguments, and returns the exit status.
fn usage(error: &clap::Error, out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    // There is nobody to tell that the stream is closed.
    if error.use_stderr() {
        let _ = write!(err, "{error}");
        return USAGE;
    }
    let _ = write!(out, "{error}");
    0
}

/// Writes a file that is there as a whole or, if this fails, as it was before.
fn write_whole(file: &Path, text: &str) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = Path::new(&name);
    let written = fs::write(temporary, text).and_then(|()| fs::rename(temporary, file));
    written.map_err(|error| {
        // It is of no use to anybody.
        let _ = fs::remove_file(temporary);
        told(error)
    })
}

/// Bytes that this process may still write to the file system of `directory`.
fn free_bytes(directory: &Path) -> Result<u64, String> {
    let space = rustix::fs::statvfs(directory)
        .map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}
