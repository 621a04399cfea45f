//! The workspace's test programs, as many at a time as there are processors: much of the time of some is
//! spent waiting for processes, disks and clocks, which others can use.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
    fn run(&self, variables: &[(&str, &str)]) -> (String, bool) {
        println!("     Started {}", self.name);
        let mut command = Command::new(&self.executable);
        command.current_dir(&self.directory).env("CARGO_MANIFEST_DIR", &self.directory);
        let (text, has_passed) = run(&mut command, variables);
        (format!("     Running {} ({})\n{text}", self.name, self.executable.display()), has_passed)
    }
}

/// Runs all of `programs`, and gives what each printed to `tell` when it has ended.
///
/// # Errors
/// Which of them failed.
pub(super) fn run_all<'a>(
    programs: &'a [TestProgram],
    variables: &[(&str, &str)],
    mut tell: impl FnMut(&str),
) -> Result<(), String> {
    let mut failed = Vec::new();
    let left = Mutex::new(programs.iter());
    let next = || -> Option<&'a TestProgram> { left.lock().ok()?.next() };
    let work = |ended: Sender<(&'a TestProgram, (String, bool))>| {
        while let Some(program) = next() {
            // The receiver is there until all have ended.
            let _ = ended.send((program, program.run(variables)));
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
pub(super) fn run_cargo(
    arguments: &[&str],
    variables: &[(&str, &str)],
    mut tell: impl FnMut(&str),
) -> Result<(), String> {
    let (text, has_passed) = run(&mut cargo_command(arguments), variables);
    tell(&text);
    if has_passed { Ok(()) } else { Err(format!("cargo {} failed", arguments.join(" "))) }
}

/// What a command printed, and whether it succeeded.
fn run(command: &mut Command, variables: &[(&str, &str)]) -> (String, bool) {
    // Both in one stream, or they would not keep their order.
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"exec "$0" "$@" 2>&1"#]).arg(command.get_program());
    shell.args(command.get_args()).envs(variables.iter().copied()).stderr(Stdio::inherit());
    if let Some(directory) = command.get_current_dir() {
        shell.current_dir(directory);
    }
    for (name, value) in command.get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    match shell.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            (format!("{text}{}", ending(&output.status)), output.status.success())
        }
        Err(error) => (format!("{}: {error}", command.get_program().display()), false),
    }
}

/// What there is to say of how a program ended, where its output does not.
fn ending(status: &std::process::ExitStatus) -> String {
    match status.code() {
        Some(_) => String::new(),
        None => format!("{status}\n"),
    }
}

#[cfg(test)]
mod tests;
