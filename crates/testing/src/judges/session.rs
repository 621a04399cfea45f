//! A judge's process, with a function for each question.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::protocol::{
    Answer, Bytes, Contents, FamilyOpening, LiveFile, Mode, Move, Opening, Operation, Request,
    TransactionStep,
};

/// How long an answer may take: far more than any needs, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(120);

/// Why a judge did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// RocksDB's status.
    Refused(String),
    /// The release lacks this function or option.
    Unsupported(String),
    /// The process crashed, hung, or said something that is no answer.
    Broken(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(status) => status.fmt(formatter),
            Self::Unsupported(what) => write!(formatter, "the release has no {what}"),
            Self::Broken(how) => how.fmt(formatter),
        }
    }
}

impl std::error::Error for Failure {}

/// An answer, or why there is none.
pub(super) type Result<T> = std::result::Result<T, Failure>;

/// A process of a judge with at most one database open. It is killed when this is dropped.
#[derive(Debug)]
pub struct Session {
    name: String,
    process: Child,
    requests: ChildStdin,
    answers: Receiver<String>,
    last_words: Option<JoinHandle<String>>,
    patience: Duration,
}

impl Session {
    /// Starts a judge's process.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub(super) fn start(name: &str, mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        let (Some(requests), Some(output), Some(mut errors)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            unreachable!("all three are piped")
        };
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(std::result::Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let last_words = thread::spawn(move || {
            let mut text = Vec::new();
            // What was read before an error is there.
            let _ = errors.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        Self {
            name: name.to_owned(),
            process,
            requests,
            answers,
            last_words: Some(last_words),
            patience: PATIENCE,
        }
    }

    /// Changes how long an answer may take; two minutes unless told otherwise.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// Whatever is not the answer.
    pub fn ask<T: DeserializeOwned>(&mut self, request: &Request) -> Result<T> {
        let mut line = serde_json::to_string(request)
            .map_err(|error| Failure::Broken(format!("{request:?}: {error}")))?;
        line.push('\n');
        if self.requests.write_all(line.as_bytes()).is_err() {
            return Err(self.crashed(request));
        }
        match self.answers.recv_timeout(self.patience) {
            Ok(line) => self.understand(&line),
            Err(RecvTimeoutError::Disconnected) => Err(self.crashed(request)),
            Err(RecvTimeoutError::Timeout) => {
                // Gone already, or gone now.
                let _ = self.process.kill();
                let (name, seconds) = (&self.name, self.patience.as_secs());
                Err(Failure::Broken(format!("{name}: no answer after {seconds} s to {request:?}")))
            }
        }
    }

    fn understand<T: DeserializeOwned>(&self, line: &str) -> Result<T> {
        let strange = |why| Failure::Broken(format!("{}: {why}: {line}", self.name));
        match serde_json::from_str(line).map_err(|error| strange(error.to_string()))? {
            Answer::Ok(value) => {
                serde_json::from_value(value).map_err(|error| strange(error.to_string()))
            }
            Answer::Error(status) => Err(Failure::Refused(status)),
            Answer::Unsupported(what) => Err(Failure::Unsupported(what)),
        }
    }

    fn crashed(&mut self, request: &Request) -> Failure {
        let end = match self.process.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let words = self.last_words.take().and_then(|thread| thread.join().ok());
        let words = words.unwrap_or_default();
        Failure::Broken(format!("{}: {end} at {request:?}\n{}", self.name, words.trim_end()))
    }

    /// Kills the process with whatever it has open, as a crash would.
    pub fn kill(mut self) {
        // Only a process that is gone already cannot be killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The questions of [`Request`], each with the errors of [`Session::ask`].
#[allow(clippy::missing_errors_doc, reason = "the same for all, above")]
impl Session {
    /// The names of a directory's families.
    pub fn list_families(&mut self, directory: &Path) -> Result<Vec<Bytes>> {
        self.ask(&Request::ListFamilies { directory: directory.to_owned() })
    }

    /// Opens a database of one column family for writing, with options as strings. For the other ways
    /// there is [`Session::open`].
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub fn open_default(&mut self, directory: &Path, options: &str, family: &str) -> Result<()> {
        self.open(&Opening {
            directory: directory.to_owned(),
            mode: Mode::ReadWrite,
            options: options.to_owned(),
            families: vec![FamilyOpening::new(b"default", family)],
            ..Opening::default()
        })
    }

    /// Opens a database; one that is open is closed before.
    pub fn open(&mut self, opening: &Opening) -> Result<()> {
        self.tell(&Request::Open(opening.clone()))
    }

    /// Closes the database.
    pub fn close(&mut self) -> Result<()> {
        self.tell(&Request::Close)
    }

    /// Creates a family.
    pub fn create_family(&mut self, family: &FamilyOpening) -> Result<()> {
        self.tell(&Request::CreateFamily(family.clone()))
    }

    /// Drops a family.
    pub fn drop_family(&mut self, family: &[u8]) -> Result<()> {
        self.tell(&Request::DropFamily { family: family.into() })
    }

    /// The tables, sorted by name.
    pub fn live_files(&mut self) -> Result<Vec<LiveFile>> {
        let mut files: Vec<LiveFile> = self.ask(&Request::LiveFiles)?;
        files.sort();
        Ok(files)
    }

    /// What is in each family.
    pub fn dump(&mut self) -> Result<Contents> {
        self.ask(&Request::Dump { timestamp: None, snapshot: None })
    }

    /// What was in each family at a time, for families with timestamps.
    pub fn dump_at_timestamp(&mut self, timestamp: &[u8]) -> Result<Contents> {
        self.ask(&Request::Dump { timestamp: Some(timestamp.into()), snapshot: None })
    }

    /// The latest sequence number.
    pub fn latest_sequence(&mut self) -> Result<u64> {
        self.ask(&Request::LatestSequence)
    }

    /// A property's text.
    pub fn property(&mut self, family: &[u8], name: &str) -> Result<Option<String>> {
        self.ask(&Request::Property { family: family.into(), name: name.to_owned() })
    }

    /// A property's number.
    pub fn int_property(&mut self, family: &[u8], name: &str) -> Result<Option<u64>> {
        self.ask(&Request::IntProperty { family: family.into(), name: name.to_owned() })
    }

    /// A value.
    pub fn get(
        &mut self,
        family: &[u8],
        key: &[u8],
        snapshot: Option<u64>,
    ) -> Result<Option<Vec<u8>>> {
        let request = Request::Get { family: family.into(), key: key.into(), snapshot };
        let value: Option<Bytes> = self.ask(&request)?;
        Ok(value.map(|bytes| bytes.0))
    }

    /// Writes one batch, to the log too but without syncing.
    pub fn write(&mut self, operations: Vec<Operation>) -> Result<()> {
        self.tell(&Request::Write { operations, sync: false, disable_wal: false })
    }

    /// Takes a snapshot; its number.
    pub fn snapshot(&mut self) -> Result<u64> {
        self.ask(&Request::Snapshot)
    }

    /// Releases a snapshot.
    pub fn release_snapshot(&mut self, snapshot: u64) -> Result<()> {
        self.tell(&Request::ReleaseSnapshot { snapshot })
    }

    /// Creates an iterator; its number.
    pub fn iterator(&mut self, family: &[u8], snapshot: Option<u64>) -> Result<u64> {
        let family = family.into();
        self.ask(&Request::Iterator { family, snapshot, lower: None, upper: None })
    }

    /// Moves an iterator; the pair that it is on then.
    pub fn go(&mut self, iterator: u64, to: Move) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        let pair: Option<(Bytes, Bytes)> = self.ask(&Request::Move { iterator, to })?;
        Ok(pair.map(|(key, value)| (key.0, value.0)))
    }

    /// Drops an iterator.
    pub fn drop_iterator(&mut self, iterator: u64) -> Result<()> {
        self.tell(&Request::DropIterator { iterator })
    }

    /// Sets options of a family that is open; without a family, those of the database.
    pub fn set_options(&mut self, family: Option<&[u8]>, options: &[(&str, &str)]) -> Result<()> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.tell(&Request::SetOptions {
            family: family.map(Bytes::from),
            options: options.iter().map(owned).collect(),
        })
    }

    /// Flushes families, all of them when none is named.
    pub fn flush(&mut self, families: &[&[u8]]) -> Result<()> {
        let families = families.iter().map(|name| Bytes::from(*name)).collect();
        self.tell(&Request::Flush { families })
    }

    /// Writes a table apart from the database.
    pub fn write_table(&mut self, path: &Path, operations: Vec<Operation>) -> Result<()> {
        self.tell(&Request::WriteTable { path: path.to_owned(), operations })
    }

    /// Takes in tables that were written apart.
    pub fn ingest(&mut self, family: &[u8], paths: &[PathBuf]) -> Result<()> {
        self.tell(&Request::Ingest { family: family.into(), paths: paths.to_vec() })
    }

    /// Compacts a family's whole range.
    pub fn compact(&mut self, family: &[u8]) -> Result<()> {
        self.tell(&Request::Compact { family: family.into() })
    }

    /// Waits until no flush or compaction runs or is due.
    pub fn wait_for_idle(&mut self) -> Result<()> {
        self.tell(&Request::WaitForIdle)
    }

    /// Does a step of a transaction.
    pub fn transaction(&mut self, name: &[u8], step: TransactionStep) -> Result<()> {
        self.tell(&Request::Transaction { name: name.into(), step })
    }

    /// The names of all transactions that are prepared, sorted.
    pub fn prepared_transactions(&mut self) -> Result<Vec<Bytes>> {
        self.ask(&Request::PreparedTransactions)
    }

    fn tell(&mut self, request: &Request) -> Result<()> {
        self.ask::<Value>(request).map(drop)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Only a process that is gone already cannot be killed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
