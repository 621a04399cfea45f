//! `touchstone shape`: what a read of a database has to go through.
//!
//! Memtables, the sorted runs in L0, and how full each level is, from the MANIFEST, the WALs and the
//! properties of tables; no data block is read. [`main`] takes the command line apart
//! (`arguments`), opens the database (`any_database`) and prints (`report`).

mod arguments;
mod report;

use crate::any_database::Database;
use crate::command_failure::Failure;
use crate::print;
use arguments::{Arguments, Request};
use report::Report;
use std::io::Write;

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

/// Runs `shape` with `arguments`, the program's name not among them, and returns its exit status:
/// 0, or 1 if there is no shape to tell.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    match run(arguments, out, err) {
        Ok(()) => SUCCESS,
        Err(failure) => {
            failure.write("shape", err);
            FAILURE
        }
    }
}

fn run(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Failure> {
    let arguments = match arguments::parse(arguments).map_err(Failure::Refused)? {
        Request::Help => return Ok(arguments::write_help(out)?),
        Request::Run(arguments) => arguments,
    };
    let database = Database::open(&arguments.wanted, &env::default_file_system())?;
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
    Report { path: arguments.wanted.db.clone(), options_file, rocksdb_version, notes, shapes }
}

#[cfg(test)]
mod tests;
