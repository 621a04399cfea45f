//! `fillseekseq`: fills the database in order, then seeks each key, goes on `--seek_nexts` times and
//! seeks where it already is. Only the second part is measured.

use super::{Thread, Workload, write};
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Cursor, Engine};

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    // RocksDB's tool would look for the keys of all families in the first.
    if workload.targets[0].families.len() > 1 {
        return Err(Status::invalid_argument(
            "fillseekseq seeks in one column family: give --num_column_families=1",
        ));
    }
    write::run_sequential_all(workload, thread)?;
    thread.stats.restart();
    let flags = workload.flags;
    let (num, nexts) = (flags.uint("num"), flags.uint("seek_nexts"));
    let is_reverse = flags.bool("reverse_iterator");
    let target = workload.select_target(&mut thread.random);
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    let mut key = Vec::new();
    let mut number = 0;
    while number < num {
        workload.key(number, &mut key);
        iterator.seek(&key);
        thread.stats.finished_operations(1, OperationType::Seek);
        for _ in 0..nexts {
            if number + 1 >= num || !iterator.valid() {
                break;
            }
            match is_reverse {
                true => iterator.prev(),
                false => iterator.next(),
            }
            number += 1;
            workload.key(number, &mut key);
            thread.stats.finished_operations(1, OperationType::Seek);
        }
        iterator.seek(&key);
        iterator.status()?;
        if !iterator.valid() || iterator.key() != key {
            return Err(Status::corruption(format!(
                "key {} was put and is not found",
                key.escape_ascii()
            )));
        }
        thread.stats.finished_operations(1, OperationType::Seek);
        number += 1;
    }
    Ok(())
}
