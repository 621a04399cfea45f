//! A generator of numbers, the same in every run (`SplitMix64`).

/// Its state.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "a sequence without an end is no iterator")]
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `end`, which is not 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in `times`.
    pub const fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of `from`, which is not empty.
    pub fn choose<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
