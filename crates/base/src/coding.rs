//! Integers and byte strings as RocksDB lays them out.
//!
//! ```text
//! fixed16/32/64   little-endian
//! varint32/64     LEB128: 7 bits a byte, low group first, bit 7 set when more follow
//! varsignedint64  zigzag, then varint64
//! length prefixed varint32 length, then that many bytes
//! ```
//!
//! Decoders take bytes from the front of a slice and return `None` when it ends too early or a
//! varint is longer than its type allows. Callers turn `None` into a `Corruption` that says where.

/// Longest encoding of a `u32`.
pub const MAX_VARINT32_LENGTH: usize = 5;
/// Longest encoding of a `u64`.
pub const MAX_VARINT64_LENGTH: usize = 10;

/// Reads a fixed16 at `offset`.
///
/// # Panics
/// If fewer than 2 bytes are there.
#[inline]
pub fn decode_fixed16(bytes: &[u8], offset: usize) -> u16 {
    let mut raw = [0; 2];
    raw.copy_from_slice(&bytes[offset..offset + 2]);
    u16::from_le_bytes(raw)
}

/// Reads a fixed32 at `offset`.
///
/// # Panics
/// If fewer than 4 bytes are there.
#[inline]
pub fn decode_fixed32(bytes: &[u8], offset: usize) -> u32 {
    let mut raw = [0; 4];
    raw.copy_from_slice(&bytes[offset..offset + 4]);
    u32::from_le_bytes(raw)
}

/// Reads a fixed64 at `offset`.
///
/// # Panics
/// If fewer than 8 bytes are there.
#[inline]
pub fn decode_fixed64(bytes: &[u8], offset: usize) -> u64 {
    let mut raw = [0; 8];
    raw.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(raw)
}

/// Takes `count` bytes.
#[inline]
pub fn get_bytes<'a>(input: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = input.split_at_checked(count)?;
    *input = tail;
    Some(head)
}

/// Takes one byte.
#[inline]
pub fn get_u8(input: &mut &[u8]) -> Option<u8> {
    let (&head, tail) = input.split_first()?;
    *input = tail;
    Some(head)
}

/// Takes a fixed16.
#[inline]
pub fn get_fixed16(input: &mut &[u8]) -> Option<u16> {
    get_bytes(input, 2).map(|raw| decode_fixed16(raw, 0))
}

/// Takes a fixed32.
#[inline]
pub fn get_fixed32(input: &mut &[u8]) -> Option<u32> {
    get_bytes(input, 4).map(|raw| decode_fixed32(raw, 0))
}

/// Takes a fixed64.
#[inline]
pub fn get_fixed64(input: &mut &[u8]) -> Option<u64> {
    get_bytes(input, 8).map(|raw| decode_fixed64(raw, 0))
}

/// Takes a varint32. Bits above the 32nd are an error.
#[inline]
pub fn get_varint32(input: &mut &[u8]) -> Option<u32> {
    if let Some((&head, tail)) = input.split_first()
        && head < 0x80
    {
        *input = tail;
        return Some(u32::from(head));
    }
    get_varint_slow(input, MAX_VARINT32_LENGTH).and_then(|value| u32::try_from(value).ok())
}

/// Takes a varint64.
#[inline]
pub fn get_varint64(input: &mut &[u8]) -> Option<u64> {
    if let Some((&head, tail)) = input.split_first()
        && head < 0x80
    {
        *input = tail;
        return Some(u64::from(head));
    }
    get_varint_slow(input, MAX_VARINT64_LENGTH)
}

fn get_varint_slow(input: &mut &[u8], length_max: usize) -> Option<u64> {
    let mut value = 0u64;
    for (index, &byte) in input.iter().take(length_max).enumerate() {
        let shift = 7 * index;
        let bits = u64::from(byte & 0x7f);
        if shift == 63 && bits > 1 {
            return None;
        }
        value |= bits << shift;
        if byte < 0x80 {
            *input = &input[index + 1..];
            return Some(value);
        }
    }
    None
}

/// Takes a zigzag-coded signed integer.
#[inline]
pub fn get_varsignedint64(input: &mut &[u8]) -> Option<i64> {
    let raw = get_varint64(input)?;
    Some((raw >> 1) as i64 ^ -((raw & 1) as i64))
}

/// Takes a length-prefixed byte string.
#[inline]
pub fn get_length_prefixed<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let saved = *input;
    let length = get_varint32(input)? as usize;
    let result = get_bytes(input, length);
    if result.is_none() {
        *input = saved;
    }
    result
}

/// Appends a fixed16.
#[inline]
pub fn put_fixed16(output: &mut Vec<u8>, value: u16) {
    output.extend_from_slice(&value.to_le_bytes());
}

/// Appends a fixed32.
#[inline]
pub fn put_fixed32(output: &mut Vec<u8>, value: u32) {
    output.extend_from_slice(&value.to_le_bytes());
}

/// Appends a fixed64.
#[inline]
pub fn put_fixed64(output: &mut Vec<u8>, value: u64) {
    output.extend_from_slice(&value.to_le_bytes());
}

/// Appends a varint32.
#[inline]
pub fn put_varint32(output: &mut Vec<u8>, value: u32) {
    put_varint64(output, u64::from(value));
}

/// Appends a varint64.
#[inline]
pub fn put_varint64(output: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        output.push(value as u8 | 0x80);
        value >>= 7;
    }
    output.push(value as u8);
}

/// Appends a zigzag-coded signed integer.
#[inline]
pub fn put_varsignedint64(output: &mut Vec<u8>, value: i64) {
    put_varint64(output, (value << 1) as u64 ^ (value >> 63) as u64);
}

/// Appends a length-prefixed byte string.
///
/// # Panics
/// If `bytes` is 4 GiB or longer: no record of the formats may be.
#[inline]
pub fn put_length_prefixed(output: &mut Vec<u8>, bytes: &[u8]) {
    assert!(u32::try_from(bytes.len()).is_ok(), "byte string of {} bytes", bytes.len());
    put_varint32(output, bytes.len() as u32);
    output.extend_from_slice(bytes);
}

/// Bytes that [`put_varint64`] would append.
#[inline]
pub fn varint_length(value: u64) -> usize {
    (70 - (value | 1).leading_zeros() as usize) / 7
}

#[cfg(test)]
mod tests;
