//! `delete`, `singledelete` and `deleterange`.

use super::arguments::key;
use super::failure::{Failure, Outcome};
use super::session::Session;
use base::Result;
use wal::WriteBatch;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let key = only_key(session, "KEY must be specified for the delete command")?;
    write(session, |batch, family| batch.delete(family, &key))
}

pub(crate) fn run_single(session: &mut Session<'_>) -> Outcome {
    let key = only_key(session, "KEY must be specified for the single delete command")?;
    write(session, |batch, family| batch.single_delete(family, &key))
}

pub(crate) fn run_range(session: &mut Session<'_>) -> Outcome {
    let [begin, end] = session.arguments.parameters() else {
        return Err(Failure::new("begin and end keys must be specified for the delete command"));
    };
    let (begin, end) = (key(begin, session.is_key_hex)?, key(end, session.is_key_hex)?);
    write(session, |batch, family| batch.delete_range(family, &begin, &end))
}

fn only_key(session: &Session<'_>, otherwise: &str) -> Outcome<Vec<u8>> {
    match session.arguments.parameters() {
        [only] => key(only, session.is_key_hex),
        _ => Err(Failure::new(otherwise)),
    }
}

/// Opens the database and writes what `fill` puts into a batch.
fn write(
    session: &mut Session<'_>,
    fill: impl FnOnce(&mut WriteBatch, u32) -> Result<()>,
) -> Outcome {
    let writing = session.open_for_writing()?;
    let mut batch = WriteBatch::new();
    fill(&mut batch, writing.family.id())?;
    writing.write(batch)?;
    writing.close()?;
    session.say_ok()
}
