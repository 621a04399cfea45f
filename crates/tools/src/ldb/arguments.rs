//! A command line taken apart.
//!
//! ```text
//! --name=value    an option
//! --name          a flag; also --name= without a value
//! anything else   the command, then its parameters
//! ```
//!
//! Options and flags may stand anywhere. An option that is given twice counts as given last.

use super::failure::{Failure, Outcome};
use crate::print::decode_hex;
use std::collections::BTreeMap;

/// Where numbers of ldb end: it reads them into an `int`.
const INT_RANGE: std::ops::RangeInclusive<i64> = i32::MIN as i64..=i32::MAX as i64;

/// A command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The command and its parameters.
    words: Vec<String>,
    options: BTreeMap<String, String>,
    flags: Vec<String>,
}

impl Arguments {
    /// Takes a command line apart.
    pub(crate) fn parse(arguments: &[String]) -> Self {
        let mut parsed = Self::default();
        for argument in arguments {
            match argument.strip_prefix("--") {
                None => parsed.words.push(argument.clone()),
                Some(rest) => parsed.take_option(rest),
            }
        }
        parsed
    }

    fn take_option(&mut self, text: &str) {
        let Some((name, value)) = text.split_once('=') else {
            self.flags.push(text.to_owned());
            return;
        };
        if value.is_empty() {
            self.flags.push(name.to_owned());
            return;
        }
        // RocksDB splits at every `=` and loses one that ends the only value.
        let value = match value.strip_suffix('=') {
            Some(shorter) if !shorter.contains('=') => shorter,
            _ => value,
        };
        self.options.insert(name.to_owned(), value.to_owned());
    }

    /// The name of the command.
    pub(crate) fn command(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// What follows the command.
    pub(crate) fn parameters(&self) -> &[String] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Names of all options, then of all flags, with what to call them.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let options = self.options.keys().map(|name| ("option", name.as_str()));
        options.chain(self.flags.iter().map(|name| ("flag", name.as_str())))
    }

    /// Whether `--name` was given without a value.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.flags.iter().any(|flag| flag == name)
    }

    /// The value of `--name=value`.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        self.options.get(name).map(String::as_str)
    }

    /// The value of `--name=true` or `--name=false`.
    pub(crate) fn boolean(&self, name: &str) -> Outcome<Option<bool>> {
        match self.option(name).map(str::to_ascii_lowercase).as_deref() {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => {
                Err(Failure::new(format!("{name} must be true or false, found {other:?}")))
            }
        }
    }

    /// Whether `--name` or `--name=true` was given.
    pub(crate) fn flag_or_true(&self, name: &str) -> Outcome<bool> {
        Ok(self.flag(name) || self.boolean(name)?.unwrap_or(false))
    }

    /// The value of `--name=number`: leading blanks and anything after the digits don't matter.
    pub(crate) fn int(&self, name: &str) -> Outcome<Option<i32>> {
        let Some(text) = self.option(name) else {
            return Ok(None);
        };
        let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
        let digits_at = usize::from(text.starts_with(['+', '-']));
        let digits = text[digits_at..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(Failure::new(format!("{name} has an invalid value.")));
        }
        match text[..digits_at + digits].parse::<i64>() {
            Ok(number) if INT_RANGE.contains(&number) => Ok(Some(number as i32)),
            _ => Err(Failure::new(format!("{name} has a value out-of-range."))),
        }
    }

    /// The value of `--name=number`, a decimal fraction.
    pub(crate) fn double(&self, name: &str) -> Outcome<Option<f64>> {
        let Some(text) = self.option(name) else {
            return Ok(None);
        };
        let text = text.trim_start();
        let longest =
            (1..=text.len()).rev().filter_map(|end| text.get(..end)?.parse::<f64>().ok()).next();
        match longest {
            Some(number) => Ok(Some(number)),
            None => Err(Failure::new(format!("{name} has an invalid value."))),
        }
    }

    /// The value of `--name=key`, which is hexadecimal if `is_hex`.
    pub(crate) fn key(&self, name: &str, is_hex: bool) -> Outcome<Option<Vec<u8>>> {
        self.option(name).map(|text| key(text, is_hex)).transpose()
    }
}

/// A key or value as typed, hexadecimal after `0x` if `is_hex`.
pub(crate) fn key(text: &str, is_hex: bool) -> Outcome<Vec<u8>> {
    bytes(text.as_bytes(), is_hex)
}

/// As [`key`], of bytes that need not be text.
pub(crate) fn bytes(text: &[u8], is_hex: bool) -> Outcome<Vec<u8>> {
    if !is_hex {
        return Ok(text.to_vec());
    }
    let shown = String::from_utf8_lossy(text);
    let digits = text
        .strip_prefix(b"0x")
        .ok_or_else(|| Failure::new(format!("Invalid hex input {shown}.  Must start with 0x")))?;
    decode_hex(digits).ok_or_else(|| {
        Failure::new(format!("Invalid hex input {shown}: expected pairs of hexadecimal digits"))
    })
}

#[cfg(test)]
mod tests;
