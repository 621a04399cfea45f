//! Carries a plan out, step by step, and writes each into the journal as it ends.

use crate::cell::{Cell, Failure};
use crate::control_loop::{ControlLoop, moved};
use crate::db_bench::{DbBench, Run};
use crate::journal::{Entry, Journal};
use crate::page_cache;
use crate::plan::{Database, Group, Spec, Step, Tree, database_of, plan};
use crate::progress::Progress;
use crate::statistics::median;
use record::Record;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the control loop runs before anything is measured.
const BASELINES: usize = 3;

/// A campaign.
pub(crate) struct Campaign<'a> {
    /// What is compared.
    pub(crate) spec: &'a Spec,
    /// The program that has the command `bench`.
    pub(crate) program: &'a Path,
    /// Where the journal and the output of processes are.
    pub(crate) output: &'a Path,
    /// Where databases are.
    pub(crate) databases: &'a Path,
    /// How long a process may take.
    pub(crate) time_limit: Option<Duration>,
    /// How long all may take: no round begins that would not end before.
    pub(crate) budget: Option<Duration>,
    /// Set when somebody wants it to end.
    pub(crate) interrupted: &'a AtomicBool,
}

impl Campaign<'_> {
    /// Runs each engine for a moment with each option set, so that what cannot run is known at once.
    pub(crate) fn try_engines(&self) -> Result<(), Failure> {
        let directory = self.databases.join("try");
        let sets = (0..self.spec.sets.len()).filter(|set| self.spec.loaded_by(*set) == *set);
        for set in sets {
            for engine in &self.spec.engines {
                remove(&directory)?;
                let mut flags = self.spec.load_flags(set);
                flags.extend(["--num=10".to_owned(), "--use_existing_db=0".to_owned()]);
                self.run(engine, "fillseq", &directory, flags)?;
            }
        }
        remove(&directory)
    }

    /// Does all steps that the journal does not have yet, and says how many rounds there are: those that
    /// were wanted, or as many as there was time for, at least one.
    pub(crate) fn run_all(&self, journal: &mut Journal) -> Result<usize, Failure> {
        let start = Instant::now();
        let (mut round, mut round_start) = (0, start);
        let engines = self.spec.engines.len();
        let processes = |step: &Step| match step {
            Step::Load { .. } => 1,
            Step::Measure(_) => engines,
        };
        let steps = plan(self.spec);
        let progress = Progress::new(steps.iter().map(processes).sum());
        let control = ControlLoop::default();
        let has_baseline = |entry: &Entry| matches!(entry, Entry::Baseline { .. });
        if !journal.entries().iter().any(has_baseline) {
            for _ in 0..BASELINES {
                journal
                    .append(Entry::Baseline { nanos: control.run() })
                    .map_err(Failure::Failed)?;
            }
        }
        for step in steps {
            if self.is_done(step, journal.entries()) {
                progress.end(processes(&step));
                continue;
            }
            match step {
                Step::Load { set, engine } => {
                    self.load((set, engine), journal, &progress)?;
                    progress.end(1);
                    round_start = Instant::now();
                }
                Step::Measure(group) => {
                    if group.round != round {
                        if self.has_no_time(start.elapsed(), round_start.elapsed()) {
                            return Ok(group.round);
                        }
                        (round, round_start) = (group.round, Instant::now());
                    }
                    self.measure(group, &control, journal, &progress)?;
                }
            }
        }
        Ok(self.spec.rounds)
    }

    /// Whether another round, which takes as long as the last one, would end too late.
    fn has_no_time(&self, elapsed: Duration, last_round: Duration) -> bool {
        self.budget.is_some_and(|budget| elapsed + last_round > budget)
    }

    fn is_done(&self, step: Step, entries: &[Entry]) -> bool {
        match step {
            Step::Load { set, engine } => {
                let is_it = |entry: &Entry| matches!(entry, Entry::Load { set: s, engine: e, .. } if (*s, *e) == (set, engine));
                entries.iter().any(is_it) && self.loaded(set, engine).is_dir()
            }
            Step::Measure(group) => {
                let controls: Vec<f64> = controls(entries, group).collect();
                let is_enough =
                    self.spec.retries_total.is_some_and(|most| retries(entries) >= most);
                controls.len() > self.spec.retries
                    || (is_enough && !controls.is_empty())
                    || controls.iter().any(|moved| *moved <= self.spec.control_tolerance)
            }
        }
    }

    /// Where the loaded database of an engine is.
    fn loaded(&self, set: usize, engine: usize) -> PathBuf {
        self.databases.join(format!("set{}-engine{engine}", self.spec.loaded_by(set)))
    }

    fn load(
        &self,
        (set, engine): (usize, usize),
        journal: &mut Journal,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let name = &self.spec.engines[engine];
        progress.begin(format!("filling a database with {name}"));
        // It gets its name when it is whole.
        let (directory, unfinished) = (self.loaded(set, engine), self.databases.join("unfinished"));
        remove(&directory)?;
        remove(&unfinished)?;
        let mut flags = self.spec.load_flags(set);
        flags.push("--use_existing_db=0".to_owned());
        let records = self.run(name, &self.spec.load, &unfinished, flags)?;
        fs::rename(&unfinished, &directory).map_err(|error| told(&directory, &error))?;
        journal.append(Entry::Load { set, engine, records }).map_err(Failure::Failed)
    }

    /// Runs a group until the machine is steady around it, or was not often enough.
    fn measure(
        &self,
        group: Group,
        control: &ControlLoop,
        journal: &mut Journal,
        progress: &Progress,
    ) -> Result<(), Failure> {
        loop {
            let attempt = next_attempt(journal.entries(), group);
            let before_nanos = control.run();
            for engine in 0..self.spec.engines.len() {
                let (set, benchmark) =
                    (&self.spec.sets[group.set].name, self.spec.benchmarks_text(group));
                let name = &self.spec.engines[engine];
                progress.begin(format!("round {}: {benchmark}, {set}, {name}", group.round + 1));
                let (cache, records) = self.cell(group, engine)?;
                let entry =
                    Entry::Cell { group, attempt, engine, cache: cache.to_owned(), records };
                let release = release_of(&entry).unwrap_or_default();
                journal.append(entry).map_err(Failure::Failed)?;
                if let Some(program) = self.spec.db_bench_of(group, engine) {
                    progress
                        .begin(format!("round {}: {benchmark}, {set}, db_bench", group.round + 1));
                    let (runs, failure) = match self.db_bench(program, group, engine, &release) {
                        Ok(runs) => (runs, None),
                        Err(Failure::Interrupted) => return Err(Failure::Interrupted),
                        Err(Failure::Failed(why)) => (Vec::new(), Some(why)),
                    };
                    let entry = Entry::DbBench { group, attempt, engine, runs, failure };
                    journal.append(entry).map_err(Failure::Failed)?;
                }
                progress.end(1);
            }
            let after_nanos = control.run();
            let moved = moved(before_nanos, after_nanos, reference(journal.entries()));
            let entry = Entry::Control { group, attempt, before_nanos, after_nanos, moved };
            journal.append(entry).map_err(Failure::Failed)?;
            if self.is_done(Step::Measure(group), journal.entries()) {
                return Ok(());
            }
            progress.add(self.spec.engines.len());
        }
    }

    /// Runs one benchmark with one engine, and says what was in the page cache.
    fn cell(&self, group: Group, engine: usize) -> Result<(&'static str, Vec<Record>), Failure> {
        self.with_database(group, engine, |directory, flags| {
            let benchmarks = self.spec.benchmarks_text(group);
            self.run(&self.spec.engines[engine], &benchmarks, directory, flags)
        })
    }

    /// Has RocksDB's own tool run what an engine runs, over a library of this release.
    fn db_bench(
        &self,
        program: &Path,
        group: Group,
        engine: usize,
        release: &str,
    ) -> Result<Vec<Run>, Failure> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        let (_, runs) = self.with_database(group, engine, |directory, flags| {
            let benchmarks = &self.spec.benchmarks_text(group);
            let (scratch, time_limit) = (self.output, self.time_limit);
            let tool =
                DbBench { program, release, benchmarks, directory, flags, scratch, time_limit };
            tool.run(self.interrupted)
        })?;
        Ok(runs)
    }

    /// Hands over the database that a group begins with and the flags of its bench, and says what of it is
    /// in the page cache. A copy is removed afterwards.
    fn with_database<T>(
        &self,
        group: Group,
        engine: usize,
        run: impl FnOnce(&Path, Vec<String>) -> Result<T, Failure>,
    ) -> Result<(&'static str, T), Failure> {
        // Counting what reads do costs engines unlike much; whoever wants it says so.
        let mut flags = vec!["--perf_level=1".to_owned()];
        flags.extend(self.spec.flags_of_group(group));
        let (loaded, work) = (self.loaded(group.set, engine), self.databases.join("work"));
        let database = match self.spec.sets[group.set].tree {
            Tree::Shape(_) => Database::Copy,
            _ => database_of(&self.spec.benchmarks[group.benchmark]),
        };
        let (directory, more): (_, &[&str]) = match database {
            Database::Fresh => (&work, &["--use_existing_db=0"]),
            Database::Shared => (&loaded, &["--use_existing_db=1", "--readonly=1"]),
            Database::Copy => (&work, &["--use_existing_db=1"]),
        };
        flags.extend(more.iter().map(|flag| (*flag).to_owned()));
        remove(&work)?;
        if database == Database::Copy {
            page_cache::copy_directory(&loaded, &work).map_err(Failure::Failed)?;
        }
        let cache = match database {
            Database::Fresh => page_cache::EMPTY,
            _ => page_cache::prepare(directory, self.spec.cache).map_err(Failure::Failed)?,
        };
        let result = run(directory, flags)?;
        remove(&work)?;
        Ok((cache, result))
    }

    fn run(
        &self,
        engine: &str,
        benchmarks: &str,
        database: &Path,
        flags: Vec<String>,
    ) -> Result<Vec<Record>, Failure> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        fs::create_dir_all(database).map_err(|error| told(database, &error))?;
        let scratch = self.output;
        let (program, time_limit) = (self.program, self.time_limit);
        Cell { program, engine, benchmarks, database, flags, scratch, time_limit }
            .run(self.interrupted)
    }
}

