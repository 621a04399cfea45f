//! The grammar of option strings.
//!
//! ```text
//! pairs  = [ pair { ";" pair } [ ";" ] ]      also inside one or more pairs of braces
//! pair   = name "=" value
//! value  = "{" anything with balanced braces "}"  |  anything without ";"
//! list   = item { ":" item }                  also inside one pair of braces
//! item   = "{" anything with balanced braces "}"  |  anything without ":"
//! ```
//!
//! Blanks around names, values and items do not count. In a text that went through [`escape`], as
//! in OPTIONS files, `\` stands before `\`, `#` and `:`, and `\r` and `\n` are those characters;
//! it is undone once, over a whole value, before the value is taken apart.
//!
//! Errors are sentences without a subject; the caller knows the option's name.

use std::borrow::Cow;

/// What is wrong with a text.
pub type Result<T> = std::result::Result<T, String>;

/// Braces nested deeper than this are refused; RocksDB's own options need three.
const DEPTH_MAX: usize = 32;

/// Whether C's `isspace` says so.
fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\x0b' | '\x0c' | '\r')
}

/// The text without the blanks around it.
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// Puts `\` before the characters that mean something in an OPTIONS file.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\\', '#', ':', '\r', '\n']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 2);
    for character in text.chars() {
        let (special, shown) = match character {
            '\\' | '#' | ':' => (true, character),
            '\r' => (true, 'r'),
            '\n' => (true, 'n'),
            _ => (false, character),
        };
        if special {
            escaped.push('\\');
        }
        escaped.push(shown);
    }
    Cow::Owned(escaped)
}

/// As [`escape`], of what need not be text.
pub(crate) fn escape_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_special = |byte: &u8| matches!(byte, b'\\' | b'#' | b':' | b'\r' | b'\n');
    if !bytes.iter().any(is_special) {
        return Cow::Borrowed(bytes);
    }
    let mut escaped = Vec::with_capacity(bytes.len() + 2);
    for byte in bytes {
        match byte {
            b'\r' => escaped.extend_from_slice(b"\\r"),
            b'\n' => escaped.extend_from_slice(b"\\n"),
            special if is_special(special) => escaped.extend_from_slice(&[b'\\', *special]),
            _ => escaped.push(*byte),
        }
    }
    Cow::Owned(escaped)
}

/// As [`unescape`], of what need not be text.
pub(crate) fn unescape_bytes(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'\\') {
        return Cow::Borrowed(bytes);
    }
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => match rest.next() {
                Some(b'r') => plain.push(b'\r'),
                Some(b'n') => plain.push(b'\n'),
                Some(other) => plain.push(*other),
                None => {}
            },
            _ => plain.push(*byte),
        }
    }
    Cow::Owned(plain)
}

/// Undoes [`escape`]. A `\` before any other character stands for that character, one at the end
/// for nothing.
pub fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('r') => plain.push('\r'),
                Some('n') => plain.push('\n'),
                Some(other) => plain.push(other),
                None => {}
            },
            _ => plain.push(character),
        }
    }
    Cow::Owned(plain)
}

/// The length of the braced text that `text` begins with, both braces included.
fn braced_length(text: &str) -> Result<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' if depth == DEPTH_MAX => {
                return Err(format!("has braces nested deeper than {DEPTH_MAX}"));
            }
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at + 1);
        }
    }
    Err("has a brace that is not closed".to_owned())
}

/// The text inside the pair of braces around the whole of `text`, if there is such a pair.
pub(crate) fn inside_braces(text: &str) -> Option<&str> {
    if !text.starts_with('{') || braced_length(text) != Ok(text.len()) {
        return None;
    }
    Some(&text[1..text.len() - 1])
}

/// The text without the one pair of braces around it, if there is one.
pub fn strip_braces(text: &str) -> &str {
    inside_braces(text).unwrap_or(text)
}

/// Splits off the braced text that `text` begins with, and the blanks after it. What follows must
/// begin with `separator` or be empty.
fn split_braced(text: &str, separator: char) -> Result<(&str, &str)> {
    let (braced, rest) = text.split_at(braced_length(text)?);
    let rest = rest.trim_start_matches(is_blank);
    if rest.is_empty() || rest.starts_with(separator) {
        Ok((braced, rest))
    } else {
        Err(format!("has something other than '{separator}' after a closing brace"))
    }
}

/// Takes `a=b;c={d=e}` apart, in order. Values keep their braces.
pub fn split_pairs(text: &str) -> Result<Vec<(&str, &str)>> {
    let mut rest = trim(text);
    for _ in 0..DEPTH_MAX {
        match inside_braces(rest) {
            Some(inside) => rest = trim(inside),
            None => break,
        }
    }
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let Some(at) = rest.find(['=', '{', '}', ';']) else {
            return Err(format!("expected name=value, found {:?}", trim(rest)));
        };
        let name = trim(&rest[..at]);
        if !rest[at..].starts_with('=') {
            return Err(format!("expected '=' after {name:?}"));
        }
        if name.is_empty() {
            return Err("has a '=' with no name before it".to_owned());
        }
        let value = rest[at + 1..].trim_start_matches(is_blank);
        let (value, after) = if value.starts_with('{') {
            split_braced(value, ';')?
        } else {
            let (value, after) = value.split_at(value.find(';').unwrap_or(value.len()));
            (trim(value), after)
        };
        pairs.push((name, value));
        rest = trim(after.strip_prefix(';').unwrap_or(after));
    }
    Ok(pairs)
}

/// Takes `a:b:{c:d}` apart. Items lose their braces.
pub fn split_list(text: &str) -> Result<Vec<&str>> {
    let mut rest = trim(strip_braces(trim(text)));
    let mut items = Vec::new();
    while !rest.is_empty() {
        let (item, after) = if rest.starts_with('{') {
            let (braced, after) = split_braced(rest, ':')?;
            (trim(&braced[1..braced.len() - 1]), after)
        } else {
            let (item, after) = rest.split_at(rest.find(':').unwrap_or(rest.len()));
            (trim(item), after)
        };
        items.push(item);
        rest = after.strip_prefix(':').unwrap_or(after).trim_start_matches(is_blank);
    }
    Ok(items)
}

/// `value` as it can stand after `name=` in an option string: in braces where it would otherwise
/// be cut short or trimmed.
pub fn quote(value: &str) -> Cow<'_, str> {
    let bare = !value.contains(';') && !value.starts_with('{') && trim(value) == value;
    if bare || inside_braces(value).is_some() {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(format!("{{{value}}}"))
    }
}

#[cfg(test)]
mod tests;
