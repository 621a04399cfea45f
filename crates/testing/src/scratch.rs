//! Directories for tests that need a file system which can do what not all can.

use std::env;
use std::path::Path;
use tempfile::TempDir;

/// A directory of which `can` says that its file system can what is wanted: the one for temporary files, or
/// else that of the tests' programs. None without one; `wanted` says what is left out.
#[must_use]
pub fn directory(wanted: &str, can: impl Fn(&Path) -> bool) -> Option<TempDir> {
    let program = env::current_exe().unwrap_or_default();
    for place in [Some(&*env::temp_dir()), program.parent()].into_iter().flatten() {
        let Ok(directory) = tempfile::tempdir_in(place) else { continue };
        if can(directory.path()) {
            return Some(directory);
        }
    }
    let temporary = env::temp_dir();
    println!(
        "skipped: {wanted}: neither in {} nor beside {}",
        temporary.display(),
        program.display()
    );
    None
}

#[cfg(test)]
mod tests;
