//! Process crashes: a process that writes is killed at a random moment, and another that recorded
//! its acknowledgements checks what is left.
//!
//! Both know the writes from the seed; only how many were acknowledged goes through the pipe.
//! Whatever was acknowledged was handed to the operating system, so all of it must be there.

mod ldb;

use crate::database::{Database, families};
use crate::model::{Content, ThreadModel};
use crate::operation::{operation, to_batch};
use crate::random::Random;
use db::{ColumnFamilyHandle, Db, FlushOptions, WriteOptions};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use ldb::is_installed as ldb_is_installed;

/// Threads that write.
pub const THREADS: usize = 4;

/// Writes that a thread may have done beyond the acknowledged ones.
const AHEAD_MAX: u64 = 8;

/// Thread in the record that says that the database is open.
const OPENED: u64 = u64::MAX;

/// What is broken on purpose, to see that a round then fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// Writes are acknowledged before they are handed to the operating system.
    EarlyAcknowledgement,
}

/// What rounds did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Kills while writes were under way.
    pub kills_in_writes: u64,
    /// Kills before the database was open.
    pub kills_in_opens: u64,
    /// Writes acknowledged.
    pub acknowledged: u64,
    /// Readings by RocksDB's `ldb`, all with the same content as ours.
    pub ldb_readings: u64,
}

/// Options of a round, the same for the writer and the checker.
fn database(directory: &Path, seed: u64, sabotage: Sabotage) -> Database {
    let file_system = env::default_file_system();
    let mut database =
        Database::new(directory, file_system).with_random_options(&mut Random::of(&[seed, 1]));
    // One directory is all that `ldb` is told.
    database.options.wal_dir = String::new();
    // `ldb` cannot open for reading what tracked WALs before and no longer does (an assertion in 7.8.3).
    database.options.track_and_verify_wals_in_manifest = false;
    database.options.manual_wal_flush |= sabotage == Sabotage::EarlyAcknowledgement;
    database
}

/// The process that is to be killed: opens the database and writes until then.
///
/// # Errors
/// What failed, in words.
pub fn write(directory: &Path, seed: u64, sabotage: Sabotage) -> Result<(), String> {
    let opened = database(directory, seed, sabotage).open();
    let db = opened.map_err(|error| format!("opening: {error}"))?;
    acknowledge(OPENED, 0)?;
    thread::scope(|scope| {
        let db = &db;
        let start = |thread| scope.spawn(move || write_from(db, seed, thread, sabotage));
        let threads: Vec<_> = (0..THREADS).map(start).collect();
        threads.into_iter().try_for_each(|thread| {
            let result = thread.join().map_err(|_| "a writer panicked".to_owned())?;
            result.map_err(|error| error.to_string())
        })
    })
}

fn write_from(db: &Db, seed: u64, thread: usize, sabotage: Sabotage) -> Result<(), String> {
    let said = |error: base::Status| format!("thread {thread}: {error}");
    let handles = families(db).map_err(said)?;
    let ids: Vec<u32> = handles.iter().map(ColumnFamilyHandle::id).collect();
    let mut random = Random::of(&[seed, 2, thread as u64]);
    let flush = FlushOptions::default();
    for index in 0..1_000_000 {
        let options = WriteOptions { sync: random.one_in(60), ..WriteOptions::default() };
        let batch = to_batch(&operation(seed, thread, index), &ids).map_err(said)?;
        db.write(&options, batch).map_err(said)?;
        if db.options().manual_wal_flush && sabotage == Sabotage::None {
            if index % 4 != 3 {
                continue;
            }
            db.flush_wal(false).map_err(said)?;
        }
        acknowledge(thread as u64, index + 1)?;
        if random.one_in(400) {
            let family = random.pick(&[0, 1, 2]);
            db.flush(&flush, &[&handles[family]]).map_err(said)?;
        }
    }
    Ok(())
}

/// Tells the recorder that a thread's first `count` writes are done.
fn acknowledge(thread: u64, count: u64) -> Result<(), String> {
    let mut record = [0; 16];
    record[..8].copy_from_slice(&thread.to_le_bytes());
    record[8..].copy_from_slice(&count.to_le_bytes());
    // Around the buffer of the standard library. A pipe takes so few bytes whole or not at all.
    let output = io::stdout().as_fd().try_clone_to_owned();
    let written = output.and_then(|output| File::from(output).write_all(&record));
    written.map_err(|error| format!("acknowledging: {error}"))
}

