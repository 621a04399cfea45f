//! `acquireload`: loads of one atomic number. No database is needed.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::Engine;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

const OPERATIONS: usize = 100_000;
const LOADS: usize = 1_000;

pub(super) fn run<E: Engine>(_: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let number = AtomicUsize::new(1);
    thread.stats.add_message("(each op is 1000 loads)");
    for _ in 0..OPERATIONS {
        for _ in 0..LOADS {
            // Acquire is what is measured; nothing is released.
            black_box(black_box(&number).load(Ordering::Acquire));
        }
        thread.stats.finished_operations(1, OperationType::Other);
    }
    Ok(())
}
