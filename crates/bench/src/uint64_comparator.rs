//! The order of keys with `--use_uint64_comparator`.

use base::comparator::Comparator;
use std::cmp::Ordering;

/// Keys of eight bytes, as numbers in the machine's order of bytes. Keys of other lengths, which RocksDB
/// does not allow, are before those, in the order of their bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Uint64Comparator;

impl Comparator for Uint64Comparator {
    fn name(&self) -> &str {
        "rocksdb.Uint64Comparator"
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let number = |key: &[u8]| key.try_into().ok().map(u64::from_ne_bytes);
        match (number(a), number(b)) {
            (None, None) => a.cmp(b),
            (a, b) => a.cmp(&b),
        }
    }
}

#[cfg(test)]
mod tests;
