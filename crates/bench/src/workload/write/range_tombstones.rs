//! Deletions of ranges between puts (`--writes_per_range_tombstone` and the like).

use crate::flags::Flags;

/// When ranges are deleted, and how wide they are.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct RangeTombstones {
    writes_before: u64,
    writes_between: u64,
    /// How many there will be at most.
    pub(in crate::workload) count_max: u64,
    /// Keys of a range.
    pub(in crate::workload) width: u64,
    /// Whether each key is deleted instead.
    pub(in crate::workload) is_expanded: bool,
}

impl RangeTombstones {
    pub(in crate::workload) fn new(flags: &Flags) -> Self {
        Self {
            writes_before: flags.uint("writes_before_delete_range"),
            writes_between: flags.uint("writes_per_range_tombstone"),
            count_max: flags.uint("max_num_range_tombstones"),
            width: flags.uint("range_tombstone_width"),
            is_expanded: flags.bool("expand_range_tombstones"),
        }
    }

    /// Whether one is due after so many writes.
    #[inline]
    pub(in crate::workload) fn is_due(&self, written: u64) -> bool {
        if self.writes_between == 0 || written <= self.writes_before {
            return false;
        }
        let since = written - self.writes_before;
        since.is_multiple_of(self.writes_between) && since / self.writes_between <= self.count_max
    }
}

#[cfg(test)]
mod tests;
