//! RocksDB's own programs, for tests that compare with them.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// The release whose programs are compared with.
pub const RELEASE: &str = "7.8.3";

/// An installed program of RocksDB.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    name: &'static str,
}

/// The program of this name (`ldb`, `sst_dump`, `db_bench`), if it is installed and of
/// [`RELEASE`]. If not, says so as `skipped: …`: a test should then return.
///
/// # Panics
/// If it is not there and the environment has `CI=true`: there nothing may be skipped.
#[must_use]
pub fn find(name: &'static str) -> Option<Peer> {
    let why = match Command::new(name).arg("--version").output() {
        Ok(output) if says_release(&output) => return Some(Peer { name }),
        Ok(output) => {
            format!("{name} is not of {RELEASE}: {}", String::from_utf8_lossy(&output.stdout))
        }
        Err(error) => format!("{name}: {error}"),
    };
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "{why}");
    println!("skipped: {why}");
    None
}

fn says_release(output: &Output) -> bool {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&text).split_whitespace().any(|word| word == RELEASE)
}

impl Peer {
    /// Runs the program.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn run<A: AsRef<std::ffi::OsStr>>(&self, arguments: &[A]) -> Output {
        let output = Command::new(self.name).args(arguments).output();
        output.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// Runs the program with `input` as its standard input.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn run_with_input<A: AsRef<std::ffi::OsStr>>(
        &self,
        arguments: &[A],
        input: &[u8],
    ) -> Output {
        let mut command = Command::new(self.name);
        command.args(arguments).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.name));
        if let Some(mut pipe) = child.stdin.take() {
            // A program that does not read it may have ended by now.
            let _ = pipe.write_all(input);
        }
        let output = child.wait_with_output();
        output.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}
