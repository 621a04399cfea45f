//! Byte strings as words of a line: what is no letter, digit or one of `-_./:,` is escaped, a word
//! repeated is written `word*times`, and the empty string `''`.

use std::fmt::Write as _;

/// Byte strings shorter than this are written out.
const REPEATED_BYTES_MIN: usize = 24;

/// The word for a byte string.
pub(super) fn word(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "''".to_owned();
    }
    if bytes.len() >= REPEATED_BYTES_MIN
        && let Some(period) = (1..=bytes.len() / 2).take(64).find(|period| repeats(bytes, *period))
    {
        return format!("{}*{}", escaped(&bytes[..period]), bytes.len() / period);
    }
    escaped(bytes)
}

fn repeats(bytes: &[u8], period: usize) -> bool {
    bytes.len().is_multiple_of(period) && bytes[period..] == bytes[..bytes.len() - period]
}

fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || b"-_./:,".contains(byte) {
            text.push(char::from(*byte));
        } else {
            write!(text, "\\x{byte:02x}").expect("a string takes all");
        }
    }
    text
}

/// The byte string of a word.
pub(super) fn bytes(word: &str) -> Result<Vec<u8>, String> {
    if word == "''" {
        return Ok(Vec::new());
    }
    let (word, times) = match word.split_once('*') {
        None => (word, 1),
        Some((word, times)) => {
            (word, times.parse::<usize>().map_err(|error| format!("{word}*{times}: {error}"))?)
        }
    };
    let mut plain = Vec::new();
    let mut rest = word.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'\\' {
            plain.push(*first);
            continue;
        }
        let byte = match rest {
            [b'x', digits @ ..] => digits.get(..2).and_then(|two| {
                rest = &digits[2..];
                u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok()
            }),
            _ => None,
        };
        plain.push(byte.ok_or_else(|| format!("{word}: a backslash without x and two digits"))?);
    }
    Ok(plain.repeat(times))
}
