//! Random operation sequences against a model: what a database must answer, by the simplest code
//! that can say it. `docs/model-tests.md` tells how the tests that use it are run.
//!
//! - [`Step`]: what a database is asked to do; a sequence is a text, a line each.
//! - [`generator`]: sequences from a seed, with random options.
//! - [`Model`]: every version of every key in a map.
//! - [`runner`]: runs a sequence on databases, each beside a model of its own, and compares.
//! - [`shrink`]: makes a sequence that fails as short as it can be.
//! - [`rocksdb`]: a release of RocksDB as one of those databases.

use std::collections::BTreeMap;

use crate::judges::protocol::Operation;

mod answer;
mod family;
pub mod generator;
pub mod options;
pub mod rocksdb;
pub mod runner;
pub mod shrink;
mod step;
#[cfg(test)]
mod tests;
mod text;

pub use answer::{Answer, Columns, Entry};
pub use step::{Opening, Scan, Shape, Step, To, parse, print};

use family::Family;

const MAX_SEQUENCE: u64 = u64::MAX;
const DEFAULT: &str = "default";

/// A rule that a model breaks on purpose, to see that the comparison finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Keys in a deleted range stay.
    IgnoresRangeDeletions,
    /// Snapshots show the newest versions.
    IgnoresSnapshots,
    /// Operands are merged as if there were nothing below.
    ForgetsBaseOfMerge,
}

#[derive(Clone, Debug)]
struct HeldIterator {
    entries: Vec<Entry>,
    is_reverse: bool,
    place: Option<usize>,
}

/// What a database must hold and answer.
#[derive(Clone, Debug)]
pub struct Model {
    families: BTreeMap<String, Family>,
    opening: Opening,
    sequence: u64,
    /// The last numbers of batches, ascending.
    batch_ends: Vec<u64>,
    /// What is logged up to here outlives the process.
    process_safe: u64,
    /// What is logged up to here outlives a power loss.
    power_safe: u64,
    /// The newest log when last asked.
    log: Option<u64>,
    /// The numbers before the first batch of each log.
    log_begins: Vec<u64>,
    snapshots: BTreeMap<u32, u64>,
    iterators: BTreeMap<u32, HeldIterator>,
    defect: Option<Defect>,
}

/// The merge operator of the family that every database has.
pub const DEFAULT_SHAPE: Shape =
    Shape { merge: Some(crate::judges::protocol::MergeOperator::StringAppend), is_reverse: false };

impl Model {
    /// A new database; with a defect, a wrong one.
    #[must_use]
    pub fn new(defect: Option<Defect>) -> Self {
        let default = Family::new(DEFAULT_SHAPE, defect);
        Self {
            families: [(DEFAULT.to_owned(), default)].into(),
            opening: Opening::default(),
            sequence: 0,
            batch_ends: vec![0],
            process_safe: 0,
            power_safe: 0,
            log: None,
            log_begins: Vec::new(),
            snapshots: BTreeMap::new(),
            iterators: BTreeMap::new(),
            defect,
        }
    }

    /// The names of the families, ascending, and what stays the same of each.
    #[must_use]
    pub fn shapes(&self) -> Vec<(String, Shape)> {
        self.families.iter().map(|(name, family)| (name.clone(), family.shape)).collect()
    }

