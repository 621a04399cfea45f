//! Tests in a process of their own: this program again, for one test.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Set in such a process, to the test's name.
const TEST: &str = "TOUCHSTONE_LIMITS_TEST";
/// Set to a directory, where the process was told of one.
const DIRECTORY: &str = "TOUCHSTONE_LIMITS_DIRECTORY";

fn command(test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(TEST, test);
    command
}

fn is_child_for(test: &str) -> bool {
    std::env::var(TEST).is_ok_and(|name| name == test)
}

/// Runs `body` in a new process that runs nothing but the calling test, which is named by its path.
pub(crate) fn in_child(test: &str, body: impl FnOnce()) {
    if is_child_for(test) {
        return body();
    }
    let output = command(test).output().unwrap();
    let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success() && text.contains("1 passed"), "{test}: {text}");
    print!("{text}");
}

/// Begins a process that runs the calling test, where [`directory`] gives it `directory`.
pub(crate) fn spawn(test: &str, directory: &Path) -> Child {
    let mut command = command(test);
    command.env(DIRECTORY, directory).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// What [`spawn`] gave, in the process that it began.
pub(crate) fn directory(test: &str) -> Option<PathBuf> {
    std::env::var_os(DIRECTORY).filter(|_| is_child_for(test)).map(PathBuf::from)
}
