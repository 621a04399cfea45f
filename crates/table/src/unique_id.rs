//! The unique id of a table file, made of what its properties say of its origin.
//!
//! ```text
//! session identity   base 36: A = all digits but the last 12, B = the last 12
//! session upper      A >> 2
//! session lower      B mod 2^62 | A << 62 mod 2^64
//! id word 0          session lower
//! id word 1          high half of xxh3_128(database identity, seed = session upper)
//!                    xor file number
//! ```
//!
//! MANIFESTs hold the internal form above. The external form, which tools print, is the XXH3 of it.

use base::hash::xxh3_128_with_seed;

/// Digits of the session identity that make up its lower part.
const LOWER_DIGITS: usize = 12;
const SESSION_ID_LENGTHS: std::ops::RangeInclusive<usize> = 13..=24;

/// Where a table file comes from, by its properties.
#[derive(Clone, Copy, Debug)]
pub struct TableOrigin<'a> {
    /// `rocksdb.creating.db.identity`.
    pub db_id: &'a str,
    /// `rocksdb.creating.session.identity`.
    pub db_session_id: &'a str,
    /// `rocksdb.original.file.number`.
    pub file_number: u64,
}

impl TableOrigin<'_> {
    /// The internal form, none if something is missing or malformed.
    pub fn internal_id(&self) -> Option<[u64; 2]> {
        if self.db_id.is_empty() || self.file_number == 0 {
            return None;
        }
        Some(self.combine(decode_session_id(self.db_session_id)?))
    }

    /// The internal form to compare with one that a MANIFEST holds: always there, also where
    /// something is missing or malformed.
    pub fn internal_id_or_substitute(&self) -> [u64; 2] {
        let (upper, lower) = decode_session_id(self.db_session_id).unwrap_or_else(|| {
            let hash = xxh3_128_with_seed(self.db_session_id.as_bytes(), 0);
            let (upper, lower) = ((hash >> 64) as u64, hash as u64);
            (upper, if lower == 0 { upper | 1 } else { lower })
        });
        self.combine((upper, lower))
    }

    /// The external form.
    pub fn external_id(&self) -> Option<[u64; 2]> {
        /// What makes an internal id of zeros its own external form.
        const OFFSETS_FOR_ZERO: [u64; 2] = [6_417_269_962_128_484_497, 17_391_078_804_906_429_400];
        let [first, second] = self.internal_id()?;
        let shifted =
            [first.wrapping_add(OFFSETS_FOR_ZERO[0]), second.wrapping_add(OFFSETS_FOR_ZERO[1])];
        let hash = xxh3_128_with_seed(&to_bytes(shifted), 0);
        Some([hash as u64, (hash >> 64) as u64])
    }

    fn combine(&self, (upper, lower): (u64, u64)) -> [u64; 2] {
        let hash = xxh3_128_with_seed(self.db_id.as_bytes(), upper);
        [lower, (hash >> 64) as u64 ^ self.file_number]
    }
}

/// The bytes of an id as MANIFESTs hold it.
pub fn to_bytes(words: [u64; 2]) -> [u8; 16] {
    (u128::from(words[1]) << 64 | u128::from(words[0])).to_le_bytes()
}

/// The opposite of [`to_bytes`].
pub fn from_bytes(bytes: [u8; 16]) -> [u64; 2] {
    let id = u128::from_le_bytes(bytes);
    [id as u64, (id >> 64) as u64]
}

/// The upper and lower part of a session identity.
fn decode_session_id(id: &str) -> Option<(u64, u64)> {
    if !SESSION_ID_LENGTHS.contains(&id.len()) || !id.is_ascii() {
        return None;
    }
    let (a, b) = id.split_at(id.len() - LOWER_DIGITS);
    let (a, b) = (decode_base36(a)?, decode_base36(b)?);
    Some((a >> 2, b & (u64::MAX >> 2) | a << 62))
}

fn decode_base36(digits: &str) -> Option<u64> {
    digits.chars().try_fold(0u64, |value, digit| {
        Some(value.wrapping_mul(36).wrapping_add(u64::from(digit.to_digit(36)?)))
    })
}

#[cfg(test)]
mod tests;
