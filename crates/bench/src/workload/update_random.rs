//! `updaterandom` and `appendrandom`: reads a random key and puts it again.

use super::{Thread, Workload, wait_for_grant};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    update(workload, thread, |_, new, stored| stored.extend_from_slice(new), true)
}

/// The new value is the old one, a comma and a value.
pub(super) fn run_appending<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let append = |old: &[u8], new: &[u8], stored: &mut Vec<u8>| {
        if !old.is_empty() {
            stored.extend_from_slice(old);
            stored.push(b',');
        }
        stored.extend_from_slice(new);
    };
    update(workload, thread, append, false)
}

/// `xorupdaterandom`: the new value is the old one, changed bit by bit.
pub(super) fn run_xor<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let mut values = workload.values(thread);
    let (mut found, mut size) = (0u64, 0);
    let (mut key, mut stored) = (Vec::new(), Vec::new());
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let family = &target.families[0];
        workload.key(workload.random_number(&mut thread.random), &mut key);
        stored.clear();
        let old = target.db.get(&workload.read_options, family, &key)?;
        // A key without a value gets one as long as that of the key before.
        size = old.as_ref().map_or(size, |old| old.len());
        stored.extend_from_slice(values.next_of_size(size));
        if let Some(old) = old {
            found += 1;
            stored.iter_mut().zip(old.iter()).for_each(|(byte, old)| *byte ^= old);
        }
        target.db.put(&workload.write_options, family, &key, &stored)?;
        thread.stats.finished_operations(1, OperationType::Other);
    }
    let updates = workload.reads_and_writes;
    thread.stats.add_message(&format!("( updates:{updates} found:{found})"));
    Ok(())
}

/// `combine` writes what is stored over an empty buffer, of the old value and the next one.
fn update<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    combine: impl Fn(&[u8], &[u8], &mut Vec<u8>),
    is_limited: bool,
) -> Result<()> {
    let mut values = workload.values(thread);
    let (mut found, mut bytes) = (0u64, 0u64);
    let (mut key, mut stored) = (Vec::new(), Vec::new());
    let mut limit = workload.limit_of(workload.reads_and_writes, workload.flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        let family = &target.families[0];
        workload.key(workload.random_number(&mut thread.random), &mut key);
        stored.clear();
        let old = target.db.get(&workload.read_options, family, &key)?;
        let old = old.as_deref();
        if let Some(old) = old {
            found += 1;
            bytes += (key.len() + old.len()) as u64;
        }
        combine(old.unwrap_or_default(), values.next_value(), &mut stored);
        if let (Some(limiter), true) = (&workload.write_limiter, is_limited) {
            wait_for_grant(limiter, (key.len() + stored.len()) as u64);
        }
        target.db.put(&workload.write_options, family, &key, &stored)?;
        bytes += (key.len() + stored.len()) as u64;
        thread.stats.finished_operations(1, OperationType::Update);
    }
    thread.stats.add_bytes(bytes);
    let updates = workload.reads_and_writes;
    thread.stats.add_message(&format!("( updates:{updates} found:{found})"));
    Ok(())
}
