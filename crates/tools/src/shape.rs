//! `touchstone shape`: what a read of a database has to go through.
//!
//! Memtables, the sorted runs in L0, and how full each level is, from the MANIFEST, the WALs and the
//! properties of tables; no data block is read. [`main`] takes the command line apart
//! (`arguments`), opens the database (`database`) and prints (`report`). A shape needs little, so
//! that little stops it: comparators, merge operators and options that nobody registered are noted,
//! and the shape is told all the same.

pub(crate) mod arguments;
pub(crate) mod database;
mod fallback_comparator;
mod report;

use crate::print;
use arguments::{Arguments, Request};
use base::Status;
use database::Database;
use report::Report;
use std::io::{self, Write};

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

/// Runs `shape` with `arguments`, the program's name not among them, and returns its exit status:
/// 0, or 1 if there is no shape to tell.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    match run(arguments, out, err) {
        Ok(()) => SUCCESS,
        Err(Failure::Refused(message)) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "shape: {message}");
            FAILURE
        }
        Err(Failure::Output(error)) => {
            let _ = writeln!(err, "shape: writing the output: {error}");
            FAILURE
        }
    }
}

/// Why nothing was told.
enum Failure {
    Refused(String),
    Output(io::Error),
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Refused(status.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Failure> {
    let arguments = match arguments::parse(arguments).map_err(Failure::Refused)? {
        Request::Help => return Ok(arguments::write_help(out)?),
        Request::Run(arguments) => arguments,
    };
    let database = Database::open(&arguments, &env::default_file_system())?;
    print::write_warnings(err, &database.warnings)?;
    let report = report(&arguments, database);
    match arguments.json {
        true => report.write_json(out)?,
        false => report.write_text(out)?,
    }
    Ok(out.flush()?)
}

fn report(arguments: &Arguments, database: Database) -> Report {
    let Database { db, options_file, rocksdb_version, rule, mut notes, .. } = database;
    let options = db::ShapeOptions { entries: arguments.entries, rule };
    let mut shapes = Vec::new();
    for family in db.column_families() {
        let (shape, errors) = db.tree_shape(&family, &options);
        if let Some(first) = errors.first() {
            let (name, count) = (family.name(), errors.len());
            notes.push(format!(
                "column family {name}: entries of {count} tables are not known: {first}"
            ));
        }
        shapes.push(shape);
    }
    if let Some((wal, status)) = &db.recovered().stopped {
        notes.push(format!("WAL {wal:06}.log was read up to damage: {status}"));
    }
    notes.extend(db.recovered().ignored.iter().map(|status| format!("passed over: {status}")));
    Report { path: arguments.db.clone(), options_file, rocksdb_version, notes, shapes }
}

#[cfg(test)]
mod tests;
