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
//! the line and the last, with its escapes undone; values keep their escapes. All is text but the
//! argument: the names of column families are any bytes.

use crate::option_string::{trim, unescape_bytes};
use base::{ColumnFamilyName, Result, Status};
use std::fmt;

/// `[Title "argument"]` and what follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section<'t> {
    pub(crate) title: &'t str,
    pub(crate) argument: ColumnFamilyName,
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
/// `InvalidArgument` that names the line; `Corruption` with the offset of what is no text.
pub(crate) fn parse(content: &[u8]) -> Result<Vec<Section<'_>>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut offset = 0;
    for (line, whole) in (1_u32..).zip(content.split(|byte| *byte == b'\n')) {
        let start = offset;
        offset += whole.len() + 1;
        let content = without_comment(whole);
        if let Some((title, argument)) = header_with_argument(content.trim_ascii()) {
            let title = trim(title);
            sections.push(Section { title, argument, line, statements: Vec::new() });
            continue;
        }
        let text = std::str::from_utf8(content).map_err(|error| {
            let at = start + error.valid_up_to();
            Status::corruption(format!("offset {at}: expected text in UTF-8"))
        })?;
        let text = trim(text);
        if text.is_empty() {
            continue;
        }
        if let Some(title) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let (title, argument) = (trim(title), ColumnFamilyName::default());
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

/// `[Title "argument"]`, where there is an argument and the title is text.
fn header_with_argument(line: &[u8]) -> Option<(&str, ColumnFamilyName)> {
    let header = line.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let is_quote = |byte: &u8| *byte == b'"';
    let (first, last) = (header.iter().position(is_quote)?, header.iter().rposition(is_quote)?);
    let title = std::str::from_utf8(&header[..first]).ok()?;
    let argument = header.get(first + 1..last)?;
    Some((title, unescape_bytes(argument).into_owned().into()))
}

fn without_comment(line: &[u8]) -> &[u8] {
    let is_comment = |at: &usize| line[*at] == b'#' && (*at == 0 || line[*at - 1] != b'\\');
    match (0..line.len()).find(is_comment) {
        Some(at) => &line[..at],
        None => line,
    }
}

#[cfg(test)]
mod tests;
