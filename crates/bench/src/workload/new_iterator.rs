//! `newiterator`: an iterator is made and dropped.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let target = workload.select_target(&mut thread.random);
        drop(target.db.new_iterator(&workload.read_options, &target.families[0])?);
        thread.stats.finished_operations(1, OperationType::Other);
    }
    Ok(())
}
