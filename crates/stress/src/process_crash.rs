//! Process crashes: a process that writes is killed at a random moment, and another that recorded
//! its acknowledgements checks what is left.
//!
//! Both know the writes from the seed; only how many were acknowledged goes through the pipe.
//! Whatever was acknowledged was handed to the operating system, so all of it must be there.

mod rocksdb;

use crate::database::{Database, families};
use crate::ingestion;
use crate::model::{Content, ThreadModel};
use crate::operation::{Operation, operation, to_batch};
use crate::random::Random;
use crate::random_options::Traits;
use base::status::Code;
use db::{ColumnFamilyHandle, Db, FlushOptions, WriteOptions};
use options::WalRecoveryMode;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use rocksdb::Readers;

/// Threads that write.
pub const THREADS: usize = 4;

/// Writes that a thread may have done beyond the acknowledged ones.
const AHEAD_MAX: u64 = 8;

/// How long a process that acknowledges something now and then writes at most.
const LONG_ENOUGH: Duration = Duration::from_secs(20);

/// In place of a thread in a record: the database is open.
const OPENED: u64 = u64::MAX;
/// The same: writes are slowed down.
const SLOWED: u64 = u64::MAX - 1;
/// The same: writes are stopped.
const STOPPED: u64 = u64::MAX - 2;
/// The same: a write went by way of a table made apart.
const INGESTED: u64 = u64::MAX - 3;
/// Added to a thread: so many writes are tried, where many are ahead of the acknowledged ones.
const TRIED: u64 = 1 << 32;

/// How seldom a write that can goes past WAL and memtables.
const INGEST_ONE_IN: u64 = 20;

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
    /// Rounds in which writes were slowed down.
    pub slowed: u64,
    /// Rounds in which writes were stopped.
    pub stopped: u64,
    /// Writes acknowledged.
    pub acknowledged: u64,
    /// Rounds in which writes went into tables made apart, which were taken in.
    pub ingested: u64,
    /// Rounds that left a WAL with zeros at its end, as only those are that were appended to through a
    /// mapping.
    pub mapped: u64,
    /// Readings by RocksDB's `ldb`, all with the same content as ours.
    pub ldb_readings: u64,
    /// Readings by RocksDB's newest library, as well.
    pub library_readings: u64,
}

/// Where the database of a seed is. The death of a process takes no file, wherever it is: every other
/// one is in memory, which is fast, if there is such a place; the others are where WALs can be mapped,
/// if the directory for temporary files is on such a file system.
pub fn directory_of(seed: u64) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    if seed.is_multiple_of(2) && memory.is_dir() { memory } else { std::env::temp_dir() }
}

/// What stays as it is while a database of that seed lives.
fn traits_of(seed: u64, sabotage: Sabotage) -> Traits {
    let mut traits = Traits::new(&mut Random::of(&[seed, 4]));
    traits.logs_nothing &= sabotage == Sabotage::None;
    traits.takes_tables_in &= sabotage == Sabotage::None;
    traits
}

/// Options of a round, the same for the writer and the checker.
fn database(
    directory: &Path,
    traits: Traits,
    seed: u64,
    sabotage: Sabotage,
) -> Result<Database, String> {
    let mut random = Random::of(&[seed, 1]);
    let database = Database::new(directory, env::default_file_system());
    let drawn = database.with_random_options(traits, &mut random);
    let mut database = drawn.map_err(|error| error.to_string())?;
    // What one process leaves is whole but for the last record. The mode stays as it is while the
    // database lives: the WALs that one process left, which may have been mapped, the next one keeps.
    // Not in the OPTIONS file is kSkipAnyCorruptedRecords: RocksDB 7.8.3 then reads a record that a
    // recycled WAL held before over and over.
    database.options.wal_recovery_mode = match traits.tells_ends {
        true => WalRecoveryMode::TolerateCorruptedTailRecords,
        false => WalRecoveryMode::PointInTimeRecovery,
    };
    database.options.manual_wal_flush |= sabotage == Sabotage::EarlyAcknowledgement;
    Ok(database)
}

/// The process that is to be killed.
#[derive(Clone, Copy, Debug)]
pub struct Writer<'a> {
    /// The database.
    pub directory: &'a Path,
    /// Decides what stays in every round.
    pub database_seed: u64,
    /// Decides this round.
    pub seed: u64,
    /// What is broken on purpose.
    pub sabotage: Sabotage,
}

