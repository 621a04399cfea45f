//! `touchstone report`: the report of a campaign out of what `db_bench` or `touchstone bench` printed: a
//! line of 28 columns for each result, in the order that scripts of the field have them, or tables of
//! builds beside each other.

mod columns;
mod run_log;

use crate::relative::Table;
use clap::Parser;
use columns::{HEAD, line};
use run_log::RunLog;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const SUCCESS: i32 = 0;
const FAILURE: i32 = 1;

/// Tests that only prepare others: tables of builds leave them out.
const PREPARING: [&str; 2] = ["revrange.t1", "overwritesome"];

/// Prints the report of a campaign out of the output of its runs of db_bench or touchstone bench.
///
/// A line has what RocksDB's benchmark.sh puts into its report, and at its end the write amplification
/// that does not count flushes twice. Columns of the engine's tables are found by their names, so that
/// logs of all releases are read alike. Beside LOG, LOG.time (of `time -f '%e %U %S'`) and LOG.stats.ps
/// (of `ps aux`) are read if they are there.
#[derive(Debug, Parser)]
#[command(name = "report", bin_name = "touchstone report", disable_version_flag = true)]
struct Arguments {
    /// Outputs, or directories of outputs (*.log).
    #[arg(required = true, value_name = "LOG|DIR")]
    logs: Vec<PathBuf>,
    /// Prints three tables instead: microseconds of an operation, operations in a second, and these relative
    /// to the first build. The logs of a directory are those of a build.
    #[arg(long)]
    relative: bool,
    /// What stands in the column job_id.
    #[arg(long, default_value = "")]
    job_id: String,
}

/// Runs `report` with `arguments`, the program's name not among them, and returns its exit status: 0,
/// or 1 if a log cannot be read or holds a test that failed, or 2 if the arguments are wrong.
pub fn main(arguments: &[String], out: &mut dyn Write, err: &mut dyn Write) -> i32 {
    let name = std::iter::once("report".to_owned());
    let parsed = match Arguments::try_parse_from(name.chain(arguments.iter().cloned())) {
        Ok(parsed) => parsed,
        Err(error) => return crate::usage(&error, out, err),
    };
    match run(&parsed) {
        Ok((text, failed)) => {
            let written = out.write_all(text.as_bytes());
            for test in &failed {
                // There is nobody to tell that standard error is closed.
                let _ = writeln!(err, "report: {test} has no result: it failed");
            }
            if written.is_ok() && failed.is_empty() { SUCCESS } else { FAILURE }
        }
        Err(message) => {
            let _ = writeln!(err, "report: {message}");
            FAILURE
        }
    }
}

/// The text, and the tests without a result.
fn run(arguments: &Arguments) -> Result<(String, Vec<String>), String> {
    let mut logs = Vec::new();
    for path in &arguments.logs {
        for path in logs_of(path)? {
            logs.push(RunLog::read(&path)?);
        }
    }
    let failed = logs.iter().filter(|log| log.results.is_empty()).map(|log| log.test.clone());
    let failed = failed.collect();
    if arguments.relative {
        return Ok((tables(&logs), failed));
    }
    let mut text = format!("{}\n", HEAD.join("\t"));
    for log in &logs {
        text.push_str(&line(log, &arguments.job_id));
    }
    Ok((text, failed))
}

/// The log itself, or those in the directory, by name.
fn logs_of(path: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if !fs::metadata(path).map_err(told)?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut logs = Vec::new();
    for entry in fs::read_dir(path).map_err(told)? {
        let log = entry.map_err(told)?.path();
        if log.extension().is_some_and(|extension| extension == "log") {
            logs.push(log);
        }
    }
    logs.sort();
    match logs.is_empty() {
        true => Err(format!("{}: no file *.log", path.display())),
        false => Ok(logs),
    }
}

fn tables(logs: &[RunLog]) -> String {
    let rates = table(logs, |result| Some(result.ops_per_second));
    let micros = table(logs, |result| result.micros_per_op);
    format!("{}\n{}\n{}", micros.render(1), rates.render(0), rates.relative().render(2))
}

/// A row for each test, a column for each build; the last one of several results counts.
fn table(logs: &[RunLog], value: impl Fn(&run_log::RunResult) -> Option<f64>) -> Table {
    let mut builds: Vec<String> = Vec::new();
    let mut tests: Vec<String> = Vec::new();
    let mut values = Vec::new();
    for log in logs {
        if !builds.contains(&log.build) {
            builds.push(log.build.clone());
        }
        for result in &log.results {
            let test = log.test_of(result);
            if PREPARING.iter().any(|name| test.starts_with(name)) {
                continue;
            }
            if !tests.contains(&test) {
                tests.push(test.clone());
            }
            values.push((log.build.clone(), test, value(result)));
        }
    }
    let of = |build: &String, test: &String| {
        let last = values.iter().rev().find(|(b, t, _)| b == build && t == test);
        last.and_then(|(_, _, value)| *value)
    };
    let row = |test: &String| (test.clone(), builds.iter().map(|build| of(build, test)).collect());
    let rows = tests.iter().map(row).collect();
    Table { builds, rows }
}

#[cfg(test)]
mod tests;
