//! Eight bytes of a key as a number that orders as the key does.
//!
//! Searching numbers in an array is far cheaper than decoding and comparing keys. Where the
//! comparator is bytewise, in either direction, with or without timestamps, the number is made of
//! the key bytes after a prefix that all keys of the array have in common, padded with zeros, most
//! significant byte first. Equal numbers decide nothing: then whole keys are compared.

use base::comparator::{
    BYTEWISE_NAME, BYTEWISE_U64_TS_NAME, REVERSE_BYTEWISE_NAME, REVERSE_BYTEWISE_U64_TS_NAME,
};
use base::dbformat::TRAILER_SIZE;
use base::{InternalKeyComparator, key_prefix};
use std::cmp::Ordering;

/// Bytes of a key that a number holds.
pub(crate) const SORT_PREFIX_SIZE: usize = 8;

/// How, and whether, a comparator's keys become numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SortPrefixOrder {
    /// Whether the comparator is one of those known to be bytewise.
    is_bytewise: bool,
    /// Whether keys descend; numbers ascend all the same.
    is_descending: bool,
    timestamp_size: u32,
}

impl SortPrefixOrder {
    pub(crate) fn new(comparator: &InternalKeyComparator) -> Self {
        let (is_bytewise, is_descending) = match comparator.user_comparator().name() {
            BYTEWISE_NAME | BYTEWISE_U64_TS_NAME => (true, false),
            REVERSE_BYTEWISE_NAME | REVERSE_BYTEWISE_U64_TS_NAME => (true, true),
            _ => (false, false),
        };
        Self { is_bytewise, is_descending, timestamp_size: comparator.timestamp_size() as u32 }
    }

    /// Whether keys become numbers at all.
    #[inline]
    pub(crate) fn is_bytewise(self) -> bool {
        self.is_bytewise
    }

    /// Bytes at the end of an internal key that numbers leave out: trailer and timestamp.
    #[inline]
    pub(crate) fn internal_suffix_size(self) -> usize {
        TRAILER_SIZE + self.timestamp_size as usize
    }

    /// The number of up to eight bytes, given in the high bytes of `raw`; the others must be 0.
    #[inline]
    pub(crate) fn number_of(self, raw: u64) -> u64 {
        if self.is_descending { !raw } else { raw }
    }

    /// The opposite of [`SortPrefixOrder::number_of`].
    #[inline]
    pub(crate) fn raw_of(self, number: u64) -> u64 {
        if self.is_descending { !number } else { number }
    }

    /// Where a key without trailer and timestamp stands among keys that begin with `common`:
    /// before all, after all, or where its number says.
    #[inline]
    pub(crate) fn locate(self, key: &[u8], common: &[u8]) -> Location {
        // Comparing no bytes at no address is slow: processors with masked loads go to microcode for
        // an address that is not mapped.
        if common.is_empty() {
            return Location::Number(self.number_of(key_prefix(key)));
        }
        let (head, tail) = key.split_at(key.len().min(common.len()));
        match head.cmp(common) {
            Ordering::Equal => Location::Number(self.number_of(key_prefix(tail))),
            Ordering::Less if self.is_descending => Location::AfterAll,
            Ordering::Less => Location::BeforeAll,
            Ordering::Greater if self.is_descending => Location::BeforeAll,
            Ordering::Greater => Location::AfterAll,
        }
    }
}

/// Result of [`SortPrefixOrder::locate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    BeforeAll,
    AfterAll,
    Number(u64),
}

/// `raw` with all but its first `count` bytes zero.
#[inline]
pub(crate) fn keep_bytes(raw: u64, count: usize) -> u64 {
    if count >= SORT_PREFIX_SIZE { raw } else { raw & !(u64::MAX >> (8 * count)) }
}

#[cfg(test)]
mod tests;
