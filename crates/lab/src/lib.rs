//! The lab: engines compared with each other, and with what the machine allows.
//!
//! [`machine`] is `touchstone machine`. Nothing of an engine is linked here. What is decided is in pure
//! functions: what samples say ([`statistics`]), how fast an operation could be ([`limit`]).

#![forbid(unsafe_code)]

pub mod limit;
pub mod machine;
pub mod statistics;
mod text_table;

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