    /// How it is open.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.opening
    }

    fn db_has(&self, option: &str) -> bool {
        self.opening.db.split(';').any(|one| one == option)
    }

    /// The number that a snapshot stands for.
    fn sequence_of(&self, at: Option<u32>) -> Option<u64> {
        at.map_or(Some(self.sequence), |at| self.snapshots.get(&at).copied())
    }

    fn can_scan(&self, scan: &Scan) -> bool {
        let has_prefix = match (&scan.from, prefix_length(&self.opening.family)) {
            (Some(from), Some(length)) => from.len() >= length,
            (from, None) => from.is_some(),
            _ => false,
        };
        self.families.contains_key(&scan.family)
            && self.sequence_of(scan.at).is_some()
            && (!scan.prefix || (has_prefix && !scan.backward))
    }

    /// Whether a step makes sense now, and what comes of it is defined. Others are left out, so
    /// that any part of a sequence is a sequence.
    #[must_use]
    pub fn allows(&self, step: &Step) -> bool {
        let has = |family: &String| self.families.contains_key(family);
        match step {
            Step::Open(_) | Step::Reopen(_) | Step::Crash { .. } | Step::HandOver => true,
            Step::Families | Step::FlushWal { .. } => true,
            Step::Create { family, .. } => !has(family),
            Step::Drop { family } => has(family) && family != DEFAULT,
            Step::Write { sync, operations } => self.can_write(*sync, operations),
            Step::Ingest { family, operations } => {
                let of_it = |one: &Operation| family_of(one) == Some(family);
                let ascends = self.families.get(family).is_some_and(|it| it.is_table(operations));
                ascends && operations.iter().all(of_it) && self.can_write(false, operations)
            }
            Step::Get { family, at, .. } => has(family) && self.sequence_of(*at).is_some(),
            Step::Scan(scan) => self.can_scan(scan),
            Step::Iterator { id, scan } => {
                !self.iterators.contains_key(id) && self.can_scan(scan) && !scan.prefix
            }
            Step::Snapshot(id) => !self.snapshots.contains_key(id),
            Step::Release(id) => self.snapshots.contains_key(id),
            Step::Move { id, to } => self.iterators.get(id).is_some_and(|iterator| {
                !matches!(to, To::Next(_) | To::Prev(_)) || iterator.place.is_some()
            }),
            Step::DropIterator(id) => self.iterators.contains_key(id),
            Step::Flush { families } => {
                // With an atomic flush of some families, others could be behind.
                let is_whole = families.is_empty() || !self.db_has("atomic_flush=true");
                families.iter().all(has) && is_whole
            }
            Step::Compact { family, begin, end } => self.families.get(family).is_some_and(|it| {
                let (Some(begin), Some(end)) = (begin, end) else { return true };
                it.is_before(begin, end)
            }),
        }
    }

    fn can_write(&self, sync: bool, operations: &[Operation]) -> bool {
        let mut by_family: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
        for operation in operations {
            if let Some(family) = family_of(operation) {
                by_family.entry(family).or_default().push(operation);
            }
        }
        let allows = |(name, operations): (&&str, &Vec<&Operation>)| {
            let family = self.families.get(*name);
            family.is_some_and(|family| family.allows(self.sequence, operations))
        };
        !(sync && self.opening.unlogged) && by_family.iter().all(allows)
    }

    /// Does a step that is allowed, but for what follows a crash ([`Model::recover`]), and says
    /// what must be read.
    ///
    /// # Panics
    /// When the step is not allowed.
    pub fn apply(&mut self, step: &Step) -> Answer {
        assert!(self.allows(step), "not now: {step}");
        match step {
            Step::Open(opening) => self.opening = opening.clone(),
            Step::Create { family, shape } => {
                let new = Family::new(*shape, self.defect);
                self.families.insert(family.clone(), new);
            }
            Step::Drop { family } => drop(self.families.remove(family)),
            Step::Write { sync, operations } => self.write(*sync, operations),
            Step::Ingest { operations, .. } => self.ingest(operations),
            Step::Get { family, keys, at } => return self.get(family, keys, *at),
            Step::Scan(scan) => return Answer::Entries(self.scan(scan)),
            Step::Families => return Answer::Names(self.families.keys().cloned().collect()),
            Step::Snapshot(id) => drop(self.snapshots.insert(*id, self.sequence)),
            Step::Release(id) => drop(self.snapshots.remove(id)),
            Step::Iterator { id, scan } => {
                let whole = Scan { from: None, backward: false, ..scan.clone() };
                let entries = self.scan(&whole);
                let is_reverse = self.families[&scan.family].shape.is_reverse;
                self.iterators.insert(*id, HeldIterator { entries, is_reverse, place: None });
            }
            Step::Move { id, to } => {
                let iterator = self.iterators.get_mut(id).expect("allowed");
                return Answer::Entries(iterator.go(to));
            }
            Step::DropIterator(id) => drop(self.iterators.remove(id)),
            Step::Flush { families } => self.flush(families),
            Step::Compact { .. } => {}
            Step::FlushWal { sync } => self.flush_wal(*sync),
            Step::Reopen(opening) => self.reopen(opening),
            Step::HandOver => self.reopen(&self.opening.clone()),
            Step::Crash { .. } => self.let_go(),
        }
        Answer::Done
    }

    fn let_go(&mut self) {
        self.iterators.clear();
        self.snapshots.clear();
    }

    fn write(&mut self, sync: bool, operations: &[Operation]) {
        for operation in operations {
            if let Some(name) = family_of(operation) {
                self.sequence += 1;
                let family = self.families.get_mut(name).expect("allowed");
                family.change(self.sequence, operation);
            }
        }
        self.batch_ends.push(self.sequence);
        if sync {
            self.flush_wal(true);
        } else if !self.db_has("manual_wal_flush=true") {
            self.flush_wal(false);
        }
    }

    /// What is taken in is safe at once, and so must be what came before. A table's range deletions
    /// delete nothing of its own.
    fn ingest(&mut self, operations: &[Operation]) {
        let is_range = |one: &&Operation| matches!(one, Operation::DeleteRange { .. });
        let (ranges, keys): (Vec<_>, Vec<_>) = operations.iter().partition(is_range);
        for operation in ranges.into_iter().chain(keys) {
            let name = family_of(operation).expect("allowed");
            self.sequence += 1;
            self.families.get_mut(name).expect("allowed").change(self.sequence, operation);
        }
        self.batch_ends.push(self.sequence);
        self.flush_wal(true);
        if self.opening.unlogged {
            self.flush(&[]);
        }
    }

    /// Says which log is the newest after a write. A power loss may take what is not synced of one
    /// log and leave what is in the next.
    pub fn wrote_to_log(&mut self, number: Option<u64>) {
        if self.log != number {
            let before_last =
                self.batch_ends.len().checked_sub(2).map(|last| self.batch_ends[last]);
            self.log_begins.extend(before_last);
            self.log = number;
        }
    }

    fn flush_wal(&mut self, sync: bool) {
        if !self.opening.unlogged {
            self.process_safe = self.sequence;
            if sync {
                self.power_safe = self.sequence;
            }
        }
    }

    fn flush(&mut self, names: &[String]) {
        for (name, family) in &mut self.families {
            if names.is_empty() || names.contains(name) {
                family.flushed = family.newest;
            }
        }
    }

    /// What has no log is flushed before; the log is handed to the operating system.
    fn reopen(&mut self, opening: &Opening) {
        if self.opening.unlogged {
            self.flush(&[]);
        }
        self.process_safe = self.sequence;
        self.let_go();
        self.opening = opening.clone();
    }

    fn get(&self, family: &str, keys: &[Vec<u8>], at: Option<u32>) -> Answer {
        let sequence = self.sequence_of(at).expect("allowed");
        let family = &self.families[family];
        Answer::Values(keys.iter().map(|key| family.value(key, sequence)).collect())
    }

    fn scan(&self, scan: &Scan) -> Vec<Entry> {
        let family = &self.families[&scan.family];
        let sequence = self.sequence_of(scan.at).expect("allowed");
        let mut entries = family.entries(sequence, scan.lower.as_deref(), scan.upper.as_deref());
        if scan.backward {
            entries.reverse();
        }
        if let Some(from) = &scan.from {
            let is_outside = |entry: &Entry| match scan.backward {
                false => family.is_before(&entry.key, from),
                true => family.is_before(from, &entry.key),
            };
            entries.retain(|entry| !is_outside(entry));
            if scan.prefix
                && let Some(length) = prefix_length(&self.opening.family)
            {
                entries.retain(|entry| entry.key.starts_with(&from[..length]));
            }
        }
        entries
    }

    /// Everything of every family, as of the end of some batch.
    fn contents_at(&self, sequence: u64) -> impl Iterator<Item = (&String, Vec<Entry>)> {
        let entries = move |family: &Family| family.entries(sequence, None, None);
        self.families.iter().map(move |(name, family)| (name, entries(family)))
    }

    /// Takes on what a database holds after a crash, if that is what it may hold: everything up to
    /// the end of some batch, and nothing missing that was safe.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn recover(
        &mut self,
        power: bool,
        opening: &Opening,
        found: &BTreeMap<String, Vec<Entry>>,
    ) -> Result<(), String> {
        let names: Vec<_> = found.keys().collect();
        if !names.iter().copied().eq(self.families.keys()) {
            let expected: Vec<_> = self.families.keys().collect();
            return Err(format!("families {names:?} after the crash, expected {expected:?}"));
        }
        let logged = if power { self.power_safe } else { self.process_safe };
        let mut ends = BTreeMap::new();
        if self.opening.unlogged && !self.db_has("atomic_flush=true") {
            for (name, family) in &self.families {
                let end = self.end_of(&[name], family.flushed.max(logged), found)?;
                ends.insert(name.clone(), end);
            }
        } else {
            let names: Vec<_> = self.families.keys().collect();
            let flushed = self.families.values().map(|family| family.flushed).max().unwrap_or(0);
            let safe = flushed.max(logged);
            let end = match self.end_of(&names, safe, found) {
                Err(why) if power => self.forget_end_of_log(safe, found).ok_or(why)?,
                end => end?,
            };
            ends.extend(self.families.keys().map(|name| (name.clone(), end)));
        }
        let newest = ends.values().copied().max().unwrap_or(0);
        for (name, end) in ends {
            self.families.get_mut(&name).expect("the same names").truncate(end);
        }
        self.batch_ends.retain(|end| *end <= newest);
        self.batch_ends.push(self.sequence);
        self.process_safe = self.sequence;
        self.power_safe = if power { self.sequence } else { self.power_safe };
        self.log = None;
        self.log_begins.clear();
        self.opening = opening.clone();
        Ok(())
    }

    /// Forgets the batches from some one after `safe` up to the end of its log, or of a later one,
    /// if with that and a newest end of a batch, which is returned, everything is as found.
    fn forget_end_of_log(
        &mut self,
        safe: u64,
        found: &BTreeMap<String, Vec<Entry>>,
    ) -> Option<u64> {
        for begin in self.log_begins.iter().filter(|begin| **begin > safe) {
            for last in self.batch_ends.iter().filter(|end| (safe..*begin).contains(*end)) {
                let mut without = self.clone();
                without.families.values_mut().for_each(|family| family.forget(*last, *begin));
                let names: Vec<_> = self.families.keys().collect();
                if let Ok(end) = without.end_of(&names, *begin, found) {
                    self.families = without.families;
                    return Some(end);
                }
            }
        }
        None
    }

    /// The newest end of a batch, not before `safe`, as of which the families are as found.
    fn end_of(
        &self,
        names: &[&String],
        safe: u64,
        found: &BTreeMap<String, Vec<Entry>>,
    ) -> Result<u64, String> {
        let is_so = |end: &u64| {
            let mut contents = self.contents_at(*end).filter(|(name, _)| names.contains(name));
            contents.all(|(name, entries)| same_entries(&entries, &found[name]))
        };
        let ends = self.batch_ends.iter().rev().copied();
        let ends: Vec<u64> = ends.filter(|end| *end >= safe).collect();
        if let Some(end) = ends.iter().copied().find(is_so) {
            return Ok(end);
        }
        let mut why = format!(
            "after the crash no state from number {safe} (safe) to {} (last) is there",
            self.sequence
        );
        for (name, entries) in self.contents_at(self.sequence) {
            if names.contains(&name) {
                let found = Answer::Entries(found[name].clone());
                why += &format!("\n  {name}: {found}\n  last: {}", Answer::Entries(entries));
            }
        }
        Err(why)
    }
}

