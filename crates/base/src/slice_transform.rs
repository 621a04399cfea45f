//! Prefix extractors.

use std::fmt;
use std::sync::Arc;

/// Maps a user key (without timestamp) to its prefix. Must keep the order of keys.
pub trait SliceTransform: fmt::Debug + Send + Sync {
    /// The name, which tables store in their properties, for instance `rocksdb.FixedPrefix.8`.
    fn name(&self) -> &str;

    /// The prefix of a key in the domain.
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8];

    /// Whether `key` has a prefix.
    fn in_domain(&self, key: &[u8]) -> bool;

    /// The length of the longest prefixes, if there is such: keys at least as long have a prefix of
    /// just that length. Default: none, as far as anybody knows.
    fn full_length_enabled(&self) -> Option<usize> {
        None
    }
}

/// `rocksdb.FixedPrefix.N`: the first N bytes; shorter keys have no prefix.
#[derive(Clone, Debug)]
pub struct FixedPrefix {
    length: usize,
    name: String,
}

/// `rocksdb.CappedPrefix.N`: the first N bytes, or the whole key if it is shorter.
#[derive(Clone, Debug)]
pub struct CappedPrefix {
    length: usize,
    name: String,
}

/// `rocksdb.Noop`: the whole key.
#[derive(Clone, Copy, Debug, Default)]
pub struct Noop;

impl FixedPrefix {
    /// The first `length` bytes.
    pub fn new(length: usize) -> Self {
        Self { length, name: format!("rocksdb.FixedPrefix.{length}") }
    }
}

impl CappedPrefix {
    /// The first `length` bytes at most.
    pub fn new(length: usize) -> Self {
        Self { length, name: format!("rocksdb.CappedPrefix.{length}") }
    }
}

impl SliceTransform for FixedPrefix {
    fn name(&self) -> &str {
        &self.name
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..self.length]
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        key.len() >= self.length
    }
    fn full_length_enabled(&self) -> Option<usize> {
        Some(self.length)
    }
}

impl SliceTransform for CappedPrefix {
    fn name(&self) -> &str {
        &self.name
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        &key[..self.length.min(key.len())]
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
    fn full_length_enabled(&self) -> Option<usize> {
        Some(self.length)
    }
}

impl SliceTransform for Noop {
    fn name(&self) -> &str {
        "rocksdb.Noop"
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        key
    }
    fn in_domain(&self, _key: &[u8]) -> bool {
        true
    }
}

/// The built-in extractor of this name or nickname: `rocksdb.FixedPrefix.8`, `fixed:8`,
/// `rocksdb.CappedPrefix.8`, `capped:8`, `rocksdb.Noop`.
pub fn builtin(name: &str) -> Option<Arc<dyn SliceTransform>> {
    let length_after =
        |prefixes: [&str; 2]| prefixes.iter().find_map(|p| name.strip_prefix(p)?.parse().ok());
    if let Some(length) = length_after(["rocksdb.FixedPrefix.", "fixed:"]) {
        Some(Arc::new(FixedPrefix::new(length)))
    } else if let Some(length) = length_after(["rocksdb.CappedPrefix.", "capped:"]) {
        Some(Arc::new(CappedPrefix::new(length)))
    } else if name == "rocksdb.Noop" {
        Some(Arc::new(Noop))
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
