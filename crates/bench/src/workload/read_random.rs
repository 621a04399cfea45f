//! `readrandom` and `readmissing`: a random key at a time.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    let batch_size = workload.flags.uint("batch_size").max(1);
    let stride = workload.flags.uint("multiread_stride");
    let (mut number, mut in_batch) = (0, 0);
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        // With a stride keys come in batches here too. The first batch starts at key 0 and is one
        // short, as in `db_bench`.
        if batch_size > 1 && stride > 0 {
            in_batch += 1;
            if in_batch == batch_size {
                in_batch = 0;
                number = workload.chooser.choose_stride(&mut thread.random, batch_size, stride);
            } else {
                number += stride;
            }
        } else {
            number = workload.chooser.choose(&mut thread.random);
        }
        workload.key(number, &mut key);
        read += 1;
        let family = workload.family(target, number);
        if let Some(value) = target.db.get(&workload.read_options, family, &key)? {
            found += 1;
            bytes += (key.len() + value.len()) as u64;
        }
        workload.wait_for_reads(read, 256);
        thread.stats.finished_operations(1, OperationType::Read);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_lookups(found, read);
    thread.stats.add_message(&format!("({found} of {read} found)\n"));
    Ok(())
}
