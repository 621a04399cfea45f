//! `write_extern_sst`: makes a table of the pairs on standard input, to be ingested by a database.

use super::failure::{Failure, Outcome};
use super::load::{Pairs, tell_bad_lines};
use super::session::Session;
use db::{OpenContext, SstFileWriter};
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let [target] = session.arguments.parameters() else {
        return Err(Failure::new("output SST file path must be specified"));
    };
    let writing = session.open_for_writing_or_new()?;
    let context = OpenContext { file_system: Arc::clone(&session.fs), ..OpenContext::default() };
    let (db_options, family_options) = (writing.db.get_db_options(), writing.family.options());
    let mut writer = SstFileWriter::new(&db_options, &family_options, &context)
        .for_column_family(&writing.family);
    let failed =
        |what: &'static str| move |status: base::Status| Failure::new(format!("{what}: {status}"));
    writer.open(Path::new(target)).map_err(failed("failed to open SST file"))?;
    let mut pairs = Pairs::new(session);
    while let Some((key, value)) = pairs.next()? {
        writer.put(&key, &value).map_err(failed("failed to write record to file"))?;
    }
    let bad_lines = pairs.bad_lines;
    writer.finish().map_err(failed("Failed to finish writing to file"))?;
    tell_bad_lines(session.err, bad_lines)?;
    writing.close()?;
    writeln!(session.err, "external SST file written to {target}")?;
    Ok(())
}