/// Finished attempts that were not the first of their group.
fn retries(entries: &[Entry]) -> usize {
    let is_retry = |entry: &&Entry| matches!(entry, Entry::Control { attempt, .. } if *attempt > 0);
    entries.iter().filter(is_retry).count()
}

/// The release of the engine that ran a cell, as it says itself.
fn release_of(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Cell { records, .. } => records.first().map(|record| record.engine.version.clone()),
        _ => None,
    }
}

/// How far the control loop moved in each finished attempt at a group.
fn controls(entries: &[Entry], group: Group) -> impl Iterator<Item = f64> {
    entries.iter().filter_map(move |entry| match entry {
        Entry::Control { group: of, moved, .. } if *of == group => Some(*moved),
        _ => None,
    })
}

/// One more than the last attempt at a group, finished or not.
fn next_attempt(entries: &[Entry], group: Group) -> usize {
    let attempts = entries.iter().filter_map(|entry| match entry {
        Entry::Cell { group: of, attempt, .. } if *of == group => Some(attempt + 1),
        _ => None,
    });
    attempts.max().unwrap_or_default()
}

/// What the control loop usually takes: the median of all its runs so far.
fn reference(entries: &[Entry]) -> f64 {
    let runs = entries.iter().flat_map(|entry| match entry {
        Entry::Baseline { nanos } => vec![*nanos],
        Entry::Control { before_nanos, after_nanos, .. } => vec![*before_nanos, *after_nanos],
        _ => Vec::new(),
    });
    median(&runs.collect::<Vec<f64>>()).unwrap_or_default()
}

/// Removes a directory, if it is there.
fn remove(directory: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(told(directory, &error)),
        _ => Ok(()),
    }
}

fn told(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("{}: {error}", path.display()))
}
