//! The internal key a point lookup starts from, without an allocation for ordinary keys.

use base::SequenceNumber;
use base::dbformat::{TRAILER_SIZE, VALUE_TYPE_FOR_SEEK, pack_sequence_and_type};

/// Keys up to this many bytes, trailer included, are kept in place.
const INLINE_SIZE: usize = 120;

/// User key, timestamp and trailer in one piece.
pub(crate) struct LookupKey {
    inline: [u8; INLINE_SIZE],
    length: usize,
    long: Vec<u8>,
}

impl LookupKey {
    /// A key before every version of `user_key` visible at `sequence` and `timestamp` (empty
    /// where keys have none).
    pub(crate) fn new(user_key: &[u8], timestamp: &[u8], sequence: SequenceNumber) -> Self {
        let trailer = pack_sequence_and_type(sequence, VALUE_TYPE_FOR_SEEK).to_le_bytes();
        let length = user_key.len() + timestamp.len() + TRAILER_SIZE;
        let mut key = Self { inline: [0; INLINE_SIZE], length, long: Vec::new() };
        if length <= INLINE_SIZE {
            let (user, rest) = key.inline[..length].split_at_mut(user_key.len());
            user.copy_from_slice(user_key);
            let (time, last) = rest.split_at_mut(timestamp.len());
            time.copy_from_slice(timestamp);
            last.copy_from_slice(&trailer);
        } else {
            key.long = [user_key, timestamp, &trailer].concat();
        }
        key
    }

    /// The internal key.
    #[inline]
    pub(crate) fn internal_key(&self) -> &[u8] {
        if self.long.is_empty() { &self.inline[..self.length] } else { &self.long }
    }

    /// The user key with its timestamp.
    #[inline]
    pub(crate) fn user_key(&self) -> &[u8] {
        let key = self.internal_key();
        &key[..key.len() - TRAILER_SIZE]
    }
}

#[cfg(test)]
mod tests;
