//! `readrandomfast`: a hundred random keys between two looks at the clock. The key space is rounded up
//! to a power of two, so that some keys do not exist.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

const GETS: u64 = 100;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let (mut read, mut found, mut missing) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    let target = workload.select_target(&mut thread.random);
    let key_count = workload.keys.key_count;
    let mask = key_count.next_power_of_two() - 1;
    let mut limit = workload.limit();
    loop {
        for _ in 0..GETS {
            let number = thread.random.next_u64() & mask;
            workload.key(number, &mut key);
            read += 1;
            let value = target.db.get(&workload.read_options, &target.families[0], &key)?;
            found += u64::from(value.is_some());
            missing += u64::from(number >= key_count);
        }
        workload.wait_for_reads(GETS - 1, GETS);
        thread.stats.finished_operations(GETS, OperationType::Read);
        if limit.is_done(GETS) {
            break;
        }
    }
    thread
        .stats
        .add_message(&format!("({found} of {read} found, issued {missing} non-exist keys)\n"));
    Ok(())
}
