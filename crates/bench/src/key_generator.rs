//! Keys as `db_bench` makes them from numbers.
//!
//! ```text
//! [prefix: min(prefix_size, 8) bytes, big-endian, then '0' up to prefix_size]
//! number, big-endian, in min(8, rest) bytes | '0' up to key_size
//! ```
//!
//! With `--key_size_max`, which `db_bench` does not have, each key has a length of its own between
//! the two, which follows from its number.
//!
//! Keys are in the order of their numbers.

use crate::flags::Flags;
use crate::random::Random64;

/// The shape of keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyFormat {
    /// Bytes of a key (`key_size`), of the shortest where lengths differ.
    pub key_size: usize,
    /// Bytes of the longest key (`key_size_max`); 0 if all are of one length.
    pub key_size_max: usize,
    /// Bytes of its prefix (`prefix_size`), where there are prefixes.
    pub prefix_size: usize,
    /// Keys that share a prefix (`keys_per_prefix`); 0 for no prefixes.
    pub keys_per_prefix: u64,
    /// How many keys there are (`num`).
    pub key_count: u64,
}

impl KeyFormat {
    /// As the flags say, each key longer by `extra_bytes`.
    pub(crate) fn of_flags(flags: &Flags, extra_bytes: usize, key_count: u64) -> Self {
        let size = |flag| flags.uint(flag) as usize;
        Self {
            key_size: size("key_size") + extra_bytes,
            key_size_max: match size("key_size_max") {
                0 => 0,
                longest => longest + extra_bytes,
            },
            prefix_size: size("prefix_size"),
            keys_per_prefix: flags.uint("keys_per_prefix"),
            key_count,
        }
    }

    /// Writes the key of `number` over `key`.
    pub fn write(&self, number: u64, key: &mut Vec<u8>) {
        key.clear();
        if let Some(prefix_count) = self.key_count.checked_div(self.keys_per_prefix) {
            let prefix = (number % prefix_count.max(1)).to_be_bytes();
            put_low_bytes(key, prefix, self.prefix_size.min(self.key_size));
            key.resize(self.prefix_size.min(self.key_size), b'0');
        }
        put_low_bytes(key, number.to_be_bytes(), self.key_size - key.len());
        key.resize(self.size_of(number), b'0');
    }

    /// Bytes of the key of `number`.
    #[inline]
    fn size_of(&self, number: u64) -> usize {
        /// 2^64 over the golden ratio: numbers in a row get lengths that are far apart.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let Some(range) = self.key_size_max.checked_sub(self.key_size) else {
            return self.key_size;
        };
        let spread = u128::from(number.wrapping_mul(SPREAD));
        self.key_size + ((spread * (range as u128 + 1)) >> 64) as usize
    }
}

/// Bytes of a key on average.
pub(crate) fn average_key_size(flags: &Flags) -> u64 {
    let size = flags.uint("key_size");
    size.midpoint(flags.uint("key_size_max").max(size))
}

/// Appends the low-order bytes of a big-endian number, as many as fit into `room`.
fn put_low_bytes(key: &mut Vec<u8>, big_endian: [u8; 8], room: usize) {
    key.extend_from_slice(&big_endian[8 - room.min(8)..]);
}

/// Which keys random reads ask for.
#[derive(Clone, Copy, Debug)]
pub struct KeyChooser {
    /// How many keys there are.
    pub key_count: u64,
    /// `read_random_exp_range`: 0 for uniform, more for more skew.
    pub exp_range: f64,
}

impl KeyChooser {
    /// The next key's number.
    #[inline]
    pub fn choose(&self, random: &mut Random64) -> u64 {
        /// A prime that spreads the popular keys over the key space.
        const SPREAD: u64 = 0x5bd1_e995;
        let draw = random.next_u64();
        if self.exp_range == 0.0 {
            return draw % self.key_count;
        }
        let order = -((draw % (1 << 62)) as f64 / (1u64 << 62) as f64) * self.exp_range;
        let rank = (order.exp() * self.key_count as f64) as u64;
        rank.wrapping_mul(SPREAD) % self.key_count
    }

    /// The first number of `count` keys that are `stride` apart, moved back where the last of them
    /// would be beyond the last key.
    pub fn choose_stride(&self, random: &mut Random64, count: u64, stride: u64) -> u64 {
        let first = self.choose(random);
        if first + (count - 1) * stride >= self.key_count {
            return self.key_count.saturating_sub(count * stride);
        }
        first
    }
}

#[cfg(test)]
mod tests;
