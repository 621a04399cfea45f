//! `query`: reads and writes as told on standard input, a line each.

use super::arguments::bytes;
use super::failure::{Failure, Outcome};
use super::load::DELIMITER;
use super::print::plain_or_0x;
use super::session::Session;
use super::ttl::TimedValue;
use super::writing::WritingDb;
use crate::print::until_zero;
use table::ReadOptions;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let writing = session.open_for_writing()?;
    let mut line = Vec::new();
    loop {
        line.clear();
        if session.input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        obey(session, &writing, text)?;
    }
    writing.close()?;
    Ok(())
}

fn obey(session: &mut Session<'_>, writing: &WritingDb, line: &[u8]) -> Outcome {
    let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
    let (is_key_hex, is_value_hex) = (session.is_key_hex, session.is_value_hex);
    let failed = |what: &str, status: base::Status| Failure::new(format!("{what}: {status}"));
    match words[..] {
        [b"help", ..] => {
            write!(session.out, "get <key>\nput <key> <value>\ndelete <key>\n")?;
        }
        [b"delete", key] => {
            let deleted =
                writing.db.delete(&writing.options, &writing.family, &bytes(key, is_key_hex)?);
            deleted.map_err(|status| failed("delete failed", status))?;
            say(session, &[b"Successfully deleted ", until_zero(key)])?;
        }
        [b"put", key, value] => {
            let written = writing.put(&bytes(key, is_key_hex)?, &bytes(value, is_value_hex)?);
            written.map_err(|status| failed("put failed", status))?;
            say(session, &[b"Successfully put ", until_zero(key), b" ", until_zero(value)])?;
        }
        [b"get", text] => {
            let key = bytes(text, is_key_hex)?;
            let found = writing.db.get(&ReadOptions::default(), &writing.family, &key);
            let Some(stored) = found.map_err(|status| failed("get error", status))? else {
                say(session, &[b"Not found ", until_zero(text)])?;
                // It ends RocksDB's conversation too.
                return Err(Failure::new(""));
            };
            let value = match session.is_ttl {
                true => TimedValue::decode(&stored)?.value,
                false => &stored[..],
            };
            let pair =
                [&plain_or_0x(&key, is_key_hex), DELIMITER, &plain_or_0x(value, is_value_hex)];
            say(session, &[until_zero(&pair.concat())])?;
        }
        _ => say(session, &[b"Unknown command ", until_zero(line)])?,
    }
    Ok(())
}

fn say(session: &mut Session<'_>, parts: &[&[u8]]) -> Outcome {
    session.out.write_all(&parts.concat())?;
    session.out.write_all(b"\n")?;
    Ok(())
}
