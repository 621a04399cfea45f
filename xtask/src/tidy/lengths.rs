//! Lengths of files and functions, as a ratchet: what is over the limit is listed with its measure,
//! may not grow, and when it shrinks the list must follow.

use std::collections::BTreeMap;

use crate::files::File;
use crate::source::{line_of, word_offsets};

#[cfg(test)]
mod tests;

const MAX_FILE_LINES: usize = 1000;
const LONG_FILE_LINES: usize = 600;
const MAX_FUNCTION_LINES: usize = 70;

/// Something over its limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Length {
    /// `file PATH`, or `function PATH NAME`.
    name: String,
    line: usize,
    lines: usize,
}

/// What of a file is over its limit.
pub(super) fn measure(file: &File) -> Vec<Length> {
    let mut lengths = Vec::new();
    if file.is_rust() {
        let lines = file.text.lines().count();
        if lines > MAX_FILE_LINES {
            lengths.push(Length { name: format!("file {}", file.path), line: 1, lines });
        }
        for function in functions(&file.code) {
            if function.lines > MAX_FUNCTION_LINES {
                let name = format!("function {} {}", file.path, function.name);
                lengths.push(Length { name, ..function });
            }
        }
    }
    lengths
}

/// Sentences on files that come near the limit.
pub(super) fn warnings(files: &[File]) -> Vec<String> {
    let sources = files.iter().filter(|file| file.is_rust());
    sources
        .map(|file| (&file.path, file.text.lines().count()))
        .filter(|(_, lines)| *lines > LONG_FILE_LINES)
        .map(|(path, lines)| format!("{path} has {lines} lines"))
        .collect()
}

/// The list: each line a measure and a name as in [`Length`]. Empty lines and those that begin with
/// `#` are skipped.
pub(super) fn parse_allowed(text: &str) -> Result<BTreeMap<String, usize>, String> {
    let mut allowed = BTreeMap::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let parsed =
            line.split_once(' ').and_then(|(lines, name)| Some((name, lines.parse().ok()?)));
        let (name, lines) = parsed.ok_or_else(|| format!("{}: {line}", super::ALLOWED))?;
        allowed.insert(name.to_owned(), lines);
    }
    Ok(allowed)
}

/// Sentences on what is longer than allowed, and on what the list allows without need.
pub(super) fn compare(measured: &[Length], allowed: &BTreeMap<String, usize>) -> Vec<String> {
    let mut problems = Vec::new();
    for length in measured {
        let Length { name, line, lines } = length;
        let limit = if name.starts_with("file") { MAX_FILE_LINES } else { MAX_FUNCTION_LINES };
        match allowed.get(name) {
            None => problems.push(format!("{name} (line {line}): {lines} lines, over {limit}")),
            Some(listed) if listed == lines => {}
            Some(listed) => {
                let list = super::ALLOWED;
                problems.push(format!("{name}: {lines} lines, but {list} says {listed}"));
            }
        }
    }
    for name in allowed.keys().filter(|name| !measured.iter().any(|one| one.name == **name)) {
        problems.push(format!("{}: {name} is no longer too long", super::ALLOWED));
    }
    problems
}

/// Every function with a body: its name, the line it begins at and the lines up to its last brace.
fn functions(code: &str) -> Vec<Length> {
    let mut functions = Vec::new();
    for offset in word_offsets(code, "fn") {
        let signature = &code[offset + 2..];
        let name: String =
            signature.trim_start().chars().take_while(|&c| crate::source::is_word(c)).collect();
        if name.is_empty() {
            continue; // A type such as fn(u8) -> u8.
        }
        if let Some(end) = body_end(signature) {
            let line = line_of(code, offset);
            let lines = 1 + signature[..end].matches('\n').count();
            functions.push(Length { name, line, lines });
        }
    }
    functions
}

/// Where the body after a signature ends; nothing for a function without a body.
fn body_end(signature: &str) -> Option<usize> {
    let mut braces = 0_usize;
    let mut brackets = 0_usize;
    for (offset, character) in signature.char_indices() {
        match character {
            '(' | '[' if braces == 0 => brackets += 1,
            ')' | ']' if braces == 0 => brackets = brackets.saturating_sub(1),
            ';' if braces == 0 && brackets == 0 => return None,
            '{' if brackets == 0 || braces > 0 => braces += 1,
            '}' if braces > 0 => {
                braces -= 1;
                if braces == 0 {
                    return Some(offset);
                }
            }
            _ => {}
        }
    }
    None
}
