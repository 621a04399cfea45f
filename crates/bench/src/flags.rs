//! Command lines of `db_bench`, by gflags' rules.
//!
//! `--name=value`, `--name value`, `-name`, `--name` and `--noname` for booleans,
//! `--flagfile=FILE`, `--undefok=a,b`; the last occurrence of a flag counts; `--` ends them.
//! Every flag of the tool is known ([`table`]), and what becomes of it: what would change the result
//! and is not there is refused with a sentence, what changes nothing is named in a note. Flags that
//! set an option are refused if the engine does not act on the option.

pub mod own;
pub mod table;

use own::OWN_FLAGS;
use std::collections::HashMap;
use std::fmt;
use std::ops::RangeInclusive;
use table::FLAGS;

/// What values a flag takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true`/`false`, `1`/`0`, `t`/`f`, `yes`/`no`, `y`/`n`.
    Bool,
    /// 32-bit signed integer.
    Int32,
    /// 64-bit signed integer.
    Int64,
    /// 32-bit unsigned integer.
    Uint32,
    /// 64-bit unsigned integer.
    Uint64,
    /// Floating point number.
    Double,
    /// Text.
    String,
}

/// What a flag does here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// What it says.
    Honoured,
    /// Sets the database's option of this name.
    Db(&'static str),
    /// Sets the option of this name of all column families.
    Family(&'static str),
    /// Sets the option of this name of all tables.
    Table(&'static str),
    /// Sets the option of this name of all column families, unless it is at the flag's default.
    FamilyUnlessDefault(&'static str),
    /// Sets the option of this name, to what code makes of the flag's value.
    ByHand(Of, &'static str),
    /// It concerns only what is named, which is refused: a flag (`--name`) or a benchmark. Without
    /// it the flag changes nothing.
    OnlyWith(&'static str),
    /// It changes nothing in RocksDB's tool either, and why. A note says so.
    NoEffect(&'static str),
    /// It would change the result and is refused with these words.
    Refused(&'static str),
}

/// What an option is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// The database.
    Db,
    /// All column families.
    Family,
    /// All tables.
    Table,
}

impl Support {
    /// The option that the flag sets, and what it is one of; none if it sets none.
    pub fn option(self) -> Option<(Of, &'static str)> {
        match self {
            Self::Db(name) => Some((Of::Db, name)),
            Self::Family(name) | Self::FamilyUnlessDefault(name) => Some((Of::Family, name)),
            Self::Table(name) => Some((Of::Table, name)),
            Self::ByHand(of, name) => Some((of, name)),
            Self::Honoured | Self::OnlyWith(_) | Self::NoEffect(_) | Self::Refused(_) => None,
        }
    }
}

/// Flags that take fewer values than their kind has.
const LIMITS: [(&str, RangeInclusive<i128>); 5] = [
    ("cache_numshardbits", i32::MIN as i128..=19),
    ("deletepercent", 1..=99),
    ("prefix_size", 0..=1_999_999_999),
    ("readwritepercent", 1..=99),
    ("table_cache_numshardbits", 1..=19),
];

/// A flag of `db_bench`.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Name without dashes.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Its value where none is given.
    pub default: &'static str,
    /// What it does here.
    pub support: Support,
    /// What it means, in one line.
    pub doc: &'static str,
}

/// Why a command line was not accepted; the text is for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagError(pub String);

impl fmt::Display for FlagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERROR: {}", self.0)
    }
}

/// The values of a command line.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    given: HashMap<&'static str, String>,
    undefined_ok: Vec<String>,
}

/// All flags: those of `db_bench`, then our own.
pub fn all() -> impl Iterator<Item = &'static Flag> {
    FLAGS.iter().chain(OWN_FLAGS)
}

/// The flag of this name. Dashes in it count as underscores.
pub fn find(name: &str) -> Option<&'static Flag> {
    let name = name.replace('-', "_");
    let find = |flags: &'static [Flag]| {
        flags.binary_search_by(|flag| flag.name.cmp(&name)).ok().map(|index| &flags[index])
    };
    find(FLAGS).or_else(|| find(OWN_FLAGS))
}

