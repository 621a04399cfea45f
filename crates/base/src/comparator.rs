//! The order of user keys.
//!
//! A comparator's name is stored in the MANIFEST and in every table; a database opens only under
//! the name it was made with. Where the column family has user-defined timestamps the last
//! [`Comparator::timestamp_size`] bytes of a user key are its timestamp, and versions of one key
//! are ordered newest timestamp first.

use crate::dbformat::hex;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A total order of user keys. Implementations must be consistent for the life of the database.
pub trait Comparator: fmt::Debug + Send + Sync {
    /// The name stored in files, for instance `leveldb.BytewiseComparator`.
    fn name(&self) -> &str;

    /// Orders two user keys, timestamps included.
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering;

    /// Whether two user keys, timestamps included, are equal: so they are where [`Comparator::compare`]
    /// says so, which may take longer to find out. Default: asks that.
    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        self.compare(a, b).is_eq()
    }

    /// Bytes of timestamp at the end of each user key; 0 for none.
    fn timestamp_size(&self) -> usize {
        0
    }

    /// Orders two user keys by the part before the timestamp. `a_has_timestamp` and
    /// `b_has_timestamp` say whether that key ends in one.
    fn compare_without_timestamp(
        &self,
        a: &[u8],
        _a_has_timestamp: bool,
        b: &[u8],
        _b_has_timestamp: bool,
    ) -> Ordering {
        self.compare(a, b)
    }

    /// Orders two timestamps, older first.
    fn compare_timestamp(&self, _a: &[u8], _b: &[u8]) -> Ordering {
        Ordering::Equal
    }

    /// A timestamp for people, as messages have it. Default: its bytes as hexadecimal digits.
    fn timestamp_to_string(&self, timestamp: &[u8]) -> String {
        hex(timestamp)
    }

    /// Whether keys of different bytes may be equal. Blocks then get no hash index, which finds only
    /// what has the same bytes. Default: true, as far as anybody knows.
    fn can_keys_with_different_byte_contents_be_equal(&self) -> bool {
        true
    }

    /// Whether `t`, as long as `s`, is what comes next: every key from `s` up to before `t` begins with
    /// `s`. Tells a seek within `auto_prefix_mode` that all keys up to its upper bound have one prefix.
    /// RocksDB also says so where the last byte overflows, and then misses keys that are shorter.
    /// Default: false, as far as anybody knows.
    fn is_same_length_immediate_successor(&self, _s: &[u8], _t: &[u8]) -> bool {
        false
    }

    /// The oldest timestamp. Default: zeros.
    fn min_timestamp(&self) -> Vec<u8> {
        vec![0; self.timestamp_size()]
    }

    /// The newest timestamp. Default: all bits set.
    fn max_timestamp(&self) -> Vec<u8> {
        vec![0xff; self.timestamp_size()]
    }

    /// Shortens `start`, which is less than `limit`, to any key in `[start, limit)`.
    fn find_shortest_separator(&self, _start: &mut Vec<u8>, _limit: &[u8]) {}

    /// Shortens `key` to any key at or after it.
    fn find_short_successor(&self, _key: &mut Vec<u8>) {}
}

/// Name of [`BytewiseComparator`].
pub const BYTEWISE_NAME: &str = "leveldb.BytewiseComparator";
/// Name of [`ReverseBytewiseComparator`].
pub const REVERSE_BYTEWISE_NAME: &str = "rocksdb.ReverseBytewiseComparator";
/// Name of the bytewise order with 64-bit timestamps.
pub const BYTEWISE_U64_TS_NAME: &str = "leveldb.BytewiseComparator.u64ts";
/// Name of the reverse bytewise order with 64-bit timestamps.
pub const REVERSE_BYTEWISE_U64_TS_NAME: &str = "rocksdb.ReverseBytewiseComparator.u64ts";

/// Unsigned bytes, a prefix before what it is a prefix of. The default.
#[derive(Clone, Copy, Debug, Default)]
pub struct BytewiseComparator;

