//! How RocksDB's tools print keys and values, and how ours print what RocksDB's do not know.

use base::ParsedInternalKey;
use std::io::{self, Write};

/// Writes what should be known of the options of an open database, a line each.
pub(crate) fn write_warnings(err: &mut dyn Write, warnings: &[String]) -> io::Result<()> {
    warnings.iter().try_for_each(|warning| writeln!(err, "warning: {warning}"))
}

/// What C's `%s` prints of these bytes: all before the first zero byte. RocksDB's tools print
/// keys, values and properties so.
pub(crate) fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.iter().position(|&byte| byte == 0).map_or(bytes, |end| &bytes[..end])
}

/// Appends the bytes as they are, or in upper-case hexadecimal.
pub(crate) fn push_bytes(text: &mut Vec<u8>, bytes: &[u8], in_hex: bool) {
    if !in_hex {
        text.extend_from_slice(bytes);
        return;
    }
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    text.reserve(2 * bytes.len());
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// Appends `'user key' seq:number, type:number`.
pub(crate) fn push_internal_key(text: &mut Vec<u8>, key: &ParsedInternalKey<'_>, in_hex: bool) {
    text.push(b'\'');
    push_bytes(text, key.user_key, in_hex);
    push_trailer(text, key.sequence, key.value_type as u8);
}

/// Appends what follows the user key of an internal key, whose type may be none that is known.
pub(crate) fn push_trailer(text: &mut Vec<u8>, sequence: u64, value_type: u8) {
    // Writing to memory cannot fail.
    let _ = write!(text, "' seq:{sequence}, type:{value_type}");
}

/// The bytes that pairs of hexadecimal digits stand for.
pub(crate) fn decode_hex(digits: &[u8]) -> Option<Vec<u8>> {
    let nibble = |digit: u8| char::from(digit).to_digit(16);
    let (pairs, rest) = digits.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some((nibble(high)? << 4 | nibble(low)?) as u8)).collect()
}

#[cfg(test)]
mod tests;
