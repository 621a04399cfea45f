//! One process of the bench: its command line, and what it measured.

use record::Record;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// How often it is looked whether the process has ended.
const POLL: Duration = Duration::from_millis(10);

/// A process to run.
#[derive(Clone, Debug)]
pub struct Cell<'a> {
    /// The program that has the command `bench`.
    pub program: &'a Path,
    /// The engine, as the bench names it.
    pub engine: &'a str,
    /// Benchmarks, separated by commas.
    pub benchmarks: &'a str,
    /// The directory of the database.
    pub database: &'a Path,
    /// Further flags.
    pub flags: Vec<String>,
    /// Where its output goes meanwhile.
    pub scratch: &'a Path,
    /// How long it may take.
    pub time_limit: Option<Duration>,
}

/// Why there are no records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Somebody wants everything to end.
    Interrupted,
    /// What went wrong, in a sentence.
    Failed(String),
}

impl Cell<'_> {
    /// Its arguments.
    pub fn arguments(&self, json: &Path) -> Vec<String> {
        let mut arguments = vec![
            "bench".to_owned(),
            format!("--engine={}", self.engine),
            format!("--benchmarks={}", self.benchmarks),
            format!("--db={}", self.database.display()),
            format!("--json={}", json.display()),
        ];
        arguments.extend(self.flags.iter().cloned());
        arguments
    }

    /// Runs it and returns its records.
    ///
    /// # Errors
    /// The program does not start, fails, takes too long, says nothing, or something that is no record.
    pub fn run(&self, interrupted: &AtomicBool) -> Result<Vec<Record>, Failure> {
        let json = self.scratch.join("cell.json");
        let (output, errors) = (self.scratch.join("cell.out"), self.scratch.join("cell.err"));
        for path in [&json, &output, &errors] {
            // Usually they are not there.
            let _ = fs::remove_file(path);
        }
        let process = Process {
            program: self.program,
            arguments: self.arguments(&json),
            doing: format!("engine '{}', {}", self.engine, self.benchmarks),
            output: &output,
            errors: &errors,
            time_limit: self.time_limit,
        };
        process.run(interrupted)?;
        let text = fs::read_to_string(&json).unwrap_or_default();
        let records: Result<Vec<Record>, _> = text.lines().map(Record::from_line).collect();
        match records {
            Ok(records) if records.is_empty() => Err(Failure::Failed(format!(
                "engine '{}', {}: the bench ended well and wrote no result",
                self.engine, self.benchmarks
            ))),
            Ok(records) => Ok(records),
            Err(error) => Err(Failure::Failed(format!(
                "engine '{}', {}: the bench wrote what is no result: {error}",
                self.engine, self.benchmarks
            ))),
        }
    }
}

/// A program to run to its end.
#[derive(Debug)]
pub(crate) struct Process<'a> {
    /// The program.
    pub(crate) program: &'a Path,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// What it does, for messages.
    pub(crate) doing: String,
    /// Where its standard output goes.
    pub(crate) output: &'a Path,
    /// Where its standard error goes.
    pub(crate) errors: &'a Path,
    /// How long it may take.
    pub(crate) time_limit: Option<Duration>,
}

impl Process<'_> {
    /// Runs it.
    ///
    /// # Errors
    /// It does not start, fails, takes too long, or somebody wants everything to end.
    pub(crate) fn run(&self, interrupted: &AtomicBool) -> Result<(), Failure> {
        let status = self.wait(self.start()?, interrupted)?;
        match status.success() {
            true => Ok(()),
            false => Err(Failure::Failed(self.told(status))),
        }
    }

    fn start(&self) -> Result<Child, Failure> {
        let file = |path: &Path| {
            File::create(path)
                .map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
        };
        Command::new(self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(file(self.output)?)
            .stderr(file(self.errors)?)
            .spawn()
            .map_err(|error| Failure::Failed(format!("{}: {error}", self.program.display())))
    }

    fn wait(&self, mut child: Child, interrupted: &AtomicBool) -> Result<ExitStatus, Failure> {
        let start = Instant::now();
        loop {
            let ended = child.try_wait();
            let failure = match (ended, self.time_limit) {
                // The terminal has told the bench, too: its result may be cut short.
                (Ok(Some(_)), _) if interrupted.load(Ordering::Relaxed) => {
                    return Err(Failure::Interrupted);
                }
                (Ok(Some(status)), _) => return Ok(status),
                (Err(error), _) => Failure::Failed(format!("waiting for a process: {error}")),
                (Ok(None), _) if interrupted.load(Ordering::Relaxed) => Failure::Interrupted,
                (Ok(None), Some(limit)) if start.elapsed() > limit => Failure::Failed(format!(
                    "{}: not finished after {} s",
                    self.doing,
                    limit.as_secs()
                )),
                (Ok(None), _) => {
                    std::thread::sleep(POLL);
                    continue;
                }
            };
            // It may have ended by itself meanwhile.
            let _ = child.kill();
            let _ = child.wait();
            return Err(failure);
        }
    }

    /// What went wrong, by the last line that the bench wrote.
    fn told(&self, status: ExitStatus) -> String {
        let last = |path: &Path| {
            let text = fs::read(path).unwrap_or_default();
            let text = String::from_utf8_lossy(&text).into_owned();
            text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
        };
        let why = last(self.errors)
            .or_else(|| last(self.output))
            .unwrap_or_else(|| "it said nothing".into());
        format!("{}: {why} ({status})", self.doing)
    }
}
