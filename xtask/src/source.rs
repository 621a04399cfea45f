//! Just enough of Rust's lexical structure to look at code without its comments and strings.

#[cfg(test)]
mod tests;

/// The text with the insides of comments, strings and character literals replaced by blanks.
/// Newlines stay, so that line numbers and braces can be counted.
pub(crate) fn blank(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut code = String::with_capacity(text.len());
    let mut position = 0;
    while position < characters.len() {
        let end = literal_end(&characters, position);
        if end == position {
            code.push(characters[position]);
            position += 1;
        } else {
            code.extend(
                characters[position..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }),
            );
            position = end;
        }
    }
    code
}

/// Where the comment, string or character literal at `position` ends; `position` itself when there
/// is none.
fn literal_end(characters: &[char], position: usize) -> usize {
    let rest = &characters[position..];
    let length = match rest {
        ['/', '/', ..] => rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
        ['/', '*', ..] => block_comment_length(rest),
        ['"', ..] => string_length(rest),
        ['\'', '\\', ..] => 3 + rest[3..].iter().position(|&c| c == '\'').map_or(0, |p| p + 1),
        ['\'', _, '\'', ..] => 3,
        ['r', '"' | '#', ..] if !continues_word(characters, position) => raw_string_length(rest, 1),
        ['b', 'r', '"' | '#', ..] if !continues_word(characters, position) => {
            raw_string_length(rest, 2)
        }
        _ => 0,
    };
    (position + length).min(characters.len())
}

fn continues_word(characters: &[char], position: usize) -> bool {
    position > 0 && is_word(characters[position - 1])
}

/// Whether a character can be part of an identifier.
pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn block_comment_length(rest: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut position = 0;
    while position < rest.len() {
        match rest[position..] {
            ['/', '*', ..] => {
                depth += 1;
                position += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                position += 2;
                if depth == 0 {
                    return position;
                }
            }
            _ => position += 1,
        }
    }
    rest.len()
}

fn string_length(rest: &[char]) -> usize {
    let mut position = 1;
    while position < rest.len() {
        match rest[position] {
            '\\' => position += 2,
            '"' => return position + 1,
            _ => position += 1,
        }
    }
    rest.len()
}

/// The length of the raw string whose prefix letters take `letters` characters; 0 when it is a raw
/// identifier instead.
fn raw_string_length(rest: &[char], letters: usize) -> usize {
    let hashes = rest[letters..].iter().take_while(|&&c| c == '#').count();
    let start = letters + hashes;
    if rest.get(start) != Some(&'"') {
        return 0;
    }
    let mut position = start + 1;
    while position < rest.len() {
        let after = &rest[position + 1..];
        if rest[position] == '"'
            && after.iter().take(hashes).filter(|&&c| c == '#').count() == hashes
        {
            return position + 1 + hashes;
        }
        position += 1;
    }
    rest.len()
}

/// Offsets at which `word` stands by itself in `code`, not as a part of a longer identifier.
pub(crate) fn word_offsets<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(word).map(|(offset, _)| offset).filter(move |&offset| {
        let before = code[..offset].chars().next_back();
        let after = code[offset + word.len()..].chars().next();
        let continues = word.ends_with(is_word) && after.is_some_and(is_word);
        !continues && !before.is_some_and(is_word)
    })
}

/// The line, counted from 1, that holds the byte at `offset`.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}
