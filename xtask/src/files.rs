//! The project's files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::source;

#[cfg(test)]
mod tests;

/// A text file of the project.
pub(crate) struct File {
    /// Its path from the project's directory, with slashes.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) text: String,
    /// A Rust file's text with the insides of comments and strings replaced by blanks; empty for
    /// other files. Lines are where they are in `text`.
    pub(crate) code: String,
}

impl File {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let code = if path.ends_with(".rs") { source::blank(text) } else { String::new() };
        Self { path: path.to_owned(), text: text.to_owned(), code }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.ends_with(".md")
    }

    /// Whether the file holds nothing but tests.
    pub(crate) fn is_test(&self) -> bool {
        self.path.ends_with("tests.rs") || self.path.contains("/tests/")
    }
}

/// The project's directory.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Paths of all files that belong to the project, from its directory: what git would add, or
/// everything but build output where git knows nothing of the directory.
pub(crate) fn list() -> Result<Vec<String>, String> {
    let mut paths = match git_files() {
        Some(paths) => paths,
        None => walk(&root(), "").map_err(|error| error.to_string())?,
    };
    // A file deleted but not yet staged is still listed.
    paths.retain(|path| root().join(path).is_file());
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn git_files() -> Option<Vec<String>> {
    let output = Command::new("git")
        // The checkout may belong to another user than the one who runs the checks.
        .args(["-c", "safe.directory=*", "ls-files", "-z"])
        .args(["--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(names.split('\0').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

fn walk(directory: &Path, prefix: &str) -> io::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if !entry.file_type()?.is_dir() {
            paths.push(path);
        } else if !["target", ".git"].contains(&name.as_str()) {
            paths.extend(walk(&entry.path(), &format!("{path}/"))?);
        }
    }
    Ok(paths)
}

/// The text files among `paths`. The packed fixtures and their records are data, not text.
pub(crate) fn read(paths: &[String]) -> Result<Vec<File>, String> {
    let mut files = Vec::new();
    for path in paths.iter().filter(|path| !is_data(path)) {
        let bytes = fs::read(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(File::new(path, &text));
        }
    }
    Ok(files)
}

fn is_data(path: &str) -> bool {
    path.starts_with("fixtures/") && (path.ends_with(".json") || path.ends_with(".zst"))
}
