//! How constants are measured.

pub mod file;
pub mod memory;
pub mod processor;

use crate::statistics::median;
use std::path::PathBuf;
use std::time::Instant;

/// How much is done for a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Bytes of memory that loads wander through; far more than the caches hold.
    pub memory_bytes: usize,
    /// Bytes of the file for direct I/O.
    pub file_bytes: u64,
    /// How many times a loop is timed; the median counts.
    pub repeats: usize,
    /// Operations of a loop that takes nanoseconds each.
    pub operations: usize,
}

impl Effort {
    /// A quarter of a minute.
    pub const FULL: Self =
        Self { memory_bytes: 512 << 20, file_bytes: 1 << 30, repeats: 7, operations: 1_000_000 };
    /// A few seconds, for the start of a comparison.
    pub const QUICK: Self =
        Self { memory_bytes: 128 << 20, file_bytes: 128 << 20, repeats: 3, operations: 250_000 };
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

/// Nanoseconds that an operation takes: the median of `repeats` loops of `operations` each.
fn nanos_per_operation(repeats: usize, operations: usize, mut work: impl FnMut()) -> f64 {
    let samples: Vec<f64> = (0..repeats.max(1))
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e9 / operations as f64
        })
        .collect();
    median(&samples).unwrap_or_default()
}
