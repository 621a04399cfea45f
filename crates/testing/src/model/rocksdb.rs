//! A release of RocksDB as the database of a [`Side`](super::runner::Side).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::answer::{Answer, Entry};
use super::options::without_own;
use super::runner::Subject;
use super::step::{Opening, Scan, Shape, Step, To};
use super::{DEFAULT, DEFAULT_SHAPE, prefix_length};
use crate::judges::protocol::{
    self, Bytes, Comparator, FamilyOpening, Mode, Move, Operation, Request,
};
use crate::judges::{Failure, Judge, Session};

/// How long an answer may take, also on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A key that no sequence has, as long as any prefix.
const NO_KEY: &str = "~~~";

/// RocksDB in a process of its own.
pub struct RocksDb<'a> {
    judge: &'a Judge,
    session: Session,
    directory: PathBuf,
    opening: Opening,
    /// Whether anything was since it was opened.
    has_written: bool,
    families: BTreeMap<String, Shape>,
    snapshots: BTreeMap<u32, u64>,
    /// With the snapshot that each reads at.
    iterators: BTreeMap<u32, (u64, Option<u32>)>,
}

type Pair = Option<(Bytes, Bytes)>;

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn text(failure: Failure) -> String {
    failure.to_string()
}

fn session(judge: &Judge) -> Session {
    let mut session = judge.session();
    session.set_patience(PATIENCE);
    session
}

fn entry((key, value): (Bytes, Bytes)) -> Entry {
    Entry { key: key.0, value: value.0, columns: None }
}

/// The smallest key after all that begin with `prefix`, or with one before it.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut after = prefix[..=last].to_vec();
    after[last] += 1;
    Some(after)
}

impl<'a> RocksDb<'a> {
    /// A release, and where its database will be.
    #[must_use]
    pub fn new(judge: &'a Judge, directory: PathBuf) -> Self {
        Self {
            judge,
            session: session(judge),
            directory,
            opening: Opening::default(),
            has_written: false,
            families: [(DEFAULT.to_owned(), DEFAULT_SHAPE)].into(),
            snapshots: BTreeMap::new(),
            iterators: BTreeMap::new(),
        }
    }

    /// The families as they are opened now.
    #[must_use]
    pub fn family_openings(&self) -> Vec<FamilyOpening> {
        let families = self.families.iter();
        families.map(|(name, shape)| self.family_opening(name, *shape)).collect()
    }

    /// The options of the database as it is open now.
    #[must_use]
    pub fn db_options(&self) -> &str {
        &self.opening.db
    }

    /// Kills the process, as a crash would.
    pub fn kill(self) {
        self.session.kill();
    }

    fn family_opening(&self, name: &str, shape: Shape) -> FamilyOpening {
        let mut opening = FamilyOpening::new(name.as_bytes(), &without_own(&self.opening.family));
        opening.comparator = shape.is_reverse.then_some(Comparator::Reverse);
        opening.merge_operator = shape.merge;
        opening
    }

    fn open(&mut self, opening: &Opening) -> Result<(), String> {
        self.opening = opening.clone();
        self.has_written = false;
        self.snapshots.clear();
        self.iterators.clear();
        let families = self.family_openings();
        let opening = protocol::Opening {
            directory: self.directory.clone(),
            mode: Mode::ReadWrite,
            options: format!("create_if_missing=true;{}", without_own(&opening.db)),
            latest: false,
            families,
            transactions: None,
        };
        self.session.open(&opening).map_err(text)
    }

    fn snapshot(&self, at: Option<u32>) -> Option<u64> {
        at.and_then(|at| self.snapshots.get(&at).copied())
    }

    fn iterator(&mut self, scan: &Scan) -> Result<u64, String> {
        let request = Request::Iterator {
            family: scan.family.as_str().into(),
            snapshot: self.snapshot(scan.at),
            lower: scan.lower.clone().map(Bytes),
            upper: scan.upper.clone().map(Bytes),
        };
        self.session.ask(&request).map_err(text)
    }

