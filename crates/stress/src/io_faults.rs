//! I/O faults: operation k of the file system fails, for every k of a fixed workload.
//!
//! The workload opens a database, writes, flushes, compacts and opens it again, twice, with one of a
//! few sets of options. With the
//! first error that is reported the faults end; then what was acknowledged must be readable at
//! once, and after [`Db::resume`](db::Db::resume), or else after the database was opened again, the
//! workload goes on. In the end everything is there.

use crate::database::{Database, content, families};
use crate::model::ThreadModel;
use crate::operation::{operation, to_batch};
use crate::watchdog::within;
use base::{Result, Status};
use db::{
    ColumnFamilyHandle, CompactRangeOptions, Db, FlushOptions, WaitForCompactOptions, WriteOptions,
};
use env::fault_injection_fs::{Effect, Fault, FaultError, Operations, When};
use env::{FaultInjectionFileSystem, FileSystem, MemFileSystem};
use options::ConfigOptions;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Runs at a time.
const THREADS: usize = 12;

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

/// Options of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name.
    pub name: &'static str,
    db: &'static str,
    family: &'static str,
    /// Compactions start by themselves; the workload waits for their ends.
    waits: bool,
    has_info_log: bool,
}

impl Variant {
    /// All.
    pub const ALL: [Variant; 4] = [
        Variant { name: "plain", db: "", family: "", waits: false, has_info_log: false },
        Variant {
            name: "logs",
            db: "recycle_log_file_num=2;wal_compression=kZSTD;wal_dir=/db/wals;\
                 avoid_flush_during_recovery=true;track_and_verify_wals_in_manifest=true;\
                 max_manifest_file_size=500;unordered_write=true",
            family: "",
            waits: false,
            has_info_log: false,
        },
        Variant {
            name: "background",
            db: "enable_pipelined_write=true;max_background_jobs=1;use_fsync=true;\
                 allow_concurrent_memtable_write=false",
            family: "memtable_factory=vector;level0_file_num_compaction_trigger=2;target_file_size_base=4096;\
                     max_bytes_for_level_base=8192;enable_blob_files=true;min_blob_size=100;\
                     blob_file_size=4096;enable_blob_garbage_collection=true;\
                     blob_garbage_collection_age_cutoff=1.0;\
                     blob_garbage_collection_force_threshold=0.1",
            waits: true,
            has_info_log: false,
        },
        Variant {
            name: "universal",
            db: "atomic_flush=true;max_background_jobs=1;write_dbid_to_manifest=false;wal_io=write",
            family: "compaction_style=kCompactionStyleUniversal;\
                     level0_file_num_compaction_trigger=2;paranoid_file_checks=true;\
                     memtable_factory={id=SkipListFactory;lookahead=0};\
                     block_based_table_factory={keep_blocks_warm=false}",
            waits: true,
            has_info_log: true,
        },
    ];

    /// The one of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variant| variant.name == name)
    }

    fn apply(&self, database: &mut Database) -> Result<()> {
        let config = ConfigOptions::default();
        database.options.apply_string(self.db, &config)?;
        for family in &mut database.family_options {
            family.apply_string(self.family, &config)?;
        }
        Ok(())
    }
}

const SEED: u64 = 11;

/// How long background work may take, and how long errors may keep it from being done.
const IDLE_LIMIT: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, Debug)]
enum Step {
    /// So many writes, every fourth synced.
    Write(u64),
    Flush,
    Compact,
    /// Until nothing is to be done in the background.
    Wait,
    Reopen,
}

const WORKLOAD: [Step; 13] = [
    Step::Write(20),
    Step::Flush,
    Step::Write(20),
    Step::Flush,
    Step::Wait,
    Step::Compact,
    Step::Write(12),
    Step::Reopen,
    Step::Wait,
    Step::Write(12),
    Step::Flush,
    Step::Wait,
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
pub fn run(
    variant: Variant,
    fault: Option<(Mode, u64)>,
) -> std::result::Result<(Tally, u64), String> {
    let memory = MemFileSystem::new();
    memory.create_dir(Path::new("/db")).map_err(|error| error.to_string())?;
    let file_system = Arc::new(FaultInjectionFileSystem::new(Arc::new(memory)));
    let mut database = Database::new(Path::new("/db"), file_system.clone());
    variant.apply(&mut database).map_err(|error| error.to_string())?;
    if !variant.has_info_log {
        database = database.without_info_log();
    }
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
        if variant.waits || !matches!(step, Step::Wait) {
            run.step(step)?;
        }
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

/// Every `k`, or every so many, from several threads: runs wait for the database to try again, too. What was done, how
/// many runs there were, and each failure with the command that repeats it.
pub fn every_operation(
    variant: Variant,
    (mode_name, mode): (&str, Mode),
    stride: u64,
    limit: Duration,
) -> (Tally, u64, Vec<String>) {
    let (next, is_done) = (AtomicU64::new(0), AtomicBool::new(false));
    let total = Mutex::new((Tally::default(), Vec::new()));
    let work = || {
        while !is_done.load(Ordering::SeqCst) {
            let k = next.fetch_add(stride, Ordering::SeqCst);
            let outcome = within(limit, move || run(variant, Some((mode, k))));
            let Ok(mut total) = total.lock() else { return };
            match outcome {
                Ok((tally, _)) if tally.faulted == 0 => is_done.store(true, Ordering::SeqCst),
                Ok((tally, _)) => total.0.add(&tally),
                Err(why) => total.1.push(format!(
                    "scripts/stress faults --variant={} --mode={mode_name} --k={k}: {why}",
                    variant.name
                )),
            }
        }
    };
    thread::scope(|scope| {
        (0..THREADS).for_each(|_| drop(scope.spawn(work)));
    });
    let (tally, failures) = total.into_inner().unwrap_or_default();
    (tally, next.into_inner() / stride, failures)
}

/// Until nothing is to be done in the background, or an error keeps it from being done. (With
/// `rocksdb.compaction-pending` one would wait for ever: in universal compaction a tree is scored as
/// due from as many sorted runs on as the trigger says, also where there is nothing to pick.)
fn wait_for_idle(db: &Db) {
    let begin = Instant::now();
    let names = [
        "rocksdb.num-running-flushes",
        "rocksdb.num-running-compactions",
        "rocksdb.mem-table-flush-pending",
    ];
    let busy = |name: &&str| db.aggregated_int_property(name).is_some_and(|count| count > 0);
    loop {
        let timeout = Some(IDLE_LIMIT.saturating_sub(begin.elapsed()));
        let options = WaitForCompactOptions { timeout, ..WaitForCompactOptions::default() };
        let is_done = db.wait_for_compact(&options).is_ok() || !names.iter().any(busy);
        if is_done || begin.elapsed() >= IDLE_LIMIT {
            return;
        }
        thread::sleep(Duration::from_millis(1));
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
            Step::Wait => {
                wait_for_idle(db);
                Ok(())
            }
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
