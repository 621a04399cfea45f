//! Snapshots: sequence numbers whose versions are kept.

use crate::db_impl::DbImpl;
use base::SequenceNumber;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The sequence numbers that snapshots hold, with how many hold each.
#[derive(Debug, Default)]
pub(crate) struct SnapshotList {
    held: Mutex<BTreeMap<SequenceNumber, Held>>,
}

#[derive(Debug)]
struct Held {
    count: usize,
    /// When the first of them was taken, in seconds since 1970.
    taken_at_secs: u64,
}

/// A state of the database that stays readable: give its number to
/// [`ReadOptions::snapshot`](table::ReadOptions). Dropping it lets go.
#[derive(Debug)]
pub struct Snapshot {
    sequence: SequenceNumber,
    list: Arc<SnapshotList>,
    /// To be told when it is dropped: something may be compacted then.
    db: Weak<DbImpl>,
}

impl Snapshot {
    /// The newest sequence number it shows.
    pub fn sequence(&self) -> SequenceNumber {
        self.sequence
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.list.release(self.sequence);
        if let Some(db) = self.db.upgrade() {
            db.after_snapshot_release();
        }
    }
}

impl SnapshotList {
    /// Takes a snapshot at the number that `sequence` gives, asked for under the list's lock, so
    /// that whoever looks at the list afterwards finds it.
    pub(crate) fn take(
        self: &Arc<Self>,
        db: Weak<DbImpl>,
        taken_at_secs: u64,
        sequence: impl FnOnce() -> SequenceNumber,
    ) -> Snapshot {
        let mut held = self.held.lock();
        let sequence = sequence();
        held.entry(sequence).or_insert(Held { count: 0, taken_at_secs }).count += 1;
        Snapshot { sequence, list: self.clone(), db }
    }

    fn release(&self, sequence: SequenceNumber) {
        let mut held = self.held.lock();
        if let Some(entry) = held.get_mut(&sequence) {
            entry.count -= 1;
            if entry.count == 0 {
                held.remove(&sequence);
            }
        }
    }

    /// The numbers held, ascending.
    pub(crate) fn sequences(&self) -> Vec<SequenceNumber> {
        self.held.lock().keys().copied().collect()
    }

    /// The oldest number held.
    pub(crate) fn oldest(&self) -> Option<SequenceNumber> {
        self.held.lock().keys().next().copied()
    }

    /// How many snapshots there are.
    pub(crate) fn count(&self) -> u64 {
        self.held.lock().values().map(|held| held.count as u64).sum()
    }

    /// When the oldest was taken, in seconds since 1970.
    pub(crate) fn oldest_time_secs(&self) -> Option<u64> {
        self.held.lock().values().next().map(|held| held.taken_at_secs)
    }
}

#[cfg(test)]
mod tests;