impl Flags {
    /// Parses arguments, the program's name not among them.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(arguments: &[String]) -> Result<Self, FlagError> {
        let mut flags = Self::default();
        for argument in arguments {
            if let Some(names) =
                strip_dashes(argument).and_then(|rest| rest.strip_prefix("undefok="))
            {
                flags.undefined_ok.extend(names.split(',').map(str::to_owned));
            }
        }
        flags.parse_all(arguments, 0)?;
        flags.refuse_unsupported()?;
        Ok(flags)
    }

    fn parse_all(&mut self, arguments: &[String], depth: usize) -> Result<(), FlagError> {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let Some(text) = strip_dashes(argument) else {
                continue;
            };
            if text.is_empty() {
                break;
            }
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (text, None),
            };
            match name {
                "undefok" => continue,
                "flagfile" => {
                    let path = value.or_else(|| arguments.next().cloned()).unwrap_or_default();
                    self.parse_file(&path, depth)?;
                    continue;
                }
                _ => {}
            }
            let (flag, negated) = match (find(name), name.strip_prefix("no").and_then(find)) {
                (Some(flag), _) => (flag, false),
                (None, Some(flag)) if flag.kind == Kind::Bool && value.is_none() => (flag, true),
                _ if self.undefined_ok.iter().any(|known| known == name) => continue,
                _ => return Err(FlagError(format!("unknown command line flag '{name}'"))),
            };
            let value = match value {
                Some(value) => value,
                None if negated => "false".to_owned(),
                None if flag.kind == Kind::Bool => "true".to_owned(),
                None => arguments.next().cloned().ok_or_else(|| {
                    FlagError(format!("flag '--{}' is missing its argument", flag.name))
                })?,
            };
            check(flag, &value)?;
            self.given.insert(flag.name, value);
        }
        Ok(())
    }

    /// A file of flags, one a line; lines that begin with `#` are comments.
    fn parse_file(&mut self, path: &str, depth: usize) -> Result<(), FlagError> {
        const DEPTH_MAX: usize = 16;
        if depth >= DEPTH_MAX {
            return Err(FlagError(format!("flagfile {path}: more than {DEPTH_MAX} files deep")));
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| FlagError(format!("flagfile {path}: {error}")))?;
        let lines: Vec<String> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(str::to_owned)
            .collect();
        self.parse_all(&lines, depth + 1)
    }

    fn refuse_unsupported(&self) -> Result<(), FlagError> {
        for (flag, value) in self.changed() {
            let name = flag.name;
            if let Support::Refused(why) = flag.support {
                return Err(FlagError(format!("flag '--{name}={value}' is not supported: {why}")));
            }
        }
        Ok(())
    }

    /// Flags given with another value than their default, by name, with the value.
    pub fn changed(&self) -> impl Iterator<Item = (&'static Flag, &str)> {
        all().filter_map(|flag| {
            let value = self.given.get(flag.name)?;
            self.is_changed(flag).then_some((flag, value.as_str()))
        })
    }

    /// Whether the flag has another value than its default.
    pub fn is_changed(&self, flag: &Flag) -> bool {
        !same_value(flag, self.text(flag.name), flag.default)
    }

    /// What should be said of flags that change nothing, a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let note = |(flag, _): (&Flag, &str)| match flag.support {
            Support::NoEffect(why) => Some(format!("--{} changes nothing: {why}", flag.name)),
            Support::OnlyWith(what) => {
                let name = flag.name;
                Some(format!(
                    "--{name} changes nothing: it concerns only {what}, which is not there"
                ))
            }
            _ => None,
        };
        self.changed().filter_map(note).collect()
    }

    /// The value of a flag as an option string has it.
    pub fn option_text(&self, flag: &Flag) -> String {
        match flag.kind {
            Kind::Bool => self.bool(flag.name).to_string(),
            Kind::Double | Kind::String => self.text(flag.name).to_owned(),
            Kind::Int32 | Kind::Int64 => self.int(flag.name).to_string(),
            Kind::Uint32 | Kind::Uint64 => self.uint(flag.name).to_string(),
        }
    }

    /// These flags with others in place of some.
    ///
    /// # Panics
    /// If there is no such flag: names are literals of this crate.
    pub(crate) fn with(&self, changes: &[(&str, String)]) -> Self {
        let mut changed = self.clone();
        for (name, value) in changes {
            let flag = find(name).unwrap_or_else(|| panic!("flag {name}"));
            changed.given.insert(flag.name, value.clone());
        }
        changed
    }

    /// Whether the flag stands on the command line.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// The value of a flag, as text.
    ///
    /// # Panics
    /// If there is no such flag: names are literals of this crate.
    pub fn text(&self, name: &str) -> &str {
        match self.given.get(name) {
            Some(value) => value,
            None => find(name).map(|flag| flag.default).unwrap_or_else(|| panic!("flag {name}")),
        }
    }

    /// The value of a boolean flag.
    pub fn bool(&self, name: &str) -> bool {
        parse_bool(self.text(name)).unwrap_or(false)
    }

    /// The value of a signed integer flag.
    pub fn int(&self, name: &str) -> i64 {
        parse_int(self.text(name)).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    /// The value of an unsigned integer flag; 0 for a negative one.
    pub fn uint(&self, name: &str) -> u64 {
        parse_int(self.text(name)).and_then(|value| value.try_into().ok()).unwrap_or(0)
    }

    /// The value of a floating point flag.
    pub fn double(&self, name: &str) -> f64 {
        self.text(name).parse().unwrap_or(0.0)
    }
}

