//! Puts over one of the last keys (`--overwrite_probability`, `--overwrite_window_size`).

use crate::random::Random64;
use crate::random::standard::MinimalStandard;
use std::collections::VecDeque;

/// The last keys that were put, and the dice.
pub(super) struct OverwriteWindow {
    probability: f64,
    size: usize,
    numbers: VecDeque<u64>,
    decider: MinimalStandard,
    chooser: Random64,
    /// Keys put for the first time.
    pub(super) unique_count: u64,
    /// Keys put again.
    pub(super) overwrite_count: u64,
}

impl OverwriteWindow {
    /// A window of `size` keys, at least 1.
    pub(super) fn new(probability: f64, size: usize, seed_base: u64) -> Self {
        Self {
            probability: probability.min(1.0),
            size,
            numbers: VecDeque::with_capacity(size),
            decider: MinimalStandard::new(seed_base as u32),
            chooser: Random64::new(seed_base),
            unique_count: 0,
            overwrite_count: 0,
        }
    }

    /// One of the last keys, or what `new` gives, which then is one of them; none if it gives none.
    pub(super) fn next(&mut self, new: impl FnOnce() -> Option<u64>) -> Option<u64> {
        if !self.numbers.is_empty() && self.decider.is_true(self.probability) {
            self.overwrite_count += 1;
            let index = self.chooser.next_u64() as usize % self.numbers.len();
            return Some(self.numbers[index]);
        }
        let number = new()?;
        self.unique_count += 1;
        if self.numbers.len() >= self.size {
            self.numbers.pop_front();
        }
        self.numbers.push_back(number);
        Some(number)
    }
}
