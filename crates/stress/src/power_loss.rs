//! Power losses: whatever was safe is there, whatever else the disk kept.
//!
//! A round is one database in memory that loses its power a few times. In each life a random
//! operation of the file system is the last one; of what was not synced then, some pages and some
//! names survive, as the seed decides. After it the database must open, hold every write that was
//! safe, and of each thread a prefix of its writes.

mod life;

use crate::database::{Database, content};
use crate::dishonest_fs::{DishonestFileSystem, Lie};
use crate::model::{Content, ThreadModel};
use crate::random::Random;
use crate::random_options::Traits;
use env::fault_injection_fs::{DataSurvival, DirectorySurvival, Operations, PowerLoss};
use env::{FaultInjectionFileSystem, FileSystem, MemFileSystem};
use life::{Life, LifePlan, Wals};
use std::path::Path;
use std::sync::Arc;

/// What is broken on purpose, to see that a round then fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// Nothing.
    None,
    /// The disk lies.
    Disk(Lie),
    /// Replay skips what is damaged and goes on behind it.
    ReplayWithHoles,
}

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Times the power was lost while writes were under way.
    pub losses_in_writes: u64,
    /// Times it was lost during an open.
    pub losses_in_opens: u64,
    /// Writes tried.
    pub tried: u64,
    /// Writes that were safe when the power was lost.
    pub safe: u64,
    /// Writes that went into tables made apart, which were taken in.
    pub ingested: u64,
    /// Writes that survived.
    pub survived: u64,
    /// Times that a later WAL survived an earlier one, neither of them synced.
    pub gaps: u64,
}

impl Tally {
    /// Adds another.
    pub fn add(&mut self, other: &Self) {
        self.losses_in_writes += other.losses_in_writes;
        self.losses_in_opens += other.losses_in_opens;
        self.tried += other.tried;
        self.safe += other.safe;
        self.ingested += other.ingested;
        self.survived += other.survived;
        self.gaps += other.gaps;
    }
}

/// Logs of one life that lose their ends, each with a later one that survives.
const GAPS_MAX: u32 = 2;

/// Lives of one database.
const LIVES: u64 = 4;

/// One database through its losses.
///
/// # Errors
/// What was lost, or made no sense, in words.
pub fn round(seed: u64, sabotage: Sabotage) -> Result<Tally, String> {
    let mut random = Random::of(&[seed]);
    let memory = Arc::new(MemFileSystem::new());
    let made = memory.create_dir(Path::new("/db"));
    made.map_err(|error| error.to_string())?;
    let fault = Arc::new(FaultInjectionFileSystem::new(memory.clone()));
    let file_system: Arc<dyn FileSystem> = match sabotage {
        Sabotage::Disk(lie) => Arc::new(DishonestFileSystem::new(fault.clone(), lie)),
        Sabotage::None | Sabotage::ReplayWithHoles => fault.clone(),
    };
    let traits = Traits::new(&mut random);
    let logs_nothing = traits.logs_nothing;
    let database = Database::new(Path::new("/db"), file_system);
    let drawn = database.with_random_options(traits, &mut random);
    let mut database = drawn.map_err(|error| error.to_string())?.without_direct_io();
    if !seed.is_multiple_of(4) {
        database = database.without_info_log();
    }
    // A hole takes a log of some pages that nobody synced, of which some survive.
    let holes = sabotage == Sabotage::ReplayWithHoles;
    if holes {
        database.options.wal_recovery_mode = options::WalRecoveryMode::SkipAnyCorruptedRecords;
    }
    let wal_directory = match database.options.wal_dir.as_str() {
        "" => database.path.clone(),
        directory => directory.into(),
    };
    let wals = Wals { file_system: memory, directory: wal_directory };
    let threads = random.pick(&[1, 1, 3]);
    let mut models: Vec<_> = (0..threads).map(|thread| ThreadModel::new(0, thread)).collect();
    let mut tally = Tally::default();
    for life in 0..LIVES {
        let plan = LifePlan {
            seed: Random::of(&[seed, life]).draw(),
            threads,
            logs_nothing,
            sync_one_in: if holes { 500 } else { random.pick(&[5, 20, 100, 500]) },
            flush_one_in: if holes { 200 } else { random.pick(&[15, 15, 200]) },
            ingest_one_in: if holes { u64::MAX } else { random.pick(&[4, 20, 100]) },
            writes_max: 300,
            // What no log has may be lost by a close.
            sessions: if logs_nothing { 1 } else { random.pick(&[1, 1, 2, 3]) },
        };
        models.iter_mut().for_each(|model| model.begin(plan.seed));
        let last = if random.one_in(4) { random.below(80) } else { random.below(3_000) };
        fault.plan().power_off_at(last, Operations::all());
        let life_of = Life::new(&plan, wals.clone());
        let loss = if holes { PowerLoss::subset(random.draw()) } else { loss(&mut random) };
        let lived = one_life(&database, &fault, &plan, life_of, &loss);
        let checked = lived.and_then(|life| check(&database, &life, &mut models, &mut tally));
        checked.map_err(|why| {
            let options = &database.text;
            format!(
                "life {life}, power lost at operation {last} of the file system: {why}\n{options}"
            )
        })?;
    }
    Ok(tally)
}

