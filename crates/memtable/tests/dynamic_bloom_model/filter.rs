//! A filter of one line, whose keys are given as their bits.

use super::line::{BITS, Line};

#[derive(Default)]
pub(crate) struct Filter(Line);

impl Filter {
    pub(crate) fn add(&self, bits: &[usize]) {
        assert!(bits.iter().all(|bit| *bit < BITS), "bits of a line");
        self.0.set(bits.iter().copied());
    }

    pub(crate) fn may_contain(&self, bits: &[usize]) -> bool {
        self.0.has_all(bits.iter().copied())
    }
}
