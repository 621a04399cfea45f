//! Work that uses no engine, to notice when the machine changes: another frequency, a neighbour, a
//! processor that was taken away.
//!
//! It does arithmetic and wanders through memory, as engines do, and is timed by the wall clock, so that
//! it also notices when it did not run at all.

use crate::statistics::{SplitMix64, median};
use std::hint::black_box;
use std::time::Instant;

/// More than most caches that belong to one processor.
const WORDS: usize = 2 << 20;

/// Some milliseconds: most loads are misses.
const STEPS: usize = 1 << 16;

/// Loops of which the median counts, so that a single interruption does not.
const LOOPS: usize = 7;

/// The control loop with its memory.
#[derive(Debug)]
pub struct ControlLoop {
    words: Vec<u64>,
}

impl Default for ControlLoop {
    fn default() -> Self {
        let mut random = SplitMix64(11);
        Self { words: (0..WORDS).map(|_| random.draw()).collect() }
    }
}

impl ControlLoop {
    /// Nanoseconds of a step.
    pub fn run(&self) -> f64 {
        let samples: Vec<f64> = (0..LOOPS).map(|_| self.once()).collect();
        median(&samples).unwrap_or_default()
    }

    fn once(&self) -> f64 {
        let start = Instant::now();
        let mut at = 1_u64;
        for _ in 0..STEPS {
            let word = self.words[at as usize % WORDS];
            at = (at ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
        black_box(at);
        start.elapsed().as_secs_f64() * 1e9 / STEPS as f64
    }
}

/// How far the machine has moved around a group: the larger difference of `before` and `after` from
/// `reference`, as a share of it.
pub fn moved(before: f64, after: f64, reference: f64) -> f64 {
    let share = |value: f64| (value / reference - 1.0).abs();
    share(before).max(share(after))
}

#[cfg(test)]
mod tests;
