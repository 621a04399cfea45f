//! A database between two power losses: threads that write, and what they know to be safe.

use crate::database::families;
use crate::ingestion;
use crate::operation::{FAMILIES, operation, to_batch};
use crate::random::Random;
use base::Result;
use base::filename::{FileType, parse_file_name};
use db::{ColumnFamilyHandle, Db, FlushOptions, WriteOptions};
use env::FileSystem;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What to do in a life.
#[derive(Clone, Debug)]
pub(super) struct LifePlan {
    pub(super) seed: u64,
    pub(super) threads: usize,
    /// Writes go past the WAL: safe is what was flushed.
    pub(super) logs_nothing: bool,
    /// How seldom a write is synced.
    pub(super) sync_one_in: u64,
    /// How seldom something is flushed, or the WAL.
    pub(super) flush_one_in: u64,
    /// Of each thread.
    pub(super) writes_max: u64,
    /// How seldom a write that can goes past WAL and memtables, in a table made apart.
    pub(super) ingest_one_in: u64,
    /// In how many processes, one after the other.
    pub(super) sessions: u64,
}

/// What became of the writes of one thread.
#[derive(Debug, Default)]
pub(super) struct Progress {
    tried: AtomicU64,
    acknowledged: AtomicU64,
    safe: AtomicU64,
    ingested: AtomicU64,
    times: Mutex<Vec<Times>>,
}

/// An acknowledged write.
#[derive(Clone, Copy, Debug)]
struct Times {
    /// When it began and ended, by the clock of the life.
    began: u64,
    ended: u64,
    /// The newest WAL before and after: it went to one of these, or to one between.
    wals: (u64, u64),
}

impl Progress {
    pub(super) fn tried(&self) -> u64 {
        self.tried.load(Ordering::SeqCst)
    }

    /// How many of the writes went into tables made apart.
    pub(super) fn ingested(&self) -> u64 {
        self.ingested.load(Ordering::SeqCst)
    }

    pub(super) fn safe(&self) -> u64 {
        self.safe.load(Ordering::SeqCst)
    }

    /// The writes that may be the first of a WAL.
    pub(super) fn firsts(&self) -> Vec<u64> {
        let times = self.times.lock().map(|times| times.clone()).unwrap_or_default();
        let pairs = times.windows(2).enumerate();
        let changes = pairs.filter(|(_, pair)| pair[0].wals.0 != pair[1].wals.1);
        let mut firsts: Vec<u64> =
            changes.map(|(index, _)| index as u64 + 1).chain([times.len() as u64]).collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }
}

/// The writes of a life.
#[derive(Debug)]
pub(super) struct Life {
    pub(super) threads: Vec<Progress>,
    clock: AtomicU64,
    wals: Wals,
}

/// Where the WALs are, seen without the faults.
#[derive(Clone, Debug)]
pub(super) struct Wals {
    pub(super) file_system: Arc<dyn FileSystem>,
    pub(super) directory: PathBuf,
}

impl Wals {
    fn newest(&self) -> u64 {
        let names = self.file_system.get_children(&self.directory).unwrap_or_default();
        let wals = names.iter().filter_map(|name| match parse_file_name(name) {
            Some((number, FileType::Wal)) => Some(number),
            _ => None,
        });
        wals.max().unwrap_or(0)
    }
}

impl Life {
    pub(super) fn new(plan: &LifePlan, wals: Wals) -> Self {
        let threads = (0..plan.threads).map(|_| Progress::default()).collect();
        Self { threads, clock: AtomicU64::new(0), wals }
    }

    /// Whether the database was opened in it.
    pub(super) fn has_opened(&self) -> bool {
        self.clock.load(Ordering::SeqCst) > 0
    }

