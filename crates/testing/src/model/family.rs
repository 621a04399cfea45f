//! A family: every version of every key.

use std::collections::{BTreeMap, BTreeSet};

use super::answer::{Columns, Entry, default_column};
use super::step::Shape;
use super::{Defect, MAX_SEQUENCE};
use crate::judges::protocol::{MergeOperator, Operation};

#[derive(Clone, Debug)]
enum Change {
    Set(Columns),
    Delete,
    Merge(Vec<u8>),
}

/// Every version of every key of a family.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    pub(super) shape: Shape,
    /// Oldest first.
    versions: BTreeMap<Vec<u8>, Vec<(u64, Change)>>,
    /// Range deletions: number, begin, end.
    ranges: Vec<(u64, Vec<u8>, Vec<u8>)>,
    /// The number of the last change.
    pub(super) newest: u64,
    /// Changes up to here are in tables.
    pub(super) flushed: u64,
    defect: Option<Defect>,
}

fn plain(value: &[u8]) -> Columns {
    vec![(Vec::new(), value.to_vec())]
}

fn number(value: &[u8]) -> u64 {
    value.try_into().map_or(0, u64::from_le_bytes)
}

impl Family {
    pub(super) fn new(shape: Shape, defect: Option<Defect>) -> Self {
        Self { shape, defect, ..Self::default() }
    }

    /// Whether `left` comes before `right`.
    pub(super) fn is_before(&self, left: &[u8], right: &[u8]) -> bool {
        if self.shape.is_reverse { right < left } else { left < right }
    }

    pub(super) fn change(&mut self, sequence: u64, operation: &Operation) {
        self.newest = sequence;
        let (key, change) = match operation {
            Operation::Put { key, value, .. } => (key, Change::Set(plain(&value.0))),
            Operation::Merge { key, value, .. } => (key, Change::Merge(value.0.clone())),
            Operation::Delete { key, .. } | Operation::SingleDelete { key, .. } => {
                (key, Change::Delete)
            }
            Operation::DeleteRange { begin, end, .. } => {
                if self.is_before(&begin.0, &end.0) {
                    self.ranges.push((sequence, begin.0.clone(), end.0.clone()));
                }
                return;
            }
            Operation::PutEntity { key, columns, .. } => {
                let columns: BTreeMap<_, _> =
                    columns.iter().map(|(name, value)| (name.0.clone(), value.0.clone())).collect();
                (key, Change::Set(columns.into_iter().collect()))
            }
            Operation::LogData { .. } => return,
        };
        self.versions.entry(key.0.clone()).or_default().push((sequence, change));
    }

    /// Forgets everything after `last` up to `end`.
    pub(super) fn forget(&mut self, last: u64, end: u64) {
        let stays = |sequence: u64| sequence <= last || sequence > end;
        for versions in self.versions.values_mut() {
            versions.retain(|(sequence, _)| stays(*sequence));
        }
        self.versions.retain(|_, versions| !versions.is_empty());
        self.ranges.retain(|(sequence, ..)| stays(*sequence));
    }

    /// Forgets everything after `last`.
    pub(super) fn truncate(&mut self, last: u64) {
        self.forget(last, MAX_SEQUENCE);
        self.newest = self.newest.min(last);
        self.flushed = self.flushed.min(last);
    }

    fn deleted_at(&self, key: &[u8], sequence: u64) -> u64 {
        if self.defect == Some(Defect::IgnoresRangeDeletions) {
            return 0;
        }
        let covers = |(number, begin, end): &&(u64, Vec<u8>, Vec<u8>)| {
            *number <= sequence && !self.is_before(key, begin) && self.is_before(key, end)
        };
        self.ranges.iter().filter(covers).map(|(number, ..)| *number).max().unwrap_or(0)
    }

    /// What a key has as of a number.
    pub(super) fn get(&self, key: &[u8], sequence: u64) -> Option<Columns> {
        let versions = self.versions.get(key)?;
        let sequence =
            if self.defect == Some(Defect::IgnoresSnapshots) { MAX_SEQUENCE } else { sequence };
        let deleted_at = self.deleted_at(key, sequence);
        let mut operands = Vec::new();
        let mut base = None;
        let visible = versions.iter().rev().filter(|(number, _)| *number <= sequence);
        for (_, change) in visible.take_while(|(number, _)| *number > deleted_at) {
            match change {
                Change::Merge(operand) => operands.push(&operand[..]),
                Change::Set(columns) => base = Some(columns.clone()),
                Change::Delete => {}
            }
            if !matches!(change, Change::Merge(_)) {
                break;
            }
        }
        if operands.is_empty() {
            return base;
        }
        if self.defect == Some(Defect::ForgetsBaseOfMerge) {
            base = None;
        }
        operands.reverse();
        Some(self.merge(base, &operands))
    }

