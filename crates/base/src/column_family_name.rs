//! Names of column families.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

/// The name of a column family: any bytes, as RocksDB has them. Most are text, so that text becomes
/// one where it is wanted, and messages show it as text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColumnFamilyName(Vec<u8>);

impl ColumnFamilyName {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text that it is, if it is text.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }
}

/// As text; bytes that are none are shown as U+FFFD.
impl fmt::Display for ColumnFamilyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

/// In quotes, with escapes; bytes that are no text as `\xff`.
impl fmt::Debug for ColumnFamilyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.as_str() {
            Some(text) => fmt::Debug::fmt(text, f),
            None => write!(f, "\"{}\"", self.0.escape_ascii()),
        }
    }
}

impl Deref for ColumnFamilyName {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for ColumnFamilyName {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Borrow<[u8]> for ColumnFamilyName {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ColumnFamilyName {
    fn from(name: &str) -> Self {
        Self(name.as_bytes().to_vec())
    }
}

impl From<String> for ColumnFamilyName {
    fn from(name: String) -> Self {
        Self(name.into_bytes())
    }
}

impl From<&String> for ColumnFamilyName {
    fn from(name: &String) -> Self {
        Self::from(name.as_str())
    }
}

impl From<Vec<u8>> for ColumnFamilyName {
    fn from(name: Vec<u8>) -> Self {
        Self(name)
    }
}

impl From<&[u8]> for ColumnFamilyName {
    fn from(name: &[u8]) -> Self {
        Self(name.to_vec())
    }
}

impl From<&ColumnFamilyName> for ColumnFamilyName {
    fn from(name: &ColumnFamilyName) -> Self {
        name.clone()
    }
}

impl PartialEq<str> for ColumnFamilyName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for ColumnFamilyName {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialEq<String> for ColumnFamilyName {
    fn eq(&self, other: &String) -> bool {
        self == other.as_str()
    }
}

#[cfg(test)]
mod tests;
