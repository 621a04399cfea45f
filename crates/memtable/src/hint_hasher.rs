//! Hints of insertions are hashes already.

use std::hash::{BuildHasher, Hasher};

/// Takes hints, which are hashes, as they are.
#[derive(Clone, Copy, Default)]
pub(super) struct HintHasher(u64);

impl BuildHasher for HintHasher {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self::default()
    }
}

impl Hasher for HintHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hint: u64) {
        self.0 = hint;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
