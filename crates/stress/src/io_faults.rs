//! I/O faults: operation k of the file system fails, for every k of a fixed workload.
//!
//! The workload opens a database, writes, flushes, compacts and opens it again, twice. With the
//! first error that is reported the faults end; then what was acknowledged must be readable at
//! once, and after [`Db::resume`](db::Db::resume), or else after the database was opened again, the
//! workload goes on. In the end everything is there.

use crate::database::{Database, content, families};
use crate::model::ThreadModel;
use crate::operation::{operation, to_batch};
use base::{Result, Status};
use db::{ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions, WriteOptions};
use env::fault_injection_fs::{Effect, Fault, FaultError, Operations, When};
use env::{FaultInjectionFileSystem, FileSystem, MemFileSystem};
use std::path::Path;
use std::sync::Arc;

/// How an operation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It alone, with an error of the device.
    ErrorOnce,
    /// It and all later ones, until somebody notices.
    ErrorFrom,
    /// It is done, and an error reported.
    ErrorAfter,
    /// The device is full for it alone.
    NoSpaceOnce,
    /// The device is full from it on.
    NoSpaceFrom,
    /// Of the k-th append a few bytes are written. Others are not counted.
    ShortWrite,
}

impl Mode {
    /// All, with their names.
    pub const ALL: [(&'static str, Mode); 6] = [
        ("error-once", Mode::ErrorOnce),
        ("error-from", Mode::ErrorFrom),
        ("error-after", Mode::ErrorAfter),
        ("no-space-once", Mode::NoSpaceOnce),
        ("no-space-from", Mode::NoSpaceFrom),
        ("short-write", Mode::ShortWrite),
    ];

    fn fault(self, k: u64) -> Fault {
        let (when, effect) = match self {
            Mode::ErrorOnce => (When::Nth(k), Effect::Error(FaultError::Io)),
            Mode::ErrorFrom => (When::FromNth(k), Effect::Error(FaultError::Io)),
            Mode::ErrorAfter => (When::Nth(k), Effect::ErrorAfter(FaultError::Io)),
            Mode::NoSpaceOnce => (When::Nth(k), Effect::Error(FaultError::NoSpace)),
            Mode::NoSpaceFrom => (When::FromNth(k), Effect::Error(FaultError::NoSpace)),
            Mode::ShortWrite => (When::Nth(k), Effect::ShortWrite(3, FaultError::NoSpace)),
        };
        Fault { operations: Operations::all(), when, effect }
    }
}

/// What runs of the workload did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs in which a fault happened.
    pub faulted: u64,
    /// Runs that reported it.
    pub reported: u64,
    /// Times the database went on by `resume`.
    pub resumed: u64,
    /// Times it had to be opened again.
    pub reopened: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.faulted += other.faulted;
        self.reported += other.reported;
        self.resumed += other.resumed;
        self.reopened += other.reopened;
    }
}

const SEED: u64 = 11;

#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many writes, every fourth synced.
    Write(u64),
    Flush,
    Compact,
    Reopen,
}

const WORKLOAD: [Step; 10] = [
    Step::Write(20),
    Step::Flush,
    Step::Write(20),
    Step::Flush,
    Step::Compact,
    Step::Write(12),
    Step::Reopen,
    Step::Write(12),
    Step::Flush,
    Step::Write(4),
];

struct Run {
    database: Database,
    fault: Arc<FaultInjectionFileSystem>,
    db: Option<Db>,
    model: ThreadModel,
    tally: Tally,
}

