//! The checksums of blocks.
//!
//! A block is stored as `data ‖ last`, where `last` is its compression type, and the checksum covers
//! both. From table format version 6 on, [`context_modifier`] of the file and offset is added, so
//! that a block put in a wrong place fails its check.

use crate::crc32c;
use std::hash::Hasher;
use twox_hash::{XxHash3_64, XxHash32, XxHash64};

/// How blocks are checked. Numbers are on disk: `rocksdb::ChecksumType`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ChecksumType {
    /// None: the stored value is 0.
    None = 0,
    /// Masked CRC-32C.
    Crc32c = 1,
    /// XXH32, seed 0.
    XxHash = 2,
    /// Low half of XXH64, seed 0.
    XxHash64 = 3,
    /// Low half of XXH3 without the last byte, which is mixed in afterwards.
    #[default]
    Xxh3 = 4,
}

impl ChecksumType {
    /// Every type, in the order of their numbers.
    pub const ALL: [ChecksumType; 5] =
        [Self::None, Self::Crc32c, Self::XxHash, Self::XxHash64, Self::Xxh3];

    /// The type of this number, if there is one.
    #[inline]
    pub fn from_u8(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The name in option strings, as `kCRC32c`.
    pub const fn option_name(self) -> &'static str {
        match self {
            Self::None => "kNoChecksum",
            Self::Crc32c => "kCRC32c",
            Self::XxHash => "kxxHash",
            Self::XxHash64 => "kxxHash64",
            Self::Xxh3 => "kXXH3",
        }
    }

    /// The type of this option name, if there is one.
    pub fn from_option_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.option_name() == name)
    }

    /// The checksum of `data ‖ last`.
    pub fn compute(self, data: &[u8], last: u8) -> u32 {
        match self {
            Self::None => 0,
            Self::Crc32c => crc32c::mask(crc32c::extend(crc32c::value(data), &[last])),
            Self::XxHash => {
                let mut hasher = XxHash32::with_seed(0);
                hasher.write(data);
                hasher.write(&[last]);
                hasher.finish_32()
            }
            Self::XxHash64 => {
                let mut hasher = XxHash64::with_seed(0);
                hasher.write(data);
                hasher.write(&[last]);
                hasher.finish() as u32
            }
            Self::Xxh3 => {
                XxHash3_64::oneshot(data) as u32 ^ u32::from(last).wrapping_mul(LAST_BYTE_MIX)
            }
        }
    }

    /// The checksum of bytes that lie together, the last of them being `last` of
    /// [`ChecksumType::compute`]. The checksum of nothing is 0 for [`ChecksumType::Xxh3`].
    #[inline]
    pub fn compute_contiguous(self, data_and_last: &[u8]) -> u32 {
        match self {
            Self::None => 0,
            Self::Crc32c => crc32c::mask(crc32c::value(data_and_last)),
            Self::XxHash => XxHash32::oneshot(0, data_and_last),
            Self::XxHash64 => XxHash64::oneshot(0, data_and_last) as u32,
            Self::Xxh3 => match data_and_last.split_last() {
                Some((&last, data)) => self.compute(data, last),
                None => 0,
            },
        }
    }
}

const LAST_BYTE_MIX: u32 = 0x6b90_83d9;

/// What is added to the checksum of the block at `offset` of a file whose footer holds
/// `base_context_checksum` (0 before format version 6: nothing is added).
#[inline]
pub const fn context_modifier(base_context_checksum: u32, offset: u64) -> u32 {
    if base_context_checksum == 0 {
        return 0;
    }
    let folded = (offset as u32).wrapping_add((offset >> 32) as u32);
    base_context_checksum ^ folded
}

#[cfg(test)]
mod tests;
