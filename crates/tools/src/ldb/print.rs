//! How ldb prints keys and values.

use crate::print::push_internal_key;
use base::dbformat::hex;
use base::{ParsedInternalKey, ValueType};
use blob::BlobIndex;

/// The bytes as they are, or as upper-case hexadecimal.
pub(crate) fn plain_or_hex(bytes: &[u8], is_hex: bool) -> Vec<u8> {
    if is_hex { hex(bytes).into_bytes() } else { bytes.to_vec() }
}

/// The bytes as they are, or as hexadecimal after `0x`.
pub(crate) fn plain_or_0x(bytes: &[u8], is_hex: bool) -> Vec<u8> {
    if is_hex { hex_0x(bytes).into_bytes() } else { bytes.to_vec() }
}

/// Hexadecimal after `0x`.
pub(crate) fn hex_0x(bytes: &[u8]) -> String {
    format!("0x{}", hex(bytes))
}

/// An internal key: `'key' seq:number, type:number`.
pub(crate) fn internal_key(key: &ParsedInternalKey<'_>, is_hex: bool) -> Vec<u8> {
    let mut text = Vec::new();
    push_internal_key(&mut text, key, is_hex);
    text
}

/// An encoded internal key as [`internal_key`], or marked as bad where it is none.
pub(crate) fn encoded_internal_key(key: &[u8], is_hex: bool) -> Vec<u8> {
    match ParsedInternalKey::parse(key) {
        Ok(key) if key.value_type.is_stored() || key.value_type == ValueType::RangeDeletion => {
            internal_key(&key, is_hex)
        }
        _ => [b"(bad)".as_slice(), escaped(key).as_bytes()].concat(),
    }
}

/// Where a value is that is not in the table.
pub(crate) fn blob_index(index: &BlobIndex<'_>, is_hex: bool) -> Vec<u8> {
    match index {
        BlobIndex::InlinedTtl { expiration, value } if !is_hex => {
            let expiration = format!(" exp:{expiration}");
            [b"[inlined blob] value:".as_slice(), value, expiration.as_bytes()].concat()
        }
        index => index.to_string().into_bytes(),
    }
}

/// Bytes that are not printable ASCII as `\xNN`.
fn escaped(bytes: &[u8]) -> String {
    let escape = |&byte: &u8| match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    bytes.iter().map(escape).collect()
}

#[cfg(test)]
mod tests;
