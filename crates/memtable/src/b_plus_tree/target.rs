//! A key to search for, and where it lies from the tree's base key.

use base::common_prefix_length;
use base::dbformat::{extract_trailer, extract_user_key};
use std::cmp::Ordering;

/// An internal key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    pub(super) user_key: &'a [u8],
    pub(super) trailer: u64,
    /// Bytes that the user key and the base key begin with alike.
    pub(super) common: usize,
    /// Whether the user key is behind the base key.
    pub(super) is_after_base: bool,
}

impl<'a> Target<'a> {
    #[inline]
    pub(super) fn new(user_key: &'a [u8], trailer: u64, base_key: &[u8]) -> Self {
        let common = common_prefix_length(user_key, base_key);
        let is_after_base = match (user_key.get(common), base_key.get(common)) {
            (Some(byte), Some(base_byte)) => byte > base_byte,
            (byte, None) => byte.is_some(),
            (None, Some(_)) => false,
        };
        Self { user_key, trailer, common, is_after_base }
    }

    /// Whether the internal key `key`, whose user key has the same rank up to `ranked`, is before
    /// the target, or at it where `or_at` says so.
    #[inline]
    pub(super) fn is_behind(&self, key: &[u8], ranked: usize, or_at: bool) -> bool {
        let order = compare_from(ranked, extract_user_key(key), self.user_key)
            .then_with(|| self.trailer.cmp(&extract_trailer(key)));
        order.is_lt() || (or_at && order.is_eq())
    }
}

/// Orders two keys that are equal up to `ranked`, if zeroes follow the shorter ones.
#[inline]
fn compare_from(ranked: usize, a: &[u8], b: &[u8]) -> Ordering {
    match (a.get(ranked..), b.get(ranked..)) {
        (Some(a), Some(b)) if !a.is_empty() && !b.is_empty() => a.cmp(b),
        _ => a.len().cmp(&b.len()),
    }
}

#[cfg(test)]
mod tests;
