//! Tests in processes of their own, for what a process decides once.

use std::process::Command;

/// Runs a test of this program, named by its path, in a new process with variables in its environment.
///
/// # Panics
/// With what it has said, if it fails or is not there.
pub fn run_test(name: &str, variables: &[(&str, &str)]) {
    let program = std::env::current_exe().expect("this program");
    let mut command = Command::new(program);
    command.args(["--exact", name, "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().expect("a process");
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{name}: {said}");
}
