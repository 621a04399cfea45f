//! What a campaign has done so far: lines of JSON, the only state that it has.
//!
//! A line is written whole and synced before the next step begins, so that whatever ends the program,
//! `--resume` finds all steps that were finished. A line that was cut short is the last one, and is
//! dropped.

use crate::db_bench::Run;
use crate::plan::{Group, Spec};
use host::HostFacts;
use record::Record;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The number in [`Entry::Header`]; a journal with another one is not read.
pub const SCHEMA: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The first line.
    Header {
        /// The form of the journal.
        schema: u32,
        /// What is compared.
        spec: Box<Spec>,
        /// Where.
        host: Box<HostFacts>,
    },
    /// The control loop before anything was measured, in nanoseconds of a step.
    Baseline {
        /// Of one loop.
        nanos: f64,
    },
    /// A database was filled.
    Load {
        /// Index of the option set.
        set: usize,
        /// Index of the engine.
        engine: usize,
        /// What filling it measured.
        records: Vec<Record>,
    },
    /// An engine ran a benchmark.
    Cell {
        /// Which benchmark, when.
        group: Group,
        /// From 0; above, if a group was repeated.
        attempt: usize,
        /// Index of the engine.
        engine: usize,
        /// What was done about the page cache.
        cache: String,
        /// What was measured.
        records: Vec<Record>,
    },
    /// RocksDB's own tool ran what an engine had just run, over the same library.
    DbBench {
        /// Which benchmark, when.
        group: Group,
        /// Which attempt it was.
        attempt: usize,
        /// Index of the engine.
        engine: usize,
        /// What it measured; none where it could not.
        runs: Vec<Run>,
        /// Why it could not.
        failure: Option<String>,
    },
    /// All engines ran a benchmark.
    Control {
        /// Which benchmark, when.
        group: Group,
        /// Which attempt it was.
        attempt: usize,
        /// The control loop before it.
        before_nanos: f64,
        /// The control loop after it.
        after_nanos: f64,
        /// How far that is from what it usually was, as a share.
        moved: f64,
    },
}

/// A journal that is open for appending.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// All its lines.
    entries: Vec<Entry>,
}

impl Journal {
    /// Begins one.
    ///
    /// # Errors
    /// There is one already, or the file cannot be made.
    pub fn create(path: &Path, header: Entry) -> Result<Self, String> {
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => format!(
                "{} holds results already: --resume goes on with them, another --output begins anew",
                path.display()
            ),
            _ => format!("{}: {error}", path.display()),
        })?;
        let mut journal = Self { path: path.to_owned(), file, entries: Vec::new() };
        journal.append(header)?;
        Ok(journal)
    }

    /// Opens one to go on with it.
    ///
    /// # Errors
    /// There is none, or a line but the last is no entry.
    pub fn resume(path: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", path.display());
        let text = fs::read_to_string(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                format!("{} is not there: there is nothing to resume", path.display())
            }
            _ => told(error),
        })?;
        let (entries, whole_bytes) =
            parse(&text).map_err(|why| format!("{}: {why}", path.display()))?;
        let file = OpenOptions::new().append(true).open(path).map_err(told)?;
        file.set_len(whole_bytes as u64).map_err(told)?;
        Ok(Self { path: path.to_owned(), file, entries })
    }

    /// All lines.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Writes a line and makes it safe.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn append(&mut self, entry: Entry) -> Result<(), String> {
        let line = serde_json::to_string(&entry).map_err(|error| error.to_string())? + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| format!("{}: {error}", self.path.display()))?;
        self.entries.push(entry);
        Ok(())
    }
}

/// The entries of a journal, and how many bytes of it are whole lines.
fn parse(text: &str) -> Result<(Vec<Entry>, usize), String> {
    let whole_bytes = text.rfind('\n').map_or(0, |last| last + 1);
    let mut entries = Vec::new();
    for (index, line) in text[..whole_bytes].lines().enumerate() {
        let entry = serde_json::from_str(line);
        entries.push(entry.map_err(|error| format!("line {}: {error}", index + 1))?);
    }
    match entries.first() {
        Some(Entry::Header { schema: SCHEMA, .. }) => Ok((entries, whole_bytes)),
        Some(Entry::Header { schema, .. }) => {
            Err(format!("schema {schema}, expected {SCHEMA}: another release wrote it"))
        }
        _ => Err("it does not begin with a header".to_owned()),
    }
}
