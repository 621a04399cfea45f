//! Damaged variants of a file: every byte flipped in turn, every length it could be cut to.
//!
//! A reader must answer each variant with an error or with the undamaged content, and neither
//! panic nor hang nor take memory the input does not justify.

use std::fmt;

#[cfg(test)]
mod tests;

/// One damage to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// The byte at `offset` is combined with `mask` by exclusive or.
    Flip {
        /// Position of the byte in the file.
        offset: usize,
        /// The bits that change; not 0.
        mask: u8,
    },
    /// The file ends after `size_bytes` bytes.
    Truncate {
        /// What is left of the file.
        size_bytes: usize,
    },
}

impl Damage {
    /// The damaged copy of `bytes`.
    ///
    /// # Panics
    /// When the damage lies outside `bytes`.
    #[must_use]
    pub fn apply(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Self::Flip { offset, mask } => {
                let mut damaged = bytes.to_vec();
                damaged[offset] ^= mask;
                damaged
            }
            Self::Truncate { size_bytes } => bytes[..size_bytes].to_vec(),
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flip { offset, mask } => write!(formatter, "byte {offset} xor {mask:#04x}"),
            Self::Truncate { size_bytes } => write!(formatter, "cut to {size_bytes} bytes"),
        }
    }
}

/// Every byte of a file of `size_bytes` flipped in turn, once for each mask.
pub fn flips(size_bytes: usize, masks: &[u8]) -> impl Iterator<Item = Damage> {
    (0..size_bytes)
        .flat_map(move |offset| masks.iter().map(move |&mask| Damage::Flip { offset, mask }))
}

/// Every length that a file of `size_bytes` could be cut to, the empty file included.
pub fn truncations(size_bytes: usize) -> impl Iterator<Item = Damage> {
    (0..size_bytes).map(|size_bytes| Damage::Truncate { size_bytes })
}

/// Masks that between them turn small numbers into large ones, change single low bits, and invert
/// whole bytes. Three times the work of one mask.
pub const MASKS: [u8; 3] = [0x01, 0x80, 0xff];

/// Every damage to a file of `size_bytes`: all bytes flipped by `0xff` and all truncations.
#[must_use]
pub fn all(size_bytes: usize) -> Vec<Damage> {
    flips(size_bytes, &[0xff]).chain(truncations(size_bytes)).collect()
}