    fn scan(&mut self, scan: &Scan) -> Result<Answer, String> {
        let prefix = match (scan.prefix, prefix_length(&self.opening.family), &scan.from) {
            (true, Some(length), Some(from)) => Some(from[..length].to_vec()),
            _ => None,
        };
        let mut scan = scan.clone();
        let is_reverse = self.families.get(&scan.family).is_some_and(|shape| shape.is_reverse);
        if let Some(prefix) = &prefix
            && !is_reverse
        {
            scan.upper = after_prefix(prefix);
        }
        let iterator = self.iterator(&scan)?;
        let first = match (&scan.from, scan.backward) {
            (None, false) => Move::SeekToFirst,
            (None, true) => Move::SeekToLast,
            (Some(from), false) => Move::Seek(Bytes(from.clone())),
            (Some(from), true) => Move::SeekForPrev(Bytes(from.clone())),
        };
        let further = if scan.backward { Move::Prev } else { Move::Next };
        let mut entries = Vec::new();
        let mut to = first;
        while let Some(pair) = self.go(iterator, to)? {
            if prefix.as_ref().is_some_and(|prefix| !pair.0.0.starts_with(prefix)) {
                break;
            }
            entries.push(entry(pair));
            to = further.clone();
        }
        self.session.drop_iterator(iterator).map_err(text)?;
        Ok(Answer::Entries(entries))
    }

    fn go(&mut self, iterator: u64, to: Move) -> Result<Pair, String> {
        let pair = self.session.go(iterator, to).map_err(text)?;
        Ok(pair.map(|(key, value)| (Bytes(key), Bytes(value))))
    }

    fn advance(&mut self, id: u32, to: &To) -> Result<Answer, String> {
        let (iterator, _) = self.iterators[&id];
        let (to, count) = match to {
            To::First => (Move::SeekToFirst, 1),
            To::Last => (Move::SeekToLast, 1),
            To::Seek(key) => (Move::Seek(Bytes(key.clone())), 1),
            To::SeekForPrev(key) => (Move::SeekForPrev(Bytes(key.clone())), 1),
            To::Next(count) => (Move::Next, *count),
            To::Prev(count) => (Move::Prev, *count),
        };
        let mut entries = Vec::new();
        for _ in 0..count {
            let Some(pair) = self.go(iterator, to.clone())? else { break };
            entries.push(entry(pair));
        }
        Ok(Answer::Entries(entries))
    }

    fn get(&mut self, family: &str, keys: &[Vec<u8>], at: Option<u32>) -> Result<Answer, String> {
        let at = self.snapshot(at);
        let get = |key: &Vec<u8>| self.session.get(family.as_bytes(), key, at).map_err(text);
        keys.iter().map(get).collect::<Result<_, _>>().map(Answer::Values)
    }

    fn names(&mut self) -> Result<Answer, String> {
        let names = self.session.list_families(&self.directory).map_err(text)?;
        let mut names: Vec<String> = names.iter().map(Bytes::to_text).collect();
        names.sort();
        Ok(Answer::Names(names))
    }

