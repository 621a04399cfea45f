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
mod tests {
    use super::*;
    use base::{InternalKey, ValueType};

    #[test]
    fn keys_must_ascend() {
        let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
        let key =
            |user_key: &[u8], sequence| InternalKey::new(user_key, sequence, ValueType::Value);
        validator.add(key(b"a", 5).as_bytes(), b"1").unwrap();
        validator.add(key(b"a", 4).as_bytes(), b"2").unwrap();
        let before = validator.hash();
        validator.add(key(b"b", 9).as_bytes(), b"3").unwrap();
        assert_ne!(validator.hash(), before);
        for wrong in [key(b"b", 9), key(b"b", 10), key(b"a", 1)] {
            let mut validator = validator.clone();
            assert!(validator.add(wrong.as_bytes(), b"").unwrap_err().is_corruption());
        }
        assert!(validator.add(b"short", b"").unwrap_err().is_corruption());
        assert_eq!(validator.last_key(), key(b"b", 9).as_bytes());
    }

    #[test]
    fn the_hash_depends_on_keys_and_values() {
        let hash = |value: &[u8]| {
            let mut validator = OutputValidator::new(InternalKeyComparator::bytewise(), true);
            let key = InternalKey::new(b"k", 1, ValueType::Value);
            validator.add(key.as_bytes(), value).unwrap();
            validator.hash().unwrap()
        };
        assert_ne!(hash(b"a"), hash(b"b"));
        assert_eq!(hash(b"a"), hash(b"a"));
    }
}