impl Writer<'_> {
    /// Opens the database and writes until it is killed.
    ///
    /// # Errors
    /// What failed, in words.
    pub fn write(&self) -> Result<(), String> {
        let traits = traits_of(self.database_seed, self.sabotage);
        let opened = database(self.directory, traits, self.seed, self.sabotage)?.open();
        let made = fs::create_dir_all(apart(self.directory));
        made.map_err(|error| format!("a directory for tables: {error}"))?;
        let db = opened.map_err(|error| format!("opening: {error}"))?;
        acknowledge(OPENED, 0)?;
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let (db, is_over) = (&db, &is_over);
            scope.spawn(move || tell_stalls(db, is_over));
            let start = |thread| scope.spawn(move || self.write_from(db, traits, thread));
            let threads: Vec<_> = (0..THREADS).map(start).collect();
            let results: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
            is_over.store(true, Ordering::SeqCst);
            results
                .into_iter()
                .try_for_each(|result| result.map_err(|_| "a writer panicked".to_owned())?)
        })
    }

    fn write_from(&self, db: &Db, traits: Traits, thread: usize) -> Result<(), String> {
        let said = |error: base::Status| format!("thread {thread}: {error}");
        let handles = families(db).map_err(said)?;
        let ids: Vec<u32> = handles.iter().map(ColumnFamilyHandle::id).collect();
        let mut random = Random::of(&[self.seed, 2, thread as u64]);
        let flush = FlushOptions::default();
        for index in 0..1_000_000 {
            let options = WriteOptions {
                sync: random.one_in(60) && !traits.logs_nothing,
                disable_wal: traits.logs_nothing,
                ..WriteOptions::default()
            };
            let operation = operation(self.seed, thread, index);
            if traits.logs_nothing {
                acknowledge(thread as u64 + TRIED, index + 1)?;
            }
            let may_ingest = traits.takes_tables_in && operation.as_table().is_some();
            if may_ingest && random.one_in(INGEST_ONE_IN) {
                let path =
                    apart(self.directory).join(format!("{}-{thread}-{index}.sst", self.seed));
                let ingested = ingest(db, &handles, traits, &operation, &path, &mut random);
                ingested.map_err(said)?;
                acknowledge(INGESTED, 1)?;
                acknowledge(thread as u64, index + 1)?;
                continue;
            }
            db.write(&options, to_batch(&operation, &ids).map_err(said)?).map_err(said)?;
            if traits.logs_nothing {
                if index % 64 != 63 {
                    continue;
                }
                db.flush(&flush, &handles.iter().collect::<Vec<_>>()).map_err(said)?;
            } else if db.get_db_options().manual_wal_flush && self.sabotage == Sabotage::None {
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
}

/// Writes by way of a table. That outlives the process at once, so that all before is given out of its
/// hands first: what comes before a write that survives must survive.
fn ingest(
    db: &Db,
    handles: &[ColumnFamilyHandle],
    traits: Traits,
    operation: &Operation,
    path: &Path,
    random: &mut Random,
) -> base::Result<bool> {
    match traits.logs_nothing {
        true => db.flush(&FlushOptions::default(), &handles.iter().collect::<Vec<_>>())?,
        false => db.flush_wal(false)?,
    }
    ingestion::ingest(db, handles, operation, path, random)
}

/// Where tables are made that the database takes in: beside its directory.
fn apart(directory: &Path) -> PathBuf {
    let mut name = directory.as_os_str().to_owned();
    name.push("-apart");
    name.into()
}

/// Tells the recorder when writes are slowed down or stopped.
fn tell_stalls(db: &Db, is_over: &AtomicBool) {
    while !is_over.load(Ordering::SeqCst) {
        let Ok(handles) = families(db) else { return };
        let is_set = |name| db.int_property(&handles[0], name).is_some_and(|value| value > 0);
        let told = match () {
            () if is_set("rocksdb.is-write-stopped") => acknowledge(STOPPED, 1),
            () if is_set("rocksdb.actual-delayed-write-rate") => acknowledge(SLOWED, 1),
            () => Ok(()),
        };
        if told.is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
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
    opened: AtomicBool,
    slowed: AtomicBool,
    stopped: AtomicBool,
    ingested: AtomicBool,
    counts: [AtomicU64; THREADS],
    tried: [AtomicU64; THREADS],
}

impl Recorded {
    fn record(&self, mut pipe: impl Read) {
        let mut record = [0; 16];
        while pipe.read_exact(&mut record).is_ok() {
            let (thread, count) = record.split_at(8);
            let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            let (thread, count) = (number(thread), number(count));
            match thread {
                OPENED => self.opened.store(true, Ordering::SeqCst),
                SLOWED => self.slowed.store(true, Ordering::SeqCst),
                STOPPED => self.stopped.store(true, Ordering::SeqCst),
                INGESTED => self.ingested.store(true, Ordering::SeqCst),
                TRIED.. => set(&self.tried, thread - TRIED, count),
                _ => set(&self.counts, thread, count),
            }
        }
    }

    fn total(&self) -> u64 {
        self.counts.iter().map(|count| count.load(Ordering::SeqCst)).sum()
    }

    /// Of a thread: how many writes must be there, how many may be.
    fn bounds(&self, thread: usize) -> (u64, u64) {
        let count = self.counts[thread].load(Ordering::SeqCst);
        let tried = self.tried[thread].load(Ordering::SeqCst);
        (count, tried.max(count + AHEAD_MAX))
    }
}

fn set(counters: &[AtomicU64; THREADS], thread: u64, count: u64) {
    let thread = usize::try_from(thread).unwrap_or(usize::MAX);
    if let Some(counter) = counters.get(thread) {
        counter.fetch_max(count, Ordering::SeqCst);
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
    /// Who of RocksDB reads what is left.
    pub readers: &'a Readers,
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
            let writer = Writer {
                directory: self.directory,
                database_seed: seed,
                seed: round_seed,
                sabotage: self.sabotage,
            };
            let result = self.round(&writer, &mut models, tally);
            result.map_err(|why| format!("round {round}: {why}"))?;
            // What the killed process had made and not taken in yet.
            match fs::remove_dir_all(apart(self.directory)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(format!("removing tables: {error}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn round(
        &self,
        writer: &Writer<'_>,
        models: &mut [ThreadModel],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let recorded = self.write_and_kill(writer)?;
        match recorded.opened.load(Ordering::SeqCst) {
            false => tally.kills_in_opens += 1,
            true => tally.kills_in_writes += 1,
        }
        tally.slowed += u64::from(recorded.slowed.load(Ordering::SeqCst));
        tally.stopped += u64::from(recorded.stopped.load(Ordering::SeqCst));
        tally.ingested += u64::from(recorded.ingested.load(Ordering::SeqCst));
        tally.acknowledged += recorded.total();
        let traits = traits_of(writer.database_seed, self.sabotage);
        let database = database(self.directory, traits, writer.seed, self.sabotage)?;
        tally.mapped += u64::from(leaves_zeros(&database));
        let checked = self.check(&database, &recorded, models, tally);
        checked.map_err(|why| format!("{why}\n{}", database.text))
    }

    fn check(
        &self,
        database: &Database,
        recorded: &Recorded,
        models: &mut [ThreadModel],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let found = database.read().map_err(|error| format!("reading after it: {error}"))?;
        for (thread, model) in models.iter_mut().enumerate() {
            let (min, max) = recorded.bounds(thread);
            model.advance_to(&found, min, max)?;
        }
        check_modes(database, &found)?;
        let can_ask_ldb = database.traits.is_some_and(|traits| traits.can_ask_ldb());
        self.readers.compare(self.directory, &found, can_ask_ldb, tally)
    }

    /// Runs the writer until a random moment.
    fn write_and_kill(&self, writer: &Writer<'_>) -> Result<Recorded, String> {
        let mut random = Random::of(&[writer.seed, 3]);
        let mut command = Command::new(self.program);
        command.arg("write").arg(format!("--directory={}", writer.directory.display()));
        command.arg(format!("--seed={}", writer.seed));
        command.arg(format!("--database-seed={}", writer.database_seed));
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
            let (mut total, mut moved) = (0, start);
            let result = loop {
                if recorded.total() != total {
                    (total, moved) = (recorded.total(), Instant::now());
                }
                // Writes that are slowed down may come to a few in a second.
                let is_slow = start.elapsed() >= LONG_ENOUGH && moved.elapsed() < LONG_ENOUGH;
                let is_time = match kills_early {
                    true => start.elapsed() >= early,
                    false => total >= acknowledged_max || is_slow,
                };
                if is_time {
                    break Ok(());
                }
                if let Ok(Some(status)) = child.try_wait() {
                    break Err(format!("the writer ended by itself: {status}"));
                }
                if moved.elapsed() > Duration::from_secs(60) {
                    break Err("the writer hangs".to_owned());
                }
                thread::sleep(Duration::from_micros(200));
            };
            kill(&mut child)?;
            result
        });
        end.map(|()| recorded)
    }
}

/// Whether a WAL ends in zeros.
fn leaves_zeros(database: &Database) -> bool {
    let directory = match database.options.wal_dir.as_str() {
        "" => database.path.clone(),
        directory => directory.into(),
    };
    let names = fs::read_dir(directory).into_iter().flatten().flatten();
    let wals = names.map(|entry| entry.path());
    let mut wals = wals.filter(|path| path.extension().is_some_and(|kind| kind == "log"));
    wals.any(|path| fs::read(path).is_ok_and(|bytes| bytes.ends_with(&[0; 64])))
}

/// In every other `wal_recovery_mode` the same is read; but in the strictest a record that was being
/// written is an error, and in both that tell ends from damage the part of one in a WAL that was
/// mapped.
fn check_modes(database: &Database, found: &Content) -> Result<(), String> {
    use WalRecoveryMode::*;
    let is_mapped = database.traits.is_some_and(|traits| !traits.tells_ends);
    let may_refuse =
        |mode| mode == AbsoluteConsistency || (is_mapped && mode == TolerateCorruptedTailRecords);
    for mode in [
        PointInTimeRecovery,
        TolerateCorruptedTailRecords,
        SkipAnyCorruptedRecords,
        AbsoluteConsistency,
    ] {
        let difference = match database.read_in_mode(mode) {
            Ok(content) => found.difference(&content),
            Err(error) if may_refuse(mode) && error.code() == Code::Corruption => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(difference) = difference {
            return Err(format!("reading in mode {mode:?}: {difference}"));
        }
    }
    Ok(())
}

/// `SIGKILL`, and its end.
fn kill(child: &mut Child) -> Result<(), String> {
    let killed = child.kill().and_then(|()| child.wait());
    killed.map(|_| ()).map_err(|error| format!("killing the writer: {error}"))
}
