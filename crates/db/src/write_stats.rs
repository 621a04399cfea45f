//! Counters of writes.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counted by the leader of each group.
#[derive(Debug, Default)]
pub(crate) struct WriteStats {
    groups: AtomicU64,
    batches: AtomicU64,
    entries: AtomicU64,
    bytes: AtomicU64,
    logged_batches: AtomicU64,
    wal_bytes: AtomicU64,
    wal_syncs: AtomicU64,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WriteCounts {
    pub(crate) groups: u64,
    pub(crate) batches: u64,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
    pub(crate) logged_batches: u64,
    pub(crate) wal_bytes: u64,
    pub(crate) wal_syncs: u64,
}

/// One group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WrittenGroup {
    pub(crate) batches: u64,
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
    pub(crate) is_logged: bool,
    pub(crate) is_synced: bool,
}

impl WriteStats {
    /// One group was written.
    pub(crate) fn count(&self, group: &WrittenGroup) {
        // One leader at a time adds: a load and a store do, and cost no locked instruction.
        let add = |counter: &AtomicU64, value: u64| {
            counter.store(counter.load(Ordering::Relaxed) + value, Ordering::Relaxed);
        };
        add(&self.groups, 1);
        add(&self.batches, group.batches);
        add(&self.entries, group.entries);
        add(&self.bytes, group.bytes);
        if group.is_logged {
            add(&self.logged_batches, group.batches);
            add(&self.wal_bytes, group.bytes);
            add(&self.wal_syncs, u64::from(group.is_synced));
        }
    }

    /// The counters now.
    pub(crate) fn counts(&self) -> WriteCounts {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WriteCounts {
            groups: load(&self.groups),
            batches: load(&self.batches),
            entries: load(&self.entries),
            bytes: load(&self.bytes),
            logged_batches: load(&self.logged_batches),
            wal_bytes: load(&self.wal_bytes),
            wal_syncs: load(&self.wal_syncs),
        }
    }
}
