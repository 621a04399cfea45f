//! `readseq` and `readreverse`: a scan of the whole database.

use super::{Target, Thread, Workload};
use crate::stats::OperationType;
use base::Result;

pub(super) fn run_forward(workload: &Workload<'_>, thread: &mut Thread) -> Result<()> {
    workload.targets.iter().try_for_each(|target| forward(workload, thread, target))
}

pub(super) fn run_backward(workload: &Workload<'_>, thread: &mut Thread) -> Result<()> {
    workload.targets.iter().try_for_each(|target| backward(workload, thread, target))
}

fn forward(workload: &Workload<'_>, thread: &mut Thread, target: &Target) -> Result<()> {
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    let (mut read, mut bytes) = (0, 0);
    iterator.seek_to_first();
    while read < workload.reads && iterator.valid() {
        bytes += (iterator.key().len() + iterator.value().len()) as u64;
        thread.stats.finished_operations(1, OperationType::Read);
        read += 1;
        iterator.next();
    }
    thread.stats.add_bytes(bytes);
    iterator.status()
}

fn backward(workload: &Workload<'_>, thread: &mut Thread, target: &Target) -> Result<()> {
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    let (mut read, mut bytes) = (0, 0);
    iterator.seek_to_last();
    while read < workload.reads && iterator.valid() {
        bytes += (iterator.key().len() + iterator.value().len()) as u64;
        thread.stats.finished_operations(1, OperationType::Read);
        read += 1;
        iterator.prev();
    }
    thread.stats.add_bytes(bytes);
    iterator.status()
}
