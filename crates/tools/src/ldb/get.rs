//! `get`: the value of a key.

use super::arguments::key;
use super::failure::{Failure, Outcome};
use super::print::plain_or_0x;
use super::session::Session;
use super::ttl::TimedValue;
use crate::print::until_zero;
use base::{Result, Status};
use table::ReadOptions;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let [text] = session.arguments.parameters() else {
        return Err(Failure::new("<key> must be specified for the get command"));
    };
    let key = key(text, session.is_key_hex)?;
    let value = value(session, &key)?;
    let value = value.map_err(|status| Failure::new(format!("Get failed: {status}")))?;
    session.out.write_all(until_zero(&plain_or_0x(&value, session.is_value_hex)))?;
    session.out.write_all(b"\n")?;
    Ok(())
}

fn value(session: &mut Session<'_>, key: &[u8]) -> Outcome<Result<Vec<u8>>> {
    let opened = session.open()?;
    let value = match opened.db.get(&ReadOptions::default(), &opened.family, key) {
        Ok(Some(value)) => value,
        Ok(None) => return Ok(Err(Status::not_found(""))),
        Err(status) => return Ok(Err(status)),
    };
    if !session.is_ttl {
        return Ok(Ok(value.to_vec()));
    }
    Ok(TimedValue::decode(&value).map(|timed| timed.value.to_vec()))
}
