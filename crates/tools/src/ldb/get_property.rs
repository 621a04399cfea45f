//! `get_property`: a property of the database.

use super::failure::{Failure, Outcome};
use super::open::OpenDb;
use super::session::Session;
use crate::print::until_zero;
use db::{ColumnFamilyHandle, Db};

pub(crate) fn run(session: &mut Session<'_>) -> Outcome {
    let [name] = session.arguments.parameters() else {
        return Err(Failure::new("property name must be specified"));
    };
    let OpenDb { db, family } = session.open()?;
    if let Some(entries) = db.map_property(&family, name) {
        if entries.is_empty() {
            writeln!(session.out, "{name}: <empty map>")?;
        }
        for (key, value) in entries {
            writeln!(session.out, "{name}.{key}: {value}")?;
        }
        return Ok(());
    }
    match db.property(&family, name) {
        Some(value) => {
            write!(session.out, "{name}: ")?;
            session.out.write_all(until_zero(value.as_bytes()))?;
            writeln!(session.out)?;
            Ok(())
        }
        None => Err(Failure::new(format!("failed to get property: {name}"))),
    }
}

/// Prints the statistics that `--stats` asks for.
pub(crate) fn write_stats(
    session: &mut Session<'_>,
    db: &Db,
    family: &ColumnFamilyHandle,
) -> Outcome {
    if let Some(stats) = db.property(family, "rocksdb.stats") {
        session.out.write_all(until_zero(stats.as_bytes()))?;
        writeln!(session.out)?;
    }
    Ok(())
}
