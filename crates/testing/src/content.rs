//! The hashes that the fixtures' records hold, computed over what a reader found.
//!
//! ```text
//! pair   := key length, key, value length, value          lengths: 4 bytes, little-endian
//! entity := key length, key, number of columns (4 bytes),
//!           { name length, name, value length, value } for each column
//! ```

use sha2::{Digest, Sha256};

use crate::hexes::hex;

#[cfg(test)]
mod tests;

/// Pairs between two marks.
pub const PAIRS_PER_MARK: u64 = 128;

/// Digits of the hash so far that a mark holds.
const MARK_DIGITS: usize = 16;

/// The hash so far after every 128th pair, so that two differing contents can be told where they
/// part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Pairs so far.
    pub count: u64,
    /// Key of the last of them.
    pub key: Vec<u8>,
    /// First 16 hexadecimal digits of the hash over all of them.
    pub digits: String,
}

/// Count, hash and marks of a sequence of pairs.
#[derive(Clone, Debug, Default)]
pub struct ContentHash {
    hash: Sha256,
    count: u64,
    marks: Vec<Mark>,
}

impl ContentHash {
    /// The hash of no pairs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next pair in iteration order.
    pub fn push(&mut self, key: &[u8], value: &[u8]) {
        add_string(&mut self.hash, key);
        add_string(&mut self.hash, value);
        self.count += 1;
        if self.count.is_multiple_of(PAIRS_PER_MARK) {
            let digits = hex(&self.hash.clone().finalize())[..MARK_DIGITS].to_owned();
            self.marks.push(Mark { count: self.count, key: key.to_vec(), digits });
        }
    }

    /// Adds the next pair of a reading with user-defined timestamps: what counts as its value is
    /// timestamp and value, both after their length.
    pub fn push_with_timestamp(&mut self, key: &[u8], timestamp: &[u8], value: &[u8]) {
        let mut both = Vec::with_capacity(timestamp.len() + value.len() + 8);
        for part in [timestamp, value] {
            both.extend_from_slice(&length(part));
            both.extend_from_slice(part);
        }
        self.push(key, &both);
    }

    /// Pairs so far.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Marks so far.
    #[must_use]
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The hash over all pairs so far, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex(&self.hash.clone().finalize())
    }
}

/// Hash of a sequence of wide-column entities.
#[derive(Clone, Debug, Default)]
pub struct ColumnsHash {
    hash: Sha256,
    entities: u64,
}

impl ColumnsHash {
    /// The hash of no entities.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the next key with its columns, given as name and value in the order of names. A plain
    /// value is one column with an empty name.
    pub fn push<N: AsRef<[u8]>, V: AsRef<[u8]>>(&mut self, key: &[u8], columns: &[(N, V)]) {
        add_string(&mut self.hash, key);
        self.hash.update(u32::try_from(columns.len()).expect("fewer columns").to_le_bytes());
        for (name, value) in columns {
            add_string(&mut self.hash, name.as_ref());
            add_string(&mut self.hash, value.as_ref());
        }
        let is_plain = matches!(columns, [(name, _)] if name.as_ref().is_empty());
        self.entities += u64::from(!is_plain);
    }

    /// Keys so far that were not plain values.
    #[must_use]
    pub fn entities(&self) -> u64 {
        self.entities
    }

    /// The hash over all entities so far, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hex(&self.hash.clone().finalize())
    }
}

/// SHA-256 of a byte string, in hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn add_string(hash: &mut Sha256, string: &[u8]) {
    hash.update(length(string));
    hash.update(string);
}

fn length(string: &[u8]) -> [u8; 4] {
    u32::try_from(string.len()).expect("a string under 4 GiB").to_le_bytes()
}