/// The workload with a fault at operation `k`, or with none; how many operations it had, too.
///
/// # Errors
/// What was lost, not reported or did not go on, in words.
pub fn run(fault: Option<(Mode, u64)>) -> std::result::Result<(Tally, u64), String> {
    let memory = MemFileSystem::new();
    memory.create_dir(Path::new("/db")).map_err(|error| error.to_string())?;
    let file_system = Arc::new(FaultInjectionFileSystem::new(Arc::new(memory)));
    let mut database = Database::new(Path::new("/db"), file_system.clone());
    // A database that waits for space tries again soon.
    database.options.bgerror_resume_retry_interval = 2_000;
    let mut run = Run {
        database,
        fault: file_system,
        db: None,
        model: ThreadModel::new(SEED, 0),
        tally: Tally::default(),
    };
    if let Some((mode, k)) = fault {
        run.fault.plan().add(mode.fault(k));
    }
    run.step(Step::Reopen)?;
    for step in WORKLOAD {
        run.step(step)?;
    }
    run.step(Step::Reopen)?;
    let operations = run.fault.plan().operation_count();
    run.lift();
    run.check("at the end")?;
    run.db = None;
    let found = run.database.read().map_err(|error| format!("reading at the end: {error}"))?;
    match run.model.content.difference(&found) {
        Some(difference) => Err(format!("at the end, read-only: {difference}")),
        None => Ok((run.tally, operations)),
    }
}

impl Run {
    /// Does a step; after an error, until it succeeds.
    fn step(&mut self, step: Step) -> std::result::Result<(), String> {
        let target = match step {
            Step::Write(count) => self.model.written + count,
            _ => 0,
        };
        for _ in 0..4 {
            match self.attempt(step, target) {
                Ok(()) => return Ok(()),
                Err(error) => self.recover(step, &error)?,
            }
        }
        Err(format!("{step:?} fails again and again without a fault"))
    }

    fn attempt(&mut self, step: Step, target: u64) -> Result<()> {
        if let Step::Reopen = step {
            if let Some(db) = self.db.take() {
                db.close()?;
            }
            self.db = Some(self.database.open()?);
            return Ok(());
        }
        let Some(db) = &self.db else { return Ok(()) };
        let handles = families(db)?;
        match step {
            Step::Write(_) => {
                let ids: Vec<u32> = handles.iter().map(ColumnFamilyHandle::id).collect();
                while self.model.written < target {
                    let index = self.model.written;
                    let options = WriteOptions { sync: index % 4 == 3, ..WriteOptions::default() };
                    db.write(&options, to_batch(&operation(SEED, 0, index), &ids)?)?;
                    self.model.advance(index + 1);
                }
                Ok(())
            }
            Step::Flush => db.flush(&FlushOptions::default(), &handles.iter().collect::<Vec<_>>()),
            Step::Compact => handles.iter().try_for_each(|family| {
                db.compact_range(&CompactRangeOptions::default(), family, None, None)
            }),
            Step::Reopen => Ok(()),
        }
    }

    fn lift(&mut self) {
        let plan = self.fault.plan();
        self.tally.faulted += u64::from(plan.injected_count() > 0 && self.tally.faulted == 0);
        plan.set_faults(Vec::new());
    }

    /// After an error: the faults end, and the database must go on.
    fn recover(&mut self, step: Step, error: &Status) -> std::result::Result<(), String> {
        let was_faulted = self.fault.plan().injected_count() > 0;
        self.lift();
        if !was_faulted {
            return Err(format!("{step:?} fails without a fault: {error}"));
        }
        if !error.message().contains("/db") {
            return Err(format!("{step:?}: the error names no file: {error}"));
        }
        self.tally.reported = 1;
        if self.db.is_some() {
            self.check("right after the error")?;
        }
        let resumed = self.db.as_ref().is_some_and(|db| db.resume().is_ok());
        if resumed {
            self.tally.resumed += 1;
            return self.check("after resuming");
        }
        self.tally.reopened += 1;
        // That it is in error is known.
        self.db = None;
        let opened = self.database.open();
        self.db = Some(opened.map_err(|again| format!("opening after {error}: {again}"))?);
        self.check("after opening it again")
    }

    /// All acknowledged writes are there, and the one that failed wholly or not at all.
    fn check(&mut self, when: &str) -> std::result::Result<(), String> {
        let Some(db) = &self.db else { return Ok(()) };
        let found = content(db).map_err(|error| format!("reading {when}: {error}"))?;
        let (min, max) = (self.model.written, self.model.written + 1);
        let result = self.model.advance_to(&found, min, max);
        result.map_err(|why| format!("{when}: {why}"))?;
        Ok(())
    }
}
