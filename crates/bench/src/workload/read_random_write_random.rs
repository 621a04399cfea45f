//! `readrandomwriterandom`: of each hundred operations first `--readwritepercent` reads, then puts.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let mut values = workload.values(thread);
    let read_percent = workload.flags.uint("readwritepercent");
    let (mut read_count, mut write_count, mut found) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        workload.key(workload.random_number(&mut thread.random), &mut key);
        let family = &target.families[0];
        let operation = if (read_count + write_count) % 100 < read_percent {
            let value = target.db.get(&workload.read_options, family, &key)?;
            found += u64::from(value.is_some());
            read_count += 1;
            OperationType::Read
        } else {
            target.db.put(&workload.write_options, family, &key, values.next_value())?;
            write_count += 1;
            OperationType::Write
        };
        thread.stats.finished_operations(1, operation);
    }
    let total = workload.reads_and_writes;
    thread.stats.add_message(&format!(
        "( reads:{read_count} writes:{write_count} total:{total} found:{found})"
    ));
    Ok(())
}
