//! A last look at what goes into a table, and a fingerprint of it to compare a reread with.

use base::dbformat::{TRAILER_SIZE, extract_user_key, hex};
use base::hash::xxh3_128_with_seed;
use base::{InternalKeyComparator, Result, Status, key_prefix};
use table::WholeBlock;

/// Checks that keys ascend.
#[derive(Clone, Debug)]
pub(crate) struct OutputValidator {
    comparator: InternalKeyComparator,
    /// Over all keys and values, if it is wanted (`paranoid_file_checks`).
    hash: Option<u64>,
}

impl OutputValidator {
    pub(crate) fn new(comparator: InternalKeyComparator, computes_hash: bool) -> Self {
        Self { comparator, hash: computes_hash.then_some(0) }
    }

    /// Takes the next entry, which follows that of `last_key`; that is empty before the first.
    ///
    /// # Errors
    /// `Corruption` if its key is too short or not after the last one.
    #[inline]
    pub(crate) fn add(&mut self, last_key: &[u8], key: &[u8], value: &[u8]) -> Result<()> {
        if key.len() < TRAILER_SIZE {
            return Err(Status::corruption(
                "Compaction tries to write a key without internal bytes.",
            ));
        }
        if !last_key.is_empty() && !self.is_after(key, last_key) {
            return Err(out_of_order(key, last_key));
        }
        if let Some(hash) = &mut self.hash {
            *hash = xxh3_128_with_seed(key, *hash) as u64;
            *hash = xxh3_128_with_seed(value, *hash) as u64;
        }
        Ok(())
    }

    /// Takes the entries of a block whose keys are known to ascend. If nobody wants the hash, the first of
    /// them is all that is looked at.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub(crate) fn add_block(&mut self, last_key: &[u8], block: &WholeBlock<'_>) -> Result<()> {
        let (mut last_key, count) = match self.hash {
            Some(_) => (last_key, usize::MAX),
            None => (last_key, 1),
        };
        for entry in block.entries().take(count) {
            self.add(last_key, entry.key, entry.value())?;
            last_key = entry.key;
        }
        Ok(())
    }

    #[inline]
    fn is_after(&self, key: &[u8], last_key: &[u8]) -> bool {
        let prefix = |key| key_prefix(extract_user_key(key));
        // Most keys differ early, which takes no call to find out.
        self.comparator.is_bytewise() && prefix(key) > prefix(last_key)
            || self.comparator.compare(key, last_key).is_gt()
    }

    pub(crate) fn hash(&self) -> Option<u64> {
        self.hash
    }
}

#[cold]
fn out_of_order(key: &[u8], last_key: &[u8]) -> Status {
    Status::corruption(format!(
        "Compaction sees out-of-order keys: {} after {}",
        hex(key),
        hex(last_key)
    ))
}

#[cfg(test)]
mod tests;
