//! The workspace's test programs, as many at a time as there are processors: much of the time of some is
//! spent waiting for processes, disks and clocks, which others can use.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use super::cargo_command;
use serde_json::Value;

/// A program that cargo made of tests.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestProgram {
    name: String,
    executable: PathBuf,
    /// Where cargo would run it.
    directory: PathBuf,
}

impl TestProgram {
    /// Builds those of the packages that `arguments` of cargo name.
    pub(super) fn build_all(arguments: &[&str]) -> Result<Vec<Self>, String> {
        let build = ["test", "--locked", "--no-run", "--message-format=json-render-diagnostics"];
        let output = cargo_command(&[&build[..], arguments].concat())
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| format!("cargo test: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo test --no-run failed: {}", output.status));
        }
        let messages = String::from_utf8_lossy(&output.stdout);
        Ok(messages.lines().filter_map(Self::of_message).collect())
    }

    /// The one that a line of cargo's tells of, if it does.
    fn of_message(line: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_test = message["profile"]["test"].as_bool()?;
        let executable = PathBuf::from(message["executable"].as_str().filter(|_| is_test)?);
        let manifest = Path::new(message["manifest_path"].as_str()?);
        let name = message["target"]["name"].as_str()?.to_owned();
        Some(Self { name, executable, directory: manifest.parent()?.to_owned() })
    }

    /// What it printed, with its name before it, and whether its tests passed.
    fn run(&self) -> (String, bool) {
        // The reader of our output may have gone; the tests go on all the same.
        drop(writeln!(io::stdout(), "     Started {}", self.name));
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.directory).env("CARGO_MANIFEST_DIR", &self.directory);
        // As many tests at a time as there are processors, no more: some are about time.
        command.env("RUST_TEST_THREADS", "1");
        let (text, has_passed) = run(command);
        (format!("     Running {} ({})\n{text}", self.name, self.executable.display()), has_passed)
    }
}

/// Runs all of `programs`, and gives what each printed to `tell` when it has ended.
///
/// # Errors
/// Which of them failed.
pub(super) fn run_all<'a>(
    programs: &'a [TestProgram],
    mut tell: impl FnMut(&str),
) -> Result<(), String> {
    let mut failed = Vec::new();
    let left = Mutex::new(programs.iter());
    let next = || -> Option<&'a TestProgram> { left.lock().ok()?.next() };
    let work = |ended: Sender<(&'a TestProgram, (String, bool))>| {
        while let Some(program) = next() {
            // The receiver is there until all have ended.
            let _ = ended.send((program, program.run()));
        }
    };
    thread::scope(|scope| {
        let (ended, results) = channel();
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let ended = ended.clone();
            scope.spawn(|| work(ended));
        }
        drop(ended);
        for (program, (text, has_passed)) in results {
            tell(&text);
            if !has_passed {
                failed.push(program.name.as_str());
            }
        }
    });
    failed.sort_unstable();
    if failed.is_empty() { Ok(()) } else { Err(format!("tests failed: {}", failed.join(", "))) }
}

/// Runs cargo, and gives what it printed to `tell`.
///
/// # Errors
/// That it failed.
pub(super) fn run_cargo(arguments: &[&str], mut tell: impl FnMut(&str)) -> Result<(), String> {
    let (text, has_passed) = run(cargo_command(arguments));
    tell(&text);
    if has_passed { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}

/// What a command of tests printed, how it ended if that does not say, and whether it succeeded.
fn run(command: Command) -> (String, bool) {
    let program = command.get_program().to_owned();
    match output_of(command) {
        Ok((text, status)) if status.code().is_some() => (text, status.success()),
        Ok((text, status)) => (format!("{text}{status}\n"), false),
        Err(error) => (format!("{}: {error}", program.display()), false),
    }
}

fn output_of(mut command: Command) -> io::Result<(String, ExitStatus)> {
    // Both in one stream, or they would not keep their order.
    let (mut output, input) = io::pipe()?;
    command.stdout(input.try_clone()?).stderr(input);
    // Tests that compare with RocksDB's programs must not skip themselves here.
    let mut child = command.env("CI", "true").spawn()?;
    // The stream ends when nobody has its other end any more.
    drop(command);
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), child.wait()?))
}

#[cfg(test)]
mod tests;
