//! What the live snapshots still need.
//!
//! Snapshots cut the sequence numbers into *stripes*: two versions of a key in the same stripe are
//! seen by the same snapshots, so only the newer one can ever be read.

use base::SequenceNumber;
use base::dbformat::MAX_SEQUENCE_NUMBER;

/// The snapshots that are live while a job runs. A snapshot released meanwhile costs nothing but
/// that its versions stay until the next job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotRules {
    /// Ascending, without equal ones.
    snapshots: Vec<SequenceNumber>,
    /// Ascending. See [`SnapshotRules::with_uncommitted`].
    uncommitted: Vec<SequenceNumber>,
    earliest_write_conflict_snapshot: Option<SequenceNumber>,
}

/// A stripe: what sees a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The earliest snapshot that sees it; [`MAX_SEQUENCE_NUMBER`] if only the newest reads do.
    pub snapshot: SequenceNumber,
    /// The snapshot before, which does not see it. That may be of sequence number 0, which files have that
    /// were taken into an empty database.
    pub previous: Option<SequenceNumber>,
}

impl SnapshotRules {
    /// The rules for snapshots at these sequence numbers, in any order.
    pub fn new(mut snapshots: Vec<SequenceNumber>) -> Self {
        snapshots.sort_unstable();
        snapshots.dedup();
        Self { snapshots, ..Self::default() }
    }

    /// Transactions check for conflicting writes since this sequence number: of each key the
    /// newest write after it must stay known. Default: none do.
    #[must_use]
    pub fn with_write_conflict_snapshot(mut self, sequence: SequenceNumber) -> Self {
        self.earliest_write_conflict_snapshot = Some(sequence);
        self
    }

    /// Entries with these sequence numbers belong to transactions that are prepared and not
    /// committed: no snapshot sees them, they hide nothing, and they stay as they are.
    #[must_use]
    pub fn with_uncommitted(mut self, mut sequences: Vec<SequenceNumber>) -> Self {
        sequences.sort_unstable();
        self.uncommitted = sequences;
        self
    }

    /// The snapshots, ascending.
    pub fn snapshots(&self) -> &[SequenceNumber] {
        &self.snapshots
    }

    /// Whether nobody reads but at the tip.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.snapshots.is_empty()
    }

    /// The earliest snapshot; [`MAX_SEQUENCE_NUMBER`] without any.
    #[inline]
    pub fn earliest(&self) -> SequenceNumber {
        self.snapshots.first().copied().unwrap_or(MAX_SEQUENCE_NUMBER)
    }

    /// The latest snapshot; 0 without any.
    pub fn latest(&self) -> SequenceNumber {
        self.snapshots.last().copied().unwrap_or(0)
    }

    /// The sequence number up to which no transaction asks for conflicting writes.
    pub fn earliest_write_conflict_snapshot(&self) -> SequenceNumber {
        self.earliest_write_conflict_snapshot.unwrap_or(MAX_SEQUENCE_NUMBER)
    }

    /// Whether all writes are committed.
    #[inline]
    pub fn are_all_committed(&self) -> bool {
        self.uncommitted.is_empty()
    }

    /// Whether the write is committed.
    #[inline]
    pub fn is_committed(&self, sequence: SequenceNumber) -> bool {
        self.uncommitted.is_empty() || self.uncommitted.binary_search(&sequence).is_err()
    }

    /// Whether a read at `snapshot` sees the write.
    #[inline]
    pub fn is_in_snapshot(&self, sequence: SequenceNumber, snapshot: SequenceNumber) -> bool {
        sequence <= snapshot && self.is_committed(sequence)
    }

    /// Whether every read sees the write.
    #[inline]
    pub fn is_in_earliest(&self, sequence: SequenceNumber) -> bool {
        self.is_in_snapshot(sequence, self.earliest())
    }

    /// Index of the first snapshot that sees the write; the number of snapshots if none does.
    #[inline]
    pub fn stripe_index(&self, sequence: SequenceNumber) -> usize {
        self.snapshots.partition_point(|snapshot| *snapshot < sequence)
    }

    /// The stripe of a committed write.
    #[inline]
    pub fn stripe(&self, sequence: SequenceNumber) -> Stripe {
        if self.snapshots.is_empty() {
            return Stripe { snapshot: MAX_SEQUENCE_NUMBER, previous: None };
        }
        let index = self.stripe_index(sequence);
        Stripe {
            snapshot: self.snapshots.get(index).copied().unwrap_or(MAX_SEQUENCE_NUMBER),
            previous: index.checked_sub(1).map(|before| self.snapshots[before]),
        }
    }

    /// Whether the snapshot before a stripe sees the write, which then is of an older stripe.
    #[inline]
    pub fn is_before(&self, stripe: Stripe, sequence: SequenceNumber) -> bool {
        stripe.previous.is_some_and(|previous| self.is_in_snapshot(sequence, previous))
    }
}

#[cfg(test)]
mod tests;
