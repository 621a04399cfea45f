//! RocksDB's own tool, run beside the bench over the same library.
//!
//! Libraries are driven through RocksDB's C functions, which cost something of their own. Where there is a
//! `db_bench` of the same release it runs the same benchmarks with the same flags, and the faster of the two
//! counts, so that nobody is compared with what the driver costs.

use crate::cell::{Failure, Process};
use crate::plan::base_name;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// One run of a benchmark that counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The benchmark's name.
    pub benchmark: String,
    /// Operations of all threads in a second.
    pub ops_per_second: f64,
}

/// A process of the tool.
#[derive(Clone, Debug)]
pub struct DbBench<'a> {
    /// The tool.
    pub program: &'a Path,
    /// The release that it must be of.
    pub release: &'a str,
    /// Benchmarks, separated by commas.
    pub benchmarks: &'a str,
    /// The directory of the database.
    pub directory: &'a Path,
    /// Further flags.
    pub flags: Vec<String>,
    /// Where its output goes meanwhile.
    pub scratch: &'a Path,
    /// How long it may take.
    pub time_limit: Option<Duration>,
}

impl DbBench<'_> {
    /// Runs it and returns what it measured, in order.
    ///
    /// # Errors
    /// It does not start, does not know a flag, fails, is of another release, or says nothing.
    pub fn run(&self, interrupted: &AtomicBool) -> Result<Vec<Run>, Failure> {
        let path = |name: &str| self.scratch.join(name);
        let mut arguments = vec![
            format!("--benchmarks={}", self.benchmarks),
            format!("--db={}", self.directory.display()),
            // It would write one for each operation that has been done often enough.
            "--progress_reports=0".to_owned(),
        ];
        arguments.extend(self.flags.iter().cloned());
        let process = Process {
            program: self.program,
            arguments,
            doing: format!("db_bench, {}", self.benchmarks),
            output: &path("db_bench.out"),
            errors: &path("db_bench.err"),
            time_limit: self.time_limit,
        };
        process.run(interrupted)?;
        // It prints its release to the one, and its results to the other.
        let text: String = [process.errors, process.output]
            .iter()
            .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned())
            .collect();
        parse(&text, self.benchmarks, self.release).map_err(Failure::Failed)
    }
}

/// The runs that count of what the tool printed.
///
/// # Errors
/// A sentence on what is not as expected.
pub fn parse(text: &str, benchmarks: &str, release: &str) -> Result<Vec<Run>, String> {
    let of_tool =
        text.lines().find_map(|line| line.strip_prefix("RocksDB:")?.split(' ').next_back());
    if of_tool != Some(release) {
        return Err(format!(
            "db_bench is of release {}, and the library of {release}",
            of_tool.unwrap_or("unknown")
        ));
    }
    let mut runs = Vec::new();
    for benchmark in benchmarks.split(',') {
        let name = base_name(benchmark);
        let rates = text.lines().filter_map(|line| rate_of(line, name)).skip(warmups(benchmark));
        let rates: Vec<Run> = rates
            .map(|ops_per_second| Run { benchmark: name.to_owned(), ops_per_second })
            .collect();
        if rates.is_empty() {
            return Err(format!("db_bench printed no result of {name}"));
        }
        runs.extend(rates);
    }
    Ok(runs)
}

/// Operations in a second of a result line of the benchmark `name`: `NAME : N micros/op N ops/sec …`.
/// Averages over runs begin with `NAME [AVG`.
fn rate_of(line: &str, name: &str) -> Option<f64> {
    let rest = line.strip_prefix(name)?.trim_start().strip_prefix(':')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let unit = words.iter().position(|word| word.trim_end_matches(';') == "ops/sec")?;
    words.get(unit.checked_sub(1)?)?.parse().ok()
}

/// How often a benchmark warms up: 1 of `readrandom[X5-W1]`.
fn warmups(benchmark: &str) -> usize {
    let arguments = benchmark.split_once('[').map_or("", |(_, rest)| rest.trim_end_matches(']'));
    let mut counts =
        arguments.split('-').filter_map(|argument| argument.strip_prefix('W')?.parse().ok());
    counts.next_back().unwrap_or(0)
}

#[cfg(test)]
mod tests;
