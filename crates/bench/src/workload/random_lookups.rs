//! Lookups of random keys in other ways than `readrandom`'s.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

/// Looks up a random key at a time, with `lookup`: how many bytes there are for the key, none if it is
/// not there.
pub(super) fn run<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    lookup: impl Fn(&E, &E::Family, &[u8]) -> Result<Option<usize>>,
) -> Result<()> {
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let number = workload.chooser.choose(&mut thread.random);
        workload.key(number, &mut key);
        read += 1;
        let family = workload.family(target, number);
        if let Some(size) = lookup(&target.db, family, &key)? {
            found += 1;
            bytes += (key.len() + size) as u64;
        }
        workload.wait_for_reads(read, 256);
        thread.stats.finished_operations(1, OperationType::Read);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_lookups(found, read);
    thread.stats.add_message(&format!("({found} of {read} found)\n"));
    Ok(())
}