impl Comparator for BytewiseComparator {
    fn name(&self) -> &str {
        BYTEWISE_NAME
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        a.cmp(b)
    }

    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        a == b
    }

    fn can_keys_with_different_byte_contents_be_equal(&self) -> bool {
        false
    }

    fn is_same_length_immediate_successor(&self, s: &[u8], t: &[u8]) -> bool {
        let (Some((last_s, s)), Some((last_t, t))) = (s.split_last(), t.split_last()) else {
            return false;
        };
        s == t && last_s.checked_add(1) == Some(*last_t)
    }

    fn find_shortest_separator(&self, start: &mut Vec<u8>, limit: &[u8]) {
        let Some(at) = start.iter().zip(limit).position(|(a, b)| a != b) else {
            return;
        };
        if start[at] > limit[at] {
            return;
        }
        if at + 1 < limit.len() || start[at] + 1 < limit[at] {
            start[at] += 1;
            start.truncate(at + 1);
        } else if let Some(offset) = start[at + 1..].iter().position(|&byte| byte != 0xff) {
            let end = at + 1 + offset;
            start[end] += 1;
            start.truncate(end + 1);
        }
    }

    fn find_short_successor(&self, key: &mut Vec<u8>) {
        if let Some(at) = key.iter().position(|&byte| byte != 0xff) {
            key[at] += 1;
            key.truncate(at + 1);
        }
    }
}

/// The opposite of [`BytewiseComparator`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ReverseBytewiseComparator;

impl Comparator for ReverseBytewiseComparator {
    fn name(&self) -> &str {
        REVERSE_BYTEWISE_NAME
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        b.cmp(a)
    }

    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        a == b
    }

    fn can_keys_with_different_byte_contents_be_equal(&self) -> bool {
        false
    }

    fn find_shortest_separator(&self, start: &mut Vec<u8>, limit: &[u8]) {
        let Some(at) = start.iter().zip(limit).position(|(a, b)| a != b) else {
            return;
        };
        if start[at] > limit[at] && at + 1 < start.len() {
            start.truncate(at + 1);
        }
    }
}

/// Size of the timestamps of [`U64TimestampComparator`].
pub const U64_TIMESTAMP_SIZE: usize = 8;

/// A bytewise order, ascending or descending, of keys that end in a little-endian 64-bit
/// timestamp; of equal keys the newest timestamp comes first.
#[derive(Clone, Copy, Debug)]
pub struct U64TimestampComparator {
    reverse: bool,
}

impl U64TimestampComparator {
    /// `leveldb.BytewiseComparator.u64ts`.
    pub const BYTEWISE: Self = Self { reverse: false };
    /// `rocksdb.ReverseBytewiseComparator.u64ts`.
    pub const REVERSE_BYTEWISE: Self = Self { reverse: true };

    fn timestamp(key: &[u8]) -> u64 {
        key.last_chunk().map_or(0, |raw| u64::from_le_bytes(*raw))
    }
}

fn strip(key: &[u8], has_timestamp: bool) -> &[u8] {
    if has_timestamp { &key[..key.len().saturating_sub(U64_TIMESTAMP_SIZE)] } else { key }
}

impl Comparator for U64TimestampComparator {
    fn name(&self) -> &str {
        if self.reverse { REVERSE_BYTEWISE_U64_TS_NAME } else { BYTEWISE_U64_TS_NAME }
    }

    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.compare_without_timestamp(a, true, b, true)
            .then_with(|| Self::timestamp(b).cmp(&Self::timestamp(a)))
    }

    fn timestamp_size(&self) -> usize {
        U64_TIMESTAMP_SIZE
    }

    fn compare_without_timestamp(
        &self,
        a: &[u8],
        a_has_timestamp: bool,
        b: &[u8],
        b_has_timestamp: bool,
    ) -> Ordering {
        let ascending = strip(a, a_has_timestamp).cmp(strip(b, b_has_timestamp));
        if self.reverse { ascending.reverse() } else { ascending }
    }

    fn compare_timestamp(&self, a: &[u8], b: &[u8]) -> Ordering {
        Self::timestamp(a).cmp(&Self::timestamp(b))
    }

    fn timestamp_to_string(&self, timestamp: &[u8]) -> String {
        match timestamp.len() {
            U64_TIMESTAMP_SIZE => Self::timestamp(timestamp).to_string(),
            _ => hex(timestamp),
        }
    }
}

/// The built-in comparator of this name.
pub fn builtin(name: &str) -> Option<Arc<dyn Comparator>> {
    Some(match name {
        BYTEWISE_NAME => Arc::new(BytewiseComparator),
        REVERSE_BYTEWISE_NAME => Arc::new(ReverseBytewiseComparator),
        BYTEWISE_U64_TS_NAME => Arc::new(U64TimestampComparator::BYTEWISE),
        REVERSE_BYTEWISE_U64_TS_NAME => Arc::new(U64TimestampComparator::REVERSE_BYTEWISE),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
