//! `touchstone options`: options chosen and explained, compared, and checked.
//!
//! `explain` chooses options for a budget of memory and processors, or says what an option does.
//! `diff` says where two OPTIONS files differ. `check` says of one what this engine honours, what it
//! refuses, and what is dangerous. No database is opened.

mod arguments;
mod check;
mod diff;
mod explain;

use crate::command_failure::Failure;
use options::{ConfigOptions, OptionsFile};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Nothing to complain of.
const SUCCESS: i32 = 0;
/// There are differences, or a file that the engine would refuse.
const COMPLAINT: i32 = 1;
/// Wrong arguments, or a file that cannot be read.
const TROUBLE: i32 = 2;

const HELP: &str = "\
touchstone options explain --memory=SIZE --threads=N --profile=PROFILE [--output=FILE]
        [--release=RELEASE]
    Chooses options for so much memory and so many processors, and says why. PROFILE is
    point-reads, scans, ingest or mixed. With --output an OPTIONS file of them is written, as
    RocksDB of that release reads it (the newest one if none is given).
touchstone options explain NAME...
    Says what these options do.
touchstone options diff OLD NEW
    Says where two OPTIONS files differ; what one does not say has the default. The status is 0 if
    they are alike, 1 if they differ, 2 if one cannot be read.
touchstone options check FILE
    Says what of an OPTIONS file has no effect, what is refused, and what is dangerous. The status
    is 0 if a database can be opened with it, 1 if not, 2 if it cannot be read.

OLD, NEW and FILE are OPTIONS files, or directories of databases, whose newest one is meant.
";

/// Runs `options` with `arguments`, the program's name not among them, and returns its exit status.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    match run(arguments, out) {
        Ok(status) => status,
        Err(failure) => {
            failure.write("options", err);
            TROUBLE
        }
    }
}

fn run(arguments: &[String], out: &mut dyn Write) -> Result<i32, Failure> {
    let (command, rest) = arguments.split_first().unzip();
    let rest = rest.map_or(&[][..], <[String]>::as_ref);
    let is_help = |argument: &String| argument == "--help";
    match command.map(String::as_str) {
        _ if arguments.iter().any(is_help) => {
            out.write_all(HELP.as_bytes())?;
            Ok(SUCCESS)
        }
        Some("explain") => explain::run(rest, out),
        Some("diff") => diff::run(rest, out),
        Some("check") => check::run(rest, out),
        Some(other) => Err(Failure::Refused(format!(
            "{other}: expected explain, diff or check; --help says more"
        ))),
        None => {
            Err(Failure::Refused("expected explain, diff or check; --help says more".to_owned()))
        }
    }
}

/// An OPTIONS file, or the newest one of a database. What is not known in it is passed over if a
/// newer release wrote it.
fn read(path: &Path) -> Result<(PathBuf, OptionsFile), Failure> {
    let config = ConfigOptions { ignore_unknown_options: true, ..ConfigOptions::default() };
    let file_system = env::default_file_system();
    if path.is_dir() {
        return Ok(OptionsFile::latest(&*file_system, path, &config)?);
    }
    Ok((path.to_owned(), OptionsFile::read(&*file_system, path, &config)?))
}

#[cfg(test)]
mod tests;
