//! `touchstone ldb`: looks into a database and changes it, with the command line and the output of
//! RocksDB's `ldb` 7.8.3.
//!
//! [`main`] takes the command line apart (`arguments`), looks the command up in one table
//! (`command`) and runs it; there is a file for each command. The output goes byte for byte to
//! the same stream as RocksDB's. Where that crashes, this fails with a sentence.
//!
//! Commands that read write nothing to the database, so it may be in use. Those that write take its
//! lock (`writing`).

mod approxsize;
mod arguments;
mod blob_file_dump;
mod checkconsistency;
mod column_family_change;
mod command;
mod compact;
mod delete;
mod dump;
mod dump_live_files;
mod dump_wal;
mod failure;
mod file_checksum_dump;
mod get;
mod get_property;
mod help;
mod idump;
mod ingest_extern_sst;
mod list_column_families;
mod list_file_range_deletes;
mod list_live_files_metadata;
mod load;
mod manifest_dump;
mod manifest_text;
mod open;
mod prefix_counts;
mod print;
mod put;
mod query;
mod scan;
mod session;
mod table_file_dump;
mod ttl;
mod version_files;
mod write_extern_sst;
mod writing;

use arguments::Arguments;
use command::{Action, Command};
use failure::{Failure, Outcome};
use session::Session;
use std::io::{BufRead, BufWriter, Write};

/// Exit status of a command that did what it was asked to.
const SUCCESS: i32 = 0;
/// Exit status of all failures.
const FAILURE: i32 = 1;

/// Bytes of output gathered before they are handed to `out`.
const BUFFER_SIZE: usize = 64 << 10;

/// Runs `ldb` with `arguments`, the program's name not among them, and returns its exit status.
/// `load` and `query` read `input`.
pub fn main(
    arguments: &[String],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> i32 {
    let mut out = BufWriter::with_capacity(BUFFER_SIZE, out);
    let result = run(arguments, input, &mut out, err);
    let result = out.flush().map_err(Failure::from).and(result);
    match result {
        Ok(status) => status,
        Err(failure) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "Failed: {}", failure.reason());
            FAILURE
        }
    }
}

fn run(
    arguments: &[String],
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Outcome<i32> {
    match arguments {
        [] => return usage(err),
        [only] if only == "--version" => {
            writeln!(out, "ldb of Touchstone {}", env!("CARGO_PKG_VERSION"))?;
            return Ok(SUCCESS);
        }
        [only] if only == "--help" => {
            help::write_help(out)?;
            return Ok(SUCCESS);
        }
        [_] => return usage(err),
        _ => {}
    }
    let arguments = Arguments::parse(arguments);
    let Some(name) = arguments.command() else {
        write!(err, "Command not specified!")?;
        writeln!(err, "Unknown command")?;
        return usage(err);
    };
    let Some(command) = Command::find(name) else {
        writeln!(err, "Unknown command")?;
        return usage(err);
    };
    if !check_names(command, &arguments, err)? {
        return Ok(FAILURE);
    }
    let mut session = Session::new(&arguments, env::default_file_system(), input, out, err)?;
    match command.action {
        Action::Runs { run, .. } => run(&mut session)?,
        Action::NotImplemented => {
            return Err(Failure::new(format!("Not implemented: {}", command.name)));
        }
    }
    session.failure_at_end.map_or(Ok(SUCCESS), Err)
}

fn usage(err: &mut dyn Write) -> Outcome<i32> {
    help::write_help(err)?;
    Ok(FAILURE)
}

/// Whether the command takes all options and flags that were given, and has been given a database.
fn check_names(command: &Command, arguments: &Arguments, err: &mut dyn Write) -> Outcome<bool> {
    for (kind, name) in arguments.names() {
        if !command.takes(name) {
            writeln!(err, "Invalid command-line {kind} {name}")?;
            return Ok(false);
        }
    }
    let has_database = arguments.option("db").or(arguments.option("path")).is_some();
    if command.needs_database() && !has_database {
        writeln!(err, "Either db or path must be specified.")?;
        return Ok(false);
    }
    Ok(true)
}

#[cfg(test)]
mod tests;
