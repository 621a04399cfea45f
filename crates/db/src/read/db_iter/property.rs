//! What an iterator tells of itself.

use super::DbIter;
use base::{Result, Status};

/// The answer where a property is one of the current entry and there is none. RocksDB's words.
const NOT_VALID: &[u8] = b"Iterator is not valid.";

impl DbIter {
    /// As [`DbIterator::property`](crate::DbIterator::property).
    pub(crate) fn property(&self, name: &str) -> Result<Vec<u8>> {
        let flag = |is_set: bool| Ok(if is_set { b"1".to_vec() } else { b"0".to_vec() });
        match name {
            "rocksdb.iterator.super-version-number" => {
                Ok(self.super_version_number.to_string().into_bytes())
            }
            "rocksdb.iterator.is-key-pinned"
            | "rocksdb.iterator.is-value-pinned"
            | "rocksdb.iterator.internal-key"
                if !self.valid =>
            {
                Ok(NOT_VALID.to_vec())
            }
            "rocksdb.iterator.is-key-pinned" => flag(false),
            "rocksdb.iterator.is-value-pinned" => {
                flag(self.pin_data && self.pinned_value().is_pinned())
            }
            "rocksdb.iterator.internal-key" => Ok(self.user_key().to_vec()),
            _ => Err(Status::invalid_argument(format!("Unidentified property. {name}"))),
        }
    }
}
