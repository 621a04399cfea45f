//! The gate: a table of steps, run one after the other. A step that fails does not keep the others
//! from running, so that one run shows everything that is wrong.

use std::ffi::OsString;
use std::process::Command;
use std::time::Instant;

use crate::{files, instructions, layers, tidy};
use summary::Summary;
use test_programs::TestProgram;

mod summary;
mod test_programs;
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
    Step { name: "plain", run: plain },
    Step { name: "doc", run: doc },
    Step { name: "aarch64", run: aarch64 },
    Step { name: "external", run: instructions::run_external },
    Step { name: "test", run: test },
];

/// Engines of the bench that are behind features: nothing else would notice if they broke. Lints and
/// tests have them all, so that nothing is compiled twice; the step `plain` has none.
const STORES: &str = "touchstone/fjall,touchstone/lmdb,touchstone/redb";

fn clippy() -> Result<(), String> {
    lint(&["--workspace", "--features", STORES])
}

/// Lints what has those features, without them.
fn plain() -> Result<(), String> {
    let packages = ["touchstone", "touchstone-bench", "touchstone-engines"];
    lint(&packages.map(|package| ["--package", package]).concat())
}

fn lint(what: &[&str]) -> Result<(), String> {
    let warnings = ["--all-targets", "--", "-D", "warnings"];
    cargo(&[&["clippy", "--locked"], what, &warnings].concat(), &[])
}

fn doc() -> Result<(), String> {
    let all = ["--workspace", "--no-deps", "--document-private-items", "--features", STORES];
    cargo(&[&["doc", "--locked"], &all[..]].concat(), &[("RUSTDOCFLAGS", "-D warnings")])
}

/// What knows of processors, on another one, where there are the tools for it.
fn aarch64() -> Result<(), String> {
    let mut script = Command::new("scripts/aarch64");
    let status = script.arg("--short").current_dir(files::root()).status();
    match status.map_err(|error| format!("scripts/aarch64: {error}"))? {
        status if status.success() => Ok(()),
        status if status.code() == Some(3) => {
            println!("aarch64: left out");
            Ok(())
        }
        status => Err(format!("scripts/aarch64 failed: {status}")),
    }
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
    let mut summary = Summary::default();
    let programs = TestProgram::build_all(&["--workspace", "--features", STORES])?;
    let ran = test_programs::run_all(&programs, |text| summary.tell(text));
    let documents =
        ["test", "--locked", "--workspace", "--features", STORES, "--doc", "--no-fail-fast"];
    let documented = test_programs::run_cargo(&documents, |text| summary.tell(text));
    println!("{}", summary.text());
    ran.and(documented)?;
    if summary.passed == 0 { Err("no tests ran".to_owned()) } else { Ok(()) }
}
