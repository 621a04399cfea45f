//! The memtables of a column family that take no writes any more and are in no table yet.

use memtable::MemTable;
use std::sync::Arc;

/// One of them.
#[derive(Clone, Debug)]
pub(crate) struct ImmutableMemTable {
    pub(crate) memtable: Arc<MemTable>,
    /// WALs with a smaller number hold nothing that came after this memtable.
    pub(crate) next_log_number: u64,
    /// A flush is writing it to a table.
    pub(crate) is_flushing: bool,
}

/// All of them, from old to new.
#[derive(Debug, Default)]
pub(crate) struct MemTableList {
    memtables: Vec<ImmutableMemTable>,
}

impl MemTableList {
    /// Adds the newest.
    pub(crate) fn push(&mut self, memtable: Arc<MemTable>, next_log_number: u64) {
        self.memtables.push(ImmutableMemTable { memtable, next_log_number, is_flushing: false });
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.memtables.len()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.memtables.is_empty()
    }

    /// From new to old, as reads go through them.
    pub(crate) fn newest_first(&self) -> impl Iterator<Item = &Arc<MemTable>> {
        self.memtables.iter().rev().map(|immutable| &immutable.memtable)
    }

    /// From old to new.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = &ImmutableMemTable> {
        self.memtables.iter()
    }

    /// Whether a flush is writing one of them.
    pub(crate) fn is_flushing(&self) -> bool {
        self.memtables.iter().any(|immutable| immutable.is_flushing)
    }

    /// Gives all that wait to a flush, from old to new. None while another flush is under way: its
    /// memtables are older, and become tables first.
    pub(crate) fn pick_to_flush(&mut self) -> Vec<ImmutableMemTable> {
        if self.is_flushing() {
            return Vec::new();
        }
        for immutable in &mut self.memtables {
            immutable.is_flushing = true;
        }
        self.memtables.clone()
    }

    /// The flush of `picked` failed; they wait again.
    pub(crate) fn give_back(&mut self, picked: &[ImmutableMemTable]) {
        for immutable in &mut self.memtables {
            let is_same =
                |other: &ImmutableMemTable| Arc::ptr_eq(&other.memtable, &immutable.memtable);
            if picked.iter().any(is_same) {
                immutable.is_flushing = false;
            }
        }
    }

    /// `picked` are in tables now.
    pub(crate) fn remove(&mut self, picked: &[ImmutableMemTable]) {
        self.memtables.retain(|immutable| {
            !picked.iter().any(|other| Arc::ptr_eq(&other.memtable, &immutable.memtable))
        });
    }
}