/// What the recorder has.
#[derive(Debug, Default)]
struct Recorded {
    opened: AtomicU64,
    counts: [AtomicU64; THREADS],
}

impl Recorded {
    fn record(&self, mut pipe: impl Read) {
        let mut record = [0; 16];
        while pipe.read_exact(&mut record).is_ok() {
            let (thread, count) = record.split_at(8);
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            match self.counts.get(usize::try_from(number(thread)).unwrap_or(usize::MAX)) {
                Some(counter) => counter.fetch_max(number(count), Ordering::SeqCst),
                None => self.opened.fetch_max(1, Ordering::SeqCst),
            };
        }
    }

    fn total(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::SeqCst)).sum()
    }
}

/// A directory that is written to, killed and checked again and again.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The program with the command `write`.
    pub program: &'a Path,
    /// The database.
    pub directory: &'a Path,
    /// What is broken on purpose.
    pub sabotage: Sabotage,
}

impl Campaign<'_> {
    /// `rounds` kills of one database.
    ///
    /// # Errors
    /// What was lost or made no sense, in words.
    pub fn run(&self, seed: u64, rounds: u64, tally: &mut Tally) -> Result<(), String> {
        let mut models: Vec<_> = (0..THREADS).map(|thread| ThreadModel::new(0, thread)).collect();
        for round in 0..rounds {
            let round_seed = Random::of(&[seed, round]).draw();
            models.iter_mut().for_each(|model| model.begin(round_seed));
            let result = self.round(round_seed, &mut models, tally);
            result.map_err(|why| format!("round {round}: {why}"))?;
        }
        Ok(())
    }

    fn round(
        &self,
        seed: u64,
        models: &mut [ThreadModel],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let recorded = self.write_and_kill(seed)?;
        match recorded.opened.load(Ordering::SeqCst) {
            0 => tally.kills_in_opens += 1,
            _ => tally.kills_in_writes += 1,
        }
        tally.acknowledged += recorded.total();
        let database = database(self.directory, seed, self.sabotage);
        let found = database.read().map_err(|error| format!("reading after it: {error}"))?;
        for (model, count) in models.iter_mut().zip(&recorded.counts) {
            let count = count.load(Ordering::SeqCst);
            model.advance_to(&found, count, count + AHEAD_MAX)?;
        }
        self.ask_ldb(&found, tally)
    }

    /// Runs the writer until a random moment.
    fn write_and_kill(&self, seed: u64) -> Result<Recorded, String> {
        let mut random = Random::of(&[seed, 3]);
        let mut command = Command::new(self.program);
        command.arg("write").arg(format!("--directory={}", self.directory.display()));
        command.arg(format!("--seed={seed}"));
        if self.sabotage == Sabotage::EarlyAcknowledgement {
            command.arg("--early-acknowledgement=1");
        }
        let started = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn();
        let mut child = started.map_err(|error| format!("starting the writer: {error}"))?;
        let pipe = child.stdout.take().ok_or_else(|| "the writer has no output".to_owned())?;
        let recorded = Recorded::default();
        let kills_early = random.one_in(5);
        let early = Duration::from_micros(random.below(60_000));
        let acknowledged_max = random.below(4_000);
        let end = thread::scope(|scope| {
            scope.spawn(|| recorded.record(pipe));
            let start = Instant::now();
            let result = loop {
                let is_time = match kills_early {
                    true => start.elapsed() >= early,
                    false => recorded.total() >= acknowledged_max,
                };
                if is_time {
                    break Ok(());
                }
                if let Ok(Some(status)) = child.try_wait() {
                    break Err(format!("the writer ended by itself: {status}"));
                }
                if start.elapsed() > Duration::from_secs(60) {
                    break Err("the writer hangs".to_owned());
                }
                thread::sleep(Duration::from_micros(200));
            };
            kill(&mut child)?;
            result
        });
        end.map(|()| recorded)
    }

    fn ask_ldb(&self, found: &Content, tally: &mut Tally) -> Result<(), String> {
        if let Some(theirs) = ldb::read(self.directory)? {
            tally.ldb_readings += 1;
            if let Some(difference) = found.difference(&theirs) {
                return Err(format!("ldb reads something else: {difference}"));
            }
        }
        Ok(())
    }
}

/// `SIGKILL`, and its end.
fn kill(child: &mut Child) -> Result<(), String> {
    let killed = child.kill().and_then(|()| child.wait());
    killed.map(|_| ()).map_err(|error| format!("killing the writer: {error}"))
}
