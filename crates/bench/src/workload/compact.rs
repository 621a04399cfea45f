//! `compact`: compacts all there is, in one operation.

use super::{Thread, Workload};
use base::Result;
use db::{BottommostLevelCompaction, CompactRangeOptions};
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let target = workload.select_target(&mut thread.random);
    let options = CompactRangeOptions {
        bottommost_level_compaction: BottommostLevelCompaction::ForceOptimized,
        ..CompactRangeOptions::default()
    };
    target.db.compact_range(&options, &target.families[0], None, None)
}