    fn maintain(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Open(opening) => self.open(opening)?,
            Step::Reopen(opening) => {
                self.session.close().map_err(text)?;
                self.open(opening)?;
            }
            Step::Crash { opening, .. } => {
                let session = std::mem::replace(&mut self.session, session(self.judge));
                session.kill();
                self.open(opening)?;
            }
            Step::Create { family, shape } => {
                let opening = self.family_opening(family, *shape);
                self.session.create_family(&opening).map_err(text)?;
                self.families.insert(family.clone(), *shape);
            }
            Step::Drop { family } => {
                self.session.drop_family(family.as_bytes()).map_err(text)?;
                self.families.remove(family);
            }
            Step::Flush { families } => {
                let mut names: Vec<&[u8]> = families.iter().map(String::as_bytes).collect();
                if names.is_empty() {
                    names = self.families.keys().map(String::as_bytes).collect();
                }
                self.session.flush(&names).map_err(text)?;
            }
            Step::Compact { family, .. } => {
                self.session.compact(family.as_bytes()).map_err(text)?;
            }
            // A synced write of nothing takes the log along.
            Step::FlushWal { .. } if self.opening.unlogged => {}
            Step::FlushWal { .. } => {
                self.write(true, vec![Operation::LogData { data: "".into() }])?;
            }
            other => return Err(format!("cannot {other}")),
        }
        Ok(())
    }

    /// What was written before is made safe first. Tables are made in the order of bytes alone: families
    /// with another one are written to.
    fn ingest(&mut self, family: &str, operations: &[Operation]) -> Result<(), String> {
        if self.opening.unlogged {
            self.maintain(&Step::Flush { families: Vec::new() })?;
        }
        if self.families.get(family).is_some_and(|shape| shape.is_reverse) {
            let is_range = |one: &Operation| matches!(one, Operation::DeleteRange { .. });
            let (ranges, keys): (Vec<_>, Vec<_>) = operations.iter().cloned().partition(is_range);
            self.write(!self.opening.unlogged, [ranges, keys].concat())?;
            return match self.opening.unlogged {
                true => self.maintain(&Step::Flush { families: Vec::new() }),
                false => Ok(()),
            };
        }
        self.maintain(&Step::FlushWal { sync: true })?;
        let path = self.directory.with_file_name("external.sst");
        self.session.write_table(&path, operations.to_vec()).map_err(text)?;
        self.session.ingest(family.as_bytes(), &[path]).map_err(text)
    }

    /// With the deletion of a key that nothing has, if there may have been no write: what was taken in before
    /// the first one is gone after a compaction if a snapshot of that time is there.
    fn take_snapshot(&mut self, id: u32) -> Result<(), String> {
        if !self.has_written {
            let (family, key) = (DEFAULT.into(), NO_KEY.into());
            self.write(false, vec![Operation::Delete { family, key }])?;
        }
        let snapshot = self.session.snapshot().map_err(text)?;
        self.snapshots.insert(id, snapshot);
        Ok(())
    }

    fn write(&mut self, sync: bool, operations: Vec<Operation>) -> Result<(), String> {
        self.has_written |= !operations.iter().all(|one| matches!(one, Operation::LogData { .. }));
        let disable_wal = self.opening.unlogged;
        let request = Request::Write { operations, sync, disable_wal };
        self.session.ask::<serde_json::Value>(&request).map(drop).map_err(text)
    }
}

impl Subject for RocksDb<'_> {
    fn apply(&mut self, step: &Step) -> Result<Option<Answer>, String> {
        match step {
            Step::Write { sync, operations } => self.write(*sync, operations.clone())?,
            Step::Ingest { family, operations } => self.ingest(family, operations)?,
            Step::Get { family, keys, at } => return self.get(family, keys, *at).map(Some),
            Step::Scan(scan) => return self.scan(scan).map(Some),
            Step::Families => return self.names().map(Some),
            Step::Snapshot(id) => self.take_snapshot(*id)?,
            Step::Release(id) => {
                // An iterator of RocksDB needs its snapshot: then it goes with the database.
                let is_free = self.iterators.values().all(|(_, at)| *at != Some(*id));
                if let Some(snapshot) = self.snapshots.remove(id).filter(|_| is_free) {
                    self.session.release_snapshot(snapshot).map_err(text)?;
                }
            }
            Step::Iterator { id, scan } => {
                let iterator = self.iterator(scan)?;
                self.iterators.insert(*id, (iterator, scan.at));
            }
            Step::Move { id, to } => return self.advance(*id, to).map(Some),
            Step::DropIterator(id) => {
                if let Some((iterator, _)) = self.iterators.remove(id) {
                    self.session.drop_iterator(iterator).map_err(text)?;
                }
            }
            other => self.maintain(other)?,
        }
        Ok(None)
    }

    fn close(&mut self) -> Result<PathBuf, String> {
        self.session.close().map_err(text)?;
        Ok(self.directory.clone())
    }

    fn take_over(
        &mut self,
        directory: &Path,
        opening: &Opening,
        families: &[(String, Shape)],
    ) -> Result<(), String> {
        directory.clone_into(&mut self.directory);
        self.families = families.iter().cloned().collect();
        self.open(opening)
    }
}
