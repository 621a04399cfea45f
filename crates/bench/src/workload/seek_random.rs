//! `seekrandom`: a new iterator, a seek to a random key, then `--seek_nexts` entries.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::{Cursor, Engine};
use std::hint::black_box;

/// Bytes of each value that are copied out, so that they are read.
const COPIED_BYTES: usize = 256;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let flags = workload.flags;
    let nexts = flags.uint("seek_nexts");
    let distance = flags.uint("max_scan_distance");
    let is_reverse = flags.bool("reverse_iterator");
    let is_missing_prefix = flags.bool("seek_missing_prefix");
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let (mut key, mut bound) = (Vec::new(), Vec::new());
    let mut copy = [0; COPIED_BYTES];
    let mut options = workload.read_options.clone();
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let position = thread.random.next_u64() % workload.chooser.key_count;
        workload.key(position, &mut key);
        if is_missing_prefix && key.len() > 8 {
            key[8] = b'1';
        }
        let target = match workload.targets {
            [only] => only,
            several => &several[thread.random.next_u64() as usize % several.len()],
        };
        if distance > 0 && is_reverse {
            workload.key(position.saturating_sub(distance), &mut bound);
            target.db.set_bounds(&mut options, Some(&bound), None)?;
        } else if distance > 0 {
            workload.key((position + distance).min(workload.chooser.key_count), &mut bound);
            target.db.set_bounds(&mut options, None, Some(&bound))?;
        }
        let mut iterator = target.db.new_iterator(&options, &target.families[0])?;
        iterator.seek(&key);
        read += 1;
        found += u64::from(iterator.valid() && iterator.key() == key);
        for _ in 0..nexts {
            if !iterator.valid() {
                break;
            }
            let value = iterator.value();
            let length = value.len().min(COPIED_BYTES);
            copy[..length].copy_from_slice(&value[..length]);
            black_box(&copy);
            bytes += (iterator.key().len() + value.len()) as u64;
            if is_reverse {
                iterator.prev();
            } else {
                iterator.next();
            }
        }
        iterator.status()?;
        thread.stats.finished_operations(1, OperationType::Seek);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_lookups(found, read);
    thread.stats.add_message(&format!("({found} of {read} found)\n"));
    Ok(())
}
