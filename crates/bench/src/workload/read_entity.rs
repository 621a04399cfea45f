//! `readrandomentity` and `multireadentity`: random keys with all of their columns.

use super::{Thread, Workload, random_lookups};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    random_lookups::run(workload, thread, |db, family, key| {
        let columns = db.get_entity(&workload.read_options, family, key)?;
        Ok(columns.as_deref().map(size_of))
    })
}

/// As `multireadrandom`, `--batch_size` keys at a time.
pub(super) fn run_batches<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    let mut limit = workload.limit();
    while !limit.is_done(workload.batch_size) {
        let target = workload.select_target(&mut thread.random);
        for _ in 0..workload.batch_size {
            workload.key(workload.chooser.choose(&mut thread.random), &mut key);
            read += 1;
            let family = &target.families[0];
            if let Some(columns) = target.db.get_entity(&workload.read_options, family, &key)? {
                found += 1;
                bytes += (key.len() + size_of(&columns)) as u64;
            }
        }
        thread.stats.finished_operations(workload.batch_size, OperationType::Read);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_lookups(found, read);
    thread.stats.add_message(&format!("({found} of {read} found)"));
    Ok(())
}

fn size_of(columns: &[(Vec<u8>, Vec<u8>)]) -> usize {
    columns.iter().map(|(name, value)| name.len() + value.len()).sum()
}
