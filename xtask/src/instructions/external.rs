//! A crate of a user's own, with the program of operations in it.
//!
//! It is no member of the workspace, so Cargo builds it, and the crates of this one, by its release
//! profile as it is: without optimization over crates, for no special processor, with the C library's
//! allocator. Dependencies are those of the workspace's lock file.

use super::output_of;
use crate::{ci, files};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "crates/db/benches/operations.rs";
const NAME: &str = "external-operations";

/// What the program uses of this workspace: names that the source has, and directories.
const CRATES: [(&str, &str); 4] =
    [("base", "base"), ("db", "db"), ("options", "options"), ("perf_context", "perf_context")];

/// Writes the crate and builds it; the program's path.
pub(super) fn build() -> Result<PathBuf, String> {
    let root = files::root();
    let directory = root.join("target/external");
    let told = |error: std::io::Error| format!("{}: {error}", directory.display());
    std::fs::create_dir_all(&directory).map_err(told)?;
    std::fs::write(directory.join("Cargo.toml"), manifest(&root)?).map_err(told)?;
    std::fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock")).map_err(told)?;
    let target = directory.join("target");
    let arguments = ["build", "--release", "--offline", "--target-dir"];
    let mut cargo = ci::cargo_command(&arguments);
    cargo.arg(&target).current_dir(&directory);
    // What a user's shell does not have either.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(name);
    }
    output_of(cargo.stderr(std::process::Stdio::inherit()))?;
    Ok(target.join("release").join(NAME))
}

/// The crate's manifest.
fn manifest(root: &Path) -> Result<String, String> {
    let mut dependencies = String::new();
    for (name, directory) in CRATES {
        let path = root.join("crates").join(directory);
        let package = package_name(&read(&path.join("Cargo.toml"))?)?;
        let line = format!("{name} = {{ package = {package:?}, path = {path:?} }}\n");
        dependencies.push_str(&line);
    }
    let workspace = read(&root.join("Cargo.toml"))?;
    for name in ["rustix", "tempfile"] {
        dependencies.push_str(line_of(&workspace, name)?);
        dependencies.push('\n');
    }
    let program = root.join(PROGRAM);
    Ok(format!(
        "[package]\nname = {NAME:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[[bin]]\nname = {NAME:?}\npath = {program:?}\n\n\
         [dependencies]\n{dependencies}"
    ))
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The line of a manifest that gives `name` a value.
fn line_of<'m>(manifest: &'m str, name: &str) -> Result<&'m str, String> {
    let gives = |line: &&str| {
        line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    manifest.lines().find(gives).ok_or_else(|| format!("no line of a manifest begins {name} ="))
}

fn package_name(manifest: &str) -> Result<String, String> {
    let line = line_of(manifest, "name")?;
    let value = line.split_once('=').map_or("", |(_, value)| value);
    Ok(value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests;
