//! What scans while other threads read (`readwhilescanning`). Its steps count as operations.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Cursor, Engine};

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let [target] = workload.targets else {
        return Err(Status::not_supported("readwhilescanning with --num_multi_db"));
    };
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    eprintln!("num reads to do {}", workload.reads);
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        if iterator.valid() {
            iterator.next();
        } else {
            iterator.status()?;
            iterator.seek_to_first();
        }
        thread.stats.finished_operations(1, OperationType::Seek);
    }
    Ok(())
}
