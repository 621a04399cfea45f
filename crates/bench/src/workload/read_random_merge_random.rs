//! `readrandommergerandom`: of `--mergereadpercent` operations in a hundred a merge, else a read.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let mut values = workload.values(thread);
    let keys = workload.merge_keys();
    let percent = workload.flags.int("mergereadpercent");
    let (mut hits, mut gets, mut merges, mut length_max) = (0u64, 0u64, 0u64, 0);
    let mut key = Vec::new();
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let family = &target.families[0];
        keys.write(thread.random.next_u64() % keys.key_count, &mut key);
        let operation = if ((thread.random.next_u64() % 100) as i64) < percent {
            target.db.merge(&workload.write_options, family, &key, values.next_value())?;
            merges += 1;
            OperationType::Merge
        } else {
            if let Some(value) = target.db.get(&workload.read_options, family, &key)? {
                length_max = length_max.max(value.len());
                hits += 1;
            }
            gets += 1;
            OperationType::Read
        };
        thread.stats.finished_operations(1, operation);
    }
    let total = workload.reads_and_writes;
    thread.stats.add_message(&format!(
        "(reads:{gets} merges:{merges} total:{total} hits:{hits} maxlength:{length_max})"
    ));
    Ok(())
}
