//! Rules for every text file.

use super::Finding;
use crate::files::File;

#[cfg(test)]
mod tests;

/// What the project's files do not mention: hosts of package registries, which a machine may reach
/// by other names, and directories of particular machines. The words are put together here so
/// that this file does not hold them.
const MENTIONS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("repo1.maven", ".org"),
    concat!("repo.maven", ".apache.org"),
    concat!("pypi", ".org"),
    concat!("registry.npmjs", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("deb.debian", ".org"),
    concat!("static.rust-lang", ".org"),
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

/// Written by cargo, with the registry's name in every entry.
const NOT_OURS: &[&str] = &["Cargo.lock"];

const CHECKED: &[&str] = &[".rs", ".md", ".toml", ".sh", ".py", ".txt", ".yml"];

/// No blanks at the end of lines, and a newline at the end of the file.
pub(super) fn white_space(file: &File) -> Vec<Finding> {
    let is_script = file.text.starts_with("#!");
    if !is_script && !CHECKED.iter().any(|suffix| file.path.ends_with(suffix)) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        if line.ends_with([' ', '\t', '\r']) {
            findings.push(Finding::new(file, index + 1, "white space at the end of the line"));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        let last = file.text.lines().count();
        findings.push(Finding::new(file, last, "no newline at the end of the file"));
    }
    findings
}

/// Names that do not belong in the project's files.
pub(super) fn mentions(file: &File) -> Vec<Finding> {
    if NOT_OURS.contains(&file.path.as_str()) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        for name in MENTIONS.iter().filter(|name| line.contains(**name)) {
            findings.push(Finding::new(file, index + 1, format!("do not mention {name}")));
        }
    }
    findings
}
