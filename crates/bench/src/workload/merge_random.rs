//! `mergerandom`: merges a value into a random key.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let mut values = workload.values(thread);
    let keys = workload.merge_keys();
    let mut bytes = 0;
    let mut key = Vec::new();
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let number = thread.random.next_u64() % keys.key_count;
        keys.write(number, &mut key);
        let family = workload.family(target, number);
        let operand = values.next_value();
        target.db.merge(&workload.write_options, family, &key, operand)?;
        bytes += (key.len() + operand.len()) as u64;
        thread.stats.finished_operations(1, OperationType::Merge);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_message(&format!("( updates:{})", workload.reads_and_writes));
    Ok(())
}