    /// Writes one session's share from all threads until their writes fail or are done. `is_powered` says whether a
    /// failure is one of the engine.
    pub(super) fn run(
        &self,
        db: &Db,
        plan: &LifePlan,
        session: u64,
        is_powered: impl Fn() -> bool,
    ) -> std::result::Result<(), String> {
        self.clock.fetch_add(1, Ordering::SeqCst);
        let handles = families(db).map_err(|error| error.to_string())?;
        let results: Vec<Result<()>> = thread::scope(|scope| {
            let write = |thread| {
                let handles = &handles;
                scope.spawn(move || self.write(db, handles, plan, (session, thread)))
            };
            let running: Vec<_> = (0..plan.threads).map(write).collect();
            running.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        if results.len() < plan.threads {
            return Err("a writer panicked".to_owned());
        }
        match results.into_iter().find_map(Result::err) {
            Some(error) if is_powered() => Err(format!("a write without a fault: {error}")),
            _ => Ok(()),
        }
    }

    fn write(
        &self,
        db: &Db,
        handles: &[ColumnFamilyHandle],
        plan: &LifePlan,
        (session, thread): (u64, usize),
    ) -> Result<()> {
        let mut random = Random::of(&[plan.seed, thread as u64, session]);
        let ids: Vec<u32> = handles.iter().map(ColumnFamilyHandle::id).collect();
        let progress = &self.threads[thread];
        let share = plan.writes_max / plan.sessions;
        for index in session * share..(session + 1) * share {
            let is_synced = !plan.logs_nothing && random.one_in(plan.sync_one_in);
            let before = is_synced.then(|| self.acknowledged());
            let write_options = WriteOptions {
                sync: is_synced,
                disable_wal: plan.logs_nothing,
                ..WriteOptions::default()
            };
            let operation = operation(plan.seed, thread, index);
            let is_ingested = operation.as_table().is_some() && random.one_in(plan.ingest_one_in);
            if is_ingested {
                self.ingest(db, handles, plan, (thread, index), &mut random)?;
                continue;
            }
            let batch = to_batch(&operation, &ids)?;
            let newest_before = self.wals.newest();
            let began = self.clock.fetch_add(1, Ordering::SeqCst);
            progress.tried.store(index + 1, Ordering::SeqCst);
            db.write(&write_options, batch)?;
            let ended = self.clock.fetch_add(1, Ordering::SeqCst);
            if let Ok(mut times) = progress.times.lock() {
                times.push(Times { began, ended, wals: (newest_before, self.wals.newest()) });
            }
            progress.acknowledged.store(index + 1, Ordering::SeqCst);
            if let Some(before) = before {
                self.is_safe(&before);
                progress.safe.fetch_max(index + 1, Ordering::SeqCst);
            }
            self.make_safe(db, handles, plan, &mut random)?;
        }
        Ok(())
    }

    /// Writes by way of a table. That is safe at once, so that all before is made safe first: what comes
    /// before a write that survives must survive.
    fn ingest(
        &self,
        db: &Db,
        handles: &[ColumnFamilyHandle],
        plan: &LifePlan,
        (thread, index): (usize, u64),
        random: &mut Random,
    ) -> Result<()> {
        let progress = &self.threads[thread];
        let newest_before = self.wals.newest();
        let began = self.clock.fetch_add(1, Ordering::SeqCst);
        let before = self.acknowledged();
        match plan.logs_nothing {
            true => db.flush(&FlushOptions::default(), &handles.iter().collect::<Vec<_>>())?,
            false => db.flush_wal(true)?,
        }
        self.is_safe(&before);
        progress.tried.store(index + 1, Ordering::SeqCst);
        let path = db.path().with_file_name(format!("{}-{thread}-{index}.sst", plan.seed));
        ingestion::ingest(db, handles, &operation(plan.seed, thread, index), &path, random)?;
        let ended = self.clock.fetch_add(1, Ordering::SeqCst);
        if let Ok(mut times) = progress.times.lock() {
            times.push(Times { began, ended, wals: (newest_before, self.wals.newest()) });
        }
        progress.acknowledged.store(index + 1, Ordering::SeqCst);
        progress.safe.fetch_max(index + 1, Ordering::SeqCst);
        progress.ingested.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    /// Now and then: a flush of all column families or of one, or a sync of the WAL.
    fn make_safe(
        &self,
        db: &Db,
        handles: &[ColumnFamilyHandle],
        plan: &LifePlan,
        random: &mut Random,
    ) -> Result<()> {
        if !random.one_in(plan.flush_one_in) {
            return Ok(());
        }
        let mut before = self.acknowledged();
        let flush = FlushOptions::default().allow_write_stall(random.one_in(2));
        match random.below(4) {
            0 => db.flush(&flush, &handles.iter().collect::<Vec<_>>())?,
            1 => {
                let family = random.below(FAMILIES.len() as u64) as usize;
                db.flush(&flush, &[&handles[family]])?;
                // A flush of all takes the others along.
                if !db.get_db_options().atomic_flush {
                    for (thread, count) in before.iter_mut().enumerate() {
                        *count = count_up_to_last_in(plan.seed, thread, *count, family);
                    }
                }
            }
            2 if !plan.logs_nothing => db.flush_wal(true)?,
            _ => {
                db.flush_wal(false)?;
                return Ok(());
            }
        }
        self.is_safe(&before);
        Ok(())
    }

    fn acknowledged(&self) -> Vec<u64> {
        self.threads.iter().map(|thread| thread.acknowledged.load(Ordering::SeqCst)).collect()
    }

    fn is_safe(&self, counts: &[u64]) {
        for (thread, count) in self.threads.iter().zip(counts) {
            thread.safe.fetch_max(*count, Ordering::SeqCst);
        }
    }

    /// A write that survived, and another that had been acknowledged before it began and did not,
    /// are a hole, unless they are in different WALs. `survived` says of each thread how many writes survived: at least, at most.
    pub(super) fn check_order(&self, survived: &[(u64, u64)]) -> std::result::Result<(), String> {
        let times: Vec<Vec<Times>> = self
            .threads
            .iter()
            .map(|thread| thread.times.lock().map(|times| times.clone()).unwrap_or_default())
            .collect();
        for (survivor, (at_least, _)) in survived.iter().enumerate() {
            let last = at_least.checked_sub(1).and_then(|last| times[survivor].get(last as usize));
            let Some(last) = last else { continue };
            for (loser, (_, at_most)) in survived.iter().enumerate() {
                if let Some(lost) = times[loser].get(*at_most as usize)
                    && lost.ended < last.began
                    && lost.wals == last.wals
                    && lost.wals.0 == lost.wals.1
                {
                    return Err(format!(
                        "write {} of thread {survivor} survived, and write {at_most} of thread \
                         {loser}, which was acknowledged before that began, did not",
                        at_least - 1
                    ));
                }
            }
        }
        Ok(())
    }
}

/// How many of a thread's first `count` writes there are up to the last that concerns a family.
fn count_up_to_last_in(seed: u64, thread: usize, count: u64, family: usize) -> u64 {
    let concerns = |index: &u64| {
        operation(seed, thread, index - 1).entries.iter().any(|entry| entry.family() == family)
    };
    (1..=count).rev().find(concerns).unwrap_or(0)
}
