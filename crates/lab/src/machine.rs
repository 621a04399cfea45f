//! `touchstone machine`: what the machine can do, and what that allows engines.
//!
//! What was measured is kept in a file for each host, which `touchstone compare` reads.

pub mod constants;
mod host;
pub mod measure;
pub mod report;

use clap::Parser;
use constants::{CONSTANTS, Value, Values};
use measure::{Effort, Workbench};
use report::Report;
use std::io::Write;
use std::path::{Path, PathBuf};

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

/// Measures what the machine can do at best, and prints the physical limits of common workloads.
///
/// Takes a quarter of a minute or more and needs about 1.1 GB of memory and of the disk. Other programs
/// that run meanwhile make the values worse. docs/machine.md says what each one means.
#[derive(Debug, Parser)]
#[command(name = "machine", bin_name = "touchstone machine", disable_version_flag = true)]
struct Arguments {
    /// Where files are written to measure the disk.
    #[arg(long, value_name = "DIR", default_value = ".")]
    directory: PathBuf,
    /// Less memory, smaller files and fewer repeats: some seconds.
    #[arg(long)]
    quick: bool,
    /// Prints one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Where the values are kept. Default: touchstone/machine-HOST.json in the user's cache directory.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Prints the values that are kept instead of measuring.
    #[arg(long)]
    kept: bool,
}

/// Runs `machine` with `arguments`, the program's name not among them, and returns its exit status: 0,
/// or 1 if nothing could be measured or kept, or 2 if the arguments are wrong.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let name = std::iter::once("machine".to_owned());
    let parsed = match Arguments::try_parse_from(name.chain(arguments.iter().cloned())) {
        Ok(parsed) => parsed,
        Err(error) => return crate::usage(&error, out, err),
    };
    match run(&parsed, err).and_then(|report| print(&parsed, &report, out)) {
        Ok(()) => SUCCESS,
        Err(message) => {
            // There is nobody to tell that standard error is closed.
            let _ = writeln!(err, "machine: {message}");
            FAILURE
        }
    }
}

fn run(arguments: &Arguments, err: &mut dyn Write) -> Result<Report, String> {
    let file = match &arguments.file {
        Some(file) => Some(file.clone()),
        None => report::default_file(),
    };
    if arguments.kept {
        let file = file.ok_or("there is no cache directory for this user: give --file")?;
        return Report::read(&file);
    }
    if cfg!(debug_assertions) {
        let _ = writeln!(
            err,
            "machine: this program was built without optimization: values of the processor and of memory \
             are those of the program, not of the machine"
        );
    }
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let report = measure_all(&arguments.directory, effort, &mut |what| {
        let _ = writeln!(err, "machine: {what}");
    })?;
    match file {
        Some(file) => report.write(&file)?,
        None => {
            let _ = writeln!(err, "machine: not kept, there is no cache directory for this user");
        }
    }
    Ok(report)
}

/// Measures every constant. `progress` hears what is measured now.
///
/// # Errors
/// The directory cannot be used, or has too little space.
pub fn measure_all(
    directory: &Path,
    effort: Effort,
    progress: &mut dyn FnMut(&str),
) -> Result<Report, String> {
    check_space(directory, effort)?;
    let mut bench = Workbench::new(effort, directory.to_owned());
    let mut values = Values::default();
    for constant in CONSTANTS {
        progress(constant.what);
        let value = match (constant.measure)(&mut bench) {
            Ok(value) => Value { value: Some(value), missing: None },
            Err(why) => Value { value: None, missing: Some(why) },
        };
        values.0.insert(constant.name.to_owned(), value);
    }
    Report::new(directory, effort, values)
}

fn check_space(directory: &Path, effort: Effort) -> Result<(), String> {
    let free = crate::free_bytes(directory)?;
    let needed = effort.file_bytes + effort.file_bytes / 8;
    match free < needed {
        true => Err(format!(
            "{}: {} MB are free, measuring the disk takes {} MB: give another --directory, or --quick",
            directory.display(),
            free >> 20,
            needed >> 20
        )),
        false => Ok(()),
    }
}

fn print(arguments: &Arguments, report: &Report, out: &mut dyn Write) -> Result<(), String> {
    let text = match arguments.json {
        true => report.json()?,
        false => report.table(),
    };
    out.write_all(text.as_bytes()).map_err(|error| format!("standard output: {error}"))
}

#[cfg(test)]
mod tests;
