//! The random numbers of `db_bench`: `std::mt19937_64` of libstdc++, bit for bit.

pub(crate) mod standard;

const STATE_SIZE: usize = 312;
const SHIFT_SIZE: usize = 156;
const MATRIX: u64 = 0xb502_6f5a_a966_19e9;
const UPPER_MASK: u64 = 0xffff_ffff_8000_0000;

/// A 64-bit Mersenne twister.
#[derive(Clone)]
pub struct Random64 {
    state: [u64; STATE_SIZE],
    index: usize,
}

impl Random64 {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        let mut state = [0; STATE_SIZE];
        state[0] = seed;
        for index in 1..STATE_SIZE {
            let before = state[index - 1];
            state[index] = (before ^ (before >> 62))
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(index as u64);
        }
        Self { state, index: STATE_SIZE }
    }

    /// The next number.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        if self.index == STATE_SIZE {
            self.twist();
        }
        let mut value = self.state[self.index];
        self.index += 1;
        value ^= (value >> 29) & 0x5555_5555_5555_5555;
        value ^= (value << 17) & 0x71d6_7fff_eda6_0000;
        value ^= (value << 37) & 0xfff7_eee0_0000_0000;
        value ^ (value >> 43)
    }

    fn twist(&mut self) {
        for index in 0..STATE_SIZE {
            let high = self.state[index] & UPPER_MASK;
            let low = self.state[(index + 1) % STATE_SIZE] & !UPPER_MASK;
            let mixed = high | low;
            let matrix = if mixed & 1 == 1 { MATRIX } else { 0 };
            self.state[index] =
                self.state[(index + SHIFT_SIZE) % STATE_SIZE] ^ (mixed >> 1) ^ matrix;
        }
        self.index = 0;
    }
}

#[cfg(test)]
mod tests;
