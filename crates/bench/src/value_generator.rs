//! The values of `db_bench`: slices of one pool, which is the same in all threads and runs.
//!
//! ```text
//! pool  = piece*  of at least 1 MiB
//! piece = 100 bytes: the first 100 * compression_ratio of them random, then repeated
//! ```

const POOL_SIZE_MIN: usize = 1_048_576;
const PIECE_SIZE: usize = 100;
const SEED: u32 = 301;

/// Gives one value after another.
#[derive(Clone, Debug)]
pub struct ValueGenerator {
    pool: Vec<u8>,
    position: usize,
    value_size: usize,
}

impl ValueGenerator {
    /// Values of `value_size` bytes that can be compressed to about `compression_ratio` of that.
    pub fn new(value_size: usize, compression_ratio: f64) -> Self {
        let mut random = Random31(SEED);
        let mut pool = Vec::with_capacity(POOL_SIZE_MIN + PIECE_SIZE);
        while pool.len() < POOL_SIZE_MIN.max(value_size) {
            let random_size = ((PIECE_SIZE as f64 * compression_ratio) as usize).max(1);
            let start = pool.len();
            pool.extend((0..random_size).map(|_| random.printable()));
            let random_part: Vec<u8> = pool[start..].to_vec();
            pool.extend(random_part.iter().cycle().take(PIECE_SIZE.saturating_sub(random_size)));
            pool.truncate(start + PIECE_SIZE);
        }
        Self { pool, position: 0, value_size }
    }

    /// The next value.
    #[inline]
    pub fn next_value(&mut self) -> &[u8] {
        if self.position + self.value_size > self.pool.len() {
            self.position = 0;
        }
        let start = self.position;
        self.position += self.value_size;
        &self.pool[start..self.position]
    }
}

/// The generator of Park and Miller (1988).
struct Random31(u32);

impl Random31 {
    /// A character from space to tilde.
    fn printable(&mut self) -> u8 {
        const MODULUS: u64 = (1 << 31) - 1;
        self.0 = (u64::from(self.0) * 16_807 % MODULUS) as u32;
        b' ' + (self.0 % 95) as u8
    }
}

#[cfg(test)]
mod tests;
