//! RocksDB's release numbers.

use base::{Result, Status};
use std::fmt;

/// A release of RocksDB, for instance 7.8.3. Ordered by age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// First number.
    pub major: u32,
    /// Second number.
    pub minor: u32,
    /// Third number.
    pub patch: u32,
}

impl Release {
    /// The newest release whose options this crate knows, all of them: the one we claim to be
    /// when reading an OPTIONS file.
    pub const NEWEST_KNOWN: Self = Self::new(11, 9, 0);

    /// A release.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Whether something that came with `since`, written `major.minor`, is in this release.
    pub fn has(self, since: &str) -> bool {
        let mut numbers = since.split('.').map(|number| number.parse().unwrap_or(0));
        let major: u32 = numbers.next().unwrap_or(0);
        let minor: u32 = numbers.next().unwrap_or(0);
        (major, minor) <= (self.major, self.minor)
    }

    /// Reads `7`, `7.8` or `7.8.3`.
    ///
    /// # Errors
    /// `InvalidArgument` for anything else.
    pub fn parse(text: &str) -> Result<Self> {
        let [major, minor, patch] = numbers(text)?;
        Ok(Self { major, minor, patch })
    }
}

/// Up to `N` numbers with dots between them; those missing at the end are 0. Nothing at all is all
/// zero, as RocksDB reads it.
pub(crate) fn numbers<const N: usize>(text: &str) -> Result<[u32; N]> {
    let wrong = || {
        Status::invalid_argument(format!(
            "expected at most {N} numbers with dots between them, found {text:?}"
        ))
    };
    let mut found = [0; N];
    if text.is_empty() {
        return Ok(found);
    }
    let mut parts = text.split('.');
    for (slot, part) in found.iter_mut().zip(&mut parts) {
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        *slot = part.parse().map_err(|_| wrong())?;
    }
    if parts.next().is_some() { Err(wrong()) } else { Ok(found) }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests;
