//! As of when a read looks.
//!
//! A write takes effect when its sequence number is published, after the memtables have it.

use crate::super_version::SuperVersion;
use base::SequenceNumber;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What reads may see of what is in memtables and tables.
#[derive(Debug)]
pub(crate) struct Visibility {
    last_sequence: AtomicU64,
    /// Sequence numbers of prepared and not committed writes, ascending.
    pub(crate) uncommitted: Arc<[SequenceNumber]>,
}

impl Visibility {
    pub(crate) fn new(last_sequence: SequenceNumber, uncommitted: Arc<[SequenceNumber]>) -> Self {
        Self { last_sequence: AtomicU64::new(last_sequence), uncommitted }
    }

    /// Number of the last write that reads see.
    #[inline]
    pub(crate) fn last_sequence(&self) -> SequenceNumber {
        self.last_sequence.load(Ordering::Acquire)
    }

    /// Shows everything up to `sequence`, which is in the memtables. Pairs with the load above.
    pub(crate) fn publish(&self, sequence: SequenceNumber) {
        self.last_sequence.store(sequence, Ordering::Release);
    }
}

/// A super version and the newest sequence number visible in it. Borrowed, so that a point lookup
/// counts no reference that other threads count too; a scan takes references of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadView<'v> {
    pub(crate) super_version: &'v Arc<SuperVersion>,
    pub(crate) sequence: SequenceNumber,
    /// Sequence numbers of prepared and not committed writes, ascending.
    pub(crate) uncommitted: &'v Arc<[SequenceNumber]>,
}
