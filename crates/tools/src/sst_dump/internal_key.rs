//! `--parse_internal_key`: takes an internal key apart.

use super::{FAILURE_OF_KEY, SUCCESS};
use crate::print::{decode_hex, push_bytes, push_trailer};
use base::dbformat::{MAX_SEQUENCE_NUMBER, TRAILER_SIZE};
use base::{ParsedInternalKey, ValueType};
use std::io::{self, Write};

/// Prints the parts of the key that `text` gives in hexadecimal after `0x`; of one that is malformed
/// what there is, and an error.
pub(super) fn print(text: &str, out: &mut dyn Write, err: &mut dyn Write) -> io::Result<i32> {
    let Some(key) = text.strip_prefix("0x").and_then(|digits| decode_hex(digits.as_bytes())) else {
        writeln!(err, "ERROR: '{text}' is no key: expected 0x and pairs of hexadecimal digits")?;
        return Ok(FAILURE_OF_KEY);
    };
    let mut line = b"key='".to_vec();
    let status = match key.split_last_chunk::<TRAILER_SIZE>() {
        Some((user_key, trailer)) => {
            push_bytes(&mut line, user_key, true);
            let packed = u64::from_le_bytes(*trailer);
            push_trailer(&mut line, packed >> 8, packed as u8);
            match ParsedInternalKey::parse(&key) {
                Ok(key) if is_of_table(key.value_type) => SUCCESS,
                Ok(key) => {
                    writeln!(err, "no table holds keys of type {}", key.value_type as u8)?;
                    FAILURE_OF_KEY
                }
                Err(status) => {
                    writeln!(err, "{status}")?;
                    FAILURE_OF_KEY
                }
            }
        }
        None => {
            push_trailer(&mut line, MAX_SEQUENCE_NUMBER, ValueType::Deletion as u8);
            writeln!(
                err,
                "Corrupted Key: Internal Key too small: expected at least {TRAILER_SIZE} bytes, \
                 found {}",
                key.len()
            )?;
            FAILURE_OF_KEY
        }
    };
    line.push(b'\n');
    out.write_all(&line)?;
    Ok(status)
}

/// Whether a table may hold keys of this type.
pub(super) fn is_of_table(value_type: ValueType) -> bool {
    value_type.is_stored() || value_type == ValueType::RangeDeletion
}

#[cfg(test)]
mod tests;
