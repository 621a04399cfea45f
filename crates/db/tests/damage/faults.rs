//! Operations on the file system that fail: an error that names a file, never wrong data or a key
//! that seems not to be there, and no trace of it once the file system works again.

use crate::content::{Content, Outcome};
use crate::mem_database::{MemDatabase, Original};
use base::Status;
use env::FaultInjectionFileSystem;
use env::fault_injection_fs::{Effect, Fault, FaultError, Operations, When};
use std::fmt;
use std::sync::Arc;
use testing::limits::{self, Limits};
use testing::parallel;

/// Release, case, and `max_open_files`.
const CASES: &[(&str, &str, i32)] = &[
    ("11.8.1", "c05-partitioned", -1),
    ("11.8.1", "c17-separate-kv", 10),
    ("11.8.1", "d01-families", -1),
    ("11.8.1", "f03-delrange-levels", 10),
    ("11.8.1", "g01-blob", -1),
    ("11.8.1", "h06-embedded-blobs", -1),
    ("10.10.1", "k02-prepared-old-wal", -1),
    ("3.13.1", "a02-levels-wal", 10),
];

/// One of the operations fails in one way.
struct Failure<'c> {
    case: &'c Case,
    when: When,
    effect: Effect,
}

struct Case {
    original: Arc<Original>,
    max_open_files: i32,
    /// See [`MemDatabase::vary`].
    variant: usize,
    content: Content,
    operations: u64,
}

impl fmt::Display for Failure<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:?} {:?}", self.case.original, self.when, self.effect)
    }
}

/// The database on a file system that can fail.
fn with_faults(
    original: &Arc<Original>,
    max_open_files: i32,
    variant: usize,
) -> (MemDatabase, Arc<FaultInjectionFileSystem>) {
    let mut database = original.in_memory();
    let fs = Arc::new(FaultInjectionFileSystem::new(database.fs.clone()));
    database.options.context.file_system = fs.clone();
    database.options.db.max_open_files = max_open_files;
    database.vary(variant);
    (database, fs)
}

impl Case {
    fn new(release: &str, case: &str, max_open_files: i32, variant: usize) -> Self {
        let original = Original::of(release, case);
        let content = original.in_memory().content();
        let (database, fs) = with_faults(&original, max_open_files, variant);
        assert_eq!(database.compare(&content), Ok(Outcome::Same));
        let operations = fs.plan().operation_count();
        Self { original, max_open_files, variant, content, operations }
    }

    fn failures(&self) -> Vec<Failure<'_>> {
        let io = || Effect::Error(FaultError::Io);
        let mut failures = Vec::new();
        for k in 0..self.operations {
            for (when, effect) in [
                (When::Nth(k), io()),
                (When::FromNth(k), io()),
                (When::Nth(k), Effect::ShortRead(1)),
                (When::FromNth(k), Effect::ShortRead(5)),
            ] {
                failures.push(Failure { case: self, when, effect });
            }
        }
        failures
    }
}

fn check_error(error: &Status, directory: &str) -> Result<(), String> {
    match error.message().contains(directory) {
        true => Ok(()),
        false => Err(format!("names no file: {error}")),
    }
}

fn check(failure: &Failure<'_>) -> Result<(), String> {
    let Case { original, content, max_open_files, variant, .. } = failure.case;
    let (database, fs) = with_faults(original, *max_open_files, *variant);
    let directory = format!("/{}", original.fixture.name);
    fs.plan().add(Fault {
        operations: Operations::all(),
        when: failure.when,
        effect: failure.effect.clone(),
    });
    match database.open() {
        Err(error) => {
            check_error(&error, &directory)?;
            fs.plan().clear();
            match database.compare(content)? {
                Outcome::Same => Ok(()),
                Outcome::Error(error) => Err(format!("opened again: {error}")),
            }
        }
        Ok(db) => {
            let outcome = content.compare(&db)?;
            let is_error = matches!(failure.effect, Effect::Error(_));
            match &outcome {
                Outcome::Error(error) => check_error(error, &directory)?,
                Outcome::Same if is_error && fs.plan().injected_count() > 0 => {
                    return Err("the error was lost".to_owned());
                }
                Outcome::Same => {}
            }
            fs.plan().clear();
            match content.compare(&db)? {
                Outcome::Same => Ok(()),
                Outcome::Error(error) => Err(format!("still fails afterwards: {error}")),
            }
        }
    }
}

#[test]
fn an_operation_that_fails_gives_an_error_and_leaves_no_trace() {
    let test = "faults::an_operation_that_fails_gives_an_error_and_leaves_no_trace";
    limits::run(test, Limits::default(), || {
        let cases: Vec<_> = CASES
            .iter()
            .zip(0..)
            .map(|(&(release, case, files), variant)| Case::new(release, case, files, variant))
            .collect();
        let failures: Vec<_> = cases.iter().flat_map(Case::failures).collect();
        parallel::for_each(&failures, check);
    });
}
