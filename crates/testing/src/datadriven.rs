//! Tests that are text files of commands and expected output.
//!
//! ```text
//! # A comment.
//! command arg key=value list=(a, b)
//! input, any number of lines
//! ----
//! expected output, up to an empty line or the end of the file
//!
//! command
//! ----
//! ----
//! expected output that has
//!
//! empty lines in it
//! ----
//! ----
//! ```
//!
//! With `TOUCHSTONE_REWRITE=1` in the environment the files are rewritten with the actual output
//! instead of being compared.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[cfg(test)]
mod tests;

const SEPARATOR: &str = "----";

/// One argument of a command: `key`, `key=value` or `key=(value, value)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// What stands before the equals sign.
    pub key: String,
    /// What stands after it; empty without one.
    pub values: Vec<String>,
}

/// One command of a test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// File and line of the command, for messages.
    pub position: String,
    /// The first word of the command's line.
    pub command: String,
    /// The words after it.
    pub arguments: Vec<Argument>,
    /// The lines before the separator, joined, with a final newline if there are any.
    pub input: String,
    /// The lines after the separator, likewise.
    pub expected: String,
}

impl Directive {
    /// Whether there is an argument of this name.
    #[must_use]
    pub fn has(&self, key: &str) -> bool {
        self.arguments.iter().any(|argument| argument.key == key)
    }

    /// The first value of the argument of this name.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<&str> {
        let argument = self.arguments.iter().find(|argument| argument.key == key)?;
        argument.values.first().map(String::as_str)
    }

    /// The first value of the argument of this name as a number or anything else that parses;
    /// `default` without such an argument.
    ///
    /// # Panics
    /// When the value does not parse.
    #[must_use]
    pub fn parse_or<T: std::str::FromStr>(&self, key: &str, default: T) -> T {
        self.value(key).map_or(default, |value| {
            value
                .parse()
                .unwrap_or_else(|_| panic!("{}: cannot parse {key}={value}", self.position))
        })
    }
}

/// Runs the commands of a file in order and compares what `execute` returns for each with what the
/// file expects; or rewrites the file, when the environment asks for it.
///
/// # Panics
/// When the file cannot be read or parsed, or an output is not as expected.
pub fn run(path: &Path, execute: impl FnMut(&Directive) -> String) {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rewrite = std::env::var_os("TOUCHSTONE_REWRITE").is_some_and(|value| value == "1");
    let outcome = execute_all(&name, &text, execute).unwrap_or_else(|why| panic!("{why}"));
    if rewrite {
        if outcome.rewritten != text {
            fs::write(path, outcome.rewritten).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    } else {
        assert!(outcome.failures.is_empty(), "{}", outcome.failures.join("\n"));
    }
}

/// [`run`] for every file of a directory, in the order of names; `start` makes the state that one
/// file's commands work on.
///
/// # Panics
/// As [`run`], and when the directory holds no file.
pub fn run_directory<S>(
    directory: &Path,
    start: impl Fn() -> S,
    mut execute: impl FnMut(&mut S, &Directive) -> String,
) {
    let entries = fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    assert!(!files.is_empty(), "{}: no test files", directory.display());
    for file in files {
        let mut state = start();
        run(&file, |directive| execute(&mut state, directive));
    }
}

struct Outcome {
    failures: Vec<String>,
    rewritten: String,
}

fn execute_all(
    name: &str,
    text: &str,
    mut execute: impl FnMut(&Directive) -> String,
) -> Result<Outcome, String> {
    let mut lines = Lines { name, lines: text.lines().collect(), next: 0 };
    let mut outcome = Outcome { failures: Vec::new(), rewritten: String::new() };
    while let Some(line) = lines.take() {
        if line.is_empty() || line.starts_with('#') {
            outcome.rewritten.push_str(line);
            outcome.rewritten.push('\n');
            continue;
        }
        let position = format!("{name}:{}", lines.next);
        let directive = parse(&mut lines, line, position)?;
        let mut actual = execute(&directive);
        if !actual.is_empty() && !actual.ends_with('\n') {
            actual.push('\n');
        }
        if actual != directive.expected {
            outcome.failures.push(format!(
                "{}: {line}\nexpected:\n{}actual:\n{actual}",
                directive.position, directive.expected
            ));
        }
        write_back(&mut outcome.rewritten, line, &directive.input, &actual);
    }
    Ok(outcome)
}

fn write_back(text: &mut String, line: &str, input: &str, actual: &str) {
    let separators = if has_empty_line(actual) { "----\n----\n" } else { "----\n" };
    let end = if has_empty_line(actual) { separators } else { "" };
    write!(text, "{line}\n{input}{separators}{actual}{end}\n").expect("a string takes all");
}

fn has_empty_line(text: &str) -> bool {
    text.starts_with('\n') || text.contains("\n\n")
}

struct Lines<'a> {
    name: &'a str,
    lines: Vec<&'a str>,
    next: usize,
}

impl<'a> Lines<'a> {
    fn take(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.next).copied();
        self.next += usize::from(line.is_some());
        line
    }

    fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    /// Consumes lines up to the one that `is_end` accepts, that one included, and joins the others.
    fn until(&mut self, is_end: impl Fn(&Self, &str) -> bool) -> (String, bool) {
        let mut text = String::new();
        while let Some(line) = self.take() {
            if is_end(self, line) {
                return (text, true);
            }
            text.push_str(line);
            text.push('\n');
        }
        (text, false)
    }
}

fn parse(lines: &mut Lines<'_>, line: &str, position: String) -> Result<Directive, String> {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    let arguments = arguments(rest).map_err(|why| format!("{position}: {why}"))?;
    let (input, separated) = lines.until(|_, line| line == SEPARATOR);
    if !separated {
        return Err(format!("{position}: no {SEPARATOR} after the command"));
    }
    let expected = if lines.peek() == Some(SEPARATOR) {
        lines.take();
        let (expected, ended) =
            lines.until(|lines, line| line == SEPARATOR && lines.peek() == Some(SEPARATOR));
        if !ended {
            return Err(format!("{position}: the doubled {SEPARATOR} has no end"));
        }
        lines.take();
        if lines.peek().is_some_and(|line| !line.is_empty()) {
            return Err(format!("{}:{}: expected an empty line", lines.name, lines.next + 1));
        }
        lines.take();
        expected
    } else {
        lines.until(|_, line| line.is_empty()).0
    };
    Ok(Directive { position, command: command.to_owned(), arguments, input, expected })
}

fn arguments(mut text: &str) -> Result<Vec<Argument>, String> {
    let mut arguments = Vec::new();
    loop {
        text = text.trim_start();
        if text.is_empty() {
            return Ok(arguments);
        }
        let end = text.find([' ', '=']).unwrap_or(text.len());
        let key = text[..end].to_owned();
        text = &text[end..];
        let values = match text.strip_prefix('=') {
            None => Vec::new(),
            Some(rest) if rest.starts_with('(') => {
                let Some(close) = rest.find(')') else {
                    return Err(format!("no closing parenthesis after {key}="));
                };
                text = &rest[close + 1..];
                rest[1..close].split(',').map(|value| value.trim().to_owned()).collect()
            }
            Some(rest) => {
                let end = rest.find(' ').unwrap_or(rest.len());
                text = &rest[end..];
                vec![rest[..end].to_owned()]
            }
        };
        arguments.push(Argument { key, values });
    }
}
