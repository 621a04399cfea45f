//! Directories for tests that need a file system which can do what not all can.

use std::env;
use std::path::Path;
use tempfile::TempDir;

/// A directory of which `can` says that its file system can what is wanted: the one for temporary files, or
/// else that of the tests' programs. None without one, which with `CI=true` is a failure; `wanted` says
/// what is left out.
///
/// # Panics
/// If no directory can be made, or as said.
#[must_use]
pub fn directory(wanted: &str, can: impl Fn(&Path) -> bool) -> Option<TempDir> {
    let program = env::current_exe().unwrap_or_default();
    for place in [Some(&*env::temp_dir()), program.parent()].into_iter().flatten() {
        let directory = tempfile::tempdir_in(place);
        let directory = directory.unwrap_or_else(|why| panic!("{}: {why}", place.display()));
        if can(directory.path()) {
            return Some(directory);
        }
    }
    let in_ci = env::var_os("CI").is_some_and(|value| value == "true");
    let why = format!(
        "{wanted}: neither in {} nor beside {}",
        env::temp_dir().display(),
        program.display()
    );
    assert!(!in_ci, "{why}");
    println!("skipped: {why}");
    None
}

#[cfg(test)]
mod tests;