fn loss(random: &mut Random) -> PowerLoss {
    match random.below(8) {
        0 => PowerLoss::strict(),
        1 => PowerLoss::process_crash(),
        2 => PowerLoss { data: DataSurvival::None, directories: DirectorySurvival::All },
        3 => PowerLoss { data: DataSurvival::All, directories: DirectorySurvival::None },
        _ => PowerLoss::subset(random.draw()),
    }
}

/// Opens and writes until the power is lost; closes and opens again meanwhile, as the plan says.
fn one_life(
    database: &Database,
    fault: &FaultInjectionFileSystem,
    plan: &LifePlan,
    life: Life,
    loss: &PowerLoss,
) -> Result<Life, String> {
    let is_powered = || fault.plan().is_filesystem_active();
    let said = |what: &str, error: base::Status| match is_powered() {
        true => Err(format!("{what} without a fault: {error}")),
        false => Ok(()),
    };
    let mut open = None;
    for session in 0..plan.sessions {
        if let Some(Err(error)) = open.take().map(db::Db::close) {
            said("closing", error)?;
        }
        match database.open() {
            Err(error) => {
                said("opening", error)?;
                break;
            }
            Ok(db) => {
                life.run(&db, plan, session, is_powered)?;
                open = Some(db);
            }
        }
    }
    let crashed = fault.crash(loss);
    drop(open);
    fault.recover();
    crashed.map_err(|error| format!("the file system itself: {error}"))?;
    Ok(life)
}

/// Compares what survived with what had to, by an open that changes nothing, then by one that may.
fn check(
    database: &Database,
    life: &Life,
    models: &mut [ThreadModel],
    tally: &mut Tally,
) -> Result<(), String> {
    let found = database.read().map_err(|error| format!("reading after it: {error}"))?;
    check_best_efforts(database)?;
    let mut survived = Vec::new();
    for (model, progress) in models.iter_mut().zip(&life.threads) {
        let (safe, tried) = (progress.safe(), progress.tried());
        let before = model.clone();
        match model.advance_to(&found, safe, tried) {
            Ok(last) => survived.push((model.written, last)),
            Err(why) => {
                *model = before;
                let firsts = progress.firsts();
                let explained = model.advance_with_gaps(&found, (safe, tried), &firsts, GAPS_MAX);
                explained.map_err(|_| why)?;
                survived.push((0, tried));
                tally.gaps += 1;
            }
        }
        tally.tried += progress.tried();
        tally.safe += progress.safe();
        tally.ingested += progress.ingested();
        tally.survived += model.written;
    }
    life.check_order(&survived)?;
    match life.has_opened() {
        true => tally.losses_in_writes += 1,
        false => tally.losses_in_opens += 1,
    }
    let reopened = reopen(database).map_err(|error| format!("opening after it: {error}"))?;
    match found.difference(&reopened) {
        None => Ok(()),
        Some(difference) => Err(format!("opening for writing changed it: {difference}")),
    }
}

/// With `best_efforts_recovery` it opens and can be read. What it shows may be old: as in RocksDB
/// the newest MANIFEST counts, also one that was being written anew when the power was lost.
fn check_best_efforts(database: &Database) -> Result<(), String> {
    let mut database = database.clone();
    database.options.best_efforts_recovery = true;
    let read = database.read();
    read.map(drop).map_err(|error| format!("reading with best efforts: {error}"))
}

fn reopen(database: &Database) -> base::Result<Content> {
    let db = database.open()?;
    let found = content(&db)?;
    db.close()?;
    Ok(found)
}
