//! The beginning of a key as a number.

/// The first eight bytes as a big-endian number, padded with zeroes: where the numbers of two keys
/// differ, keys that are ordered as bytes differ alike. Equal numbers decide nothing.
#[inline]
pub fn key_prefix(key: &[u8]) -> u64 {
    match key.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => key.iter().rev().fold(0, |number, &byte| number >> 8 | u64::from(byte) << 56),
    }
}

#[cfg(test)]
mod tests;
