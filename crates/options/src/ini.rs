//! The text of OPTIONS files: sections and statements, whatever they mean.
//!
//! ```text
//! # a comment, up to the end of the line; `\#` begins none
//! [Title]
//! [Title "argument"]
//!   name=value
//! ```
//!
//! Blanks around everything do not count. The argument is what stands between the first quote of
//! the line and the last, with its escapes undone; values keep their escapes.

use crate::option_string::{trim, unescape};
use base::{Result, Status};
use std::fmt;

/// `[Title "argument"]` and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section<'t> {
    pub(crate) title: &'t str,
    pub(crate) argument: String,
    /// From 1.
    pub(crate) line: u32,
    pub(crate) statements: Vec<Statement<'t>>,
}

impl fmt::Display for Section<'_> {
    /// The header without its brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title)?;
        if self.argument.is_empty() { Ok(()) } else { write!(f, " {:?}", self.argument) }
    }
}

/// `name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement<'t> {
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    /// From 1.
    pub(crate) line: u32,
}

/// An error about a line.
pub(crate) fn at_line(line: u32, what: impl fmt::Display) -> Status {
    Status::invalid_argument(format!("line {line}: {what}"))
}

/// Takes a file apart.
///
/// # Errors
/// `InvalidArgument` that names the line.
pub(crate) fn parse(text: &str) -> Result<Vec<Section<'_>>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (line, text) in (1_u32..).zip(text.split('\n')) {
        let text = trim(without_comment(text));
        if text.is_empty() {
            continue;
        }
        if let Some(header) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let (title, argument) = match (header.find('"'), header.rfind('"')) {
                (Some(first), Some(last)) if first < last => {
                    (&header[..first], unescape(&header[first + 1..last]).into_owned())
                }
                _ => (header, String::new()),
            };
            let title = trim(title);
            sections.push(Section { title, argument, line, statements: Vec::new() });
            continue;
        }
        let Some((name, value)) = text.split_once('=') else {
            return Err(at_line(line, format_args!("expected name=value, found {text:?}")));
        };
        let (name, value) = (trim(name), trim(value));
        if name.is_empty() {
            return Err(at_line(line, "expected a name before '='"));
        }
        match sections.last_mut() {
            Some(section) => section.statements.push(Statement { name, value, line }),
            None => return Err(at_line(line, format_args!("{name} is in no section"))),
        }
    }
    Ok(sections)
}

fn without_comment(text: &str) -> &str {
    let bytes = text.as_bytes();
    let mut hashes = text.match_indices('#').map(|(at, _)| at);
    match hashes.find(|&at| at == 0 || bytes[at - 1] != b'\\') {
        Some(at) => &text[..at],
        None => text,
    }
}

#[cfg(test)]
mod tests;