fn same_entries(ours: &[Entry], theirs: &[Entry]) -> bool {
    Answer::Entries(ours.to_vec()).is_same(&Answer::Entries(theirs.to_vec()))
}

/// The length of the prefix that these options of a family give every key.
pub(crate) fn prefix_length(options: &str) -> Option<usize> {
    options.split(';').find_map(|one| one.strip_prefix("prefix_extractor=fixed:")?.parse().ok())
}

/// The family that an operation is about.
fn family_of(operation: &Operation) -> Option<&str> {
    let family = match operation {
        Operation::Put { family, .. }
        | Operation::Merge { family, .. }
        | Operation::Delete { family, .. }
        | Operation::SingleDelete { family, .. }
        | Operation::DeleteRange { family, .. }
        | Operation::PutEntity { family, .. } => family,
        Operation::LogData { .. } => return None,
    };
    std::str::from_utf8(&family.0).ok()
}

impl HeldIterator {
    fn is_before(&self, left: &[u8], right: &[u8]) -> bool {
        if self.is_reverse { right < left } else { left < right }
    }

    /// Where it is after each move; it ends where there is nothing.
    fn go(&mut self, to: &To) -> Vec<Entry> {
        let count = self.entries.len();
        let valid = |place: usize| (place < count).then_some(place);
        let mut come_by = Vec::new();
        self.place = match to {
            To::First => valid(0),
            To::Last => count.checked_sub(1),
            To::Seek(key) => {
                valid(self.entries.partition_point(|entry| self.is_before(&entry.key, key)))
            }
            To::SeekForPrev(key) => self
                .entries
                .partition_point(|entry| !self.is_before(key, &entry.key))
                .checked_sub(1),
            To::Next(moves) | To::Prev(moves) => {
                let mut place = self.place;
                for _ in 0..*moves {
                    let Some(here) = place else { break };
                    let is_next = matches!(to, To::Next(_));
                    place = if is_next { valid(here + 1) } else { here.checked_sub(1) };
                    come_by.extend(place.map(|place| self.entries[place].clone()));
                }
                self.place = place;
                return come_by;
            }
        };
        come_by.extend(self.place.map(|place| self.entries[place].clone()));
        come_by
    }
}
