//! A test in a process of its own that may use only so much memory and processor time, so that a
//! reader led astray by hostile input fails its test instead of taking the machine with it.

use std::env;
use std::process::{Command, Output};

#[cfg(test)]
mod tests;

/// Set in the limited process, to the test's name.
const VARIABLE: &str = "TOUCHSTONE_LIMITED_TEST";

/// What a limited process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Address space, in MiB. A test program needs some 100 before it does anything.
    pub memory_mib: u64,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    /// 512 MiB and ten minutes.
    fn default() -> Self {
        Self { memory_mib: 512, cpu_seconds: 600 }
    }
}

/// Runs `body` in a new process that runs nothing but the calling test, which is named by its path
/// in its crate, such as `block::tests::hostile_blocks`.
///
/// # Panics
/// When the process fails: because the test does, or because it reached a limit.
pub fn run(test: &str, limits: Limits, body: impl FnOnce()) {
    if env::var(VARIABLE).is_ok_and(|name| name == test) {
        body();
        return;
    }
    let output = run_limited(test, limits);
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{test}, with at most {} MiB and {} s: {}\n{text}",
        limits.memory_mib,
        limits.cpu_seconds,
        output.status
    );
    assert!(text.contains("1 passed"), "no test is named {test}\n{text}");
}

fn run_limited(test: &str, limits: Limits) -> Output {
    let program = env::current_exe().unwrap_or_else(|error| panic!("{test}: {error}"));
    let script = format!(
        "ulimit -v {} && ulimit -t {} && ulimit -c 0 && exec \"$0\" \"$@\"",
        limits.memory_mib * 1024,
        limits.cpu_seconds
    );
    Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(VARIABLE, test)
        // Each arena of the C allocator takes 64 MiB of address space in advance.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap_or_else(|error| panic!("{test}: {error}"))
}
