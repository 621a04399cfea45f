//! `idump`: the entries of a range with sequence number and type. Those that a range tombstone
//! hides are left out, and so are the tombstones.

use super::failure::{Failure, Outcome};
use super::get_property::write_stats;
use super::open::OpenDb;
use super::prefix_counts::PrefixCounts;
use super::print::{blob_index, internal_key, plain_or_hex};
use super::session::Session;
use crate::print::until_zero;
use base::dbformat::MAX_SEQUENCE_NUMBER;
use base::{InternalIterator, InternalKey, ParsedInternalKey, ValueType};
use blob::BlobIndex;

struct InternalDump {
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    /// No limit if negative.
    max_keys: i32,
    count_only: bool,
    decode_blob_index: bool,
}

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let is_input_hex = arguments.flag("input_key_hex");
    let dump = InternalDump {
        from: arguments.key("from", is_input_hex)?,
        to: arguments.key("to", is_input_hex)?,
        max_keys: arguments.int("max_keys")?.unwrap_or(-1),
        count_only: arguments.flag("count_only"),
        decode_blob_index: arguments.flag("decode_blob_index"),
    };
    let opened = session.open()?;
    for bound in [&dump.from, &dump.to].into_iter().flatten() {
        check_timestamp(&opened, bound)?;
    }
    if arguments.flag("stats") {
        write_stats(session, &opened.db, &opened.family)?;
    }
    dump_entries(session, &dump, &opened)
}

fn dump_entries(session: &mut Session<'_>, dump: &InternalDump, opened: &OpenDb) -> Outcome {
    let mut by_prefix = PrefixCounts::from_arguments(session.arguments);
    let mut iterator = opened.db.new_internal_iterator(&opened.family);
    let mut result = match dump.from.as_deref() {
        Some(from) if !from.is_empty() => {
            iterator.seek(InternalKey::for_seek(from, MAX_SEQUENCE_NUMBER).as_bytes())
        }
        _ => iterator.seek_to_first(),
    };
    let mut count: i64 = 0;
    while result.is_ok() && iterator.valid() {
        let key = ParsedInternalKey::parse(iterator.key())?;
        if dump.to.as_deref().is_some_and(|to| ends_before(opened, key.user_key, to)) {
            break;
        }
        count += 1;
        if let Some(by_prefix) = &mut by_prefix {
            count_entry(session, by_prefix, iterator.key(), iterator.value())?;
        } else if !dump.count_only {
            print_entry(session, dump, &key, iterator.value())?;
        }
        if dump.max_keys >= 0 && count >= i64::from(dump.max_keys) {
            break;
        }
        result = iterator.next();
    }
    match by_prefix {
        Some(by_prefix) => by_prefix.write(session.out)?,
        None => writeln!(session.out, "Internal keys in range: {count}")?,
    }
    result.map_err(Failure::from)
}

/// Checks that a bound has room for the timestamp that all keys of its family end in.
fn check_timestamp(opened: &OpenDb, bound: &[u8]) -> Outcome {
    let size = opened.family.comparator().timestamp_size();
    if bound.is_empty() || bound.len() >= size {
        return Ok(());
    }
    Err(Failure::new(format!(
        "keys of column family {} end in a timestamp of {size} bytes, and so must bounds: found one \
         of {} bytes",
        opened.family.name(),
        bound.len()
    )))
}

/// Whether a range up to `to`, exclusive, does not have `user_key`. An empty `to` is no end but
/// for the empty key.
fn ends_before(opened: &OpenDb, user_key: &[u8], to: &[u8]) -> bool {
    let comparator = opened.family.comparator().user_comparator();
    user_key == to || (!to.is_empty() && comparator.compare(user_key, to).is_gt())
}

/// Keys and values count up to their first byte of 0 or 1, the trailer of the key included.
fn count_entry(
    session: &mut Session<'_>,
    by_prefix: &mut PrefixCounts,
    key: &[u8],
    value: &[u8],
) -> Outcome {
    let text = |bytes: &[u8]| bytes.iter().position(|byte| *byte < 2).unwrap_or(bytes.len());
    let size = text(key) + text(value);
    let prefix = by_prefix.prefix(&key[..text(key)]).to_vec();
    by_prefix.add(&prefix, size as u64, session.out)
}

fn print_entry(
    session: &mut Session<'_>,
    dump: &InternalDump,
    key: &ParsedInternalKey<'_>,
    value: &[u8],
) -> Outcome {
    let key_text = internal_key(key, session.is_key_hex);
    let value_text = if dump.decode_blob_index && key.value_type == ValueType::BlobIndex {
        match BlobIndex::decode(value) {
            Ok(index) => blob_index(&index, session.is_value_hex),
            Err(_) => {
                session.err.write_all(until_zero(&key_text))?;
                writeln!(session.err, " => error decoding blob index =>")?;
                return Ok(());
            }
        }
    } else {
        plain_or_hex(value, session.is_value_hex)
    };
    session.out.write_all(until_zero(&key_text))?;
    session.out.write_all(b" => ")?;
    session.out.write_all(until_zero(&value_text))?;
    session.out.write_all(b"\n")?;
    Ok(())
}
