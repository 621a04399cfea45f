//! The values of `db_bench`: slices of one pool, which is the same in all threads and runs.
//!
//! ```text
//! pool  = piece*  of at least 1 MiB
//! piece = 100 bytes: the first 100 * compression_ratio of them random, then repeated
//! ```

use crate::random::Random64;
use crate::random::standard::{MinimalStandard, Normal};

const POOL_SIZE_MIN: usize = 1_048_576;
const PIECE_SIZE: usize = 100;
const POOL_SEED: u32 = 301;

/// How long values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSizes {
    /// All as long.
    Fixed(usize),
    /// Any size from the first to the last is as likely as any other.
    Uniform(usize, usize),
    /// Sizes around the middle of the two are more likely; nearly all lie between them, and the
    /// others are moved there.
    Normal(usize, usize),
}

impl ValueSizes {
    /// The longest value there can be.
    pub fn max(self) -> usize {
        match self {
            Self::Fixed(size) | Self::Uniform(_, size) | Self::Normal(_, size) => size,
        }
    }

    /// The size in the middle.
    pub fn average(self) -> usize {
        match self {
            Self::Fixed(size) => size,
            Self::Uniform(low, high) | Self::Normal(low, high) => low.midpoint(high),
        }
    }
}

/// What values are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueKind {
    /// How long they are.
    pub sizes: ValueSizes,
    /// What part of them is left when they are compressed, about.
    pub compression_ratio: f64,
    /// Of a hundred so many are the beginning of the pool (`same_value_percentage`).
    pub same_percent: u64,
}

/// Gives one value after another.
#[derive(Clone)]
pub struct ValueGenerator {
    pool: Vec<u8>,
    position: usize,
    kind: ValueKind,
    /// Decides on sizes and sameness.
    random: Random64,
    normal: Normal,
}

impl ValueGenerator {
    /// Values of this kind. `seed` decides on their sizes; the pool is always the same.
    pub fn new(kind: ValueKind, seed: u64) -> Self {
        let mut random = Random31::new(POOL_SEED);
        let mut pool = Vec::with_capacity(POOL_SIZE_MIN + PIECE_SIZE);
        while pool.len() < POOL_SIZE_MIN.max(kind.sizes.max()) {
            let random_size = ((PIECE_SIZE as f64 * kind.compression_ratio) as usize).max(1);
            let start = pool.len();
            pool.extend((0..random_size).map(|_| random.printable()));
            let random_part: Vec<u8> = pool[start..].to_vec();
            pool.extend(random_part.iter().cycle().take(PIECE_SIZE.saturating_sub(random_size)));
            pool.truncate(start + PIECE_SIZE);
        }
        let (mean, deviation) = match kind.sizes {
            // Nearly all between the two: three deviations on each side.
            ValueSizes::Normal(low, high) => ((low + high) as f64 / 2.0, (high - low) as f64 / 6.0),
            _ => (0.0, 0.0),
        };
        let normal = Normal::new(mean, deviation, MinimalStandard::new(seed as u32));
        Self { pool, position: 0, kind, random: Random64::new(seed), normal }
    }

    /// The next value.
    #[inline]
    pub fn next_value(&mut self) -> &[u8] {
        let size = match self.kind.sizes {
            ValueSizes::Fixed(size) => size,
            ValueSizes::Uniform(low, high) => {
                low + (self.random.next_u64() % (high - low + 1) as u64) as usize
            }
            ValueSizes::Normal(low, high) => (self.normal.next() as usize).clamp(low, high),
        };
        self.next_of_size(size)
    }

    /// The next value, of `size` bytes, which must not be more than the pool has.
    #[inline]
    pub fn next_of_size(&mut self, size: usize) -> &[u8] {
        if self.kind.same_percent > 0 && self.random.next_u64() % 100 < self.kind.same_percent {
            return &self.pool[..size];
        }
        if self.position + size > self.pool.len() {
            self.position = 0;
        }
        let start = self.position;
        self.position += size;
        &self.pool[start..self.position]
    }
}

/// The generator of Park and Miller (1988).
pub(crate) struct Random31(u32);

impl Random31 {
    pub(crate) fn new(seed: u32) -> Self {
        const MASK: u32 = 0x7fff_ffff;
        match seed & MASK {
            0 | MASK => Self(1),
            state => Self(state),
        }
    }

    /// A character from space to tilde.
    pub(crate) fn printable(&mut self) -> u8 {
        const MODULUS: u64 = (1 << 31) - 1;
        self.0 = (u64::from(self.0) * 16_807 % MODULUS) as u32;
        b' ' + (self.0 % 95) as u8
    }
}

#[cfg(test)]
mod tests;
