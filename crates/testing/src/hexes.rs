//! Byte strings as hexadecimal, for golden byte strings in tests and for the fixtures' records.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(test)]
mod tests;

/// A byte string that records and messages hold as hexadecimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub Vec<u8>);

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl Bytes {
    /// As text; what is no text is replaced.
    #[must_use]
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// As text, with what is no text escaped.
impl fmt::Display for Bytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(formatter)
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        try_unhex(&digits).map(Self).map_err(D::Error::custom)
    }
}

/// The bytes as lower-case hexadecimal digits, without separators.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        digits.push(char::from(DIGITS[usize::from(byte >> 4)]));
        digits.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    digits
}

/// The bytes that hexadecimal digits of either case stand for; white space between them is
/// skipped.
///
/// # Panics
/// When the text holds anything else, or an odd number of digits.
#[must_use]
pub fn unhex(digits: &str) -> Vec<u8> {
    try_unhex(digits).unwrap_or_else(|why| panic!("{why}"))
}

/// As [`unhex`], with a sentence instead of a panic.
///
/// # Errors
/// When the text is not hexadecimal.
pub fn try_unhex(digits: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    let mut high = None;
    for character in digits.chars().filter(|character| !character.is_whitespace()) {
        let Some(digit) = character.to_digit(16).and_then(|digit| u8::try_from(digit).ok()) else {
            return Err(format!("{character:?} is not a hexadecimal digit in {digits:?}"));
        };
        match high.take() {
            None => high = Some(digit),
            Some(first) => bytes.push(first << 4 | digit),
        }
    }
    if high.is_some() {
        return Err(format!("an odd number of hexadecimal digits in {digits:?}"));
    }
    Ok(bytes)
}
