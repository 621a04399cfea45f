//! The gate: a table of steps, run one after the other. A step that fails does not keep the others
//! from running, so that one run shows everything that is wrong.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{files, layers, tidy};

#[cfg(test)]
mod tests;

/// A step of the gate.
struct Step {
    name: &'static str,
    run: fn() -> Result<(), String>,
}

/// Every step in the order they run: the quick ones first, the tests last, so that their summary
/// ends the output. Short modes of longer campaigns go here, before the tests.
const STEPS: &[Step] = &[
    Step { name: "fmt", run: || cargo(&["fmt", "--all", "--check"], &[]) },
    Step { name: "layers", run: layers::check },
    Step { name: "tidy", run: tidy::check },
    Step { name: "clippy", run: clippy },
    Step { name: "plain", run: || cargo(&["check", "--locked", "--package", "touchstone"], &[]) },
    Step { name: "doc", run: doc },
    Step { name: "test", run: test },
];

/// Engines of the bench that are behind features: nothing else would notice if they broke. Lints and
/// tests have them all, so that nothing is compiled twice; the step `plain` has none.
const STORES: &str = "touchstone/fjall,touchstone/lmdb,touchstone/redb";

fn clippy() -> Result<(), String> {
    let targets = ["--workspace", "--all-targets", "--features", STORES];
    let lints = ["--", "-D", "warnings"];
    cargo(&[&["clippy", "--locked"], &targets[..], &lints].concat(), &[])
}

fn doc() -> Result<(), String> {
    let all = ["--workspace", "--no-deps", "--document-private-items", "--features", STORES];
    cargo(&[&["doc", "--locked"], &all[..]].concat(), &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Whether the gate has a step of this name.
pub(crate) fn is_step(name: &str) -> bool {
    STEPS.iter().any(|step| step.name == name)
}

/// Runs one step.
pub(crate) fn run_step(name: &str) -> Result<(), String> {
    match STEPS.iter().find(|step| step.name == name) {
        Some(step) => (step.run)(),
        None => Err(format!("no step {name}")),
    }
}

/// Runs every step and says at the end which of them failed.
pub(crate) fn run_all() -> Result<(), String> {
    let mut lines = Vec::new();
    let mut failed = Vec::new();
    for step in STEPS {
        println!("== {}", step.name);
        let start = Instant::now();
        let result = (step.run)();
        let seconds = start.elapsed().as_secs_f64();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        lines.push(format!("{:8} {verdict:6} {seconds:7.1} s", step.name));
        if let Err(why) = result {
            println!("{}", why.trim_end());
            failed.push(step.name);
        }
    }
    println!("== gate\n{}", lines.join("\n"));
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

/// Runs cargo in the project's directory with extra environment variables.
pub(crate) fn cargo(arguments: &[&str], variables: &[(&str, &str)]) -> Result<(), String> {
    let status = cargo_command(arguments)
        .envs(variables.iter().copied())
        .status()
        .map_err(|error| format!("cargo {}: {error}", arguments.join(" ")))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("cargo {} failed: {status}", arguments.join(" ")))
    }
}

/// A cargo command in the project's directory.
pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo_program());
    command.args(arguments).current_dir(files::root());
    command
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs the tests and repeats at the end what each test program summed up.
fn test() -> Result<(), String> {
    // Names of programs come on standard error and their results on standard output; only in one
    // stream do they keep their order.
    let mut child = Command::new("sh")
        .args(["-c", r#"exec "$0" "$@" 2>&1"#])
        .arg(cargo_program())
        .args(["test", "--locked", "--workspace", "--features", STORES, "--no-fail-fast"])
        .current_dir(files::root())
        // Tests that compare with RocksDB's programs must not skip themselves here.
        .env("CI", "true")
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo test: {error}"))?;
    let mut summary = Summary::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(|error| format!("cargo test: {error}"))?;
            let line = String::from_utf8_lossy(&line);
            // The reader of our output may have gone; the tests go on all the same.
            drop(writeln!(std::io::stdout(), "{line}"));
            summary.add(&line);
        }
    }
    let status = child.wait().map_err(|error| format!("cargo test: {error}"))?;
    println!("{}", summary.text());
    if !status.success() {
        return Err(format!("cargo test failed: {status}"));
    }
    if summary.passed == 0 { Err("cargo test ran no tests".to_owned()) } else { Ok(()) }
}

/// What the test programs summed up between them.
#[derive(Default)]
struct Summary {
    program: String,
    lines: Vec<String>,
    failed_tests: Vec<String>,
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl Summary {
    fn add(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... FAILED")) {
            self.failed_tests.push(format!("{}: {name}", self.program));
        }
        let words = line.trim_start();
        for kind in ["Running ", "Doc-tests "] {
            if let Some(program) = words.strip_prefix(kind) {
                // Running unittests src/lib.rs (target/debug/deps/base-0123456789abcdef)
                let file = program.trim_end_matches(')').rsplit('/').next().unwrap_or(program);
                let name = file.rsplit_once('-').map_or(file, |(name, _)| name);
                self.program = if kind == "Running " { name } else { words }.to_owned();
            }
        }
        if !line.starts_with("test result: ") {
            return;
        }
        let counts = [("passed", &mut self.passed), ("failed", &mut self.failed)];
        for (what, sum) in counts.into_iter().chain([("ignored", &mut self.ignored)]) {
            *sum += count(line, what);
        }
        if ["passed", "failed", "ignored"].iter().any(|what| count(line, what) > 0) {
            let line = line.split("; 0 measured").next().unwrap_or(line);
            self.lines.push(format!("{line}  {}", self.program));
        }
    }

    fn text(&self) -> String {
        let mut text = String::from("== summary of the tests\n");
        for line in &self.lines {
            text.push_str(line);
            text.push('\n');
        }
        for name in &self.failed_tests {
            text.push_str("FAILED ");
            text.push_str(name);
            text.push('\n');
        }
        let Self { passed, failed, ignored, .. } = self;
        text.push_str(&format!("all: {passed} passed; {failed} failed; {ignored} ignored"));
        text
    }
}

/// The number before a word in a line such as `test result: ok. 3 passed; 0 failed; ...`.
fn count(line: &str, what: &str) -> u64 {
    let mut words =
        line.split_whitespace().rev().skip_while(|word| word.trim_end_matches(';') != what);
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}
