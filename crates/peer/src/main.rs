//! Drives a library of RocksDB, of any release, through its C functions.
//!
//! ```text
//! touchstone-peer LIBRARY < requests > answers
//! ```
//!
//! Requests and answers are lines of JSON; `testing::judges::protocol` has them. One process is
//! one library, so a crash or a hang of an old release is an answer that does not come, and not
//! the end of the test that asked. The crate uses nothing of the engine.

#![deny(unsafe_code)]

mod batch;
#[expect(unsafe_code, reason = "calls into libraries of RocksDB")]
mod ffi;
mod session;

use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;

use librocksdb::Functions;
use session::Session;

fn main() -> ExitCode {
    let Some(library) = std::env::args_os().nth(1) else {
        eprintln!("usage: touchstone-peer LIBRARY < requests > answers");
        return ExitCode::from(2);
    };
    match serve(Path::new(&library)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("touchstone-peer: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(library: &Path) -> Result<(), String> {
    let mut session = Session::new(Functions::load(library)?);
    let mut answers = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if line.is_empty() {
            continue;
        }
        let answer = session.answer(&line);
        let text = serde_json::to_string(&answer).map_err(|error| error.to_string())?;
        writeln!(answers, "{text}")
            .and_then(|()| answers.flush())
            .map_err(|error| error.to_string())?;
    }
    Ok(())
}
