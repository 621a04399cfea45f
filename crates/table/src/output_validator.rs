//! Checks what is written to a table, and that it can be read back.

use base::dbformat::TRAILER_SIZE;
use base::hash::xxh3_128_with_seed;
use base::{InternalIterator, InternalKeyComparator, Result, Status};

/// Sees every entry of a table in order, before it is written or after it was read back.
#[derive(Debug)]
pub struct OutputValidator {
    comparator: InternalKeyComparator,
    checks_order: bool,
    /// Of all keys and values, each bound to what came before.
    hash: Option<u64>,
    last_key: Vec<u8>,
    entries_count: u64,
}

impl OutputValidator {
    /// A validator that checks the order of keys (`check_flush_compaction_key_order`) and hashes
    /// entries, to compare with another's (`paranoid_file_checks`).
    pub fn new(comparator: InternalKeyComparator, checks_order: bool, hashes: bool) -> Self {
        Self {
            comparator,
            checks_order,
            hash: hashes.then_some(0),
            last_key: Vec::new(),
            entries_count: 0,
        }
    }

    /// Takes an entry. Range tombstones are not for it: they are kept apart, in another order.
    ///
    /// # Errors
    /// `Corruption` if its key is too short or not after the last one.
    pub fn add(&mut self, internal_key: &[u8], value: &[u8]) -> Result<()> {
        if let Some(hash) = &mut self.hash {
            for bytes in [internal_key, value] {
                *hash = xxh3_128_with_seed(bytes, *hash) as u64;
            }
        }
        if self.checks_order {
            if internal_key.len() < TRAILER_SIZE {
                return Err(Status::corruption(
                    "Compaction tries to write a key without internal bytes.",
                ));
            }
            if !self.last_key.is_empty()
                && self.comparator.compare(internal_key, &self.last_key).is_le()
            {
                return Err(Status::corruption("Compaction sees out-of-order keys."));
            }
            self.last_key.clear();
            self.last_key.extend_from_slice(internal_key);
        }
        self.entries_count += 1;
        Ok(())
    }

    /// Entries taken.
    pub fn entries_count(&self) -> u64 {
        self.entries_count
    }

    /// Reads all entries of a table that was written, and compares them with those taken here.
    ///
    /// # Errors
    /// `Corruption` if they are not the same; what reading gives.
    pub fn check_written(&self, written: &mut impl InternalIterator) -> Result<()> {
        let mut found = Self::new(self.comparator.clone(), true, self.hash.is_some());
        written.seek_to_first()?;
        while written.valid() {
            found.add(written.key(), written.value())?;
            written.next()?;
        }
        if found.hash == self.hash && found.entries_count == self.entries_count {
            return Ok(());
        }
        Err(Status::corruption(format!(
            "Paranoid checksums do not match: expected {} entries, found {} or others",
            self.entries_count, found.entries_count
        )))
    }
}

#[cfg(test)]
mod tests;
