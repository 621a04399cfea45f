//! `timeseries`: thread 0 puts entries of random ids, the others read all entries of an id. A key is
//! the id and the time, eight bytes each, big-endian; time goes on by one with each put.

use super::{Thread, Workload, wait_for_grant};
use crate::compaction_filters::{ID_BYTES, age};
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Cursor, Engine};
use std::hint::black_box;
use std::sync::atomic::Ordering;

pub(super) fn run_writing<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    if workload.keys.key_size < ID_BYTES + 8 {
        return Err(Status::invalid_argument("timeseries: --key_size must be at least 16"));
    }
    let flags = workload.flags;
    let id_count = flags.uint("key_id_range").max(1);
    let mut values = workload.values(thread);
    let mut key = Vec::new();
    let mut limit = workload.limit_of(workload.writes, flags.uint("duration"));
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        workload.key(thread.random.next_u64() % id_count, &mut key);
        // Relaxed: times need only differ.
        let now = workload.time.fetch_add(1, Ordering::Relaxed);
        key[ID_BYTES..ID_BYTES + 8].copy_from_slice(&now.to_be_bytes());
        let value = values.next_value();
        target.db.put(&workload.write_options, &target.families[0], &key, value)?;
        thread.stats.finished_operations(1, OperationType::Write);
        thread.stats.add_bytes((key.len() + value.len()) as u64);
        if let Some(limiter) = &workload.write_limiter {
            wait_for_grant(limiter, (key.len() + value.len()) as u64);
        }
    }
    thread.stats.stop();
    print!("{}", thread.stats.result("timeseries write"));
    Ok(())
}

pub(super) fn run_reading<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    let flags = workload.flags;
    let deletes = match flags.text("expire_style") {
        "delete" => thread.id as u64 <= flags.uint("num_deletion_threads"),
        // With `compaction_filter` compactions do it.
        "none" | "compaction_filter" => false,
        other => {
            return Err(Status::invalid_argument(format!(
                "--expire_style={other}: expected none, delete or compaction_filter"
            )));
        }
    };
    let [target] = workload.targets else {
        return Err(Status::not_supported("timeseries with --num_multi_db"));
    };
    // RocksDB's tool compares the zeros too, so that it finds only what was put first of all.
    let compares_zeros = flags.bool("as_published");
    let id_count = flags.uint("key_id_range").max(1);
    let age_max = flags.uint("time_range");
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let mut key = Vec::new();
    // Relaxed: nothing is read that the writer wrote before it ended.
    while !workload.background_ended.load(Ordering::Relaxed) {
        workload.key(thread.random.next_u64() % id_count, &mut key);
        let length = key.len();
        key[length - 8..].fill(0);
        let prefix_length = if compares_zeros { length } else { ID_BYTES };
        read += 1;
        let mut is_found = false;
        let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
        iterator.seek(&key);
        while iterator.valid() && iterator.key().starts_with(&key[..prefix_length]) {
            is_found = true;
            bytes += iterator.key().len() as u64;
            if !deletes {
                bytes += iterator.value().len() as u64;
                black_box(iterator.value());
                thread.stats.finished_operations(1, OperationType::Read);
            } else if age(&workload.time, iterator.key()) > age_max {
                thread.stats.finished_operations(1, OperationType::Delete);
                let (options, family) = (&workload.write_options, &target.families[0]);
                target.db.delete(options, family, iterator.key())?;
            } else {
                break;
            }
            iterator.next();
        }
        iterator.status()?;
        found += u64::from(is_found);
        workload.wait_for_reads(0, 1);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_message(&format!("({found} of {read} found)"));
    Ok(())
}
