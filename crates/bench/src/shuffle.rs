//! The order of `filluniquerandom`: `std::shuffle` of libstdc++ with `std::mt19937`, step for step.

/// The numbers below `count` in the order that `seed` gives.
pub(crate) fn shuffled(count: u64, seed: u32) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    shuffle(&mut numbers, &mut Random32::new(seed));
    numbers
}

fn shuffle(numbers: &mut [u64], random: &mut Random32) {
    let count = numbers.len();
    if count < 2 {
        return;
    }
    let mut index = 1;
    if u64::from(u32::MAX) / count as u64 >= count as u64 {
        // Few enough that one draw is good for two positions.
        if count.is_multiple_of(2) {
            numbers.swap(1, random.below(2) as usize);
            index = 2;
        }
        while index < count {
            let range = index as u64 + 1;
            let both = random.below(range * (range + 1));
            numbers.swap(index, (both / (range + 1)) as usize);
            numbers.swap(index + 1, (both % (range + 1)) as usize);
            index += 2;
        }
        return;
    }
    while index < count {
        let other = random.below(index as u64 + 1) as usize;
        numbers.swap(index, other);
        index += 1;
    }
}

const STATE_SIZE: usize = 624;
const SHIFT_SIZE: usize = 397;

/// `std::mt19937`.
struct Random32 {
    state: [u32; STATE_SIZE],
    index: usize,
}

impl Random32 {
    fn new(seed: u32) -> Self {
        let mut state = [seed; STATE_SIZE];
        for index in 1..STATE_SIZE {
            let before = state[index - 1];
            state[index] =
                (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
        }
        Self { state, index: STATE_SIZE }
    }

    fn next_u32(&mut self) -> u32 {
        if self.index == STATE_SIZE {
            for index in 0..STATE_SIZE {
                let high = self.state[index] & 0x8000_0000;
                let mixed = high | (self.state[(index + 1) % STATE_SIZE] & 0x7fff_ffff);
                let matrix = if mixed & 1 == 1 { 0x9908_b0df } else { 0 };
                self.state[index] =
                    self.state[(index + SHIFT_SIZE) % STATE_SIZE] ^ (mixed >> 1) ^ matrix;
            }
            self.index = 0;
        }
        let mut value = self.state[self.index];
        self.index += 1;
        value ^= value >> 11;
        value ^= (value << 7) & 0x9d2c_5680;
        value ^= (value << 15) & 0xefc6_0000;
        value ^ (value >> 18)
    }

    /// A number below `range`, which is at least 1, as `std::uniform_int_distribution` draws it
    /// (D. Lemire, "Fast Random Integer Generation in an Interval").
    fn below(&mut self, range: u64) -> u64 {
        let Ok(narrow) = u32::try_from(range) else {
            return self.below_wide(range);
        };
        let mut product = u64::from(self.next_u32()) * range;
        if (product as u32) < narrow {
            let threshold = narrow.wrapping_neg() % narrow;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * range;
            }
        }
        product >> 32
    }

    /// Ranges of more than 32 bits, of two draws.
    fn below_wide(&mut self, range: u64) -> u64 {
        const HALF: u64 = 1 << 32;
        if range == HALF {
            return u64::from(self.next_u32());
        }
        loop {
            let high = self.below((range - 1) / HALF + 1) * HALF;
            let value = high.wrapping_add(u64::from(self.next_u32()));
            if value < range && value >= high {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests;
