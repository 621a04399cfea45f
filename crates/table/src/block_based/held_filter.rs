//! The filter of a table, held apart from it: for who asks many tables for one key, few of which have it.

use crate::block_based::filter_reader::{FilterBits, TableFilter};
use crate::block_based::meta_block::Meta;
use crate::block_based::perf_counts::PerfCounts;
use crate::block_based::reader::BlockBasedTable;
use crate::block_based::table_lookup::TableLookup;
use crate::block_based::table_stats::count_filtered;
use crate::filter::KeyHash;
use std::sync::Arc;

/// A filter over all keys of a table, in memory as long as this is.
#[derive(Clone, Debug)]
pub struct HeldFilter {
    bits: Arc<Meta<FilterBits>>,
    perf: PerfCounts,
}

impl HeldFilter {
    /// Asks for the memory that [`Self::may_match`] looks at.
    #[inline]
    pub fn prefetch(&self, hash: KeyHash<'_>) {
        self.bits.prefetch(hash);
    }

    /// Whether the table may have the key of this hash, which is that of `lookup`. The answer is counted.
    #[inline]
    pub fn may_match(&self, lookup: &TableLookup<'_>, hash: KeyHash<'_>) -> bool {
        let may_match = self.bits.hash_may_match(hash);
        count_filtered(self.perf, lookup.recorder, true, may_match);
        may_match
    }
}

impl BlockBasedTable {
    /// Whether all that the table has of a key is found through a filter that it holds, or will hold once
    /// it is needed.
    pub fn is_behind_filter(&self) -> bool {
        let is_held = match &self.filter {
            Some(TableFilter::Full(bits)) => bits.is_held(),
            Some(TableFilter::Partitioned(_)) | None => false,
        };
        is_held && self.filtering.has_whole_keys && self.range_tombstones.is_none()
    }

    /// That filter, if the table holds it already.
    pub fn held_filter(&self) -> Option<HeldFilter> {
        match &self.filter {
            Some(TableFilter::Full(bits)) if self.is_behind_filter() => {
                Some(HeldFilter { bits: bits.held()?.clone(), perf: self.stats.perf() })
            }
            _ => None,
        }
    }
}
