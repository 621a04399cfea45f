//! The same work in RocksDB and in this engine, step by step.

use crate::OPTIONS;
use db::{
    ColumnFamilyDescriptor, Db, FlushOptions, OpenContext, WaitForCompactOptions, WriteOptions,
};
use options::{ColumnFamilyOptions, DbOptions};
use std::path::Path;
use std::time::{Duration, Instant};
use testing::judges::protocol::Operation;
use testing::judges::{Judge, Session};

/// A step. What it is refused with is what it returns.
pub(crate) enum Step<'s> {
    /// Writes pairs, a batch each.
    Put(Vec<(Vec<u8>, Vec<u8>)>),
    /// As above, again and again until it is taken.
    PutWhenTaken(Vec<(Vec<u8>, Vec<u8>)>),
    Flush,
    /// Waits until no flush and no compaction runs or is due.
    Settle,
    /// As above, again and again until no error stands.
    SettleWhenWell,
    /// Closes the database and opens it again.
    Reopen,
    /// Does something to the directory.
    Do(&'s dyn Fn(&Path)),
}

/// How long a database may take to get over an error.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who does the work.
trait Worker {
    fn open(&mut self) -> Result<(), String>;
    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), String>;
    fn flush(&mut self) -> Result<(), String>;
    fn settle(&mut self) -> Result<(), String>;
    fn close(&mut self) -> Result<(), String>;
}

struct RocksDb<'w> {
    session: Session,
    directory: &'w Path,
    options: String,
    family: &'w str,
}

fn text<E: ToString>(result: Result<(), E>) -> Result<(), String> {
    result.map_err(|error| error.to_string())
}

impl Worker for RocksDb<'_> {
    fn open(&mut self) -> Result<(), String> {
        text(self.session.open_default(self.directory, &self.options, self.family))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let (key, value) = (key.into(), value.into());
        text(self.session.write(vec![Operation::Put { family: "default".into(), key, value }]))
    }

    fn flush(&mut self) -> Result<(), String> {
        text(self.session.flush(&[]))
    }

    fn settle(&mut self) -> Result<(), String> {
        text(self.session.wait_for_idle())
    }

    fn close(&mut self) -> Result<(), String> {
        text(self.session.close())
    }
}

struct Ours<'w> {
    db: Option<Db>,
    context: OpenContext,
    directory: &'w Path,
    options: String,
    family: &'w str,
}

impl Ours<'_> {
    fn db(&self) -> (&Db, db::ColumnFamilyHandle) {
        let db = self.db.as_ref().unwrap();
        (db, db.column_family("default").unwrap())
    }
}

impl Worker for Ours<'_> {
    fn open(&mut self) -> Result<(), String> {
        let options = DbOptions::from_string(&self.options).unwrap();
        let family = ColumnFamilyOptions::from_string(self.family).unwrap();
        let families = [ColumnFamilyDescriptor::new("default", family)];
        let opened = Db::open(&options, self.directory, &families, &self.context);
        text(opened.map(|db| self.db = Some(db)))
    }

    fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        let (db, family) = self.db();
        text(db.put(&WriteOptions::default(), &family, key, value))
    }

    fn flush(&mut self) -> Result<(), String> {
        let (db, family) = self.db();
        text(db.flush(&FlushOptions::default(), &[&family]))
    }

    fn settle(&mut self) -> Result<(), String> {
        text(self.db().0.wait_for_compact(&WaitForCompactOptions::default()))
    }

    fn close(&mut self) -> Result<(), String> {
        text(self.db.take().unwrap().close())
    }
}

fn insist(mut act: impl FnMut() -> Result<(), String>) {
    let start = Instant::now();
    while let Err(error) = act() {
        assert!(start.elapsed() < PATIENCE, "{error}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn work(worker: &mut dyn Worker, directory: &Path, steps: &[Step<'_>]) -> Vec<String> {
    let mut refused = Vec::new();
    let mut keep = |result: Result<(), String>| refused.extend(result.err());
    keep(worker.open());
    for step in steps {
        match step {
            Step::Put(pairs) => {
                pairs.iter().for_each(|(key, value)| keep(worker.put(key, value)));
            }
            Step::PutWhenTaken(pairs) => {
                pairs.iter().for_each(|(key, value)| insist(|| worker.put(key, value)));
            }
            Step::SettleWhenWell => insist(|| worker.settle()),
            Step::Flush => keep(worker.flush()),
            Step::Settle => keep(worker.settle()),
            Step::Reopen => {
                keep(worker.close());
                keep(worker.open());
            }
            Step::Do(act) => act(directory),
        }
    }
    keep(worker.close());
    let directory = directory.to_string_lossy();
    refused.into_iter().map(|text| text.replace(&*directory, "")).collect()
}

/// Does it in both; what steps were refused with, by RocksDB and by us.
pub(crate) fn do_both(
    judge: &Judge,
    (theirs, ours): (&Path, &Path),
    (options, family): (&str, &str),
    steps: &[Step<'_>],
) -> (Vec<String>, Vec<String>) {
    let options = format!("{OPTIONS};{options}");
    let (session, directory) = (judge.session(), theirs);
    let mut rocksdb = RocksDb { session, directory, options: options.clone(), family };
    let (context, directory) = (OpenContext::default(), ours);
    let mut own = Ours { db: None, context, directory, options, family };
    (work(&mut rocksdb, theirs, steps), work(&mut own, ours, steps))
}

/// The lines of the info log that have one of these words, from there on; numbers of bytes, which depend on
/// sizes of files, left out.
pub(crate) fn lines_with(directory: &Path, words: &[&str]) -> Vec<String> {
    let text = std::fs::read_to_string(directory.join("LOG")).unwrap();
    let from = |line: &str| {
        let start = words.iter().filter_map(|word| line.find(word)).min()?;
        let line = &line[start..];
        let bytes = "pending compaction bytes ";
        let Some(at) = line.find(bytes).map(|at| at + bytes.len()) else {
            return Some(line.trim_end().to_owned());
        };
        let end = line[at..].trim_start_matches(|digit: char| digit.is_ascii_digit());
        Some(format!("{}N{end}", &line[..at]))
    };
    text.lines().filter_map(from).collect()
}
