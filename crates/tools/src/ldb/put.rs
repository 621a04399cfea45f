//! `put` and `batchput`: writes pairs.

use super::arguments::key;
use super::failure::{Failure, Outcome};
use super::session::Session;
use wal::WriteBatch;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let [key_text, value_text] = session.arguments.parameters() else {
        return Err(Failure::new("<key> and <value> must be specified for the put command"));
    };
    let key = key(key_text, session.is_key_hex)?;
    let value = super::arguments::key(value_text, session.is_value_hex)?;
    let writing = session.open_for_writing_or_new()?;
    writing.put(&key, &value)?;
    writing.close()?;
    session.say_ok()
}

pub(crate) fn run_batch(session: &mut Session<'_>) -> Outcome {
    let parameters = session.arguments.parameters();
    if parameters.len() < 2 {
        return Err(Failure::new("At least one <key> <value> pair must be specified batchput."));
    }
    if !parameters.len().is_multiple_of(2) {
        return Err(Failure::new(
            "Equal number of <key>s and <value>s must be specified for batchput.",
        ));
    }
    let mut pairs = Vec::new();
    for pair in parameters.chunks_exact(2) {
        pairs.push((key(&pair[0], session.is_key_hex)?, key(&pair[1], session.is_value_hex)?));
    }
    let writing = session.open_for_writing_or_new()?;
    let mut batch = WriteBatch::new();
    for (key, value) in &pairs {
        batch.put(writing.family.id(), key, &writing.stored(value))?;
    }
    writing.write(batch)?;
    writing.close()?;
    session.say_ok()
}
