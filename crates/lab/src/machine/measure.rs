//! How constants are measured.

pub mod file;
pub mod memory;
pub mod processor;

use std::path::PathBuf;
use std::time::Instant;

/// How much is done for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Bytes of memory that loads wander through; far more than the caches hold.
    pub memory_bytes: usize,
    /// Bytes of the file for direct I/O.
    pub file_bytes: u64,
    /// How many times a loop is timed.
    pub loops: usize,
    /// Operations of a loop of operations that take nanoseconds each. So few that a loop is seldom
    /// interrupted.
    pub operations: usize,
}

impl Effort {
    /// A quarter of a minute on an idle machine.
    pub const FULL: Self =
        Self { memory_bytes: 512 << 20, file_bytes: 1 << 30, loops: 200, operations: 10_000 };
    /// A few seconds, for the start of a comparison.
    pub const QUICK: Self =
        Self { memory_bytes: 128 << 20, file_bytes: 128 << 20, loops: 50, operations: 10_000 };
}

/// What measurements share.
#[derive(Debug)]
pub struct Workbench {
    /// How much is done.
    pub effort: Effort,
    /// Where files are made. They are removed again.
    pub directory: PathBuf,
    /// Lines of memory to wander through, as they were last made.
    chain: Option<memory::Chain>,
}

impl Workbench {
    /// Nothing was measured yet.
    pub fn new(effort: Effort, directory: PathBuf) -> Self {
        Self { effort, directory, chain: None }
    }
}

/// Nanoseconds that an operation takes at best: in the fastest of `loops` loops of `operations` each.
/// What a machine can do is what it did when nothing else got in the way.
fn best_nanos(loops: usize, operations: usize, mut work: impl FnMut()) -> f64 {
    let nanos = (0..loops.max(1)).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e9 / operations as f64
    });
    nanos.fold(f64::INFINITY, f64::min)
}
