//! Rules of the house that neither the compiler nor its lints know.

use std::collections::BTreeMap;
use std::fs;

use crate::files::{self, File};

mod lengths;
mod links;
mod rust;
mod text;

/// What a check has against a line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    path: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(file: &File, line: usize, message: impl Into<String>) -> Self {
        Self { path: file.path.clone(), line, message: message.into() }
    }
}

/// Checks that look at one file at a time.
const CHECKS: &[fn(&File) -> Vec<Finding>] = &[
    rust::header,
    rust::banned_words,
    rust::attributes_without_reason,
    rust::unsafe_code,
    rust::misplaced_tests,
    text::white_space,
    text::mentions,
];

/// Largest file of the project, in bytes; whatever is larger does not belong in a repository.
const MAX_FILE_BYTES: u64 = 2 << 20;

const ALLOWED: &str = "xtask/allowed-lengths.txt";

/// Runs every check over the whole project.
pub(crate) fn check() -> Result<(), String> {
    let paths = files::list()?;
    let files = files::read(&paths)?;
    let mut findings: Vec<Finding> =
        files.iter().flat_map(|file| CHECKS.iter().flat_map(|check| check(file))).collect();
    findings.extend(links::check(&files, &paths));
    findings.extend(too_large(&paths)?);
    let allowed = fs::read_to_string(files::root().join(ALLOWED))
        .map_err(|error| format!("{ALLOWED}: {error}"))?;
    let measured: Vec<lengths::Length> = files.iter().flat_map(lengths::measure).collect();
    let mut lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    lines.extend(lengths::compare(&measured, &lengths::parse_allowed(&allowed)?));
    for warning in lengths::warnings(&files) {
        println!("warning: {warning}");
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

fn too_large(paths: &[String]) -> Result<Vec<Finding>, String> {
    let mut sizes = BTreeMap::new();
    for path in paths {
        let metadata = fs::metadata(files::root().join(path));
        sizes.insert(path, metadata.map_err(|error| format!("{path}: {error}"))?.len());
    }
    let large = sizes.into_iter().filter(|(_, size_bytes)| *size_bytes > MAX_FILE_BYTES);
    Ok(large
        .map(|(path, size_bytes)| Finding {
            path: path.clone(),
            line: 1,
            message: format!("{size_bytes} bytes are too much for a repository"),
        })
        .collect())
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}: {}", self.path, self.line, self.message)
    }
}
