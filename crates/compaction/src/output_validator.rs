//! A last look at what goes into a table, and a fingerprint of it to compare a reread with.

use base::dbformat::TRAILER_SIZE;
use base::hash::xxh3_128_with_seed;
use base::{InternalKeyComparator, Result, Status};

/// Checks that keys ascend. Keeps the last one.
#[derive(Clone, Debug)]
pub(crate) struct OutputValidator {
    comparator: InternalKeyComparator,
    last_key: Vec<u8>,
    /// Over all keys and values, if it is wanted (`paranoid_file_checks`).
    hash: Option<u64>,
}

impl OutputValidator {
    pub(crate) fn new(comparator: InternalKeyComparator, computes_hash: bool) -> Self {
        Self { comparator, last_key: Vec::new(), hash: computes_hash.then_some(0) }
    }

    /// Takes the next entry.
    ///
    /// # Errors
    /// `Corruption` if its key is too short or not after the last one.
    #[inline]
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        if key.len() < TRAILER_SIZE {
            return Err(Status::corruption(
                "Compaction tries to write a key without internal bytes.",
            ));
        }
        if !self.last_key.is_empty() && self.comparator.compare(key, &self.last_key).is_le() {
            return Err(self.out_of_order(key));
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
        if let Some(hash) = &mut self.hash {
            *hash = xxh3_128_with_seed(key, *hash) as u64;
            *hash = xxh3_128_with_seed(value, *hash) as u64;
        }
        Ok(())
    }

    #[cold]
    fn out_of_order(&self, key: &[u8]) -> Status {
        use base::dbformat::hex;
        Status::corruption(format!(
            "Compaction sees out-of-order keys: {} after {}",
            hex(key),
            hex(&self.last_key)
        ))
    }

    /// The last key; empty before the first.
    #[inline]
    pub(crate) fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    pub(crate) fn hash(&self) -> Option<u64> {
        self.hash
    }
}

#[cfg(test)]
mod tests;
