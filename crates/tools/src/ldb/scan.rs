//! `scan`: the pairs of a range.

use super::failure::{Failure, Outcome};
use super::open::OpenDb;
use super::print::plain_or_0x;
use super::session::Session;
use super::ttl::{TimeRange, TimedValue, local_time};
use crate::print::until_zero;
use db::DbIterator;
use table::ReadOptions;

/// What is printed of which pairs.
struct Scan {
    from: Option<Vec<u8>>,
    to: Option<Vec<u8>>,
    /// No limit if negative.
    max_keys: i32,
    no_value: bool,
    times: TimeRange,
    print_times: bool,
}

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let arguments = session.arguments;
    let scan = Scan {
        from: arguments.key("from", session.is_key_hex)?,
        to: arguments.key("to", session.is_key_hex)?,
        max_keys: arguments.int("max_keys")?.unwrap_or(-1),
        no_value: arguments.flag("no_value"),
        times: TimeRange::from_arguments(arguments)?,
        print_times: session.is_ttl && arguments.flag("timestamp"),
    };
    let OpenDb { db, family } = session.open()?;
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let mut iterator = db.new_iterator(&options, &family)?;
    if scan.times.is_backwards() {
        writeln!(session.err, "Error: End time can't be less than start time")?;
        return Ok(());
    }
    match &scan.from {
        Some(from) => iterator.seek(from),
        None => iterator.seek_to_first(),
    }
    if scan.print_times {
        writeln!(session.out, "Scanning key-values from {}", scan.times.describe()?)?;
    }
    print_pairs(session, &scan, &mut iterator)?;
    iterator.status().map_err(Failure::from)
}

fn print_pairs(session: &mut Session<'_>, scan: &Scan, iterator: &mut DbIterator) -> Outcome {
    let mut count = 0;
    while iterator.valid() && scan.to.as_deref().is_none_or(|to| iterator.key() < to) {
        let mut value = iterator.value();
        if session.is_ttl {
            let Some(timed) = TimedValue::decode_in(value, scan.times)? else {
                iterator.next();
                continue;
            };
            if scan.print_times {
                write!(session.out, "{} ", local_time(timed.time)?)?;
            }
            value = timed.value;
        }
        let key = plain_or_0x(iterator.key(), session.is_key_hex);
        session.out.write_all(until_zero(&key))?;
        if !scan.no_value {
            session.out.write_all(b" : ")?;
            session.out.write_all(until_zero(&plain_or_0x(value, session.is_value_hex)))?;
        }
        session.out.write_all(b"\n")?;
        count += 1;
        if scan.max_keys >= 0 && count >= scan.max_keys {
            break;
        }
        iterator.next();
    }
    Ok(())
}
