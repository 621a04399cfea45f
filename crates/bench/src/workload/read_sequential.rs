//! `readseq` and `readreverse`: a scan of the whole database.

use super::{Target, Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::{Cursor, Engine};

pub(super) fn run_forward<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    workload.targets.iter().try_for_each(|target| forward(workload, thread, target))
}

pub(super) fn run_backward<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
) -> Result<()> {
    workload.targets.iter().try_for_each(|target| backward(workload, thread, target))
}

fn forward<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    target: &Target<E>,
) -> Result<()> {
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    let (mut read, mut bytes) = (0, 0);
    iterator.seek_to_first();
    while read < workload.reads && iterator.valid() {
        bytes += (iterator.key().len() + iterator.value().len()) as u64;
        thread.stats.finished_operations(1, OperationType::Read);
        read += 1;
        workload.wait_for_reads(read, 1024);
        iterator.next();
    }
    thread.stats.add_bytes(bytes);
    iterator.status()
}

fn backward<E: Engine>(
    workload: &Workload<'_, E>,
    thread: &mut Thread,
    target: &Target<E>,
) -> Result<()> {
    let mut iterator = target.db.new_iterator(&workload.read_options, &target.families[0])?;
    let (mut read, mut bytes) = (0, 0);
    iterator.seek_to_last();
    while read < workload.reads && iterator.valid() {
        bytes += (iterator.key().len() + iterator.value().len()) as u64;
        thread.stats.finished_operations(1, OperationType::Read);
        read += 1;
        workload.wait_for_reads(read, 1024);
        iterator.prev();
    }
    thread.stats.add_bytes(bytes);
    iterator.status()
}
