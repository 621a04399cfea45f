//! CRC-32C (Castagnoli) and the mask under which it is stored.
//!
//! A CRC computed over bytes that hold a CRC of their own says little, so RocksDB stores a masked
//! form: `mask(c) = rotate_right(c, 15) + 0xa282ead8`.

const MASK_DELTA: u32 = 0xa282_ead8;

/// The CRC-32C of `data`.
#[inline]
pub fn value(data: &[u8]) -> u32 {
    ::crc32c::crc32c(data)
}

/// The CRC-32C of `first ‖ data`, where `crc` is that of `first`.
#[inline]
pub fn extend(crc: u32, data: &[u8]) -> u32 {
    ::crc32c::crc32c_append(crc, data)
}

/// The form in which `crc` is stored.
#[inline]
pub const fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// The CRC whose stored form is `masked`.
#[inline]
pub const fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

#[cfg(test)]
mod tests;