    /// Operands go to the default column; other columns stay.
    fn merge(&self, base: Option<Columns>, operands: &[&[u8]]) -> Columns {
        // An entity without a default column counts as one with an empty one.
        let existing = base.as_ref().map(default_column);
        let all = existing.as_deref().into_iter().chain(operands.iter().copied());
        let merged = match self.shape.merge {
            Some(MergeOperator::Uint64Add) => {
                all.map(number).fold(0, u64::wrapping_add).to_le_bytes().to_vec()
            }
            _ => all.collect::<Vec<_>>().join(&b","[..]),
        };
        let others = base.into_iter().flatten().filter(|(name, _)| !name.is_empty());
        plain(&merged).into_iter().chain(others).collect()
    }

    pub(super) fn value(&self, key: &[u8], sequence: u64) -> Option<Vec<u8>> {
        self.get(key, sequence).map(|columns| default_column(&columns))
    }

    /// All entries as of a number, in order, from `lower` up to but not including `upper`.
    pub(super) fn entries(
        &self,
        sequence: u64,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Vec<Entry> {
        let is_inside = |key: &&Vec<u8>| {
            lower.is_none_or(|lower| !self.is_before(key, lower))
                && upper.is_none_or(|upper| self.is_before(key, upper))
        };
        let keys = self.versions.keys().filter(is_inside);
        let entry = |key: &Vec<u8>| Some(Entry::new(key.clone(), self.get(key, sequence)?));
        let mut entries: Vec<Entry> = keys.filter_map(entry).collect();
        if self.shape.is_reverse {
            entries.reverse();
        }
        entries
    }

    /// Whether a table can hold these: keys that ascend, none of them for single deletions, then ranges.
    pub(super) fn is_table(&self, operations: &[Operation]) -> bool {
        let key = |operation: &Operation| match operation {
            Operation::Put { key, .. }
            | Operation::Merge { key, .. }
            | Operation::Delete { key, .. } => Some(key.0.clone()),
            _ => None,
        };
        let keys: Vec<_> = operations.iter().map_while(key).collect();
        let is_range = |operation: &Operation| match operation {
            Operation::DeleteRange { begin, end, .. } => self.is_before(&begin.0, &end.0),
            _ => false,
        };
        !operations.is_empty()
            && operations[keys.len()..].iter().all(is_range)
            && keys.windows(2).all(|pair| self.is_before(&pair[0], &pair[1]))
            && keys.iter().all(|key| !key.starts_with(b"s"))
    }

    /// Whether what these operations leave behind is defined. Keys that begin with an `s` are for
    /// single deletions: put once, and deleted by nothing but a single deletion or a range. `now`
    /// is the number of the last change to any family.
    pub(super) fn allows(&self, now: u64, operations: &[&Operation]) -> bool {
        let mut seen = BTreeSet::new();
        let mut deletes_range = false;
        let mut allowed = true;
        for operation in operations {
            let is_single = |key: &[u8]| key.starts_with(b"s");
            allowed &= match operation {
                Operation::Put { key, .. } if is_single(&key.0) => {
                    seen.insert(&key.0) && self.get(&key.0, now).is_none()
                }
                Operation::SingleDelete { key, .. } => {
                    is_single(&key.0) && seen.insert(&key.0) && self.get(&key.0, now).is_some()
                }
                Operation::Merge { key, .. } => self.shape.merge.is_some() && !is_single(&key.0),
                Operation::Delete { key, .. } | Operation::PutEntity { key, .. } => {
                    !is_single(&key.0)
                }
                Operation::DeleteRange { begin, end, .. } => {
                    deletes_range = true;
                    !self.is_before(&end.0, &begin.0)
                }
                Operation::Put { .. } | Operation::LogData { .. } => true,
            };
        }
        allowed && (seen.is_empty() || !deletes_range)
    }
}
