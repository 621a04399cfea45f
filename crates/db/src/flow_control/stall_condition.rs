//! Whether a column family's state slows writes down or stops them, and why.

use options::ColumnFamilyOptions;

/// What happens to writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StallCondition {
    Normal,
    Delayed(StallCause),
    Stopped(StallCause),
}

/// Why it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StallCause {
    /// Memtables wait for their flush.
    Memtables,
    /// Files in L0 wait for their compaction.
    L0Files,
    /// Bytes in all levels wait for theirs.
    PendingCompactionBytes,
}

impl StallCause {
    /// All, in this order.
    pub(crate) const ALL: [Self; 3] =
        [Self::Memtables, Self::L0Files, Self::PendingCompactionBytes];

    /// RocksDB's name in `rocksdb.cf-write-stall-stats`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Memtables => "memtable-limit",
            Self::L0Files => "l0-file-count-limit",
            Self::PendingCompactionBytes => "pending-compaction-bytes",
        }
    }
}

/// What decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StallState {
    /// Memtables that are neither active nor flushed.
    pub(crate) immutable_memtables: usize,
    /// Files in L0; in universal compaction each deeper level that has files counts as one more.
    pub(crate) l0_runs: usize,
    pub(crate) pending_compaction_bytes: u64,
    /// Bytes of the last level that has files.
    pub(crate) bottommost_bytes: u64,
}

fn at_least(count: usize, trigger: i32) -> bool {
    usize::try_from(trigger).map_or(true, |trigger| count >= trigger)
}

impl StallState {
    /// The condition under sanitized options.
    pub(crate) fn condition(&self, options: &ColumnFamilyOptions) -> StallCondition {
        use StallCause::{L0Files, Memtables, PendingCompactionBytes};
        let compacts = !options.disable_auto_compactions;
        let exceeds = |limit: u64| limit > 0 && self.pending_compaction_bytes >= limit;
        let buffers_max = options.max_write_buffer_number;
        let merged = options.min_write_buffer_number_to_merge;
        if at_least(self.immutable_memtables, buffers_max) {
            StallCondition::Stopped(Memtables)
        } else if compacts && at_least(self.l0_runs, options.level0_stop_writes_trigger) {
            StallCondition::Stopped(L0Files)
        } else if compacts && exceeds(options.hard_pending_compaction_bytes_limit) {
            StallCondition::Stopped(PendingCompactionBytes)
        } else if buffers_max > 3
            && at_least(self.immutable_memtables, buffers_max - 1)
            && at_least(self.immutable_memtables, merged.saturating_add(1))
        {
            StallCondition::Delayed(Memtables)
        } else if compacts
            && options.level0_slowdown_writes_trigger >= 0
            && at_least(self.l0_runs, options.level0_slowdown_writes_trigger)
        {
            StallCondition::Delayed(L0Files)
        } else if compacts && exceeds(options.soft_pending_compaction_bytes_limit) {
            StallCondition::Delayed(PendingCompactionBytes)
        } else {
            StallCondition::Normal
        }
    }

    /// Whether compactions should hurry although writes need not be delayed yet: L0 is on a quarter
    /// of the way from its trigger to a delay, or twice as full as the trigger; or as much is left
    /// to compact as is large for this tree, or on a quarter of the way to a delay.
    pub(crate) fn needs_speedup(&self, options: &ColumnFamilyOptions) -> bool {
        if options.disable_auto_compactions {
            return false;
        }
        self.has_many_l0_runs(options)
            || self.pending_compaction_bytes >= self.large_debt_bytes(options)
    }

    /// Whether it is L0 that compactions should hurry for.
    pub(crate) fn has_many_l0_runs(&self, options: &ColumnFamilyOptions) -> bool {
        let trigger = i64::from(options.level0_file_num_compaction_trigger);
        let slowdown = i64::from(options.level0_slowdown_writes_trigger);
        let hurry_from = (2 * trigger).min(trigger + (slowdown - trigger) / 4);
        trigger >= 0 && i64::try_from(self.l0_runs).unwrap_or(i64::MAX) >= hurry_from
    }

    fn large_debt_bytes(&self, options: &ColumnFamilyOptions) -> u64 {
        let by_limit = options.soft_pending_compaction_bytes_limit / 4;
        if self.bottommost_bytes == 0 {
            return by_limit;
        }
        let debt_min = options.max_bytes_for_level_base.saturating_mul(2);
        (self.bottommost_bytes / 8).max(debt_min).min(by_limit)
    }

    /// Whether writes are delayed and close to a stop, so that they must slow down more.
    pub(crate) fn is_near_stop(&self, options: &ColumnFamilyOptions) -> bool {
        match self.condition(options) {
            StallCondition::Delayed(StallCause::L0Files) => {
                at_least(self.l0_runs, options.level0_stop_writes_trigger.saturating_sub(2))
            }
            StallCondition::Delayed(StallCause::PendingCompactionBytes) => {
                let soft = options.soft_pending_compaction_bytes_limit;
                let hard = options.hard_pending_compaction_bytes_limit;
                let beyond = u128::from(self.pending_compaction_bytes.saturating_sub(soft));
                hard > 0 && beyond > 3 * u128::from(hard.saturating_sub(soft)) / 4
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
