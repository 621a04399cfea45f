//! `list_column_families`: the names of the column families.

use super::failure::Outcome;
use super::session::Session;
use std::path::Path;

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let path = &session.db_path;
    match version::list_column_families(&*session.fs, Path::new(path)) {
        Err(status) => writeln!(session.err, "Error in processing db {path} {status}")?,
        Ok(names) => {
            write!(session.out, "Column families in {path}: \n{{")?;
            session.out.write_all(&names.join(b", ".as_slice()))?;
            writeln!(session.out, "}}")?;
        }
    }
    Ok(())
}
