//! Counters of writes.

use parking_lot::Mutex;
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
    last_group_bytes: AtomicU64,
    /// The counters when they were last reset.
    forgotten: Mutex<WriteCounts>,
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
    /// Writes since the database was opened, whatever was reset.
    pub(crate) fn batches(&self) -> u64 {
        self.batches.load(Ordering::Relaxed)
    }

    /// Bytes of the last group, unless they were asked for already. For the one who leads.
    pub(crate) fn take_last_group_bytes(&self) -> u64 {
        self.last_group_bytes.swap(0, Ordering::Relaxed)
    }

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
        self.last_group_bytes.store(group.bytes, Ordering::Relaxed);
        if group.is_logged {
            add(&self.logged_batches, group.batches);
            add(&self.wal_bytes, group.bytes);
            add(&self.wal_syncs, u64::from(group.is_synced));
        }
    }

    /// Counts from zero again. Leaders go on adding meanwhile, so that the counters stay.
    pub(crate) fn reset(&self) {
        let mut forgotten = self.forgotten.lock();
        *forgotten = self.all_counts();
    }

    /// What was counted since the last reset.
    pub(crate) fn counts(&self) -> WriteCounts {
        let forgotten = *self.forgotten.lock();
        let all = self.all_counts();
        WriteCounts {
            groups: all.groups - forgotten.groups,
            batches: all.batches - forgotten.batches,
            entries: all.entries - forgotten.entries,
            bytes: all.bytes - forgotten.bytes,
            logged_batches: all.logged_batches - forgotten.logged_batches,
            wal_bytes: all.wal_bytes - forgotten.wal_bytes,
            wal_syncs: all.wal_syncs - forgotten.wal_syncs,
        }
    }

    fn all_counts(&self) -> WriteCounts {
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