/// The text after one or two dashes; none if there are none.
fn strip_dashes(argument: &str) -> Option<&str> {
    argument.strip_prefix("--").or_else(|| argument.strip_prefix('-'))
}

fn parse_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "1" | "t" | "true" | "y" | "yes" => Some(true),
        "0" | "f" | "false" | "n" | "no" => Some(false),
        _ => None,
    }
}

/// Decimal, or hexadecimal after `0x`, with an optional sign.
fn parse_int(text: &str) -> Option<i128> {
    let text = text.trim_start();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if negative { -value } else { value })
}

fn check(flag: &Flag, value: &str) -> Result<(), FlagError> {
    let within = |low: i128, high: i128| {
        parse_int(value).is_some_and(|number| (low..=high).contains(&number))
    };
    let (good, kind) = match flag.kind {
        Kind::Bool => (parse_bool(value).is_some(), "bool"),
        Kind::Int32 => (within(i32::MIN.into(), i32::MAX.into()), "int32"),
        Kind::Int64 => (within(i64::MIN.into(), i64::MAX.into()), "int64"),
        Kind::Uint32 => (within(0, u32::MAX.into()), "uint32"),
        Kind::Uint64 => (within(0, u64::MAX.into()), "uint64"),
        Kind::Double => (value.trim().parse::<f64>().is_ok(), "double"),
        Kind::String => (true, "string"),
    };
    let name = flag.name;
    if good {
        return match LIMITS.iter().find(|(limited, _)| *limited == name) {
            Some((_, allowed)) if parse_int(value).is_none_or(|n| !allowed.contains(&n)) => {
                let (low, high) = (allowed.start(), allowed.end());
                Err(FlagError(format!(
                    "illegal value '{value}' specified for flag '{name}': expected {low} to {high}"
                )))
            }
            _ => Ok(()),
        };
    }
    Err(FlagError(format!("illegal value '{value}' specified for {kind} flag '{name}'")))
}

fn same_value(flag: &Flag, a: &str, b: &str) -> bool {
    match flag.kind {
        Kind::Bool => parse_bool(a) == parse_bool(b),
        Kind::Double => a.parse::<f64>().ok() == b.parse::<f64>().ok(),
        Kind::String => a == b,
        _ => parse_int(a) == parse_int(b),
    }
}

#[cfg(test)]
mod tests;
